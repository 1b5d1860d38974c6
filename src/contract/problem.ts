import Type, { type Static } from 'typebox'
import { exampleRequestId } from './examples.ts'
import type { HeaderName } from './headers.ts'
import { record } from './scalars.ts'

interface ProblemKind {
  readonly status: number
  readonly title: string
  /** What happened and what to do next, for the reference; `{code}` pages show it. */
  readonly explanation: string
  /** Whether the same request may succeed later. */
  readonly retryable: boolean
}

/** Every problem that Posthorn answers with. Codes are part of the contract and never change their meaning. */
export const problems = {
  malformed_body: kind(
    400,
    'The body is not well formed',
    'Send one JSON object in UTF-8, without duplicate or `__proto__` keys; or, where it is taken, a whole multipart form (RFC 7578).',
  ),
  invalid_request: kind(
    400,
    'The request is not valid',
    'One or more values do not fit the contract. `errors` names each of them by a JSON pointer into the body, or as `query/…` and `header/…`.',
  ),
  unauthenticated: kind(
    401,
    'A valid API key is required',
    'Send `Authorization: Bearer phk_…` with a key that exists, is complete and is not revoked.',
  ),
  key_expired: kind(
    401,
    'The key has expired',
    'Ask the operator for a new key: the time that this one was given is over.',
  ),
  forbidden: kind(
    403,
    'The key may not do this',
    'Use a key with the role that the operation asks for and, where it is about the whole organization, one without a limit to some instances.',
  ),
  route_not_found: kind(404, 'There is no such path', 'Compare the path with the reference at `/docs`.'),
  instance_not_found: kind(
    404,
    'There is no such instance',
    'Your organization has no instance of that name.',
  ),
  message_not_found: kind(404, 'There is no such message', 'Your organization has no message with that id.'),
  webhook_not_found: kind(404, 'There is no such webhook', 'Your organization has no webhook with that id.'),
  delivery_not_found: kind(
    404,
    'There is no such delivery',
    'The webhook has no delivery with that id. Deliveries are kept as long as their events.',
  ),
  media_not_found: kind(
    404,
    'There is no such file',
    'The message is a text, or its file could not be had, or is not kept any more.',
  ),
  problem_not_found: kind(404, 'There is no such problem', 'The catalogue has no problem with that code.'),
  method_not_allowed: kind(
    405,
    'The path does not take this method',
    'The `Allow` header names the methods that it takes.',
  ),
  not_acceptable: kind(
    406,
    'No reply of the wanted type exists',
    'Ask for a media type that the operation documents.',
  ),
  request_timeout: kind(
    408,
    'The request came too slowly',
    'Send the whole request within the time limit.',
    true,
  ),
  instance_name_taken: kind(
    409,
    'The name is taken',
    'Your organization has an instance of that name, or is just removing one. Choose another, or wait until it is gone.',
  ),
  instance_limit_reached: kind(
    409,
    'The organization has as many instances as it may have',
    'Remove an instance, or ask the operator to raise `POSTHORN_INSTANCE_LIMIT`.',
  ),
  account_in_use: kind(
    409,
    'Another instance of your organization uses this account',
    'Use that instance, or remove it first: two connections to one account would end each other.',
  ),
  instance_deleting: kind(
    409,
    'The instance is being removed',
    'It takes no more orders. Create a new one when it is gone.',
  ),
  webhook_limit_reached: kind(
    409,
    'The organization has as many webhooks as it may have',
    'Remove a webhook, or ask the operator to raise `POSTHORN_WEBHOOK_LIMIT`.',
  ),
  webhook_not_enabled: kind(
    409,
    'The webhook is not enabled',
    'Nothing is sent to it now. Enable it first, then ask again.',
  ),
  message_not_cancelable: kind(
    409,
    'The message can no longer be canceled',
    'It was handed to the network, or its fate is already settled. Read it to see its status.',
  ),
  files_quota_exceeded: kind(
    409,
    'The organization has no room for the file',
    'Its files have as many bytes as they may have, or nearly. Cancel messages with files that still wait, wait until other files are ' +
      'removed, or ask the operator to raise `POSTHORN_FILES_LIMIT`. `GET /v1/quotas` shows what is left.',
    true,
  ),
  media_pending: kind(
    409,
    'The file is still being fetched',
    'Ask again after the seconds in `Retry-After`, or wait for the event of the message.',
    true,
  ),
  idempotency_in_progress: kind(
    409,
    'A request with this Idempotency-Key is still being answered',
    'Send the same request again after the seconds in `Retry-After`.',
    true,
  ),
  event_forgotten: kind(
    410,
    'The event is not kept any more',
    'Events are kept for as long as the operator set with `POSTHORN_EVENT_RETENTION_DAYS`.',
  ),
  cursor_expired: kind(
    410,
    'The feed cannot go on from this cursor',
    'Events behind it were removed since, as their time was over. ' +
      'Begin anew: without `after` with the oldest event that is kept, with `after=latest` with what happens from now on.',
  ),
  restored: kind(
    410,
    'The server went back to a backup',
    'The cursor belongs to a history that ended when the server went back to a backup: what happened after the backup is gone, ' +
      'and numbers are given again. Go on with `next_cursor`: it stands behind the last event that both histories share, as far ' +
      'as you had come. Read the messages that you sent since the backup: the server may not know them.',
  ),
  body_too_large: kind(413, 'The body is too large', 'Stay within the limit that the detail names.'),
  unsupported_media_type: kind(
    415,
    'The body has an unsupported media type',
    'Send the media type that the operation documents, without a content encoding.',
  ),
  range_not_satisfiable: kind(
    416,
    'The file has no such part',
    'Ask for bytes that it has: `Content-Range` names how many there are.',
  ),
  misdirected_request: kind(
    421,
    'The server is not known by this name',
    'The name in the `Host` header is none that callers may reach this server by. Use the URL that its operator gave you, or its ' +
      'address; or ask the operator to list the name in `POSTHORN_ALLOWED_HOSTS`.',
  ),
  idempotency_mismatch: kind(
    422,
    'The Idempotency-Key was used for another request',
    'Use a new key for a new request; repeat a request with exactly the same content.',
  ),
  rate_limited: kind(429, 'Too many requests', 'Wait for the seconds in `Retry-After`.', true),
  too_many_streams: kind(
    429,
    'The key has too many event streams open',
    'End one of them, or ask the operator to raise `POSTHORN_STREAM_LIMIT`.',
    true,
  ),
  queue_full: kind(
    429,
    'The queue of the instance is full',
    'Wait until messages have left it, or look at its status to see why they do not.',
    true,
  ),
  voice_queue_full: kind(
    429,
    'Too many voice notes wait to be converted',
    'Send it again later, or as OGG with Opus, which needs no conversion. Organizations take turns, and each may have so many ' +
      'waiting as `POSTHORN_VOICE_NOTE_QUEUE` says.',
    true,
  ),
  unsettled_quota_exceeded: kind(
    429,
    'The organization has as many unsettled messages as it may have',
    'Wait until messages of any of your instances have left, cancel some, or ask the operator to raise `POSTHORN_UNSETTLED_LIMIT`. ' +
      '`GET /v1/quotas` shows how many there are.',
    true,
  ),
  headers_too_large: kind(431, 'The request headers are too large', 'Send headers of at most 16 KB in all.'),
  internal_error: kind(
    500,
    'Posthorn made a mistake',
    'Tell the operator the `request_id`; the log has the cause. Repeat with the same Idempotency-Key.',
    true,
  ),
  store_unavailable: kind(
    503,
    'The store does not answer',
    'Nothing was accepted. Repeat after the seconds in `Retry-After`, with the same Idempotency-Key.',
    true,
  ),
  too_many_connections: kind(
    503,
    'The server has as many connections as it may',
    'Nothing was accepted. Use fewer connections, and repeat the request after the seconds in `Retry-After`; or ask the operator to ' +
      'raise `POSTHORN_MAX_CONNECTIONS`.',
    true,
  ),
  shutting_down: kind(
    503,
    'This server is stopping',
    'Nothing was accepted. Repeat the request once the server is back.',
    true,
  ),
  storage_full: kind(507, 'The disk is full', 'Nothing was accepted. The operator must free space.', true),
} as const satisfies Record<string, ProblemKind>

function kind(status: number, title: string, explanation: string, retryable = false): ProblemKind {
  return { status, title, explanation, retryable }
}

export type ProblemCode = keyof typeof problems

export const problemCodes = Object.keys(problems) as ProblemCode[]

/** The headers that replies with a problem always carry, besides `Request-Id`. */
export const problemHeaders: Partial<Record<ProblemCode, readonly HeaderName[]>> = {
  unauthenticated: ['WWW-Authenticate'],
  key_expired: ['WWW-Authenticate'],
  method_not_allowed: ['Allow'],
  idempotency_in_progress: ['Retry-After'],
  rate_limited: ['Retry-After', 'RateLimit', 'RateLimit-Policy'],
  store_unavailable: ['Retry-After'],
  storage_full: ['Retry-After'],
  shutting_down: ['Retry-After'],
  too_many_streams: ['Retry-After'],
  queue_full: ['Retry-After'],
  voice_queue_full: ['Retry-After'],
  unsettled_quota_exceeded: ['Retry-After'],
  too_many_connections: ['Retry-After'],
  media_pending: ['Retry-After'],
  range_not_satisfiable: ['Content-Range'],
}

/** One invalid value. */
export const InvalidValue = record('InvalidValue', {
  pointer: Type.String({
    description: 'A JSON pointer (RFC 6901) into the body, or `query/…`, `header/…` for a parameter.',
    examples: ['/to'],
  }),
  code: Type.String({ description: 'What is wrong, stable.', examples: ['recipient_invalid'] }),
  detail: Type.String({ description: 'What is wrong, for a person. Never repeats the value.' }),
})
export type InvalidValue = Static<typeof InvalidValue>

/** The body of every reply that is not a success (RFC 9457, `application/problem+json`). */
export const ProblemBody = record(
  'Problem',
  {
    type: Type.String({
      description: 'A URI reference that names and explains the problem.',
      examples: ['/problems/invalid_request'],
    }),
    title: Type.String({ description: 'The problem in a few words; the same for every occurrence.' }),
    status: Type.Integer({ description: 'The HTTP status of the reply.' }),
    detail: Type.String({ description: 'What happened this time, and what to do next.' }),
    code: Type.String({
      title: 'ProblemCode',
      enum: problemCodes,
      description: 'The stable code to build on.',
    }),
    request_id: Type.String({
      description: 'Names this request in the log of the server.',
      examples: [exampleRequestId],
    }),
    retryable: Type.Boolean({ description: 'Whether the same request may succeed later.' }),
    next_cursor: Type.Optional(
      Type.String({
        description: 'With `restored`: the cursor to go on with in the feed.',
        examples: ['IjRqdzhyMGttLjQzIg'],
      }),
    ),
    errors: Type.Optional(
      Type.Array(InvalidValue, { description: 'Each invalid value, where the request was not valid.' }),
    ),
  },
  'A problem as RFC 9457 describes it. Build on `code`, show `detail`, quote `request_id`.',
)
export type ProblemBody = Static<typeof ProblemBody>

/** Thrown to answer with a problem of the catalogue. `detail` is public: it never repeats a value or names an internal. */
export class Problem extends Error {
  override readonly name = 'Problem'
  readonly code: ProblemCode
  readonly errors: readonly InvalidValue[] | undefined
  readonly headers: Readonly<Record<string, string>>
  readonly nextCursor: string | undefined

  constructor(
    code: ProblemCode,
    options: {
      detail?: string
      errors?: readonly InvalidValue[]
      headers?: Record<string, string>
      nextCursor?: string
      cause?: unknown
    } = {},
  ) {
    super(options.detail ?? problems[code].explanation, { cause: options.cause })
    this.code = code
    this.errors = options.errors
    this.headers = options.headers ?? {}
    this.nextCursor = options.nextCursor
  }

  get status(): number {
    return problems[this.code].status
  }

  /** The body to send. */
  body(requestId: string): ProblemBody {
    const { status, title, retryable } = problems[this.code]
    const errors = this.errors ? { errors: [...this.errors] } : {}
    return {
      type: `/problems/${this.code}`,
      title,
      status,
      detail: this.message,
      code: this.code,
      request_id: requestId,
      retryable,
      ...(this.nextCursor === undefined ? {} : { next_cursor: this.nextCursor }),
      ...errors,
    }
  }
}

/** The problem of one or more invalid values; where it is one, the detail says all of it. */
export function invalid(...errors: InvalidValue[]): Problem {
  const [first, ...others] = errors
  const detail =
    first && others.length === 0
      ? `${first.pointer === '' ? 'The body' : `\`${first.pointer}\``}: ${first.detail}`
      : `\`errors\` names ${errors.length} values that do not fit.`
  return new Problem('invalid_request', { detail, errors })
}
