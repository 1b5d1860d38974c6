import { longestWait } from '../headers.ts'

/** The introduction of the reference, in Markdown: what to do first, and what holds for every operation. */
export function introduction(baseUrl: string | undefined): string {
  return [opening, firstSteps(baseUrl ?? 'http://127.0.0.1:8080'), general].join('\n\n')
}

const opening = `
Posthorn connects your organization to messaging networks. You create an *instance*, which is a durable connection of one
account to one network, and send messages through it. Posthorn keeps the connection alive, stores every message that it has
accepted, and reports how far each has got. It also stores the messages that people write to the account, and notifies you of
them.`.trim()

function firstSteps(baseUrl: string): string {
  return `
# First steps

You need the address of the server and a key; the operator gives you both. Use the network \`sandbox\` to try the API: it needs
no account, and nothing leaves the server.

\`\`\`sh
BASE_URL=${baseUrl}
KEY=phk_…   # a key with the role admin

# Does the key work? This lists your instances.
curl -sS "$BASE_URL/v1/instances" \\
  -H "Authorization: Bearer $KEY"

# Create an instance. The response comes when it is connected.
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

Other addresses reject, delay, lose or defer a message: see the network *Sandbox*. It also takes phone numbers. Each network has
its own section, which lists its abilities, settings, limits and codes; \`GET /v1/networks\` returns the same as data.`.trim()
}

const general = `
# What you can rely on

1. **Accepted means kept.** When you get a 202 for a message, the message is on disk. No crash or restart loses it.
2. **Sent means the network said so.** A message is \`sent\` only after the network acknowledged it, and \`delivered\` or \`read\`
   only after a receipt. If the outcome of an attempt cannot be known, the status is \`unknown\`; Posthorn never guesses.
3. **One message, one id.** The id of a message is fixed when you send it, and every attempt carries it where the network
   allows. If the network or the recipient's client recognizes a repeated id, Posthorn repeats an attempt whose outcome is not
   known. Otherwise it does not, and the message becomes \`unknown\`. The section of each network says which of the two holds.
4. **Connected means proven.** \`last_verified_at\` is the time when the network last answered. Posthorn notices a dead
   connection within one probe interval, and no longer shows it as \`connected\`.

# Authentication

Send your key with every request: \`Authorization: Bearer phk_…\`. A key belongs to one organization. To this key, the
instances, messages and events of any other organization do not exist. Posthorn does not read keys in other headers or schemes.

| Role | What it may do |
|---|---|
| \`read\` | Read instances, messages, conversations, contacts, groups, events and statistics. |
| \`send\` | Also send, edit, retract and cancel messages, react to them and mark them as read; show that the account is typing, check addresses, and create, change and leave groups. |
| \`admin\` | Also create, change, start, stop and remove instances, manage webhooks and keys, and forget people. |

A key is shown once, when it is created: by the operator, or by a key with the role \`admin\` (\`POST /v1/keys\`). You can use
two keys at the same time while you replace one with the other. Posthorn refuses a revoked key within a second. A key may have
an expiry time, after which Posthorn refuses it with \`key_expired\`.

A key may be limited to instances with certain names. It can use only those instances and their messages, files and events;
to this key, other instances do not exist. It does not see events that concern no instance, so the event numbers in its feed
have gaps. Operations on the whole organization, such as creating instances or managing webhooks, are refused with
\`forbidden\`.

# Requests and responses

Bodies are JSON in UTF-8 with names in snake_case; media can also be uploaded as \`multipart/form-data\`. Unknown fields are
refused, so a misspelled field is an error rather than a surprise. Times are in RFC 3339 format; responses give them in UTC. Ids
are opaque and ascend with time. Every response carries \`Request-Id\`, which the operator can find in the log. Every
unsuccessful response is a *problem* with a stable \`code\`; see *Problems* for the list.

Limits: 256 KB for a JSON body (512 KB for a batch), 16 KB for all headers, 4,096 characters for a text, 1 MB for a sticker, 16 MB for an image or audio, and
100 MB for a video or a document. A network may allow less. A KB is 1,024 bytes, and an MB is 1,024 KB.

# Repeating requests safely

Requests that send a message or create an instance accept an \`Idempotency-Key\` of your choice. If no response reaches you,
send the same request again with the same key:

- If the request was carried out, you get the same status, body and \`Location\` again, with \`Idempotency-Replayed: true\`.
- If it is still in progress, you get 409 \`idempotency_in_progress\`, with \`Retry-After\`.
- If it differs from the first one, you get 422 \`idempotency_mismatch\`, and nothing is done.
- If it resulted in a problem, or never arrived, it is carried out now.

Keys belong to your organization and to one operation. They are kept for 72 hours, unless the operator chose otherwise.

# Waiting for the result

The server responds to a request as soon as it is stored. \`Prefer: wait=N\` delays the response until there is a result (each
operation says which), or until N seconds have passed. The status and the schema of the response stay the same;
\`Preference-Applied\` gives the longest time that the server was willing to wait. That is at most ${longestWait} seconds: a
longer wait is shortened, not refused. To follow an instance for longer, read its status as an event stream. The number of
streams that a key may have open is limited, and so is the number of streams and waiting requests of an organization; beyond
that, the response is 429 \`too_many_streams\` or \`too_many_waits\`, and nothing was done.

# Lists

Lists are \`{"data": […], "next_cursor": …}\`. Pass \`next_cursor\` as \`cursor\` to get the next page; null means that there
are no more. A page may hold fewer entries than \`limit\`, for example because it ends after about 1 MB. Entries that are added
or removed while you read never cause other entries to appear twice or be missed.

# Events

Posthorn reports everything that happens as an *event*: an incoming message, each step of a message that you sent, each change
of an instance. An event is stored together with the change that it reports. Events are numbered within your organization,
without gaps: \`sequence\` shows whether you missed one. There are three ways to get the same events:

- \`GET /v1/events\` is the feed: it continues where you stopped, and can wait for new events.
- The same path with \`Accept: text/event-stream\` sends each event as it happens.
- A webhook sends them to your server, signed as [Standard Webhooks](https://www.standardwebhooks.com) 1.0.0 specifies.

Pages and streams accept each other's cursors, so you can switch between them without missing an event or getting one twice. An
event describes the state at its time, which may no longer be the current state. Unlike a list, the feed has no last page: if
\`next_cursor\` equals the \`after\` that you sent, nothing has happened since.

A webhook gets each event at least once, so an event may arrive twice. Its \`webhook-id\` is the same each time: remember the
ids you have seen for a few days. Verify the signature of the unparsed body, and check that its timestamp is at most five
minutes old, with any library for Standard Webhooks, or like this in Python. Posthorn signs each attempt anew, so a late
delivery has a recent timestamp, too:

\`\`\`python
import base64, hashlib, hmac, time

def is_from_posthorn(secret, headers, body):  # the body as bytes
    sent_at = headers['webhook-timestamp']
    if not sent_at.isdecimal() or abs(time.time() - int(sent_at)) > 300:
        return False  # a replayed request, or the clock of this machine is wrong
    key = base64.b64decode(secret.removeprefix('whsec_'))
    signed = f"{headers['webhook-id']}.{sent_at}.".encode() + body
    expected = base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest())
    given = [part.removeprefix('v1,') for part in headers['webhook-signature'].split(' ')]
    return any(hmac.compare_digest(expected, one.encode()) for one in given)
\`\`\`

Respond with 2xx as soon as you have stored the event, and process it afterwards. If the delivery of an event fails, Posthorn
retries it for about three days; after that, you can redeliver it or read it from the feed. If no delivery succeeds for five days,
the webhook is disabled.

# Order

Messages of one instance to one recipient leave in the order in which they were accepted. A recipient who cannot be reached does
not delay messages to others; only a network that acknowledges none of the 20 to 64 messages that an instance sends at once delays
the rest, until Posthorn stops waiting for them. If a network keeps the order of texts, Posthorn sends it several at once. If the network rejects
one of them for now and accepts a later one, or may have accepted it, the rejected one becomes \`failed\`, because sending it
again would change the order.

# Rate limits

The number of requests that a key may make in a period is limited; \`RateLimit\` and \`RateLimit-Policy\` show what is left.
Beyond the limit, the response is 429 \`rate_limited\` with \`Retry-After\`. Each instance sends messages no faster than its
network tolerates; further messages wait in its queue. When the queue is full, the response is 429 \`queue_full\`.

# Versions

The major version is in the path. Within \`/v1\`, Posthorn only adds: operations, optional fields of requests, fields of
responses, problem codes. Clients must ignore fields that they do not know. We announce removals at least 180 days ahead, in the
changelog and by the headers \`Deprecation\` (RFC 9745) and \`Sunset\` (RFC 8594).`.trim()
