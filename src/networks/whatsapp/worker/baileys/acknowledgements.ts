import type { EventEmitter } from 'node:events'
import { type BinaryNode, DisconnectReason } from 'baileys'
import { setDeadline } from '../../../../runtime/timers/deadline.ts'

/** The status code that the library gives an error, or null. */
export function statusOf(error: unknown): number | null {
  const output = (error as { output?: { statusCode?: unknown } } | null | undefined)?.output
  return typeof output?.statusCode === 'number' ? output.statusCode : null
}

/** The code with which WhatsApp refused a question; null if it did not. */
export function refusalOf(error: unknown): number | null {
  const data = (error as { data?: unknown } | null | undefined)?.data
  return typeof data === 'number' ? data : null
}

/** True if the library gave up waiting. */
export function isTimeout(error: unknown): boolean {
  return statusOf(error) === DisconnectReason.timedOut
}

/** The type of the receipt with which the library confirms that a message came. */
const camePassively = 'inactive'

/**
 * Resolves with true if WhatsApp acknowledges within so many milliseconds that a message of this id was read. It
 * acknowledges under the same id that the message came, which may be under way still.
 */
export async function isReadAcknowledged(ws: EventEmitter, id: string, timeout: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const listen = ({ attrs }: BinaryNode) => {
    if (attrs.id === id && attrs.type !== camePassively) resolve(true)
  }
  const late = setDeadline(timeout, () => resolve(false))
  ws.on('CB:ack,class:receipt', listen)
  try {
    return await promise
  } finally {
    late.cancel()
    ws.off('CB:ack,class:receipt', listen)
  }
}
