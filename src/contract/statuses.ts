/*
 * The statuses and kinds, apart from their schemas: the thread of the store needs the words, and not the library that checks
 * values.
 */

/** What files are sent as. */
export const mediaKinds = ['document', 'audio', 'image'] as const

export const instanceStatuses = [
  'connecting',
  'awaiting_link',
  'connected',
  'reconnecting',
  'logged_out',
  'stopped',
  'failed',
  'deleting',
] as const

export type InstanceStatus = (typeof instanceStatuses)[number]

export const instanceActions = ['none', 'link', 'relink', 'wait', 'contact_operator'] as const
type InstanceAction = (typeof instanceActions)[number]

interface StatusMeaning {
  readonly meaning: string
  readonly action: InstanceAction
}

/** What each status means to the caller, and who has to act next. */
export const instanceStatusMeanings: Readonly<Record<InstanceStatus, StatusMeaning>> = {
  connecting: {
    meaning: 'The connection is being opened, or the account is logging in.',
    action: 'wait',
  },
  awaiting_link: {
    meaning: 'A person must link the account: the status shows what to scan or to type in `link`.',
    action: 'link',
  },
  connected: {
    meaning: 'The account is logged in, and the network answered within the probe interval.',
    action: 'none',
  },
  reconnecting: {
    meaning: 'The connection is lost. The next attempt is made at `next_attempt_at`.',
    action: 'wait',
  },
  logged_out: {
    meaning:
      'The network refuses the credentials, and Posthorn does not try them again by itself. Credentials cannot be changed in ' +
      'place: remove the instance, and create it again with those that are right. Starting it tries the same ones again.',
    action: 'relink',
  },
  stopped: {
    meaning: 'Somebody stopped the instance, or nobody linked it in time. Start it to connect it.',
    action: 'none',
  },
  failed: {
    meaning:
      'The network refuses the connection for another cause than the credentials; `reason` names it. It does not recover by ' +
      'itself: start the instance once the cause is gone.',
    action: 'contact_operator',
  },
  deleting: {
    meaning: 'The instance is being removed. It is gone, and its name free, once the network has confirmed.',
    action: 'wait',
  },
}

export const messageStatuses = [
  'queued',
  'sending',
  'sent',
  'delivered',
  'read',
  'failed',
  'expired',
  'canceled',
  'unknown',
  'received',
] as const

export type MessageStatus = (typeof messageStatuses)[number]

/** What each status means to the caller. */
export const messageStatusMeanings: Readonly<Record<MessageStatus, string>> = {
  queued:
    'Accepted and kept. No attempt was begun: it waits for its time, for those before it, for the instance, or for a file that is ' +
    'still to be fetched. `error` is then what the last fetch met with, if one failed.',
  sending:
    'An attempt was begun, and none is acknowledged yet. It is under way, or another one follows: `error` is the last refusal, ' +
    'and null where the last attempt ended without an answer.',
  sent: 'The network acknowledged it.',
  delivered: "The recipient's side confirmed that it arrived.",
  read: "The recipient's side confirmed that it was read.",
  failed:
    'The network refused it for good, its file cannot be had, or the network gave it back after it had acknowledged it (then ' +
    '`sent_at` is set). `error` says why.',
  expired:
    'Its time was over (`expires_at`) before the network took it. It was not sent and will not be: a new message doubles nothing.',
  canceled: 'You took it back, or its instance was removed while it waited. It was not sent and will not be.',
  unknown:
    'An attempt was begun whose result cannot be known: the recipient may have the message or not. Posthorn does not repeat ' +
    'it; whether to send a new one, at the risk of a double, is up to you. A confirmation that comes late still moves it on.',
  received: 'Somebody wrote it to the account of the instance, and it is kept.',
}

export const deliveryStatuses = ['pending', 'delivered', 'failed', 'skipped'] as const
export type DeliveryStatus = (typeof deliveryStatuses)[number]

/** What an organization may use only so much of. */
export const quotaNames = ['file_bytes', 'unsettled_messages', 'incoming_messages'] as const
export type QuotaName = (typeof quotaNames)[number]
