import type { MessageStatus } from '../contract/statuses.ts'

/**
 * The state of a message. Once it is settled, the status says it all. Until then it also matters whether an attempt is under
 * way, and whether an earlier one may have arrived.
 */
export type MessageState = WaitingState | SettledStatus

/** The state of a message in the outbox. */
export type WaitingState =
  /** No attempt was made. */
  | 'queued'
  /** The attempts so far did not arrive; another is to come. */
  | 'retrying'
  /** An earlier attempt may have arrived; another is to come. */
  | 'uncertain'
  /** An attempt is under way, and none before it can have arrived. */
  | 'attempting'
  /** An attempt is under way, and one before it may have arrived. */
  | 'reattempting'

type SettledStatus = Exclude<MessageStatus, 'queued' | 'sending'>

/** An event in the life of a message. */
export type MessageEvent =
  /** An attempt begins. */
  | 'claimed'
  /** The attempt that was claimed was never begun. */
  | 'unclaimed'
  /** The network acknowledged an attempt, whichever it was: all carry one id. */
  | 'acknowledged'
  /** The network shows, in its archive, that it has the message. */
  | 'shown'
  /** The network refused the attempt for good. */
  | 'refused'
  /** The network refused the attempt for a reason that may pass. */
  | 'postponed'
  /** The attempt ended without an answer, and the network recognizes a repetition. */
  | 'interrupted'
  /** The attempt ended without an answer, and a repetition could arrive twice. */
  | 'unanswered'
  /** The network accepted the message, and gave it back later. */
  | 'returned'
  /** Receipts of the recipient. One that comes while an attempt is under way is noted, and decides when the attempt ends. */
  | 'delivered'
  | 'read'
  /** Its recipient may only be answered for a time, which is over. */
  | 'window-closed'
  /** It is for marketing, and its recipient wants none. */
  | 'opted-out'
  /** The message that it changes or replies to was not sent. */
  | 'target-lost'
  /** It corrects a message that left with its text. */
  | 'included'
  /** Its file cannot be had. */
  | 'file-failed'
  /** Its time is over. */
  | 'expired'
  /** Its sender canceled it. */
  | 'canceled'
  /** Its instance is removed, or the operator gives up what a backup had queued. */
  | 'discarded'
  /** The store went back to a backup: any message that was unsettled in it may have been sent since. */
  | 'restored'

type Row = Readonly<Record<MessageEvent, MessageState>>

/** In a state, most events change nothing. */
function stays(state: MessageState, moves: Partial<Row> = {}): Row {
  return {
    claimed: state,
    unclaimed: state,
    acknowledged: state,
    shown: state,
    refused: state,
    postponed: state,
    interrupted: state,
    unanswered: state,
    returned: state,
    delivered: state,
    read: state,
    'window-closed': state,
    'opted-out': state,
    'target-lost': state,
    included: state,
    'file-failed': state,
    expired: state,
    canceled: state,
    discarded: state,
    restored: state,
    ...moves,
  }
}

/**
 * The life of a message that is sent: for every state and every event, the next state. There is no other rule, and all code
 * that changes the status of a message asks this table.
 */
export const life: Readonly<Record<MessageState, Row>> = {
  queued: stays('queued', {
    claimed: 'attempting',
    'window-closed': 'failed',
    'opted-out': 'failed',
    'target-lost': 'failed',
    included: 'sent',
    'file-failed': 'failed',
    expired: 'expired',
    canceled: 'canceled',
    discarded: 'canceled',
    restored: 'uncertain',
  }),
  retrying: stays('retrying', {
    claimed: 'attempting',
    acknowledged: 'sent',
    unanswered: 'unknown',
    returned: 'failed',
    delivered: 'delivered',
    read: 'read',
    'window-closed': 'failed',
    'opted-out': 'failed',
    'target-lost': 'failed',
    'file-failed': 'failed',
    expired: 'expired',
    canceled: 'canceled',
    discarded: 'canceled',
    restored: 'uncertain',
  }),
  uncertain: stays('uncertain', {
    claimed: 'reattempting',
    acknowledged: 'sent',
    shown: 'sent',
    unanswered: 'unknown',
    returned: 'unknown',
    delivered: 'delivered',
    read: 'read',
    included: 'sent',
    'file-failed': 'unknown',
    expired: 'unknown',
    canceled: 'unknown',
    discarded: 'unknown',
  }),
  attempting: stays('attempting', {
    unclaimed: 'retrying',
    acknowledged: 'sent',
    refused: 'failed',
    postponed: 'retrying',
    interrupted: 'uncertain',
    unanswered: 'unknown',
    returned: 'failed',
    discarded: 'unknown',
    restored: 'reattempting',
  }),
  reattempting: stays('reattempting', {
    unclaimed: 'uncertain',
    acknowledged: 'sent',
    refused: 'unknown',
    postponed: 'uncertain',
    interrupted: 'uncertain',
    unanswered: 'unknown',
    returned: 'unknown',
    discarded: 'unknown',
  }),
  sent: stays('sent', { returned: 'failed', delivered: 'delivered', read: 'read' }),
  delivered: stays('delivered', { read: 'read' }),
  read: stays('read'),
  failed: stays('failed'),
  expired: stays('expired'),
  canceled: stays('canceled'),
  unknown: stays('unknown', {
    shown: 'sent',
    returned: 'failed',
    delivered: 'delivered',
    read: 'read',
  }),
  received: stays('received'),
}

export const waitingStates: readonly WaitingState[] = [
  'queued',
  'retrying',
  'uncertain',
  'attempting',
  'reattempting',
]
export const messageStates = Object.keys(life) as MessageState[]
export const messageEvents = Object.keys(life.queued) as MessageEvent[]

/** True once the message has left the queue, with any status. */
export function isSettled(status: MessageStatus): status is SettledStatus {
  return status !== 'queued' && status !== 'sending'
}

/** The columns that make up the state of a message. */
export interface StateFacts {
  readonly status: MessageStatus
  readonly underway: number
  readonly uncertain: number
}

export function stateOf({ status, underway, uncertain }: StateFacts): MessageState {
  if (status !== 'queued' && status !== 'sending') return status
  if (underway === 1) return uncertain === 1 ? 'reattempting' : 'attempting'
  if (uncertain === 1) return 'uncertain'
  return status === 'sending' ? 'retrying' : 'queued'
}
