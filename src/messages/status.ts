import type { MessageStatus } from '../contract/message.ts'

/**
 * What each status may become. A status never moves backwards: what a receipt proved is never taken back, and only a
 * receipt moves a message on whose fate was unknown.
 */
const successors: Readonly<Record<MessageStatus, readonly MessageStatus[]>> = {
  queued: ['sending', 'expired', 'canceled'],
  sending: ['sent', 'delivered', 'read', 'failed', 'expired', 'canceled', 'unknown'],
  sent: ['delivered', 'read', 'failed'],
  delivered: ['read'],
  read: [],
  failed: [],
  expired: [],
  canceled: [],
  unknown: ['sent', 'delivered', 'read', 'failed'],
  received: [],
}

export function mayBecome(from: MessageStatus, to: MessageStatus): boolean {
  return successors[from].includes(to)
}

/** The statuses from which a message may become `to`. */
export function predecessorsOf(to: MessageStatus): MessageStatus[] {
  return (Object.keys(successors) as MessageStatus[]).filter((from) => mayBecome(from, to))
}

/** True once the message has left the queue, whatever became of it. */
export function isSettled(status: MessageStatus): boolean {
  return status !== 'queued' && status !== 'sending'
}
