"""The plays of the Python client: each is a function, called with the URL and key of a Posthorn that the test started."""

import json
import os
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../../../clients/python"))
from posthorn import ConnectionFailedError, OutcomeError, Posthorn, ProblemError, WebhookVerificationError, verify_webhook  # noqa: E402


def raised(kind, act):
    try:
        act()
    except kind as error:
        return error
    raise AssertionError(f"{kind.__name__} was not raised")


def everything(url, key):
    posthorn = Posthorn(url, key)
    posthorn.create_instance("trial", "sandbox", wait=20)
    message = posthorn.send_text("trial", "ana@reads.sandbox", "Olá", metadata={"ticket": "4711"})
    assert posthorn.wait_for(message, "read")["status"] == "read"
    failed = posthorn.send_text("trial", "ana@refuses.sandbox", "No")
    assert raised(OutcomeError, lambda: posthorn.wait_for(failed, "sent")).message["status"] == "failed"
    first, again = (posthorn.send_text("trial", "b@reads.sandbox", "Once", idempotency_key="order-1") for _ in range(2))
    assert first["id"] == again["id"]
    for number in range(5):
        posthorn.send_text("trial", "paul@reads.sandbox", f"Number {number}")
    texts = [each["text"] for each in posthorn.messages(to="paul@reads.sandbox", limit=2)]
    assert texts == [f"Number {number}" for number in (4, 3, 2, 1, 0)], texts
    files(posthorn)
    problem = raised(ProblemError, lambda: posthorn.send_text("nowhere", "ana@reads.sandbox", "?"))
    assert (problem.code, problem.status, problem.retryable) == ("instance_not_found", 404, False)
    assert raised(ConnectionFailedError, lambda: Posthorn("http://127.0.0.1:1", max_retries=0).message("msg_1")).was_refused
    events(posthorn)


def files(posthorn):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "letter.txt")
        with open(path, "wb") as file:
            file.write(b"A file of the test.\n" * 10_000)
        for source in ({"path": path}, {"content": b"A file of the test.\n" * 10_000, "filename": "letter.txt"}):
            sent = posthorn.send_media("trial", "ana@reads.sandbox", "document", caption="ç", metadata={"a": "b"}, **source)
            assert posthorn.media(sent["id"]) == b"A file of the test.\n" * 10_000
            read = posthorn.wait_for(sent, "read")
            assert (read["media"]["filename"], read["caption"], read["metadata"]) == ("letter.txt", "ç", {"a": "b"})


def events(posthorn):
    feed = posthorn.events(after="oldest")
    seen = []
    for event in feed:
        seen.append(event["sequence"])
        if len(seen) == 20:
            break
    assert seen == list(range(1, 21)), seen
    sent = posthorn.send_text("trial", "ana@reads.sandbox", "The last")
    posthorn.wait_for(sent, "read")
    handled = []
    saved = []

    def handle(event):
        handled.append(event["data"].get("message", {}).get("id"))
        if event["type"] == "message.read" and handled[-1] == sent["id"]:
            raise KeyboardInterrupt

    raised(KeyboardInterrupt, lambda: posthorn.process_events(handle, load=lambda: None, save=saved.append, after="oldest"))
    assert sent["id"] in handled


def cuts(url, key):
    posthorn = Posthorn(url, key, max_retries=50)

    def send(number):
        to = f"p{number % 20}@delivers.sandbox"
        if number % 10:
            return posthorn.send_text("trial", to, f"Number {number}")["id"]
        content = b"numbers " * 50
        return posthorn.send_media("trial", to, "document", content=content, filename="n.txt", caption=f"Number {number}")["id"]

    with ThreadPoolExecutor(40) as pool:
        print(json.dumps(list(pool.map(send, range(200)))))


def cut_anywhere(url, length):
    """The server cuts each response behind one byte more, up to `length`."""
    posthorn = Posthorn(url, max_retries=0)
    for _ in range(int(length)):
        raised(ConnectionFailedError, lambda: posthorn.message("msg_1"))
    assert posthorn.message("msg_1") == {"id": "msg_1"}


def webhook(given, _):
    """`given` is JSON: the headers, the body and the secret of a delivery that was signed by another library."""
    delivery = json.loads(given)
    body, headers, secret = delivery["body"].encode(), delivery["headers"], delivery["secret"]
    assert verify_webhook(body, headers, secret) == json.loads(body)
    assert verify_webhook(body, {name.title(): value for name, value in headers.items()}, ["whsec_b2xk", secret])
    raised(WebhookVerificationError, lambda: verify_webhook(body + b" ", headers, secret))
    raised(WebhookVerificationError, lambda: verify_webhook(body, headers, "whsec_b2xk"))
    raised(WebhookVerificationError, lambda: verify_webhook(body, {}, secret))
    raised(WebhookVerificationError, lambda: verify_webhook(body, headers, secret, tolerance=-1))
    raised(TypeError, lambda: verify_webhook(delivery["body"], headers, secret))


globals()[sys.argv[1]](sys.argv[2], sys.argv[3])
