import type { InstanceStatus } from './statuses.ts'

/** What a code stands for, in whole sentences for a person: the reference shows them, and replies carry them. */
export interface CodeMeaning {
  readonly happened: string
  /** What to do next, and by whom. */
  readonly next: string
}

/** What an instance becomes when its connection ends, by how it ends; the lifecycle has the same. */
export const statusAfter = {
  'connection-lost': 'reconnecting',
  'credentials-refused': 'logged_out',
  'connection-refused': 'failed',
} as const satisfies Record<string, InstanceStatus>

/** Why an instance has its status. */
interface StatusReason extends CodeMeaning {
  readonly statuses: readonly InstanceStatus[]
}

/** The reasons that do not depend on the network; drivers document their own. */
export const instanceReasons = {
  start_ordered: {
    statuses: ['connecting'],
    happened: 'Somebody started the instance.',
    next: 'Posthorn connects it.',
  },
  restart_ordered: {
    statuses: ['connecting'],
    happened: 'Somebody restarted the instance.',
    next: 'Posthorn connects it anew.',
  },
  stop_ordered: {
    statuses: ['stopped'],
    happened: 'Somebody stopped the instance.',
    next: 'Start it to connect it again.',
  },
  remove_ordered: {
    statuses: ['deleting'],
    happened: 'Somebody removed the instance.',
    next: 'Its name is free once the network has confirmed.',
  },
  link_expired: {
    statuses: ['stopped'],
    happened: 'Nobody linked the account in time.',
    next: 'Start the instance when somebody is ready to link it.',
  },
  probe_timeout: {
    statuses: ['reconnecting'],
    happened: 'The network did not answer a probe in time.',
    next: 'Posthorn connects again.',
  },
  answers_missing: {
    statuses: ['reconnecting'],
    happened: 'The network left too many messages without an answer.',
    next: 'Posthorn connects again, and repeats them where the network tells repetitions by their id.',
  },
  messages_missed: {
    statuses: ['reconnecting'],
    happened: 'More messages came in than could be kept in this moment.',
    next: 'Posthorn connects again, and takes what it missed from the network where the network has it.',
  },
  credentials_unreadable: {
    statuses: ['logged_out'],
    happened:
      'The credentials that are kept for the instance do not open: they were sealed under another master key, or were altered.',
    next: 'Put new credentials, or have the operator bring back the right master key and start the instance.',
  },
  incoming_quota_exceeded: {
    statuses: ['reconnecting'],
    happened: 'The organization has no room for more incoming messages.',
    next:
      'Posthorn connects again, for sending, and takes what comes in from the network once there is room: when old messages are removed, ' +
      'or the operator raises `POSTHORN_INCOMING_LIMIT`.',
  },
  removal_unconfirmed: {
    statuses: ['deleting'],
    happened: 'The network has not confirmed the removal.',
    next: 'Posthorn asks it again.',
  },
  internal_error: {
    statuses: ['reconnecting', 'deleting'],
    happened: 'Posthorn could not do what was due.',
    next: 'It tries again; if that lasts, tell the operator, whose log has the cause.',
  },
} as const satisfies Record<string, StatusReason>

export type InstanceReasonCode = keyof typeof instanceReasons

/** Why the file of a message cannot be had, or not be sent as what it is to be. Networks have codes of their own besides. */
export const mediaErrors = {
  media_unreachable: {
    happened: 'The file could not be fetched from its URL.',
    next: 'Check the URL, then send a new message.',
  },
  media_timeout: {
    happened: 'Fetching the file took too long.',
    next: 'Send a new message later, or upload the file.',
  },
  media_refused: {
    happened: 'Posthorn does not fetch from this URL.',
    next: 'Give another URL, or upload the file.',
  },
  media_not_kept: {
    happened: 'The file was found, but could not be kept.',
    next: 'Posthorn tries again until the message expires. If that lasts, tell the operator.',
  },
  files_quota_exceeded: {
    happened:
      'The organization has no room for the file: its files have as many bytes as they may have, or nearly.',
    next: 'Make room, as `GET /v1/quotas` shows, then send a new message.',
  },
  media_too_large: {
    happened: 'The file is larger than it may be.',
    next: 'Send a smaller one.',
  },
  media_type_mismatch: {
    happened: 'The file is not what it is to be sent as.',
    next: 'Send it as a document.',
  },
  voice_too_long: {
    happened: 'The audio is longer than a voice note may be.',
    next: 'Send a shorter one, or send it as audio without `voice`.',
  },
  voice_queue_full: {
    happened: 'Too many voice notes wait to be converted.',
    next: 'Send it again later, or as OGG with Opus, which needs no conversion.',
  },
  voice_not_convertible: {
    happened: 'The audio could not be converted to a voice note.',
    next: 'Send the voice note as OGG with Opus.',
  },
} as const satisfies Record<string, CodeMeaning>

/** Why a message waits, or was given up, whatever its network and kind. */
export const messageErrors = {
  held_after_restore: {
    happened:
      'The server went back to a backup in which the message was not settled. It may have been sent since.',
    next: 'The operator decides whether it is sent (`posthorn queue`). Later messages to the same recipient wait behind it.',
  },
} as const satisfies Record<string, CodeMeaning>

export type MediaErrorCode = keyof typeof mediaErrors

/** Why an attempt to deliver an event to a webhook came to no status. */
export const deliveryFailures = {
  refused_by_policy: {
    happened:
      'Posthorn may not post to this URL: it posts by https, on port 443, to public addresses, and otherwise only to addresses that ' +
      'the operator lists (POSTHORN_WEBHOOK_ALLOW_CIDRS).',
    next: 'Give the webhook another URL, or ask the operator to list the addresses of this one.',
  },
  unreachable: {
    happened: 'No connection to the receiver could be opened.',
    next: 'Check the URL, and that the receiver is up and its firewall lets Posthorn in.',
  },
  tls_failed: {
    happened:
      'No encrypted connection to the receiver could be opened, for example because of its certificate.',
    next: 'Give the receiver a valid certificate for its host, with the certificates between it and a known authority.',
  },
  timeout: {
    happened:
      'The receiver took too long: more than 5 seconds to open a connection, or 20 seconds for everything up to its status.',
    next: 'Let the receiver answer first, and do its work after that.',
  },
  connection_lost: {
    happened: 'The receiver cut the connection before it had given a status.',
    next: 'Look in its log for why. It may have the event all the same, and gets it again under the same id.',
  },
  invalid_answer: {
    happened: "The receiver's answer is not proper HTTP, or has more than 16 KB of headers.",
    next: 'Check what answers at the URL.',
  },
  secret_unreadable: {
    happened:
      'The secret that is kept for the webhook does not open: it was sealed under another master key, or was altered.',
    next: 'Rotate the secret of the webhook, or have the operator bring back the right master key.',
  },
  interrupted: {
    happened: 'Posthorn gave the attempt up before there was a status, for example because it was stopped.',
    next: 'It makes another attempt as soon as it may.',
  },
} as const satisfies Record<string, CodeMeaning>

export type DeliveryFailureCode = keyof typeof deliveryFailures

/** Why Posthorn disabled a webhook by itself. */
export const webhookDisabledReasons = {
  gone: {
    happened: 'The receiver answered 410: it wants no more events.',
    next: 'Remove the webhook, or enable it when the receiver is there again, and redeliver what it missed.',
  },
  failing: {
    happened: 'Nothing arrived at the receiver for five days.',
    next: 'See in the deliveries what went wrong. Enable the webhook when the receiver is back, and redeliver what it missed.',
  },
} as const satisfies Record<string, CodeMeaning>

export type WebhookDisabledCode = keyof typeof webhookDisabledReasons

/** What is next for a message that the network refused for now. */
export const triesAgain = 'Posthorn tries again until the message expires.'

/** The sentences of a code in one text. `word` is what else is known about this one case, in a few words. */
export function sentencesOf({ happened, next }: CodeMeaning, word?: string): string {
  const whole = word === undefined ? happened : happened.replace(/\.$/, ` (${word}).`)
  return `${whole} ${next}`
}
