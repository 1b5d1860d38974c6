import { abortOf } from '../../../runtime/abort.ts'

/**
 * Asks, and resolves with the answer; with `otherwise` if the signal aborts before, or there is none because the connection ended. Asks nothing if the
 * signal aborted already.
 */
export async function replyBefore<Answer>(
  signal: AbortSignal,
  ask: () => Promise<Answer>,
  otherwise: NoInfer<Answer>,
): Promise<Answer> {
  if (signal.aborted) return otherwise
  const none = () => otherwise
  return await Promise.race([ask().catch(none), abortOf(signal).then(none)])
}
