import type { Json, JsonObject, NetworkDescription } from './openapi-document.ts'
import { plain } from './openapi-document.ts'
import { problemCodes, problems } from './problem.ts'

/** The introduction of the reference, in Markdown: what holds for every operation, and what is known of each network. */
export function introduction(networks: readonly NetworkDescription[]): string {
  return [general, networkSections(networks), problemSection()].join('\n\n')
}

const general = `
Posthorn connects your organization to messaging networks. You create an *instance*, which is a durable connection of one
account to one network, and send messages through it. Posthorn keeps the connection alive, keeps every message it accepted,
and tells you how far each one got.

\`\`\`sh
curl $BASE_URL/v1/messages/text \\
  -H "Authorization: Bearer $KEY" \\
  -H "Idempotency-Key: order-4711" \\
  --json '{"instance": "support",
           "to": "ana@example.org",
           "text": "It is on its way."}'
\`\`\`

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
| \`read\` | Read instances and messages. |
| \`send\` | The same, and send and cancel messages. |
| \`admin\` | The same, and create, start, stop and remove instances. |

A key is shown once, when the operator creates it. Two keys may live side by side while you replace one by the other. A
revoked key is refused within a second.

# Requests and replies

Bodies are JSON in UTF-8 with names in snake_case; media can also be uploaded as \`multipart/form-data\`. Unknown fields are
refused, so that a misspelt field is an error rather than a surprise. Moments are RFC 3339; replies write them in UTC. Ids are
opaque; they ascend with time. Every reply carries \`Request-Id\`, which the operator finds in the log.

Limits: 256 KB for a JSON body, 16 KB for all headers, 16 MB for an image or audio, 100 MB for a document, and for a text
4,096 characters or what the network allows.

# Repeating requests safely

Requests that create something take an \`Idempotency-Key\` of your choice. If no answer reaches you, send the same request with
the same key again:

- the request was carried out: you get the same status, body and \`Location\` again, with \`Idempotency-Replayed: true\`;
- it is still being answered: 409 \`idempotency_in_progress\`, with \`Retry-After\`;
- it differs from the first one: 422 \`idempotency_mismatch\`, and nothing is done;
- it was answered with a problem, or never arrived: it is carried out now.

Keys belong to your organization and to one operation, and are kept for 72 hours.

# Waiting for the result

Requests answer as soon as they are kept. \`Prefer: wait=N\` holds the answer until there is something to say (the operation
tells what), or until N seconds have passed. The status and the shape of the answer stay the same; \`Preference-Applied\` tells
how long the server was ready to wait. To follow an instance for longer, read its status as an event stream.

# Lists

Lists are \`{"data": […], "next_cursor": …}\`. Pass \`next_cursor\` as \`cursor\` to read on; null means that there is no more.
A page may hold fewer entries than \`limit\`. Entries that come or go while you read never make others appear twice or be missed.

# Order

Messages of one instance to one recipient leave in the order in which they were accepted. A recipient who cannot be reached
does not hold up the others.

# Limits on the rate

Each key may send so many requests a second; \`RateLimit\` and \`RateLimit-Policy\` tell what is left. Beyond it the answer is 429
\`rate_limited\` with \`Retry-After\`. Each instance hands messages to its network no faster than the network bears; what waits is
in its queue. When the queue is full, the answer is 429 \`queue_full\`.

# Versions

The major version is in the path. Within \`/v1\`, Posthorn only adds: operations, optional fields of requests, fields of
replies, problem codes. Write clients that ignore fields they do not know. What is to go away is
announced at least 180 days ahead by the headers \`Deprecation\` (RFC 9745) and \`Sunset\` (RFC 8594) and in the changelog.`.trim()

function networkSections(networks: readonly NetworkDescription[]): string {
  const opening =
    '# Networks\n\n' +
    'An instance names its network when it is created. The shapes of `settings` and `credentials`, the form of an address, ' +
    'and what the network bears are different for each. The same data is in this document under `x-networks`.'
  const sections = networks.map((network) => networkSection(network))
  return [opening, ...(sections.length > 0 ? sections : ['This server speaks no network.'])].join('\n\n')
}

function networkSection(network: NetworkDescription): string {
  return [
    `## ${network.title}`,
    `In requests, its name is \`${network.network}\`.`,
    network.description.trim(),
    fieldTable('settings', network.settings),
    fieldTable('credentials', network.credentials),
    limitTable(network.limits),
  ].join('\n\n')
}

function fieldTable(name: 'settings' | 'credentials', object: NetworkDescription['settings']): string {
  const required = new Set<string>(object.required ?? [])
  const fields = Object.entries(plain(object.properties) as Record<string, JsonObject>)
  if (fields.length === 0) return `It takes no \`${name}\`.`
  const rows = fields.map(([field, schema]) =>
    row(`\`${field}\``, typeOf(schema), required.has(field) ? 'yes' : 'no', String(schema.description ?? '')),
  )
  return [row(`\`${name}\``, 'Type', 'Required', 'Meaning'), '|---|---|---|---|', ...rows].join('\n')
}

function limitTable(limits: NetworkDescription['limits']): string {
  const { pacing } = limits
  const pace = pacing
    ? `${pacing.messages} messages in ${pacing.seconds} s for each instance`
    : 'no limit of its own'
  return [
    row('What it bears', ''),
    '|---|---|',
    row('Longest text', `${limits.text_characters} characters`),
    row('Pace', pace),
    row('Messages that wait for its answer at once', `${limits.in_flight}`),
    row('Recognises a repeated message by its id', limits.dedupes_by_id ? 'yes' : 'no'),
    row(
      'A silent connection is probed',
      `after ${limits.probe_after_seconds} s, and given up ${limits.probe_timeout_seconds} s later`,
    ),
  ].join('\n')
}

function problemSection(): string {
  const opening = [
    '# Problems',
    '',
    'Every reply that is not a success is a problem as RFC 9457 describes it, `application/problem+json`. Build on `code`: codes are',
    'stable. `detail` is for people. `retryable` tells whether the same request may succeed later; repeat it with the same',
    '`Idempotency-Key`, and not before `Retry-After` where there is one. For `invalid_request`, `errors` names each invalid value by a',
    'JSON pointer. The `type` of a problem is a link that explains it. A path that does not exist is answered with `route_not_found`,',
    'a method that a path does not take with `method_not_allowed`.',
    '',
    row('Code', 'Status', 'Meaning'),
    '|---|---|---|',
  ]
  const rows = problemCodes.map((code) => {
    const { status, retryable, title, explanation } = problems[code]
    const meaning = `${title}. ${explanation}${retryable ? ' Retryable.' : ''}`
    return row(`\`${code}\``, String(status), meaning)
  })
  return [...opening, ...rows].join('\n')
}

function row(...cells: string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|').replaceAll('\n', ' ')).join(' | ')} |`
}

function typeOf(schema: JsonObject): string {
  const words = schema.enum as readonly Json[] | undefined
  if (words) return words.map((word) => `\`${String(word)}\``).join(', ')
  return typeof schema.type === 'string' ? schema.type : 'see `x-networks`'
}
