import { ConnectionError, PosthornTimeoutError, ProblemError, UnexpectedResponseError } from './errors.ts'

const firstBackoffMs = 500
const maxBackoffMs = 8_000
const maxRetryAfterSeconds = 60
const retryableStatuses = [408, 425, 429, 500, 502, 503, 504]

/** Problems that say that nothing was done, even of an operation that could double. */
const beforeAnything = ['shutting_down', 'too_many_connections']

/**
 * Returns the milliseconds to wait before a call that failed with `error` is repeated, or undefined if it is not. A call that is
 * not `repeatable` could do twice what it does: it is repeated only if the server has certainly done nothing.
 */
export function retryDelayMs(
  error: unknown,
  retry: number,
  isRepeatable: boolean,
  random: () => number = Math.random,
): number | undefined {
  if (!mayRetry(error, isRepeatable)) return undefined
  const { retryAfter } = error as { readonly retryAfter?: number }
  if (retryAfter === undefined) return random() * Math.min(maxBackoffMs, firstBackoffMs * 2 ** retry)
  // With a little jitter, so that callers who were refused together do not come back together.
  return retryAfter > maxRetryAfterSeconds ? undefined : (retryAfter + random() / 2) * 1_000
}

function mayRetry(error: unknown, isRepeatable: boolean): boolean {
  if (error instanceof ConnectionError) return isRepeatable || error.wasRefused
  if (error instanceof PosthornTimeoutError) return isRepeatable
  if (error instanceof UnexpectedResponseError)
    return isRepeatable && retryableStatuses.includes(error.status)
  if (!(error instanceof ProblemError) || !error.retryable) return false
  if (error.code === 'idempotency_in_progress') return true
  if (!retryableStatuses.includes(error.status)) return false
  return isRepeatable || error.status === 429 || beforeAnything.includes(error.code)
}

/** Resolves after this time, or rejects with the reason of the signal. */
export function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const giveUp = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', giveUp)
      resolve()
    }, ms)
    if (signal?.aborted) giveUp()
    else signal?.addEventListener('abort', giveUp, { once: true })
  })
}
