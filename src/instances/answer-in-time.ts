import { abortOf } from '../runtime/abort.ts'
import type { Alarms } from '../runtime/timers/alarms.ts'

/** Milliseconds that a network may take to answer a question about an account. */
const longest = 30_000

/**
 * Asks a network through its driver, for a caller who waits: the signal aborts when the network had its time, or when `asking` does. A
 * driver that never answers holds up nothing: the answer is then `tooLate`.
 */
export async function answerInTime<A, L>(
  alarms: Pick<Alarms, 'in'>,
  asking: AbortSignal,
  { ask, tooLate }: { readonly ask: (signal: AbortSignal) => Promise<A>; readonly tooLate: L },
): Promise<A | L> {
  const end = new AbortController()
  const alarm = alarms.in(longest, () => end.abort())
  const signal = AbortSignal.any([asking, end.signal])
  try {
    return await Promise.race([ask(signal), abortOf(signal).then(() => tooLate)])
  } finally {
    alarm.cancel()
  }
}
