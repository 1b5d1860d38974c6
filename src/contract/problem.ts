import Type, { type Static } from 'typebox'
import { type ProblemCode, problemCodes, problems } from './problems.ts'
import { exampleRequestId } from './resources/examples.ts'
import { record } from './scalars.ts'

/** One invalid value. */
export const InvalidValue = record('InvalidValue', {
  pointer: Type.String({
    description: 'A JSON pointer (RFC 6901) into the body, or `query/…`, `header/…` for a parameter.',
    examples: ['/to'],
  }),
  code: Type.String({ description: 'What is wrong, as a stable code.', examples: ['recipient_invalid'] }),
  detail: Type.String({ description: 'What is wrong, for people to read. Never repeats the value.' }),
})
export type InvalidValue = Static<typeof InvalidValue>

/** The body of every reply that is not a success (RFC 9457, `application/problem+json`). */
export const ProblemBody = record(
  'Problem',
  {
    type: Type.String({
      description: 'A URI reference that identifies the problem and leads to its explanation.',
      examples: ['/problems/invalid_request'],
    }),
    title: Type.String({ description: 'The problem in a few words; the same for every occurrence.' }),
    status: Type.Integer({ description: 'The HTTP status of the reply.' }),
    detail: Type.String({ description: 'What happened this time, and what to do next.' }),
    code: Type.String({
      title: 'ProblemCode',
      enum: problemCodes,
      description: 'The stable code that your program can rely on.',
    }),
    request_id: Type.String({
      description: 'Identifies this request in the log of the server.',
      examples: [exampleRequestId],
    }),
    retryable: Type.Boolean({ description: 'Whether the same request may succeed later.' }),
    next_cursor: Type.Optional(
      Type.String({
        description: 'With `restored`: the cursor from which to continue the feed.',
        examples: ['IjRqdzhyMGttLjQzIg'],
      }),
    ),
    errors: Type.Optional(
      Type.Array(InvalidValue, { description: 'Each invalid value, if the request was not valid.' }),
    ),
  },
  'A problem as defined by RFC 9457. Rely on `code`, show `detail`, and quote `request_id`.',
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

/** The challenge of every 401 (RFC 9110, section 11.6.1). */
export const challenge = { 'www-authenticate': 'Bearer realm="posthorn"' }

/** The problem of a caller without a valid key, or without the token that the operation needs. */
export function unauthenticated(detail?: string): Problem {
  return new Problem('unauthenticated', { ...(detail === undefined ? {} : { detail }), headers: challenge })
}

/** Invalid values that the detail of a problem spells out. */
const toldAtMost = 3

/** The problem of one or more invalid values; the detail says everything about the first few. */
export function invalid(...errors: InvalidValue[]): Problem {
  const told = errors
    .slice(0, toldAtMost)
    .map(({ pointer, detail }) => `${pointer === '' ? 'The body' : `\`${pointer}\``}: ${detail}`)
  const rest = errors.length > toldAtMost ? [`\`errors\` lists all ${errors.length} invalid values.`] : []
  return new Problem('invalid_request', { detail: [...told, ...rest].join(' '), errors })
}
