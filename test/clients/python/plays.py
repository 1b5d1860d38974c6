"""The plays of the Python client: each is a function, called with the URL and key of a Posthorn that the test started."""

import json
import os
import sys
import tempfile
import time
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
    conversation(posthorn)
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
        people = ["ana@reads.sandbox", "bo@reads.sandbox"]
        told = posthorn.send_media("trial", "crew@group.sandbox", "document", path=path, caption="@ana and @bo", mentions=people)
        assert told["mentions"] == people


def conversation(posthorn):
    to = "zoe@chooses.sandbox"
    place = posthorn.send_location("trial", to, -23.5614, -46.6559, name="MASP")
    card = posthorn.send_contacts("trial", to, [{"name": "Dr. Lima", "phones": ["+5511987654321"]}])
    poll = posthorn.send_poll("trial", to, "Which day?", ["Monday", "Tuesday"])
    buttons = [{"id": "yes", "title": "Yes", "payload": "appointment-4711"}]
    question = posthorn.send_interactive("trial", to, "Does ten suit you?", buttons=buttons, reply_to=place["id"])
    assert [each["kind"] for each in (place, card, poll, question)] == ["location", "contacts", "poll", "interactive"]
    posthorn.wait_for(question, "delivered")
    newest, vote = received(posthorn, to, 2)
    answer = next(each for each in (newest, vote) if each["kind"] == "button_reply")
    assert answer["button_reply"]["payload"] == "appointment-4711", answer
    assert next(posthorn.conversations("trial"))["unread"] == 2
    posthorn.mark_read(newest["id"])
    assert next(posthorn.conversations("trial"))["unread"] == 0
    assert posthorn.react(answer["id"], "👍")["relation"]["type"] == "reaction"
    assert posthorn.react(answer["id"], None, idempotency_key="back")["text"] == ""
    text = posthorn.send_text("trial", to, "See you at tne.")
    posthorn.wait_for(text, "delivered")
    assert posthorn.edit(text["id"], "See you at ten.")["relation"]["type"] == "correction"
    assert posthorn.retract(text["id"])["relation"]["type"] == "retraction"
    sent = posthorn.send_batch([{"type": "text", "instance": "trial", "to": each, "text": "Hello"} for each in (to, "wrong")])
    assert (sent["accepted"], sent["refused"], [each["status"] for each in sent["data"]]) == (1, 1, [202, 400]), sent
    assert to in [each["address"] for each in posthorn.contacts("trial")]
    assert posthorn.check_addresses("trial", [to])[0]["exists"] == "yes"
    posthorn.show_typing("trial", to, 3)
    assert next(posthorn.groups("trial"))["subject"]


def received(posthorn, sender, count):
    for _ in range(200):
        found = [each for each in posthorn.messages(direction="inbound") if each["from"] == sender]
        if len(found) >= count:
            return found
        time.sleep(0.05)
    raise AssertionError(f"{sender} sent {len(found)} messages, and not {count}")


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
