/*
 * The statuses and kinds, apart from their schemas: the store's thread needs these words, but not the library that checks
 * values.
 */

/** Kinds of files in messages. */
export const mediaKinds = ['document', 'audio', 'image', 'video', 'sticker'] as const

/** Kinds of messages that can be sent. */
export const sentKinds = [
  'text',
  ...mediaKinds,
  'template',
  'location',
  'contacts',
  'interactive',
  'poll',
  'reaction',
  'retraction',
] as const
export type SentKind = (typeof sentKinds)[number]

/** Kinds of messages that are only received. */
export const receivedKinds = [
  'button_reply',
  'list_reply',
  'flow_reply',
  'order',
  'poll_vote',
  'unsupported',
] as const

/** Ways in which a message can refer to another one. */
export const relationTypes = ['correction', 'reply', 'reaction', 'retraction'] as const
export type RelationType = (typeof relationTypes)[number]

/** Abilities of an account to send more than texts, files and templates. */
export const sendingAbilities = [
  'reply',
  'reaction',
  'edit',
  'retract',
  'mention',
  'topic',
  'location',
  'contacts',
  'buttons',
  'list',
  'url_button',
  'interactive_header',
  'interactive_footer',
  'poll',
] as const
export type SendingAbility = (typeof sendingAbilities)[number]

/** The meaning of each for the caller. */
export const sendingAbilityMeanings: Readonly<Record<SendingAbility, string>> = {
  reply: 'a reply that names the message that it answers (`reply_to`).',
  reaction: 'an emoji as a reaction to a message.',
  edit: 'a new text or caption for a message that was sent.',
  retract: 'the retraction of a message that was sent.',
  mention: 'mentions of people in a group (`mentions`).',
  topic: 'messages into a topic of a group or private chat (`topic`).',
  location: 'a place.',
  contacts: 'contact details of people.',
  buttons: 'buttons to reply with.',
  list: 'a list to choose from.',
  url_button: 'a button that opens a page.',
  interactive_header: 'a `header` above buttons or a list.',
  interactive_footer: 'a `footer` below them.',
  poll: 'a poll.',
}

/** The type of a message that could not be decrypted. One with the same id that can be read replaces it. */
export const undecryptable = 'undecryptable'

/** Things that accounts can do with groups. */
export const groupAbilities = [
  'list',
  'get',
  'create',
  'join',
  'rename',
  'describe',
  'add',
  'remove',
  'promote',
  'demote',
  'invite_link',
  'approval',
  'list_requests',
  'decide_requests',
  'leave',
] as const
export type GroupAbility = (typeof groupAbilities)[number]

/** Things that are done with members of a group. */
export const memberActions = ['add', 'remove', 'promote', 'demote'] as const
export type MemberAction = (typeof memberActions)[number]

/** Decisions about people who ask to join a group. */
export const joinDecisions = ['approve', 'decline'] as const
export type JoinDecision = (typeof joinDecisions)[number]

export const groupRoles = ['owner', 'admin', 'member'] as const
export type GroupRole = (typeof groupRoles)[number]

/** Changes of groups that networks tell of. */
export const groupChanges = [
  'created',
  'renamed',
  'members_added',
  'members_removed',
  'members_promoted',
  'members_demoted',
  'join_requested',
  'join_request_withdrawn',
  'account_joined',
  'account_left',
  'changed',
] as const
export type GroupChange = (typeof groupChanges)[number]

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

/** The meaning of each status for the caller, and the party that has to act next. */
export const instanceStatusMeanings: Readonly<Record<InstanceStatus, StatusMeaning>> = {
  connecting: {
    meaning: 'The connection is being opened, or the account is logging in.',
    action: 'wait',
  },
  awaiting_link: {
    meaning: 'A person must link the account: `link` in the status holds the code to scan or type in.',
    action: 'link',
  },
  connected: {
    meaning: 'The account is logged in, and the network responded within the probe interval.',
    action: 'none',
  },
  reconnecting: {
    meaning: 'The connection was lost. Posthorn tries again at `next_attempt_at`.',
    action: 'wait',
  },
  logged_out: {
    meaning:
      'The network rejected the credentials, or the account was logged out. Posthorn does not reconnect by itself: replace ' +
      'the credentials (`PUT /v1/instances/{name}/credentials`), link the account again (`POST /v1/instances/{name}/link`), ' +
      'or start the instance to try the same credentials again.',
    action: 'relink',
  },
  stopped: {
    meaning: 'The instance was stopped, or its account was not linked in time. Start it to connect.',
    action: 'none',
  },
  failed: {
    meaning:
      'The network rejects the connection for a reason other than the credentials; `reason` names it. Posthorn does not try ' +
      'again by itself: start the instance once the cause is fixed.',
    action: 'contact_operator',
  },
  deleting: {
    meaning:
      'The instance is being removed. Once the network has confirmed, it is gone and its name is free.',
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

/** The meaning of each status for the caller. */
export const messageStatusMeanings: Readonly<Record<MessageStatus, string>> = {
  queued:
    'Accepted and stored. No attempt has been made yet: the message waits for `send_at`, for earlier messages, for the instance to ' +
    'connect, or for its file to be fetched. If a fetch failed, `error` says why.',
  sending:
    'At least one attempt was made, and the network has not acknowledged any yet. An attempt is in progress, or another one ' +
    'follows. `error` is the last rejection, or null if the last attempt was uncertain.',
  sent: 'The network acknowledged the message.',
  delivered: "The recipient's side confirmed that the message arrived.",
  read: "The recipient's side confirmed that the message was read.",
  failed:
    'The network rejected the message permanently, its file could not be fetched, or the network returned it after it had ' +
    'acknowledged it (then `sent_at` is set). `error` says why.',
  expired:
    'It was not sent before `expires_at` and will not be sent. Sending a new message cannot create a duplicate.',
  canceled: 'You canceled it, or its instance was removed while it waited. It was not sent and will not be.',
  unknown:
    'The outcome of an attempt cannot be known: the recipient may or may not have the message. Posthorn does not repeat it; ' +
    'you decide whether to send a new message, which may be a duplicate. A late receipt still updates the status.',
  received: 'A person sent it to the account of the instance.',
}

export const attemptOutcomes = ['underway', 'accepted', 'rejected', 'deferred', 'uncertain'] as const
export type AttemptOutcome = (typeof attemptOutcomes)[number]

/** The outcomes of attempts that have ended. */
export type KeptOutcome = Exclude<AttemptOutcome, 'underway'>

/** The meaning of each outcome of an attempt for the caller. */
export const attemptOutcomeMeanings: Readonly<Record<AttemptOutcome, string>> = {
  underway: 'It is in progress.',
  accepted: 'The network acknowledged the message.',
  rejected: 'The network rejected the message. `error` says why, and whether Posthorn tries again.',
  deferred: 'The network rejected the message for now, and said when to try again.',
  uncertain: 'The network acknowledged nothing: the message may have arrived.',
}

export const templateStatuses = ['approved', 'pending', 'paused', 'rejected', 'disabled', 'other'] as const
export type TemplateStatus = (typeof templateStatuses)[number]

/** The meaning of each status of a template for the caller. */
export const templateStatusMeanings: Readonly<Record<TemplateStatus, string>> = {
  approved: 'Messages can be made from it.',
  pending: 'The network has not decided yet, or decides again.',
  paused: 'The network paused it for a time, usually because recipients complained about it.',
  rejected: 'The network does not allow it. `rejected_reason` says why, if the network does.',
  disabled: 'The network, or its owner, took it out of use.',
  other: 'Any other status: see `network_status`.',
}

/** Categories of templates that callers may name. */
export const templateCategories = ['marketing', 'utility', 'authentication'] as const
export type TemplateCategory = (typeof templateCategories)[number]

/** Things that a person said about marketing. */
export const marketingChoices = ['opted_out', 'opted_in'] as const
export type MarketingChoice = (typeof marketingChoices)[number]

/** Ways in which they said it: to their network, or with a word to the account. */
export const marketingSources = ['network', 'stop_word', 'start_word'] as const
export type MarketingSource = (typeof marketingSources)[number]

export const deliveryStatuses = ['pending', 'delivered', 'failed', 'skipped'] as const
export type DeliveryStatus = (typeof deliveryStatuses)[number]

/** Names of the counts in statistics. */
export const countNames = [
  'accepted',
  'sent',
  'delivered',
  'read',
  'failed',
  'expired',
  'canceled',
  'unknown',
  'received',
] as const
export type CountName = (typeof countNames)[number]

/** Roles of a key: `admin` may do everything, `send` send and read, `read` read. */
export const roles = ['read', 'send', 'admin'] as const
export type Role = (typeof roles)[number]

/** Things of which an organization may use only so much. */
export const quotaNames = [
  'file_bytes',
  'stored_bytes',
  'unsettled_messages',
  'incoming_messages',
  'waiting_callbacks',
  'waiting_callback_bytes',
] as const
export type QuotaName = (typeof quotaNames)[number]

/** The types that pictures of people and groups may have. */
export const pictureTypes = ['image/jpeg', 'image/png', 'image/webp'] as const

/** Acts of a person who is seen to write. */
export const typingStates = ['typing', 'recording', 'paused'] as const
export type TypingState = (typeof typingStates)[number]

export const typingStateMeanings: Readonly<Record<TypingState, string>> = {
  typing: 'They write.',
  recording: 'They record a voice note or a video.',
  paused: 'They have stopped. This may not come: forget what you show after 20 seconds.',
}
