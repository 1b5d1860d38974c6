import type { InvalidValue, Problem, ProblemCode } from './contract/types.ts'

/** The base of every error that the client throws, except for the reason of your own `signal`. */
export class PosthornError extends Error {
  override readonly name: string = 'PosthornError'
}

/** A problem with which the server responded. Rely on `code`, show `detail`, and quote `requestId`. */
export class ProblemError extends PosthornError {
  override readonly name = 'ProblemError'
  readonly status: number
  /** A server that is newer than the client may have other codes. */
  readonly code: ProblemCode
  readonly title: string
  readonly detail: string
  readonly requestId: string
  /** True if the same call may succeed later. */
  readonly retryable: boolean
  /** Seconds after which to repeat the call, if the server said so. */
  readonly retryAfter: number | undefined
  /** Each invalid value, if the request was invalid. */
  readonly errors: readonly InvalidValue[]
  /** The cursor from which to continue, if the code is `restored`. */
  readonly nextCursor: string | undefined

  constructor(problem: Problem, retryAfter: number | undefined) {
    super(`${problem.title}: ${problem.detail} (${problem.code}, ${problem.request_id})`)
    this.status = problem.status
    this.code = problem.code
    this.title = problem.title
    this.detail = problem.detail
    this.requestId = problem.request_id
    this.retryable = problem.retryable
    this.retryAfter = retryAfter
    this.errors = problem.errors ?? []
    this.nextCursor = problem.next_cursor
  }
}

/** True if the error is a problem with one of these codes. */
export function isProblem(error: unknown, ...codes: readonly ProblemCode[]): error is ProblemError {
  return error instanceof ProblemError && (codes.length === 0 || codes.includes(error.code))
}

/** The connection failed before the whole response was there. `cause` is what `fetch` threw. */
export class ConnectionError extends PosthornError {
  override readonly name = 'ConnectionError'
  /** True if no connection came about, so that the server cannot have seen the request. */
  readonly wasRefused: boolean

  constructor(url: string, cause: unknown) {
    const { code, message } = causeOf(cause)
    super(`The connection to ${new URL(url).origin} failed: ${code ?? message}.`, { cause })
    this.wasRefused = /ECONNREFUSED|ENOTFOUND|EAI_AGAIN|ConnectionRefused|UND_ERR_CONNECT_TIMEOUT/.test(
      code ?? '',
    )
  }
}

/** A time limit ended an attempt, a call, or the wait for a status. */
export class PosthornTimeoutError extends PosthornError {
  override readonly name = 'PosthornTimeoutError'
}

/** A response that is not of Posthorn, for example from a proxy in between. */
export class UnexpectedResponseError extends PosthornError {
  override readonly name = 'UnexpectedResponseError'
  readonly status: number
  readonly retryAfter: number | undefined

  constructor(response: Response, method: string, path: string) {
    const type = response.headers.get('content-type') ?? 'no content type'
    super(
      `${method} ${path} was answered ${response.status} with ${type}, which Posthorn does not do: check the base URL, and any proxy in between.`,
    )
    this.status = response.status
    this.retryAfter = retryAfterOf(response)
  }
}

/** Returns the seconds of `Retry-After`, which may be a date (RFC 9110, section 10.2.3). */
export function retryAfterOf(response: Response): number | undefined {
  const value = response.headers.get('retry-after')
  if (!value) return undefined
  const seconds = /^\d+$/.test(value) ? Number(value) : (Date.parse(value) - Date.now()) / 1_000
  return Number.isFinite(seconds) ? Math.max(0, seconds) : undefined
}

/** The code and message of the innermost cause that has a code: runtimes wrap the error of the socket. */
function causeOf(error: unknown): { code?: string | undefined; message: string } {
  for (let at = error; at instanceof Error; at = at.cause) {
    const { code } = at as { code?: unknown }
    if (typeof code === 'string') return { code, message: at.message }
    if (at.cause === undefined && /refused/i.test(at.message))
      return { code: 'ECONNREFUSED', message: at.message }
  }
  return { message: error instanceof Error ? error.message : String(error) }
}
