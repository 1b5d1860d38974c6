import { longestWait } from '../headers.ts'

/** The introduction of the reference, in Markdown: what to do first, and what holds for every operation. */
export function introduction(baseUrl: string | undefined): string {
  return [opening, firstSteps(baseUrl ?? 'http://127.0.0.1:8080'), general].join('\n\n')
}

const opening = `
Posthorn connects your organization to messaging networks. You create an *instance*, which is a durable connection of one
account to one network, and send messages through it. Posthorn keeps the connection alive, keeps every message it accepted,
and tells you how far each one got. What people write to the account is kept and told, too.`.trim()

function firstSteps(baseUrl: string): string {
  return `
# First steps

You need the address of the server and a key; the operator gives you both. The network \`sandbox\` is for trying: it needs no
account, and nothing leaves the server.

\`\`\`sh
BASE_URL=${baseUrl}
KEY=phk_…   # a key of the role admin

# Does the key work? This lists your instances.
curl -sS "$BASE_URL/v1/instances" \\
  -H "Authorization: Bearer $KEY"

# Create an instance. The answer waits until it is connected.
curl -sS "$BASE_URL/v1/instances" \\
  -H "Authorization: Bearer $KEY" -H 'Prefer: wait=10' \\
  -H 'Content-Type: application/json' \\
  -d '{"name": "trial", "network": "sandbox"}'

# Send a text. Repeating this request sends nothing twice.
curl -sS "$BASE_URL/v1/messages/text" \\
  -H "Authorization: Bearer $KEY" -H 'Prefer: wait=10' \\
  -H 'Content-Type: application/json' -H 'Idempotency-Key: first' \\
  -d '{"instance": "trial", "to": "ana@reads.sandbox",
       "text": "Good morning"}'

# See it arrive: its status is "read".
curl -sS "$BASE_URL/v1/messages?instance=trial" \\
  -H "Authorization: Bearer $KEY"
\`\`\`

Other addresses refuse, delay, lose or defer a message: see the network *Sandbox*. Each network has a section of its own, with
its settings, its limits and its codes.`.trim()
}

const general = `
# What you can rely on

1. **Accepted means kept.** When a send is answered with 202, the message is on disk. No crash and no restart loses it.
2. **Sent means the network said so.** A message is \`sent\` only after the network acknowledged it, and \`delivered\` or \`read\`
   only after a receipt. Where the result of an attempt cannot be known, the status says \`unknown\`; it is never guessed.
3. **One message, one id.** The id under which the network knows a message is fixed when you send it and used by every attempt.
   Where a repeated id is told from a new message, by the network or by the recipient's client, an attempt with an unknown
   result is repeated; elsewhere it is not, and the message becomes \`unknown\`.
4. **Connected means proven.** \`last_verified_at\` is the moment when the network last answered. A connection that does not
   answer any more is noticed within one probe interval, and is not shown as \`connected\` after it.

# Authentication

Send your key with every request: \`Authorization: Bearer phk_…\`. A key belongs to one organization and sees nothing of any
other: what is not yours looks exactly like what does not exist.

| Role | What it may do |
|---|---|
| \`read\` | Read instances, messages and events. |
| \`send\` | The same, and send and cancel messages. |
| \`admin\` | The same, and create, start, stop and remove instances, and everything about webhooks. |

A key is shown once, when the operator creates it. Two keys may live side by side while you replace one by the other. A
revoked key is refused within a second. A key may have an end, after which it is refused with \`key_expired\`.

A key may be limited to some instances, by their names. It sees and uses those, and their messages, files and events; any
other instance is to it as if it were not there. It gets no events that are about no instance, so in its feed the numbers of
events have gaps. What is about the whole organization, such as creating instances and everything about webhooks, is refused
with \`forbidden\`.

# Requests and replies

Bodies are JSON in UTF-8 with names in snake_case; media can also be uploaded as \`multipart/form-data\`. Unknown fields are
refused, so that a misspelt field is an error rather than a surprise. Moments are RFC 3339; replies write them in UTC. Ids are
opaque; they ascend with time. Every reply carries \`Request-Id\`, which the operator finds in the log. What is not a
success is a *problem* with a stable \`code\`; they stand under *Problems*.

Limits: 256 KB for a JSON body, 16 KB for all headers, and for a text 4,096 characters or what the network allows; 16 MB for an
image or audio and 100 MB for a document, or what the network allows. A KB is 1,024 bytes, and an MB 1,024 KB.

# Repeating requests safely

Requests that create something take an \`Idempotency-Key\` of your choice. If no answer reaches you, send the same request with
the same key again:

- the request was carried out: you get the same status, body and \`Location\` again, with \`Idempotency-Replayed: true\`;
- it is still being answered: 409 \`idempotency_in_progress\`, with \`Retry-After\`;
- it differs from the first one: 422 \`idempotency_mismatch\`, and nothing is done;
- it was answered with a problem, or never arrived: it is carried out now.

Keys belong to your organization and to one operation, and are kept for 72 hours, if the operator did not choose otherwise.

# Waiting for the result

Requests answer as soon as they are kept. \`Prefer: wait=N\` holds the answer until there is something to say (the operation
tells what), or until N seconds have passed. The status and the shape of the answer stay the same; \`Preference-Applied\` tells
how long the server was ready to wait. That is ${longestWait} seconds at most: a longer wait is shortened, not refused. To follow
an instance for longer, read its status as an event stream; a key may have so many of them open, and beyond it the answer is 429
\`too_many_streams\`.

# Lists

Lists are \`{"data": […], "next_cursor": …}\`. Pass \`next_cursor\` as \`cursor\` to read on; null means that there is no more.
A page may hold fewer entries than \`limit\`. Entries that come or go while you read never make others appear twice or be missed.

# Events

What happens to your instances and messages is an *event*: it is written down with the change that it tells of, and numbered
without gaps in your organization. Read \`/v1/events\` page by page, or follow it as an event stream; both take the cursors of the
other, so nothing is missed or told twice in between. An event tells what was when it happened, so events are not to be taken for
the present state of anything. Unlike a list, the feed has no last page: where \`next_cursor\` is the \`after\` that you sent,
nothing has happened since.

# Order

Messages of one instance to one recipient leave in the order in which they were accepted. A recipient who cannot be reached
does not hold up the others.

# Events

Everything that happens is an *event*: a message that arrives, each step of a message that you sent, each change of an
instance. Events are numbered in your organization, without gaps: \`sequence\` tells you whether you missed one. There are three
ways to have them, with the same content:

- \`GET /v1/events\` is the feed: it reads on from where you were, and can wait for what comes.
- The same path with \`Accept: text/event-stream\` sends each event as it happens.
- A webhook has them sent to your server, signed as [Standard Webhooks](https://www.standardwebhooks.com) 1.0.0 has it.

A webhook gets each event at least once, so it may come twice: \`webhook-id\` is the same each time, so keep those that you have
seen for some days. Verify the signature over the body as it came, before you parse it, with any library for Standard Webhooks;
in Python it is

\`\`\`python
import base64, hashlib, hmac

def is_from_posthorn(secret, headers, body):  # the body as bytes
    key = base64.b64decode(secret.removeprefix('whsec_'))
    signed = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + body
    expected = base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest())
    given = [part.removeprefix('v1,') for part in headers['webhook-signature'].split(' ')]
    return any(hmac.compare_digest(expected, one.encode()) for one in given)
\`\`\`

Answer with 2xx as soon as the event is safe with you, and do the work afterwards. An event that does not arrive is sent again
for some three days; then you can have it by redelivery, or from the feed. A webhook of which nothing arrived for five days is
disabled.

# Limits on the rate

Each key may send so many requests in a time; \`RateLimit\` and \`RateLimit-Policy\` tell what is left. Beyond it the answer is 429
\`rate_limited\` with \`Retry-After\`. Each instance hands messages to its network no faster than the network bears; what waits is
in its queue. When the queue is full, the answer is 429 \`queue_full\`.

# Versions

The major version is in the path. Within \`/v1\`, Posthorn only adds: operations, optional fields of requests, fields of
replies, problem codes. Write clients that ignore fields they do not know. What is to go away is
announced at least 180 days ahead by the headers \`Deprecation\` (RFC 9745) and \`Sunset\` (RFC 8594) and in the changelog.`.trim()
