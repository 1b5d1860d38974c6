import type { InstanceStatus } from './statuses.ts'

/** The meaning of a code, in whole sentences for a person: the reference shows them, and responses contain them. */
export interface CodeMeaning {
  readonly happened: string
  /** The next step, and the party that takes it. */
  readonly next: string
}

/** Status of an instance after its connection ended, by the kind of the end; the lifecycle has the same. */
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
    happened: 'A request started the instance.',
    next: 'Posthorn connects it.',
  },
  restart_ordered: {
    statuses: ['connecting'],
    happened: 'A request restarted the instance.',
    next: 'Posthorn reconnects it.',
  },
  settings_changed: {
    statuses: ['connecting'],
    happened: 'A request changed the settings of the instance.',
    next: 'Posthorn reconnects it.',
  },
  link_ordered: {
    statuses: ['connecting'],
    happened: 'A request started to link the account.',
    next: 'Posthorn asks the network for the first step, and shows it (`GET /v1/instances/{name}/link`).',
  },
  stop_ordered: {
    statuses: ['stopped'],
    happened: 'A request stopped the instance.',
    next: 'Start it to connect it again.',
  },
  remove_ordered: {
    statuses: ['deleting'],
    happened: 'A request removed the instance.',
    next: 'Its name is free once the network has confirmed the removal.',
  },
  link_expired: {
    statuses: ['stopped'],
    happened: 'The account was not linked in time.',
    next: 'Link it again (`POST /v1/instances/{name}/link`) when a person is ready.',
  },
  link_declined: {
    statuses: ['stopped'],
    happened: 'The person who was asked to link the account declined on a link page.',
    next: 'Ask them why. When they are ready, create another link page, or link the account here (`POST /v1/instances/{name}/link`).',
  },
  logged_out_by_request: {
    statuses: ['logged_out'],
    happened: 'A request logged the account out.',
    next: 'Link an account again (`POST /v1/instances/{name}/link`). Queued messages wait until then.',
  },
  probe_timeout: {
    statuses: ['reconnecting'],
    happened: 'The network did not respond to a probe in time.',
    next: 'Posthorn reconnects.',
  },
  answers_missing: {
    statuses: ['reconnecting'],
    happened: 'The network left too many messages without an acknowledgement.',
    next: 'Posthorn reconnects, and repeats them if the network recognizes repetitions by their id.',
  },
  owner_lost: {
    statuses: ['reconnecting'],
    happened: 'The node that ran the instance does not respond.',
    next: 'Another node takes the instance over within half a minute, and connects it.',
  },
  messages_missed: {
    statuses: ['reconnecting'],
    happened: 'More messages arrived than could be stored at that moment.',
    next: 'Posthorn reconnects, and fetches the messages it missed if the network still has them.',
  },
  credentials_unreadable: {
    statuses: ['logged_out'],
    happened:
      'The stored credentials of the instance cannot be decrypted: they were encrypted with another master key, or were altered.',
    next: 'Replace the credentials (`PUT /v1/instances/{name}/credentials`), or have the operator restore the right master key and start the instance.',
  },
  account_taken: {
    statuses: ['failed'],
    happened: 'Another instance of this server already receives the callbacks about this account.',
    next:
      'Only one instance can receive them. If the other one is yours, remove it. If it belongs to an organization that may ' +
      'no longer use the account, revoke its credentials at the network. Then start this instance.',
  },
  incoming_quota_exceeded: {
    statuses: ['reconnecting'],
    happened: 'The organization has reached its quota of incoming messages.',
    next:
      'Posthorn reconnects to send. It fetches incoming messages from the network again once old ones are removed or the operator ' +
      'raises `POSTHORN_INCOMING_LIMIT`. Callbacks wait until then as a whole, with the receipts and restrictions in them.',
  },
  removal_unconfirmed: {
    statuses: ['deleting'],
    happened: 'The network has not confirmed the removal.',
    next: 'Posthorn tries again.',
  },
  internal_error: {
    statuses: ['reconnecting', 'deleting'],
    happened: 'Posthorn failed internally.',
    next: 'Posthorn tries again. If this continues, tell the operator; the log has the cause.',
  },
} as const satisfies Record<string, StatusReason>

export type InstanceReasonCode = keyof typeof instanceReasons

/** Why the file of a message cannot be read, or not be sent as its kind. Networks have further codes of their own. */
export const mediaErrors = {
  media_unreachable: {
    happened: 'The file could not be fetched.',
    next: 'Check the URL, then send a new message.',
  },
  media_timeout: {
    happened: 'Fetching the file took too long.',
    next: 'Send a new message later, or upload the file instead.',
  },
  media_refused: {
    happened: 'Posthorn may not fetch from this URL.',
    next: 'Give another URL, or upload the file.',
  },
  media_not_kept: {
    happened: 'The file was received, but could not be stored.',
    next: 'Posthorn tries again until the message expires. If this continues, tell the operator.',
  },
  files_quota_exceeded: {
    happened: 'The file would exceed the quota of the organization for files.',
    next: 'Look at the usage (`GET /v1/quotas`) and make room, then send a new message.',
  },
  media_too_large: {
    happened: 'The file is too large.',
    next: 'Send a smaller file.',
  },
  media_type_mismatch: {
    happened: 'The content of the file does not match the kind it was sent as.',
    next: 'Send it as a document.',
  },
  voice_too_long: {
    happened: 'The audio is too long for a voice note.',
    next: 'Send a shorter one, or send it without `voice`.',
  },
  voice_queue_full: {
    happened: 'Too many voice notes are waiting to be converted.',
    next: 'Send it again later, or as OGG with Opus, which needs no conversion.',
  },
  voice_not_convertible: {
    happened: 'The audio could not be converted to a voice note.',
    next: 'Send the voice note as OGG with Opus.',
  },
} as const satisfies Record<string, CodeMeaning>

/** Reasons for which a message waits or was given up, on any network. */
export const messageErrors = {
  outside_reply_window: {
    happened:
      'The recipient last wrote too long ago: the network lets the account reply only for a limited time.',
    next: 'Send a message from a template, if the network has them, or wait until the recipient writes again.',
  },
  target_not_sent: {
    happened: 'The message that this one refers to was not sent, or is no longer kept.',
    next: 'Send a new message that does not refer to it.',
  },
  edit_window_over: {
    happened: 'The message was sent too long ago: the network allows this only for some time.',
    next: 'Send a new message instead.',
  },
  recipient_opted_out: {
    happened:
      'The recipient wants no marketing, and the template is for marketing, or its category is not known.',
    next: 'Send no marketing to this person. If the template is not for marketing, give its `category` in the request.',
  },
  held_after_restore: {
    happened:
      'The server was restored from a backup in which the message was not settled. It may have been sent after the backup.',
    next: 'The operator decides whether to send it (`posthorn queue`). Until then, later messages to the same recipient wait behind it.',
  },
} as const satisfies Record<string, CodeMeaning>

export type MediaErrorCode = keyof typeof mediaErrors
export type MessageErrorCode = keyof typeof messageErrors

/** Reasons for which an attempt to deliver an event ended without an HTTP status. */
export const deliveryFailures = {
  refused_by_policy: {
    happened:
      'Posthorn may not post to this URL. It posts over HTTPS, on port 443, to public addresses, and to the address blocks that the ' +
      'operator lists (POSTHORN_WEBHOOK_ALLOW_CIDRS).',
    next: 'Change the URL of the webhook, or ask the operator to list its addresses.',
  },
  unreachable: {
    happened: 'Posthorn could not connect to the receiver.',
    next: 'Check the URL, that the receiver is running, and that its firewall lets Posthorn in.',
  },
  tls_failed: {
    happened:
      'Posthorn could not open an encrypted connection to the receiver, for example because of its certificate.',
    next: 'Install a valid certificate for the host of the receiver, including the intermediate certificates.',
  },
  timeout: {
    happened:
      'The receiver took too long: more than 5 seconds to accept the connection, or more than 20 seconds in total to send a status.',
    next: 'Let the receiver respond first and process the event afterwards.',
  },
  connection_lost: {
    happened: 'The receiver closed the connection before it sent a status.',
    next: 'Look for the cause in the log of the receiver. It may already have the event; Posthorn sends it again with the same id.',
  },
  invalid_answer: {
    happened: "The receiver's response is not valid HTTP, or has more than 16 KB of headers.",
    next: 'Check which server is at the URL.',
  },
  redirected: {
    happened:
      'The receiver responded with a redirect. Posthorn does not follow it, because events are meant for one host only.',
    next: 'Set the URL of the webhook to the one that the receiver redirects to, if that is yours.',
  },
  secret_unreadable: {
    happened:
      'The stored secret of the webhook cannot be decrypted: it was encrypted with another master key, or was altered.',
    next: 'Rotate the secret of the webhook, or have the operator restore the right master key.',
  },
  interrupted: {
    happened:
      'Posthorn ended the attempt before it had a status, for example because the server was stopped.',
    next: 'Posthorn makes another attempt as soon as possible.',
  },
} as const satisfies Record<string, CodeMeaning>

export type DeliveryFailureCode = keyof typeof deliveryFailures

/** Why Posthorn disabled a webhook by itself. */
export const webhookDisabledReasons = {
  gone: {
    happened: 'The receiver responded with 410 (Gone): it wants no more events.',
    next: 'Remove the webhook. If the receiver comes back, enable the webhook and redeliver the events it missed.',
  },
  failing: {
    happened: 'No delivery succeeded for five days.',
    next: 'The deliveries show the failures. When the receiver is back, enable the webhook and redeliver the events it missed.',
  },
} as const satisfies Record<string, CodeMeaning>

export type WebhookDisabledCode = keyof typeof webhookDisabledReasons

/** The next step for a message that the network rejected for now. */
export const triesAgain = 'Posthorn tries again until the message expires.'

/** The sentences of a code in one text. `word` adds a few words about this case. */
export function sentencesOf({ happened, next }: CodeMeaning, word?: string): string {
  const whole = word === undefined ? happened : happened.replace(/\.$/, ` (${word}).`)
  return `${whole} ${next}`
}
