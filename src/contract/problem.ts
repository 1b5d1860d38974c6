import type { InvalidValue, ProblemBody } from './problem-body.ts'
import { type ProblemCode, problems } from './problems.ts'

export type { InvalidValue, ProblemBody }

/** Thrown to respond with a problem of the catalogue. `detail` is public: it never repeats a value or names an internal. */
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

/**
 * The problem of an order that needs an ability which the network of the instance lacks, by its name in `abilities` of a network, or in
 * a list there.
 */
export function lackingAbility(ability: string, list?: 'groups' | 'sends'): Problem {
  const place = list === undefined ? 'abilities' : `abilities.${list}`
  const detail = `The network of the instance lacks the ability \`${ability}\`: \`${place}\` of \`GET /v1/networks\` lists those that each network has.`
  return new Problem('not_supported_by_network', { detail })
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
