import type { Node } from '../../../contract/operations/node-operations.ts'
import type { InstanceStatus, MessageStatus } from '../../../contract/statuses.ts'

/** Meaning of a status at a glance; it is also said in words, never by colour alone. */
export type Tone = 'good' | 'busy' | 'attention' | 'bad' | 'idle'

export const instanceTones: Readonly<Record<InstanceStatus, Tone>> = {
  connecting: 'busy',
  awaiting_link: 'attention',
  connected: 'good',
  reconnecting: 'busy',
  logged_out: 'bad',
  stopped: 'idle',
  failed: 'bad',
  deleting: 'busy',
}

export const messageTones: Readonly<Record<MessageStatus, Tone>> = {
  queued: 'idle',
  sending: 'busy',
  sent: 'good',
  delivered: 'good',
  read: 'good',
  failed: 'bad',
  expired: 'bad',
  canceled: 'idle',
  unknown: 'attention',
  received: 'idle',
}

export const nodeTones: Readonly<Record<Node['status'], Tone>> = {
  running: 'good',
  draining: 'busy',
  silent: 'attention',
  gone: 'idle',
}

/** Every status that an instance can have, and a message. */
export const instanceStatuses = Object.keys(instanceTones) as InstanceStatus[]
export const messageStatuses = Object.keys(messageTones) as MessageStatus[]
