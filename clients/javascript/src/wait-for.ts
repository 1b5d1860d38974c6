import type { Message, MessageStatus } from './contract/types.ts'
import { Deadline } from './deadline.ts'
import { PosthornError } from './errors.ts'
import { followEvents, newestCursor } from './follow.ts'
import type { CallOptions } from './options.ts'
import type { Transport } from './transport.ts'

/** A status that waiting can reach. */
export type ReachableStatus = 'sent' | 'delivered' | 'read'

export interface WaitForOptions extends CallOptions {
  /** Milliseconds to wait; 60,000 by default. */
  readonly timeoutMs?: number | undefined
}

/** The message came to another end than the one that was waited for: it failed, expired, was canceled, or its outcome is unknown. */
export class OutcomeError extends PosthornError {
  override readonly name = 'OutcomeError'
  readonly outcome: Message

  constructor(message: Message, wanted: ReachableStatus) {
    const why = message.error ? `: ${message.error.detail}` : ''
    super(`Message ${message.id} is ${message.status}, and not ${wanted}${why}`)
    this.outcome = message
  }
}

const ranks: readonly MessageStatus[] = ['queued', 'sending', 'sent', 'delivered', 'read']
const getMessage = ['GET', '/v1/messages/{id}', ''] as const
const waitTimeoutMs = 60_000

/** Resolves with the message once it has the status, or a later one. Follows the events instead of asking again and again. */
export async function waitFor(
  transport: Transport,
  message: Pick<Message, 'id' | 'instance'>,
  wanted: ReachableStatus,
  options: WaitForOptions = {},
): Promise<Message> {
  const { timeoutMs = waitTimeoutMs, signal } = options
  const deadline = new Deadline(timeoutMs, `Waiting until message ${message.id} is ${wanted}`, signal)
  const calls = { ...options, signal: deadline.signal }
  try {
    // The position comes first, so that no step between the two is missed.
    const after = await newestCursor(transport, calls)
    const path = `/v1/messages/${encodeURIComponent(message.id)}`
    const now = (await transport.send({ operation: getMessage, path, options: calls })) as Message
    if (hasReached(now, wanted)) return now
    for await (const { data } of followEvents(transport, {
      ...calls,
      after,
      instances: [message.instance],
    })) {
      if ('message' in data && data.message.id === message.id && hasReached(data.message, wanted))
        return data.message
    }
    throw new PosthornError('The events ended.')
  } finally {
    deadline.release()
  }
}

/** True if the message has the status or a later one. Throws if it has come to another end. */
function hasReached(message: Message, wanted: ReachableStatus): boolean {
  const rank = ranks.indexOf(message.status)
  if (rank < 0) throw new OutcomeError(message, wanted)
  return rank >= ranks.indexOf(wanted)
}
