import type { TSchema } from 'typebox'
import type { ProblemCode } from './problems.ts'
import { exampleRequestId } from './resources/examples.ts'
import Type from './type.ts'

export interface HeaderKind {
  readonly description: string
  readonly schema: TSchema
  readonly example: string
  /** False if a response may come without it; a required header is checked in every test. */
  readonly required: boolean
}

/** Every header of responses that has a special meaning. */
export const responseHeaders = {
  'Request-Id': header(
    'Identifies this request in the log of the server. Problems repeat it as `request_id`.',
    exampleRequestId,
  ),
  Location: header(
    'The path of the created or accepted resource, relative to the base URL.',
    '/v1/messages/msg_06fdw2p7d3va6x0n8y2jm4kgts',
  ),
  'Preference-Applied': header(
    'Repeats the preference that was followed (RFC 7240). Absent if none was requested or none was followed.',
    'wait=10',
    false,
  ),
  'Idempotency-Replayed': header(
    '`true` if this repeats the response to an earlier request with the same `Idempotency-Key`. Absent otherwise.',
    'true',
    false,
    Type.String({ enum: ['true'] }),
  ),
  'Retry-After': header(
    'The number of seconds to wait before you repeat the request.',
    '2',
    true,
    Type.String({ pattern: '^[0-9]+$' }),
  ),
  RateLimit: header(
    'The remaining requests of the key: `r` in the next `t` seconds (draft-ietf-httpapi-ratelimit-headers). Absent if the ' +
      'operator set no limit.',
    '"default";r=98;t=1',
    false,
  ),
  'RateLimit-Policy': header(
    'The limit of the key: `q` requests in `w` seconds (draft-ietf-httpapi-ratelimit-headers). Absent if the operator set no limit.',
    '"default";q=100;w=1',
    false,
  ),
  'Content-Disposition': header(
    'The name under which to save the file (RFC 6266). Always an attachment, never inline.',
    'attachment; filename="invoice.pdf"',
  ),
  ETag: header(
    'The SHA-256 of the whole file, in quotes. It never changes.',
    '"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"',
  ),
  'Accept-Ranges': header('You can request ranges of the file.', 'bytes'),
  'Content-Range': header(
    'The range of this part and the size of the whole file in bytes (RFC 9110); `*` if the requested range is not in the file.',
    'bytes 0-1023/48213',
    true,
    Type.String({ pattern: '^bytes (?:[0-9]+-[0-9]+|[*])/[0-9]+$' }),
  ),
  'WWW-Authenticate': header('How to authenticate (RFC 9110).', 'Bearer'),
  Allow: header('The methods that the path supports.', 'GET, HEAD, POST'),
} as const satisfies Record<string, HeaderKind>

export type HeaderName = keyof typeof responseHeaders

/** Values of `traceparent` and `tracestate` (W3C Trace Context). Any other is ignored, and no fault. */
export const TraceParent = Type.String({
  maxLength: 1024,
  examples: ['00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'],
})
export const TraceState = Type.String({ maxLength: 4096, examples: ['congo=t61rcWkgMzE'] })

/** Values of `Idempotency-Key`: 1 to 255 visible ASCII characters, bare or in double quotes. */
export const IdempotencyKey = Type.String({
  pattern: '^(?:"[!-~]{1,255}"|[!-~]{1,255})$',
  examples: ['order-4711-shipped'],
})

/**
 * The place at which an event stream broke off; browsers send it by themselves when they reconnect (HTML, section 9.2.4).
 */
/** In characters. */
export const longestEventId = 200
export const LastEventId = Type.String({ maxLength: longestEventId, examples: ['NDI'] })

/** The longest wait that `Prefer` is followed in, in seconds. */
export const longestWait = 60

/** Values of `Prefer` if it is used; other preferences are ignored, as RFC 7240 requires. */
export const Prefer = Type.String({ maxLength: 1024, examples: ['wait=10'] })

/**
 * Headers that make requests for files conditional, or for parts (RFC 9110). One that does not apply is ignored, as it asks.
 */
export const fileRequestHeaders = [
  {
    name: 'Range',
    description: 'The part to send, as one range of bytes. A request for several ranges gets the whole file.',
    example: 'bytes=0-1023',
  },
  {
    name: 'If-Range',
    description: 'Send the part only if the file still has this entity tag, and the whole file otherwise.',
    example: '"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"',
  },
  {
    name: 'If-None-Match',
    description: 'Send nothing if the file has one of these entity tags.',
    example: '"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"',
  },
] as const

function header(
  description: string,
  example: string,
  required = true,
  schema: TSchema = Type.String(),
): HeaderKind {
  return { description, schema, example, required }
}

/** The headers that responses with a problem always carry, besides `Request-Id`. */
export const problemHeaders: Partial<Record<ProblemCode, readonly HeaderName[]>> = {
  unauthenticated: ['WWW-Authenticate'],
  key_expired: ['WWW-Authenticate'],
  method_not_allowed: ['Allow'],
  idempotency_in_progress: ['Retry-After'],
  rate_limited: ['Retry-After', 'RateLimit', 'RateLimit-Policy'],
  store_unavailable: ['Retry-After'],
  instance_unreachable: ['Retry-After'],
  storage_full: ['Retry-After'],
  shutting_down: ['Retry-After'],
  too_many_streams: ['Retry-After'],
  answers_not_read: ['Retry-After'],
  too_many_waits: ['Retry-After'],
  too_many_batches: ['Retry-After'],
  too_many_checks: ['Retry-After'],
  too_many_group_changes: ['Retry-After'],
  group_requests_waiting: ['Retry-After'],
  too_many_pictures: ['Retry-After'],
  queue_full: ['Retry-After'],
  templates_being_listed: ['Retry-After'],
  voice_queue_full: ['Retry-After'],
  unsettled_quota_exceeded: ['Retry-After'],
  callback_not_accepted: ['Retry-After'],
  too_many_connections: ['Retry-After'],
  media_pending: ['Retry-After'],
  range_not_satisfiable: ['Content-Range'],
}
