"""A client of Posthorn, the self-hosted messaging gateway, in one file: copy it into your project. It needs Python 3.9 or later, and no packages.

    from posthorn import Posthorn

    posthorn = Posthorn("https://posthorn.example.org", "phk_...")
    message = posthorn.send_text("trial", "ana@reads.sandbox", "Good morning")
    print(posthorn.wait_for(message, "read")["read_at"])

Everything that it returns is a dict as the reference at /docs describes it. A call that fails is repeated if that is safe: if it only reads, if the
server recognizes the repetition by its Idempotency-Key, or if the server has certainly done nothing.
"""

import base64
import hashlib
import hmac
import http.client
import json
import mimetypes
import os
import platform
import random
import secrets as randomness
import time
import urllib.error
import urllib.parse
import urllib.request
from email.utils import parsedate_to_datetime

__version__ = "0.1.0"
__all__ = [
    "ConnectionFailedError",
    "EventFeed",
    "EventGapError",
    "OutcomeError",
    "Posthorn",
    "PosthornError",
    "ProblemError",
    "UnexpectedResponseError",
    "WebhookVerificationError",
    "verify_webhook",
]

_RETRYABLE_STATUSES = {408, 425, 429, 500, 502, 503, 504}
_BEFORE_ANYTHING = {"shutting_down", "too_many_connections"}
_MAX_BACKOFF = 8.0
_MAX_RETRY_AFTER = 60.0
_PROGRESS = ["queued", "sending", "sent", "delivered", "read"]


class PosthornError(Exception):
    """The base of every error of this module."""


class ProblemError(PosthornError):
    """A problem with which the server responded. Rely on `code`, show `detail`, and quote `request_id`."""

    def __init__(self, problem, retry_after=None):
        super().__init__(f"{problem['title']}: {problem['detail']} ({problem['code']}, {problem['request_id']})")
        self.problem = problem
        self.status = problem["status"]
        self.code = problem["code"]
        self.detail = problem["detail"]
        self.request_id = problem["request_id"]
        self.retryable = problem["retryable"]
        self.errors = problem.get("errors", [])
        self.next_cursor = problem.get("next_cursor")
        self.retry_after = retry_after


class ConnectionFailedError(PosthornError):
    """The connection failed, or was silent for too long, before the whole response was there."""

    def __init__(self, cause):
        reason = getattr(cause, "reason", cause)
        super().__init__(f"The connection failed: {reason or type(cause).__name__}")
        self.was_refused = isinstance(reason, ConnectionRefusedError)


class UnexpectedResponseError(PosthornError):
    """A response that is not of Posthorn, for example from a proxy in between."""

    def __init__(self, method, path, status, retry_after=None):
        super().__init__(f"{method} {path} was answered {status}, but not by Posthorn: check the URL, and any proxy in between.")
        self.status = status
        self.retry_after = retry_after


class OutcomeError(PosthornError):
    """The message came to another end than the one that was waited for."""

    def __init__(self, message, wanted):
        why = f": {message['error']['detail']}" if message.get("error") else ""
        super().__init__(f"Message {message['id']} is {message['status']}, and not {wanted}{why}")
        self.message = message


class EventGapError(PosthornError):
    """Numbers of events are missing: events were missed."""


class WebhookVerificationError(PosthornError):
    """The delivery is not, or not certainly, from your Posthorn: answer it with 401 and do nothing else."""


class Posthorn:
    """A client of one Posthorn server. It may be shared by threads."""

    def __init__(self, base_url, key=None, *, max_retries=2, timeout=30.0):
        """`timeout` is in seconds, for each step of an attempt in which nothing arrives."""
        if not base_url.startswith(("https://", "http://")):
            raise ValueError("base_url must begin with https:// or http://")
        self._base_url = base_url.rstrip("/")
        self._key = key
        self._max_retries = max_retries
        self._timeout = timeout

    # Instances

    def create_instance(self, name, network=None, *, wait=None, idempotency_key=None, **fields):
        """Creates an instance. `wait` is the number of seconds to wait until it is connected or needs a person."""
        body = _given(name=name, network=network, **fields)
        return self._keyed("/v1/instances", body, wait, idempotency_key)

    def instance(self, name):
        """Returns an instance."""
        return self.call("GET", f"/v1/instances/{_segment(name)}")

    def instances(self, **query):
        """Yields the instances."""
        return self.list("/v1/instances", **query)

    def delete_instance(self, name):
        """Removes an instance."""
        return self.call("DELETE", f"/v1/instances/{_segment(name)}")

    # Messages

    def send_text(self, instance, to, text, *, wait=None, idempotency_key=None, **fields):
        """Sends a text. Further fields, such as `client_ref`, `metadata` and `send_at`, are those of the reference."""
        body = _given(instance=instance, to=to, text=text, **fields)
        return self._keyed("/v1/messages/text", body, wait, idempotency_key)

    def send_template(self, instance, to, name, language, *, wait=None, idempotency_key=None, **fields):
        """Sends a message from a template."""
        body = _given(instance=instance, to=to, name=name, language=language, **fields)
        return self._keyed("/v1/messages/template", body, wait, idempotency_key)

    def send_media(
        self, instance, to, kind, *, path=None, content=None, url=None, wait=None, idempotency_key=None, **fields
    ):
        """Sends a `document`, an `image`, `audio`, a `video` or a `sticker`: a file by its `path`, the bytes `content` (with a `filename`), or a `url` for the server."""
        if sum(each is not None for each in (path, content, url)) != 1:
            raise ValueError("send_media needs one of path, content and url")
        body = _given(instance=instance, to=to, kind=kind, url=url, **fields)
        if url is None:
            body = _Form(body, path, content)
        return self._keyed("/v1/messages/media", body, wait, idempotency_key)

    def send_location(self, instance, to, latitude, longitude, *, wait=None, idempotency_key=None, **fields):
        """Sends a place, in degrees, for example with its `name` and `address`."""
        body = _given(instance=instance, to=to, latitude=latitude, longitude=longitude, **fields)
        return self._keyed("/v1/messages/location", body, wait, idempotency_key)

    def send_contacts(self, instance, to, contacts, *, wait=None, idempotency_key=None, **fields):
        """Sends contact details: a list of dicts with `name`, `phones` and `emails`."""
        body = _given(instance=instance, to=to, contacts=contacts, **fields)
        return self._keyed("/v1/messages/contacts", body, wait, idempotency_key)

    def send_interactive(self, instance, to, body, *, wait=None, idempotency_key=None, **fields):
        """Asks a question: the text `body` with one of `buttons`, `list` and `url_button`."""
        given = _given(instance=instance, to=to, body=body, **fields)
        return self._keyed("/v1/messages/interactive", given, wait, idempotency_key)

    def send_poll(self, instance, to, question, options, *, wait=None, idempotency_key=None, **fields):
        """Sends a poll."""
        body = _given(instance=instance, to=to, question=question, options=options, **fields)
        return self._keyed("/v1/messages/poll", body, wait, idempotency_key)

    def send_batch(self, messages, *, idempotency_key=None):
        """Sends up to 100 messages at once: each is a dict with a `type`, such as `text`, and the fields of its operation.

        Returns one answer for each, in order: those that are wrong stop none of the others, so compare `refused` with 0.
        """
        return self._keyed("/v1/messages/batch", {"messages": messages}, None, idempotency_key)

    def react(self, id, emoji, *, wait=None, idempotency_key=None, **fields):
        """Reacts to a message; None takes your reaction back."""
        return self._follow(id, "reaction", {"emoji": emoji, **fields}, wait, idempotency_key)

    def edit(self, id, text=None, *, caption=None, wait=None, idempotency_key=None, **fields):
        """Replaces the text, or the caption, of a message that you sent."""
        return self._follow(id, "edit", _given(text=text, caption=caption, **fields), wait, idempotency_key)

    def retract(self, id, *, wait=None, idempotency_key=None, **fields):
        """Has a message that you sent removed for everyone."""
        return self._follow(id, "retract", fields, wait, idempotency_key)

    def mark_read(self, id):
        """Marks a received message, and those before it, as read."""
        return self.call("POST", f"/v1/messages/{_segment(id)}/read")

    def message(self, id):
        """Returns a message."""
        return self.call("GET", f"/v1/messages/{_segment(id)}")

    def messages(self, **query):
        """Yields the messages that match, newest first: `instance`, `direction`, `status`, `to` and the other filters of the reference."""
        return self.list("/v1/messages", **query)

    def media(self, id):
        """Returns the bytes of the file of a message."""
        return self.call("GET", f"/v1/messages/{_segment(id)}/media", is_file=True)

    def cancel(self, id):
        """Cancels a message that waits."""
        return self.call("POST", f"/v1/messages/{_segment(id)}/cancel")

    def wait_for(self, message, status, *, timeout=60.0):
        """Returns the message once it is `sent`, `delivered` or `read`. Raises an OutcomeError if it came to another end, and a TimeoutError."""
        end = time.monotonic() + timeout
        # The position comes first, so that no step between the two is missed.
        cursor = self._newest_cursor()
        now = self.message(message["id"])
        while not _has_reached(now, status):
            left = end - time.monotonic()
            if left <= 0:
                raise TimeoutError(f"Message {now['id']} is {now['status']}, and not {status}, after {timeout} s")
            page = self._event_page(after=cursor, instances=message["instance"], wait=max(1, min(25, int(left))))
            cursor = page["next_cursor"]
            for event in page["data"]:
                changed = event["data"].get("message")
                if changed and changed["id"] == now["id"]:
                    now = changed
                    if _has_reached(now, status):
                        break
        return now

    # People and groups

    def conversations(self, instance=None, **query):
        """Yields the conversations, newest first, with their names and how many messages are `unread`."""
        return self.list("/v1/conversations", instance=instance, **query)

    def contacts(self, instance, **query):
        """Yields the people who an instance knows; `search` finds some of them."""
        return self.list(f"/v1/instances/{_segment(instance)}/contacts", **query)

    def groups(self, instance):
        """Yields the groups that an instance is in."""
        return self.list(f"/v1/instances/{_segment(instance)}/groups")

    def check_addresses(self, instance, addresses):
        """Asks the network which of up to 50 addresses exist. Ask about few: networks ban accounts that ask about many."""
        return self.call("POST", f"/v1/instances/{_segment(instance)}/check", {"addresses": addresses})["data"]

    def show_typing(self, instance, to, seconds=None):
        """Shows a person that you are writing."""
        return self.call("POST", f"/v1/instances/{_segment(instance)}/typing", _given(to=to, seconds=seconds))

    # Events

    def events(self, *, after="latest", types=None, instances=None):
        """Returns the events as they happen, without end: iterate over it. `after` is a cursor, `latest` or `oldest`."""
        return EventFeed(self, after, types, instances)

    def process_events(self, handle, *, load, save, after="latest", types=None, instances=None):
        """Passes each event to `handle` at least once, over restarts of the program, too.

        `load()` returns the cursor that was saved last, or None; `save(cursor)` saves it after the events before it were handled.
        """
        saved = load()
        if saved is None and after == "latest":
            # Saved before the first event, so that a program that ends before then misses nothing.
            saved = self._newest_cursor()
            save(saved)
        feed = EventFeed(self, saved or after, types, instances)
        for page in feed.pages():
            for event in page:
                handle(event)
            save(feed.cursor)

    def _newest_cursor(self):
        return self._event_page(after="latest", limit=1)["next_cursor"]

    def _event_page(self, *, wait=None, **query):
        return self.call("GET", "/v1/events", query=query, wait=wait)

    # Everything else

    def list(self, path, **query):
        """Yields the entries of any list, page after page; for example `list("/v1/webhooks")`."""
        cursor = query.pop("cursor", None)
        while True:
            page = self.call("GET", path, query={**query, "cursor": cursor})
            yield from page["data"]
            cursor = page.get("next_cursor")
            if cursor is None:
                return

    def call(self, method, path, body=None, *, query=None, wait=None, idempotency_key=None, is_file=False):
        """Calls any operation of the reference, for example `call("POST", "/v1/webhooks", {"url": ...})`, and returns its body.

        Give an `idempotency_key` if the operation takes one: then it is repeated if it fails.
        """
        is_repeatable = method == "GET" or idempotency_key is not None
        for retry in range(self._max_retries + 1):
            try:
                return self._attempt(method, path, body, query or {}, wait, idempotency_key, is_file)
            except PosthornError as error:
                delay = _retry_delay(error, retry, is_repeatable)
                if delay is None or retry == self._max_retries:
                    raise
                time.sleep(delay)
        raise AssertionError("max_retries is negative")

    def _keyed(self, path, body, wait, idempotency_key):
        """One key for all attempts: it is what keeps them from doubling."""
        key = idempotency_key or randomness.token_hex(16)
        return self.call("POST", path, body, wait=wait, idempotency_key=key)

    def _follow(self, id, what, body, wait, idempotency_key):
        """Sends a message about another one."""
        return self._keyed(f"/v1/messages/{_segment(id)}/{what}", body, wait, idempotency_key)

    def _attempt(self, method, path, body, query, wait, idempotency_key, is_file):
        headers = {
            "User-Agent": f"posthorn-client-python/{__version__} Python/{platform.python_version()}",
            "Accept": "*/*" if is_file else "application/json, application/problem+json",
        }
        if self._key is not None:
            headers["Authorization"] = f"Bearer {self._key}"
        if idempotency_key is not None:
            headers["Idempotency-Key"] = idempotency_key
        if wait is not None:
            headers["Prefer"] = f"wait={wait}"
        data = None
        if isinstance(body, _Form):
            headers.update(body.headers())
            data = body.chunks()
        elif body is not None:
            headers["Content-Type"] = "application/json"
            data = json.dumps(body).encode()
        search = urllib.parse.urlencode({name: _text(value) for name, value in query.items() if value is not None})
        url = f"{self._base_url}{path}{'?' + search if search else ''}"
        request = urllib.request.Request(url, data=data, headers=headers, method=method)
        try:
            with _opener.open(request, timeout=self._timeout + (wait or 0)) as response:
                return _read(response, method, path, is_file)
        except urllib.error.HTTPError as error:
            try:
                with error:
                    return _read(error, method, path, is_file)
            except (OSError, http.client.HTTPException) as cut:
                raise ConnectionFailedError(cut) from cut
        except (OSError, http.client.HTTPException) as error:
            raise ConnectionFailedError(error) from error


class EventFeed:
    """The events as they happen. `cursor` is the position to continue from: behind the events of the pages that were taken completely."""

    def __init__(self, client, after, types=None, instances=None):
        self._client = client
        self._query = _given(types=types, instances=instances)
        self._checks_numbers = not self._query
        self._last = None
        self._after = after
        self.cursor = None if after in ("latest", "oldest") else after

    def __iter__(self):
        for page in self.pages():
            yield from page

    def pages(self):
        """Yields lists of events that happened together. Connections that fail are repeated without end."""
        failures = 0
        after = self._after if self._after != "oldest" else None
        while True:
            try:
                page = self._client._event_page(after=after, wait=25, **self._query)
                failures = 0
            except PosthornError as error:
                delay = _retry_delay(error, failures, True)
                if delay is None:
                    raise
                failures += 1
                time.sleep(delay)
                continue
            if page["data"]:
                self._check(page["data"])
                yield page["data"]
            after = self.cursor = page["next_cursor"]

    def _check(self, events):
        """Filters, and keys that are limited to some instances, leave events out, so that their numbers tell nothing."""
        for event in events:
            last, self._last = self._last, event
            if not self._checks_numbers or last is None or last["epoch"] != event["epoch"]:
                continue
            if event["sequence"] > last["sequence"] + 1:
                key = self._client.call("GET", "/v1/me")["key"]
                self._checks_numbers = not (key and key["instances"] is not None)
                if self._checks_numbers:
                    raise EventGapError(f"Event {event['sequence']} came after event {last['sequence']}: those in between were missed.")


def verify_webhook(body, headers, secrets, *, tolerance=300):
    """Verifies a delivery (Standard Webhooks 1.0.0) and returns its event, or `{"events": [...]}` for a webhook with batches.

    `body` is the body exactly as it arrived, as bytes; `headers` is a mapping; `secrets` is one or several of them, of which one must fit.
    `tolerance` is in seconds.
    """
    if not isinstance(body, (bytes, bytearray)):
        raise TypeError("verify_webhook needs the body exactly as it arrived, as bytes: parsed JSON cannot be verified")
    found = {name.lower(): value for name, value in dict(headers).items()}
    id, timestamp, signatures = (found.get(f"webhook-{name}", "") for name in ("id", "timestamp", "signature"))
    if not (id and timestamp.isdigit() and signatures):
        raise WebhookVerificationError("The request has no signature.")
    if abs(time.time() - int(timestamp)) > tolerance:
        raise WebhookVerificationError("The delivery is too old, or the clocks of both sides differ.")
    signed = f"{id}.{timestamp}.".encode() + bytes(body)
    for secret in [secrets] if isinstance(secrets, str) else secrets:
        key = base64.b64decode(secret[len("whsec_") :] if secret.startswith("whsec_") else secret)
        expected = b"v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest())
        if any(hmac.compare_digest(expected, each.encode()) for each in signatures.split(" ")):
            return json.loads(body)
    raise WebhookVerificationError("No signature fits: the secret is another one, or the body was changed on its way.")


class _Form:
    """A multipart form (RFC 7578) with a known length. Its file is read while it is sent, and again for each attempt."""

    def __init__(self, fields, path, content):
        filename = fields.get("filename") or (os.path.basename(path) if path else "file")
        self._boundary = randomness.token_hex(16)
        self._path = path
        self._content = content
        parts = [self._part(name, _field(value)) for name, value in fields.items()]
        kind = mimetypes.guess_type(filename)[0] or "application/octet-stream"
        safe = filename.replace('"', "%22").replace("\r", "%0D").replace("\n", "%0A")
        head = f'--{self._boundary}\r\nContent-Disposition: form-data; name="file"; filename="{safe}"\r\nContent-Type: {kind}\r\n\r\n'
        self._before = "".join([*parts, head]).encode()
        self._after = f"\r\n--{self._boundary}--\r\n".encode()

    def _part(self, name, value):
        return f'--{self._boundary}\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'

    def headers(self):
        size = os.path.getsize(self._path) if self._path else len(self._content)
        length = len(self._before) + size + len(self._after)
        return {"Content-Type": f"multipart/form-data; boundary={self._boundary}", "Content-Length": str(length)}

    def chunks(self):
        yield self._before
        if self._path is None:
            yield bytes(self._content)
        else:
            with open(self._path, "rb") as file:
                while chunk := file.read(65536):
                    yield chunk
        yield self._after


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """Posthorn redirects nothing, and a key must not follow to another host."""

    def redirect_request(self, *_):
        return None


_opener = urllib.request.build_opener(_NoRedirects)


def _read(response, method, path, is_file):
    """The body of a response; anything but a success is raised."""
    content = response.read()
    is_framed = response.headers.get("Content-Length", "").isdigit() or response.headers.get("Transfer-Encoding") == "chunked"
    if not is_framed and response.status != 204:
        # http.client takes a connection that is cut in the headers, even within one, for their end.
        raise ConnectionFailedError(http.client.HTTPException("the response broke off"))
    kind = response.headers.get_content_type()
    retry_after = _seconds(response.headers.get("Retry-After"))
    try:
        if kind == "application/problem+json":
            raise ProblemError(json.loads(content), retry_after)
        if 200 <= response.status < 300:
            if response.status == 204 or (response.status == 202 and not content and "Content-Type" not in response.headers):
                return None
            if is_file:
                return content
            if kind == "application/json":
                return json.loads(content)
    except (ValueError, KeyError) as error:
        raise UnexpectedResponseError(method, path, response.status, retry_after) from error
    raise UnexpectedResponseError(method, path, response.status, retry_after)


def _retry_delay(error, retry, is_repeatable):
    """Seconds to wait before a call that failed is repeated; None if it is not."""
    if not _may_retry(error, is_repeatable):
        return None
    retry_after = getattr(error, "retry_after", None)
    if retry_after is None:
        return random.random() * min(_MAX_BACKOFF, 0.5 * 2 ** min(retry, 10))
    return None if retry_after > _MAX_RETRY_AFTER else retry_after + random.random() / 2


def _may_retry(error, is_repeatable):
    if isinstance(error, ConnectionFailedError):
        return is_repeatable or error.was_refused
    if isinstance(error, UnexpectedResponseError):
        return is_repeatable and error.status in _RETRYABLE_STATUSES
    if not isinstance(error, ProblemError) or not error.retryable:
        return False
    if error.code == "idempotency_in_progress":
        return True
    if error.status not in _RETRYABLE_STATUSES:
        return False
    return is_repeatable or error.status == 429 or error.code in _BEFORE_ANYTHING


def _has_reached(message, wanted):
    if message["status"] not in _PROGRESS:
        raise OutcomeError(message, wanted)
    return _PROGRESS.index(message["status"]) >= _PROGRESS.index(wanted)


def _seconds(value):
    """The seconds of Retry-After, which may be a date (RFC 9110, section 10.2.3)."""
    if value is None:
        return None
    if value.isdigit():
        return float(value)
    try:
        return max(0.0, parsedate_to_datetime(value).timestamp() - time.time())
    except ValueError:
        return None


def _segment(value):
    """A parameter as a segment of a path. URLs swallow empty segments and dots, and the request would reach another operation."""
    if value in ("", ".", ".."):
        raise ValueError("a name or an id cannot be empty or dots")
    return urllib.parse.quote(value, safe="")


def _field(value):
    """A value of a form, in which objects and lists are JSON."""
    return json.dumps(value) if isinstance(value, (dict, list, tuple)) else _text(value)


def _text(value):
    """A value of a query."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (list, tuple)):
        return ",".join(value)
    return str(value)


def _given(**fields):
    return {name: value for name, value in fields.items() if value is not None}
