// Made from the contract by `node clients/javascript/generate/generate.ts`: change that, and run it again.

/** The account on the network, once it is known. */
export interface Account {
  /** The address of the account, in the form of its network. */
  address: string
  /** The name that the network shows for the account. */
  display_name: string | null
  /** A link at which people can write to the account. Null if the network has no such links. */
  url: string | null
}

/** Whether the network says that a person has this address. `unknown` if it does not say, or was not asked because `address` is null. A person who has an address may still get no messages, for example because they blocked the account. */
export type AddressExists = 'yes' | 'no' | 'unknown'

export interface AnswerLink {
  /** The answer, as the person gave it. Posthorn passes it to the network, and does not store it. */
  answer: string
}

/**
 * How it ended. New values may be added.
 * - `underway`: It is in progress.
 * - `accepted`: The network acknowledged the message.
 * - `rejected`: The network rejected the message. `error` says why, and whether Posthorn tries again.
 * - `deferred`: The network rejected the message for now, and said when to try again.
 * - `uncertain`: The network acknowledged nothing: the message may have arrived.
 */
export type AttemptOutcome = 'underway' | 'accepted' | 'rejected' | 'deferred' | 'uncertain'

/** The party that did it. */
export interface AuditActor {
  kind: AuditActorKind
  /** The id of the key; null for the operator. */
  key: string | null
  /** The first characters of the key; null for the operator. */
  hint: string | null
}

/** `key`: a caller with that API key, or the visitor of a link page that it created. `operator`: a user of the server's command line, or a caller with the operator's token. */
export type AuditActorKind = 'key' | 'operator'

/** An action of a key or of the operator, carried out or refused. */
export interface AuditEntry {
  /** Identifies the entry. */
  id: string
  /** When it was done. */
  timestamp: string
  actor: AuditActor
  /** The action: an `operationId` of this contract; `signIn` or `signOut`, for a browser in the console; or, for the operator, `createOrganization`, `createKey`, `revokeKey`, `sendQueue` or `failQueue` (for messages held after a restore), `backup` or `restore`. */
  action: string
  /** The object of the action: an id, or the name of an instance. Null if there is none. */
  target: string | null
  /** The name of the instance: at most 63 characters, unique in your organization. Case and spaces are not normalized. */
  instance: string | null
  /** `done`, or the code of the problem with which it was refused. */
  result: string
  /** The address of the caller, as far as the server knows it; null at the command line. */
  address: string | null
  /** The `Request-Id` of the request; null at the command line. */
  request_id: string | null
}

export interface AuditPage {
  data: AuditEntry[]
  /** Pass it as `cursor` to get the next page; null on the last page. A page may hold fewer entries than `limit`: only null means the end. */
  next_cursor: string | null
}

export interface BatchContacts {
  type: BatchTypeContacts
  /** The name of the instance: at most 63 characters, unique in your organization. Case and spaces are not normalized. */
  instance: string
  /** The address of the recipient, in the form of the network. */
  to: string
  /** Your own reference. You can list messages by it. */
  client_ref?: string
  metadata?: Metadata
  /** Do not send it before this time; at most 30 days ahead. A time of at most a minute ago means at once, because clocks differ; an earlier time is refused. */
  send_at?: string
  /** Start no attempt after this time. By default 24 hours after the message is to be sent, and at most 30 days after that. A time in the past, or not after `send_at`, is refused. */
  expires_at?: string
  /** The message that this one replies to, by its `id` or its `network_message_id`. It must be in the same conversation. If it is still being sent, the reply waits for it. */
  reply_to?: string
  /** The topic in which it is to be shown, by the `topic.id` of a message there: groups have topics, and so have private chats with some bots of Telegram. By default that of the message that it replies to, or else the one that the network chooses. */
  topic?: string
  /** The people whose contact details are sent. */
  contacts: ContactCardToSend[]
}

export interface BatchInteractive {
  type: BatchTypeInteractive
  /** The name of the instance: at most 63 characters, unique in your organization. Case and spaces are not normalized. */
  instance: string
  /** The address of the recipient, in the form of the network. */
  to: string
  /** Your own reference. You can list messages by it. */
  client_ref?: string
  metadata?: Metadata
  /** Do not send it before this time; at most 30 days ahead. A time of at most a minute ago means at once, because clocks differ; an earlier time is refused. */
  send_at?: string
  /** Start no attempt after this time. By default 24 hours after the message is to be sent, and at most 30 days after that. A time in the past, or not after `send_at`, is refused. */
  expires_at?: string
  /** The message that this one replies to, by its `id` or its `network_message_id`. It must be in the same conversation. If it is still being sent, the reply waits for it. */
  reply_to?: string
  /** The topic in which it is to be shown, by the `topic.id` of a message there: groups have topics, and so have private chats with some bots of Telegram. By default that of the message that it replies to, or else the one that the network chooses. */
  topic?: string
  /** A heading above the body. */
  header?: string
  /** The text of the message. */
  body: string
  /** A line below the body, in small print. */
  footer?: string
  /** Buttons below the message. */
  buttons?: Button[]
  list?: ChoiceList
  url_button?: UrlButton
}

export interface BatchLocation {
  type: BatchTypeLocation
  /** The name of the instance: at most 63 characters, unique in your organization. Case and spaces are not normalized. */
  instance: string
  /** The address of the recipient, in the form of the network. */
  to: string
  /** Your own reference. You can list messages by it. */
  client_ref?: string
  metadata?: Metadata
  /** Do not send it before this time; at most 30 days ahead. A time of at most a minute ago means at once, because clocks differ; an earlier time is refused. */
  send_at?: string
  /** Start no attempt after this time. By default 24 hours after the message is to be sent, and at most 30 days after that. A time in the past, or not after `send_at`, is refused. */
  expires_at?: string
  /** The message that this one replies to, by its `id` or its `network_message_id`. It must be in the same conversation. If it is still being sent, the reply waits for it. */
  reply_to?: string
  /** The topic in which it is to be shown, by the `topic.id` of a message there: groups have topics, and so have private chats with some bots of Telegram. By default that of the message that it replies to, or else the one that the network chooses. */
  topic?: string
  /** Degrees north of the equator. */
  latitude: number
  /** Degrees east of Greenwich. */
  longitude: number
  /** The name of the location. */
  name?: string
  /** The postal address of the location. */
  address?: string
}

export interface BatchMedia {
  type: BatchTypeMedia
  /** The name of the instance: at most 63 characters, unique in your organization. Case and spaces are not normalized. */
  instance: string
  /** The address of the recipient, in the form of the network. */
  to: string
  /** Your own reference. You can list messages by it. */
  client_ref?: string
  metadata?: Metadata
  /** Do not send it before this time; at most 30 days ahead. A time of at most a minute ago means at once, because clocks differ; an earlier time is refused. */
  send_at?: string
  /** Start no attempt after this time. By default 24 hours after the message is to be sent, and at most 30 days after that. A time in the past, or not after `send_at`, is refused. */
  expires_at?: string
  /** The message that this one replies to, by its `id` or its `network_message_id`. It must be in the same conversation. If it is still being sent, the reply waits for it. */
  reply_to?: string
  /** The topic in which it is to be shown, by the `topic.id` of a message there: groups have topics, and so have private chats with some bots of Telegram. By default that of the message that it replies to, or else the one that the network chooses. */
  topic?: string
  /** The people whom the text mentions, by their addresses. Only messages to groups mention people. Write each in the text as `@` with their address, or with the part of it before another `@`. */
  mentions?: string[]
  kind: MediaKind
  /** A text shown with the file. */
  caption?: string
  /** The name that the recipient sees, instead of the one that comes with the file. Paths, invisible characters and characters that some system does not allow are removed, and an image or audio gets a matching extension. The result may have at most 230 bytes of UTF-8; a longer name is refused, and so is a longer name of an uploaded file without `filename`. Names that come from a server are shortened and keep their extensions. */
  filename?: string
  /** Send audio as a voice note, if the network has voice notes. Audio other than OGG with Opus is converted, if the server can. */
  voice?: boolean
  /** The URL that Posthorn fetches the file from: over HTTPS, on port 443, at a public address. The operator may allow other addresses. A file as base64 or as a `data:` URL is refused: upload it instead. */
  url: string
}

/** The body of an operation that sends one message, with `type` saying which one. */
export type BatchMessage = BatchText | BatchMedia | BatchTemplate | BatchLocation | BatchContacts | BatchInteractive | BatchPoll

export interface BatchPoll {
  type: BatchTypePoll
  /** The name of the instance: at most 63 characters, unique in your organization. Case and spaces are not normalized. */
  instance: string
  /** The address of the recipient, in the form of the network. */
  to: string
  /** Your own reference. You can list messages by it. */
  client_ref?: string
  metadata?: Metadata
  /** Do not send it before this time; at most 30 days ahead. A time of at most a minute ago means at once, because clocks differ; an earlier time is refused. */
  send_at?: string
  /** Start no attempt after this time. By default 24 hours after the message is to be sent, and at most 30 days after that. A time in the past, or not after `send_at`, is refused. */
  expires_at?: string
  /** The message that this one replies to, by its `id` or its `network_message_id`. It must be in the same conversation. If it is still being sent, the reply waits for it. */
  reply_to?: string
  /** The topic in which it is to be shown, by the `topic.id` of a message there: groups have topics, and so have private chats with some bots of Telegram. By default that of the message that it replies to, or else the one that the network chooses. */
  topic?: string
  /** The question. */
  question: string
  /** The possible answers, each different. */
  options: string[]
  /** Whether a person may choose more than one answer. */
  multiple_answers?: boolean
}

/** The reason for which one message of a batch was refused. */
export interface BatchProblem {
  /** A URI reference that identifies the problem and leads to its explanation. */
  type: string
  /** The problem in a few words; the same for every occurrence. */
  title: string
  /** The HTTP status that a request with this message alone would get. */
  status: number
  /** What happened this time, and what to do next. */
  detail: string
  code: ProblemCode
  /** Whether the same request may succeed later. */
  retryable: boolean
  /** Each invalid value, if the message was invalid. Pointers begin at the message. */
  errors?: InvalidValue[]
}

/** The result for one message of a batch: either `message` or `problem`. */
export interface BatchResult {
  /** 202 if the message was accepted, and otherwise the status of its problem. */
  status: number
  message?: Message
  problem?: BatchProblem
}

export interface BatchResults {
  /** The number of messages that were accepted. */
  accepted: number
  /** The number of messages that were refused. */
  refused: number
  /** The result of each message, in the order of the request. */
  data: BatchResult[]
}

export interface BatchTemplate {
  type: BatchTypeTemplate
  /** The name of the instance: at most 63 characters, unique in your organization. Case and spaces are not normalized. */
  instance: string
  /** The address of the recipient, in the form of the network. */
  to: string
  /** Your own reference. You can list messages by it. */
  client_ref?: string
  metadata?: Metadata
  /** Do not send it before this time; at most 30 days ahead. A time of at most a minute ago means at once, because clocks differ; an earlier time is refused. */
  send_at?: string
  /** Start no attempt after this time. By default 24 hours after the message is to be sent, and at most 30 days after that. A time in the past, or not after `send_at`, is refused. */
  expires_at?: string
  /** The message that this one replies to, by its `id` or its `network_message_id`. It must be in the same conversation. If it is still being sent, the reply waits for it. */
  reply_to?: string
  /** The topic in which it is to be shown, by the `topic.id` of a message there: groups have topics, and so have private chats with some bots of Telegram. By default that of the message that it replies to, or else the one that the network chooses. */
  topic?: string
  /** The name of the template at the network. */
  name: string
  /** The language of the template, as the network spells it. */
  language: string
  /** The values of the template's placeholders: the parameters of its header, its body and its buttons. Posthorn passes them to the network as you give them; `template_component` of `GET /v1/networks` is their schema. At most 32 KB of JSON, nested at most 10 levels deep. */
  components?: TemplateComponent[]
  category?: TemplateCategory
}

export interface BatchText {
  type: BatchTypeText
  /** The name of the instance: at most 63 characters, unique in your organization. Case and spaces are not normalized. */
  instance: string
  /** The address of the recipient, in the form of the network. */
  to: string
  /** Your own reference. You can list messages by it. */
  client_ref?: string
  metadata?: Metadata
  /** Do not send it before this time; at most 30 days ahead. A time of at most a minute ago means at once, because clocks differ; an earlier time is refused. */
  send_at?: string
  /** Start no attempt after this time. By default 24 hours after the message is to be sent, and at most 30 days after that. A time in the past, or not after `send_at`, is refused. */
  expires_at?: string
  /** The message that this one replies to, by its `id` or its `network_message_id`. It must be in the same conversation. If it is still being sent, the reply waits for it. */
  reply_to?: string
  /** The topic in which it is to be shown, by the `topic.id` of a message there: groups have topics, and so have private chats with some bots of Telegram. By default that of the message that it replies to, or else the one that the network chooses. */
  topic?: string
  /** The people whom the text mentions, by their addresses. Only messages to groups mention people. Write each in the text as `@` with their address, or with the part of it before another `@`. */
  mentions?: string[]
  /** The plain text: at most 4,096 characters, or fewer if the network allows fewer. */
  text: string
}

/** The operation whose body this is: `POST /v1/messages/contacts`. */
export type BatchTypeContacts = 'contacts'

/** The operation whose body this is: `POST /v1/messages/interactive`. */
export type BatchTypeInteractive = 'interactive'

/** The operation whose body this is: `POST /v1/messages/location`. */
export type BatchTypeLocation = 'location'

/** The operation whose body this is: `POST /v1/messages/media`. */
export type BatchTypeMedia = 'media'

/** The operation whose body this is: `POST /v1/messages/poll`. */
export type BatchTypePoll = 'poll'

/** The operation whose body this is: `POST /v1/messages/template`. */
export type BatchTypeTemplate = 'template'

/** The operation whose body this is: `POST /v1/messages/text`. */
export type BatchTypeText = 'text'

/** A button that the recipient can tap. */
export interface Button {
  /** Your id, unique in the message: the reply names it. */
  id: string
  /** The words on the button. */
  title: string
  /** A text of your own that comes back with the reply. The recipient does not see it. */
  payload?: string
}

/** `key`: a key of an organization. `operator`: the token of the operator. */
export type CallerKind = 'key' | 'operator'

export interface CancelMessages {
  /** The name of the instance: at most 63 characters, unique in your organization. Case and spaces are not normalized. */
  instance?: string
  /** Only messages that you sent to this address, in any spelling in which you may send to it, or to another address of the same person. Without `instance`, it is read as each network reads it. */
  to?: string
  /** Only messages of this conversation, in both directions: its address, in any spelling in which you may send to it. If the person is known to have other addresses (`aliases`), messages with those match, too. */
  conversation?: string
  /** Only messages with this reference. */
  client_ref?: string
  /** Only messages created at or after this time. */
  created_after?: string
  /** Only messages created before this time. */
  created_before?: string
  /** Only messages whose text or caption contains this. Case is ignored, as Unicode folds it: `ß` matches `SS`, and `i`, `I`, `İ` and `ı` match each other. Accents count: `e` does not match `é`. The contents of templates are not searched. */
  text?: string
  status?: CancelableStatus
  /** True to cancel every queued message that the other filters match. */
  all?: boolean
  /** Where to continue: the `next_cursor` of the previous page. Opaque. */
  cursor?: string
}

/** Only `queued` messages can be canceled. */
export type CancelableStatus = 'queued'

export interface ChangeMembersBody {
  action: MemberAction
  /** The people whom it is about. */
  members: string[]
}

export interface ChangedMembers {
  /** The result for each member, in the order of the request. */
  data: MemberResult[]
}

/** The labels to change: each replaces the current value, and `null` removes it. Labels that are left out stay. An instance has at most 20. */
export type ChangedMetadata = Record<string, string | null>

/** The settings to change, in the form that the network documents: each replaces the current value as a whole, and `null` removes it, so the default of the network applies. Settings that are left out stay. */
export type ChangedSettings = Record<string, unknown>

export interface CheckAddressesBody {
  /** The addresses to ask about. */
  addresses: string[]
}

/** What the network said about an address. */
export interface CheckedAddress {
  /** The address as you gave it. */
  input: string
  /** The normalized address. If the network knows the person under another address than you gave, it is that one. Null if you gave nothing that can be an address of the network. */
  address: string | null
  exists: AddressExists
  /** When the network said so: answers are kept, `yes` for a day and `no` for an hour. Null if it said nothing. */
  checked_at: string | null
}

export interface CheckedAddresses {
  /** The result for each address, in the order of the request. */
  data: CheckedAddress[]
}

/** A list that opens when the recipient taps its button. */
export interface ChoiceList {
  /** The words on the button that opens the list. */
  button: string
  /** The parts of the list. */
  sections: ListSection[]
}

/** The button or the row that a person chose. `relation` names the message that had it, if the network says so. */
export interface ChoiceReply {
  /** The id of what was chosen; null if the network gives none. */
  id: string | null
  /** Its words. */
  title: string
  /** Its payload, as you sent it; null if it has none. */
  payload: string | null
}

/** A person known to an instance, with the names that the network and their messages give. */
export interface Contact {
  /** The most permanent address of the person, which identifies the contact. */
  address: string
  /** Other addresses of the same person, as far as the network has given them. */
  aliases: string[]
  /** The name that the newest message of the person came with; null if there was none. */
  name: string | null
  /** The public name on the network, if it is known. */
  username: string | null
  /** The path of the picture on this server: `GET` it with your key. It may still say that there is none. Null if the network shows no pictures, or the instance is gone. */
  picture_url?: string | null
  marketing: MarketingChoice | null
  /** When they said it. */
  marketing_changed_at: string | null
  /** When the last message of the conversation was accepted or received; null if there is none. */
  last_message_at: string | null
  /** True while the messages of the person are being erased. After that, the contact is gone. */
  being_forgotten: boolean
}

/** A person whose contact details a message contains. */
export interface ContactCard {
  /** The full name, as people see it. */
  name: string
  /** Phone numbers, with the country code. */
  phones: string[]
  /** Email addresses. */
  emails: string[]
  /** The company or organization of the person. */
  company: string | null
}

/** A person whose contact details are sent. */
export interface ContactCardToSend {
  /** The full name, as people see it. */
  name: string
  /** Phone numbers, with the country code. */
  phones?: string[]
  /** Email addresses. */
  emails?: string[]
  /** The company or organization of the person. */
  company?: string
}

/** The person who chose, and how. */
export interface ContactEventData {
  instance: MessageInstance
  contact: ContactNotice
  by: MarketingSource
  /** When they said it. */
  at: string
}

export interface ContactNotice {
  /** The most permanent address of the person. */
  address: string
  /** Their other addresses, as far as they are known. */
  aliases: string[]
}

/** A person wants marketing from the account (again). */
export interface ContactOptedInEvent {
  /** Identifies the event permanently. It is the same in every delivery. */
  id: string
  type: 'contact.opted_in'
  /** The number of the event in your organization. Numbers have no gaps, so a missing number is an event that you missed, or one that your filter or the limits of your key exclude. */
  sequence: number
  /** The history that the number belongs to. It changes only when the server is restored from a backup, because numbers are then used again: `epoch` and `sequence` together identify one event. */
  epoch: string
  /** When it happened. */
  timestamp: string
  data: ContactEventData
}

/** A person wants no more marketing from the account: they said so to their network, or sent one of `stop_words`. Messages from templates for marketing are not sent to them any more. */
export interface ContactOptedOutEvent {
  /** Identifies the event permanently. It is the same in every delivery. */
  id: string
  type: 'contact.opted_out'
  /** The number of the event in your organization. Numbers have no gaps, so a missing number is an event that you missed, or one that your filter or the limits of your key exclude. */
  sequence: number
  /** The history that the number belongs to. It changes only when the server is restored from a backup, because numbers are then used again: `epoch` and `sequence` together identify one event. */
  epoch: string
  /** When it happened. */
  timestamp: string
  data: ContactEventData
}

export interface ContactPage {
  data: Contact[]
  /** Pass it as `cursor` to get the next page; null on the last page. A page may hold fewer entries than `limit`: only null means the end. */
  next_cursor: string | null
}

/** The messages of one instance with one address, in both directions. */
export interface Conversation {
  /** The name of the instance: at most 63 characters, unique in your organization. Case and spaces are not normalized. */
  instance: string
  /** The address of the conversation, as in its messages. */
  conversation: string
  /** Other addresses of the same person, as far as the network has given them. */
  aliases: string[]
  kind?: ConversationKind | null
  /** The name of the person, as they or the network last gave it; of a group its subject. Null if it is not known. */
  name?: string | null
  /** Their public name on the network, if it is known. */
  username?: string | null
  /** The path of the picture on this server: `GET` it with your key. It may still say that there is none. Null if the network shows no pictures, or the instance is gone. */
  picture_url?: string | null
  /** The number of messages received since the account last read here, without reactions and retractions; 1000 stands for that many or more. `POST /v1/messages/{id}/read` marks the messages up to that one as read, and so does another client of the account, if the network says so. */
  unread?: number
  /** The people whom `last_message` mentions and whose names are known. Present if there are any. */
  mentioned?: MentionedPerson[]
  last_message: Message
}

/** Whether it is with one person or in a group; null if the instance was removed, so that nothing is sent there any more. */
export type ConversationKind = 'person' | 'group'

export interface ConversationPage {
  data: Conversation[]
  /** Pass it as `cursor` to get the next page; null on the last page. A page may hold fewer entries than `limit`: only null means the end. */
  next_cursor: string | null
}

/** A person begins or stops typing to the account. It is not stored, and has neither an id nor a number. */
export interface ConversationTypingEvent {
  type: 'conversation.typing'
  /** When it was seen. */
  timestamp: string
  data: TypingEventData
}

export interface CreateGroupBody {
  /** The subject, at most as long as the network allows (`limits.group_subject_length` of `GET /v1/networks`). */
  subject: string
  /** What the group says about itself, at most as long as the network allows (`limits.group_description_length` of `GET /v1/networks`). The network must be able to describe groups (`describe` in `abilities.groups`). */
  description?: string
  /** Require approval of people who follow the invite link. The network must be able to do it (`approval` in `abilities.groups`). */
  approval?: boolean
  /** The people to add, without the account itself. Some networks want at least one. */
  members: string[]
}

export interface CreateInstance {
  /** The name of the instance: at most 63 characters, unique in your organization. Case and spaces are not normalized. */
  name: string
  /** The messaging network. By default, the one that the operator chose. */
  network?: string
  settings?: NewSettings
  credentials?: Credentials
  metadata?: Metadata
  /** Words by which people opt out of marketing when they send one of them. A word has a letter or a digit. A text counts if it consists of one of the words and nothing else; case, accents, invisible characters, the width of letters, and spaces and punctuation around it do not matter. A word can be in only one of the two lists. Null for those that the operator set for the organization; an empty list for none. An inherited list counts, too, when words are compared. If the operator changes it later, a word that is then in both lists opts out. */
  stop_words?: string[] | null
  /** Words by which they opt in again. A word has a letter or a digit. A text counts if it consists of one of the words and nothing else; case, accents, invisible characters, the width of letters, and spaces and punctuation around it do not matter. A word can be in only one of the two lists. Null for those that the operator set for the organization; an empty list for none. An inherited list counts, too, when words are compared. If the operator changes it later, a word that is then in both lists opts out. */
  start_words?: string[] | null
}

export interface CreateKey {
  /** A name for people. It need not be unique. */
  name?: string
  role: Role
  /** The names of the instances that the key is limited to: it can see and use no others. */
  instances?: string[]
  /** When it expires: at most ten years ahead. By default, it expires when the key that creates it does, if ever. */
  expires_at?: string
}

export interface CreateLinkPage {
  /** The time for which the page can be used. */
  expires_in_seconds?: number
  /** The name of your business, which the page shows to the person. */
  title?: string
  /** A picture of your business, such as its logo, as base64: a PNG or JPEG of at most 64 KB and 1024 × 1024 pixels. The page shows it next to the `title`, which is required with a picture, because screen readers read it out instead. The server keeps the picture with the page, because a URL would show another server who opens the page. */
  picture?: string
  language?: LinkPageLanguage
}

export interface CreateOrganization {
  /** The name of the organization: at most 63 characters, unique on this server. */
  name: string
}

export interface CreateWebhook {
  /** A name for people; null if it has none. */
  name?: string | null
  /** The URL that events are sent to: HTTPS, at a public address. */
  url: string
  /** The types of events that it gets; null for all, including types that are added later. */
  events?: EventType[] | null
  /** The names of the instances whose events it gets; null for all. Events that concern no instance are always included. */
  instances?: string[] | null
  ordering?: WebhookOrdering
  /** The maximum number of events in one request. With 1, each event is sent alone. With more, every request holds `{"events": […]}` and the id of a batch as its `webhook-id`, even if there is only one event to send. Such a body has at most about 256 KB, unless a single event is larger. With `ordering: per_instance`, a batch holds consecutive events of one instance. */
  batch?: number
}

/** A key that was just created. */
export interface CreatedKey {
  /** Identifies the key. */
  id: string
  /** A name for people; null if it has none. */
  name: string | null
  /** The first characters of the key, by which people tell keys apart. */
  hint: string
  role: Role
  /** The names of the instances that the key is limited to: it can see and use no others. */
  instances: string[] | null
  /** When it was created. */
  created_at: string
  /** When it expires; null if it does not. */
  expires_at: string | null
  /** When it was last used, to the hour; null if it never was. */
  last_used_at: string | null
  /** When it was revoked; null if it was not. */
  revoked_at: string | null
  /** The key itself. The server shows it only this once, and does not store it: keep it where you keep your secrets. */
  key: string
}

/** The credentials of the account, in the form that its network documents. Stored encrypted and never shown again. */
export type Credentials = Record<string, unknown>

export interface DecideRequestsBody {
  action: JoinDecision
  /** The people who asked. */
  people: string[]
}

export interface DeliverEvent {
  /** The event. */
  event: string
}

export interface DeliveredEvent {
  /** Identifies the event. */
  id: string
  type: EventType
  /** The number of the event in your organization. */
  sequence: number
}

/** One event for one webhook, and every attempt to deliver it. */
export interface Delivery {
  /** Identifies the delivery. */
  id: string
  /** Identifies the webhook. */
  webhook: string
  event: DeliveredEvent
  status: DeliveryStatus
  /** The result of each attempt, first to last. */
  attempts: DeliveryAttempt[]
  /** When the next attempt is made. */
  next_attempt_at: string | null
  /** When the delivery was created. */
  created_at: string
  /** When it was delivered, failed or was skipped. */
  settled_at: string | null
}

export interface DeliveryAttempt {
  /** Counted from 1. */
  number: number
  /** The batch that the event was sent in: the `webhook-id` of the request. Null if it was sent alone. */
  batch: string | null
  /** When it started. */
  started_at: string
  /** How long it took, in milliseconds. */
  duration_ms: number
  /** The HTTP status of the response; null if there was none. */
  status: number | null
  error: DeliveryError | null
  /** The first kilobyte of the response. */
  body: string | null
}

export interface DeliveryError {
  /** The reason why there was no response that counts, as a stable code. */
  code: string
  /** What happened and what to do next, for a person. */
  detail: string
}

export interface DeliveryPage {
  data: Delivery[]
  /** Pass it as `cursor` to get the next page; null on the last page. A page may hold fewer entries than `limit`: only null means the end. */
  next_cursor: string | null
}

/** `pending`: an attempt is scheduled or in progress. `delivered`: the receiver responded with 2xx. `failed`: Posthorn gave up; redeliver the event when the receiver is back. `skipped`: you skipped it; redeliver the event if you need it after all. */
export type DeliveryStatus = 'pending' | 'delivered' | 'failed' | 'skipped'

export interface EditMessage {
  /** Your own reference. You can list messages by it. */
  client_ref?: string
  metadata?: Metadata
  /** Start no attempt after this time. By default 24 hours after the message is to be sent, and at most 30 days after that. A time in the past, or not after `send_at`, is refused. */
  expires_at?: string
  /** The new text of a text. */
  text?: string
  /** The new caption of a file. */
  caption?: string
}

export type Event = InstanceCreatedEvent | InstanceStatusChangedEvent | InstanceLinkChangedEvent | InstanceRestrictionChangedEvent | InstanceUpdatedEvent | InstanceCredentialsReplacedEvent | InstanceDeletedEvent | MessageReceivedEvent | MessageSentElsewhereEvent | MessageQueuedEvent | MessageSentEvent | MessageDeliveredEvent | MessageReadEvent | MessageFailedEvent | MessageExpiredEvent | MessageCanceledEvent | MessageUnknownEvent | TemplateStatusChangedEvent | ContactOptedOutEvent | ContactOptedInEvent | GroupChangedEvent | QuotaExceededEvent | WebhookDisabledEvent | WebhookLaggingEvent | WebhookCaughtUpEvent | WebhookTestEvent

/** The instance at the time of the event. */
export interface EventInstance {
  /** Identifies the instance permanently. */
  id: string
  /** The name of the instance: at most 63 characters, unique in your organization. Case and spaces are not normalized. */
  name: string
  /** The messaging network. */
  network: string
  status: InstanceStatus
  /** When the instance entered this status. */
  status_since: string
  reason: Reason | null
  action: InstanceAction
  /** Whether Posthorn would send a message to the network at once if it were accepted now. */
  sendable: boolean
  restriction: Restriction | null
  account: Account | null
  /** The time of the next attempt: to connect while `reconnecting`, to remove the instance while `deleting`. */
  next_attempt_at: string | null
  /** When the account was last linked, which is when it first connected with that link. Null if it is not linked, and on networks that need no link. */
  linked_at: string | null
  /** When the current or most recent connection was established. */
  connected_at: string | null
  /** When the network last responded: the evidence for `connected`. */
  last_verified_at: string | null
  metadata: Metadata
  /** When the instance was created. */
  created_at: string
}

export interface EventPage {
  /** The events, oldest first. */
  data: Event[]
  /** Pass it as `after` to continue. It is always present, because the feed has no end: if it equals the value you passed, nothing has happened since. A page may hold fewer events than `limit`, or none, and still be followed by more. */
  next_cursor: string
}

/**
 * What happened.
 * - `instance.created`: An instance was created.
 * - `instance.status_changed`: The status of an instance changed.
 * - `instance.link_changed`: There is a new step to show to the person who links the account.
 * - `instance.restriction_changed`: The network restricted the account of an instance, warned of a restriction, or lifted one.
 * - `instance.updated`: Settings or labels of an instance were changed.
 * - `instance.credentials_replaced`: The credentials of an instance were replaced.
 * - `instance.deleted`: An instance was removed, and its name is free.
 * - `message.received`: A person wrote to the account of an instance. If the message has a file, the event follows once the file is stored or cannot be fetched. An `undecryptable` message gets a second event once its content has arrived.
 * - `message.sent_elsewhere`: The account of an instance sent a message from another client. If the message has a file, the event follows once the file is stored or cannot be fetched.
 * - `message.queued`: A message was accepted.
 * - `message.sent`: The network acknowledged a message.
 * - `message.delivered`: The recipient's side confirmed that a message arrived.
 * - `message.read`: The recipient's side confirmed that a message was read.
 * - `message.failed`: A message failed: `error` says why.
 * - `message.expired`: A message expired before it was sent.
 * - `message.canceled`: A message was canceled, or its instance was removed, before it was sent.
 * - `message.unknown`: Posthorn cannot know whether an attempt to send a message succeeded.
 * - `template.status_changed`: The network decided on a template of the account, or changed its mind.
 * - `contact.opted_out`: A person wants no more marketing from the account: they said so to their network, or sent one of `stop_words`. Messages from templates for marketing are not sent to them any more.
 * - `contact.opted_in`: A person wants marketing from the account (again).
 * - `group.changed`: A group changed: its subject, its members, or whether the account of the instance is in it. The network may report the same change more than once. If a group changes very often, Posthorn reports several changes as one.
 * - `quota.exceeded`: Posthorn refused messages or files because of a quota. Sent at once, then once an hour while refusals continue.
 * - `webhook.disabled`: A webhook was disabled and no longer gets events.
 * - `webhook.lagging`: An event has been waiting for a webhook for longer than the limit that the operator set (5 minutes by default).
 * - `webhook.caught_up`: A webhook is no longer lagging: no event has been waiting for half of that limit.
 * - `webhook.test`: A caller requested a test of a webhook. Only that webhook gets this event.
 */
export type EventType = 'instance.created' | 'instance.status_changed' | 'instance.link_changed' | 'instance.restriction_changed' | 'instance.updated' | 'instance.credentials_replaced' | 'instance.deleted' | 'message.received' | 'message.sent_elsewhere' | 'message.queued' | 'message.sent' | 'message.delivered' | 'message.read' | 'message.failed' | 'message.expired' | 'message.canceled' | 'message.unknown' | 'template.status_changed' | 'contact.opted_out' | 'contact.opted_in' | 'group.changed' | 'quota.exceeded' | 'webhook.disabled' | 'webhook.lagging' | 'webhook.caught_up' | 'webhook.test'

/** Messages that failed with the same error on the same network. */
export interface FailureCount {
  /** The network of their instances; null if it is not known. */
  network: string | null
  /** The code of the error, as in `error.code` of messages. `other` counts those that are not told apart: errors without a code, and the rarest if there were too many kinds. */
  code: string
  /** The meaning of the code, for a person; null if this server does not know it. */
  detail: string | null
  /** Messages that failed with it. */
  count: number
}

/** The bytes of all stored files, sent and received; identical files count once. A file counts until it is removed: `POSTHORN_MEDIA_RETENTION_HOURS` after it was received or its last message was sent or failed, and at once when its message is canceled or expires. */
export interface FileBytesQuota {
  /** How much your organization currently uses. */
  used: number
  /** How much it may use, as set by the operator; null for no limit. */
  limit: number | null
  /** How much is left; null if there is no limit. */
  remaining: number | null
}

/** `critical`: the server does not do its work, or soon will not; `warning`: a person should act; `notice`: it is good to know. */
export type FindingSeverity = 'critical' | 'warning' | 'notice'

/** A form that a person filled in. */
export interface FlowReply {
  /** The network's name for the kind of form. */
  name: string | null
  response: FlowResponse
}

/** The answers, in the form of the network. */
export type FlowResponse = Record<string, unknown>

/** A group that the account of an instance is in, as the network shows it. `role` is that of the account itself. */
export interface Group {
  /** The address of the group. Send to it as you send to a person. */
  address: string
  /** The subject, which is the name that people see. */
  subject: string | null
  /** What the group says about itself. */
  description: string | null
  /** The number of members; null if the network does not say. */
  size: number | null
  role: GroupRole | null
  /** Whether people who follow the invite link need approval (`…/requests`); null if the network does not say. */
  approval: boolean | null
  /** When the group was created; null if the network does not say. */
  created_at: string | null
}

/** Something that the account can do with groups. New values may be added. */
export type GroupAbility = 'list' | 'get' | 'create' | 'join' | 'rename' | 'describe' | 'add' | 'remove' | 'promote' | 'demote' | 'invite_link' | 'approval' | 'list_requests' | 'decide_requests' | 'leave'

/**
 * The change. New values may be added.
 * - `created`: the group was created, by the account or with it.
 * - `renamed`: it has another subject.
 * - `members_added`: `members` joined, or were added.
 * - `members_removed`: `members` left, or were removed.
 * - `members_promoted`: `members` became admins.
 * - `members_demoted`: `members` are no longer admins.
 * - `join_requested`: `members` asked to join: let them in, or do not (`…/requests`).
 * - `join_request_withdrawn`: `members` no longer ask to join.
 * - `account_joined`: the account of the instance joined, or was added.
 * - `account_left`: the account left, or was removed.
 * - `changed`: something else changed, or so much that Posthorn does not list it: read the group.
 */
export type GroupChange = 'created' | 'renamed' | 'members_added' | 'members_removed' | 'members_promoted' | 'members_demoted' | 'join_requested' | 'join_request_withdrawn' | 'account_joined' | 'account_left' | 'changed'

/** A group changed: its subject, its members, or whether the account of the instance is in it. The network may report the same change more than once. If a group changes very often, Posthorn reports several changes as one. */
export interface GroupChangedEvent {
  /** Identifies the event permanently. It is the same in every delivery. */
  id: string
  type: 'group.changed'
  /** The number of the event in your organization. Numbers have no gaps, so a missing number is an event that you missed, or one that your filter or the limits of your key exclude. */
  sequence: number
  /** The history that the number belongs to. It changes only when the server is restored from a backup, because numbers are then used again: `epoch` and `sequence` together identify one event. */
  epoch: string
  /** When it happened. */
  timestamp: string
  data: GroupEventData
}

/** The instance, the group, and what changed in it. */
export interface GroupEventData {
  instance: MessageInstance
  group: GroupNotice
  change: GroupChange
  /** The addresses of the members that changed, at most 100. */
  members: string[]
  /** The number of members that changed and are not in `members`. */
  members_left_out: number
  /** The address of the person who changed it; null if that is not known. */
  by: string | null
  /** When it changed, by the time of the network. */
  at: string
}

/** A member of a group. */
export interface GroupMember {
  /** The address of the member. */
  address: string
  /** The name of the member, if the network gives it. */
  name: string | null
  role: GroupRole
}

/** The reason why the network refused a member. */
export interface GroupMemberError {
  /** The reason, as a stable code: one of the errors of the network. */
  code: string
  /** What happened and what to do next, for a person. */
  detail: string
  /** The network's own code, word for word. */
  network_code: string | null
}

/** The group. `subject` is null if Posthorn does not know it. */
export interface GroupNotice {
  /** The address of the group. Send to it as you send to a person. */
  address: string
  /** The subject, which is the name that people see. */
  subject: string | null
}

export interface GroupPage {
  data: Group[]
  /** Pass it as `cursor` to get the next page; null on the last page. A page may hold fewer entries than `limit`: only null means the end. */
  next_cursor: string | null
}

/** The part of a member in a group. An `admin` may change it, and the `owner` made it. */
export type GroupRole = 'owner' | 'admin' | 'member'

/** A group with its members. */
export interface GroupWithMembers {
  /** The address of the group. Send to it as you send to a person. */
  address: string
  /** The subject, which is the name that people see. */
  subject: string | null
  /** What the group says about itself. */
  description: string | null
  /** The number of members; null if the network does not say. */
  size: number | null
  role: GroupRole | null
  /** Whether people who follow the invite link need approval (`…/requests`); null if the network does not say. */
  approval: boolean | null
  /** When the group was created; null if the network does not say. */
  created_at: string | null
  /** The members, at most 1024; null if the network does not show them. */
  members: GroupMember[] | null
  /** The number of members that the network showed and that are not in `members`. */
  members_left_out: number
}

export interface Health {
  status: HealthStatus
  /** What the operator can do, if the store is the cause. */
  detail?: string
}

/** `ok`, or the reason why the server is not ready. */
export type HealthStatus = 'ok' | 'starting' | 'stopping' | 'store_unavailable' | 'storage_full' | 'store_corrupt' | 'store_replaced'

/** The stored incoming messages. A long text counts once for every 4,096 characters. Messages count until they are removed, `POSTHORN_MESSAGE_RETENTION_DAYS` after their last event. */
export interface IncomingMessagesQuota {
  /** How much your organization currently uses. */
  used: number
  /** How much it may use, as set by the operator; null for no limit. */
  limit: number | null
  /** How much is left; null if there is no limit. */
  remaining: number | null
}

/** A messaging instance: a durable connection to a messaging network. It never contains credentials or link codes. */
export interface Instance {
  /** Identifies the instance permanently, even after another instance took its name. */
  id: string
  /** The name of the instance: at most 63 characters, unique in your organization. Case and spaces are not normalized. */
  name: string
  /** The messaging network, for example `xmpp`. */
  network: string
  status: InstanceStatus
  /** When the instance entered this status. */
  status_since: string
  reason: Reason | null
  action: InstanceAction
  /** Whether Posthorn would send a message to the network at once if it were accepted now. */
  sendable: boolean
  restriction: Restriction | null
  account: Account | null
  /** The time of the next attempt: to connect while `reconnecting`, to remove the instance while `deleting`. */
  next_attempt_at: string | null
  /** When the account was last linked, which is when it first connected with that link. Null if it is not linked, and on networks that need no link. */
  linked_at: string | null
  /** When the current or most recent connection was established. */
  connected_at: string | null
  /** When the network last responded: the evidence for `connected`. */
  last_verified_at: string | null
  settings: Settings
  metadata: Metadata
  /** Words by which people opt out of marketing when they send one of them. A word has a letter or a digit. A text counts if it consists of one of the words and nothing else; case, accents, invisible characters, the width of letters, and spaces and punctuation around it do not matter. A word can be in only one of the two lists. Null for those that the operator set for the organization; an empty list for none. An inherited list counts, too, when words are compared. If the operator changes it later, a word that is then in both lists opts out. */
  stop_words: string[] | null
  /** Words by which they opt in again. A word has a letter or a digit. A text counts if it consists of one of the words and nothing else; case, accents, invisible characters, the width of letters, and spaces and punctuation around it do not matter. A word can be in only one of the two lists. Null for those that the operator set for the organization; an empty list for none. An inherited list counts, too, when words are compared. If the operator changes it later, a word that is then in both lists opts out. */
  start_words: string[] | null
  queue: Queue
  /** The URL that the network sends callbacks to: that of the instance or, if the instance uses an app of the operator, that of the operator. If the section of the network says so, enter it at the network, unless the operator has done that. Without `POSTHORN_BASE_URL`, it begins with the path. Anyone who knows it can send requests to it, but cannot sign them. Null if the instance gets no callbacks, and for keys without the role `admin`. */
  callback_url: string | null
  /** When the instance was created. */
  created_at: string
  /** When the record last changed. */
  updated_at: string
}

/** The next step. `none`: there is none. `wait`: wait, because Posthorn is acting. `link`: have a person link the account; see `link` in the status. `relink`: replace the credentials, or link the account again. `contact_operator`: have the operator fix the cause that `reason` names. */
export type InstanceAction = 'none' | 'link' | 'relink' | 'wait' | 'contact_operator'

/** The state of the connection of an instance, and the step that a person must take while it is `awaiting_link`. */
export interface InstanceConnectivity {
  /** The name of the instance: at most 63 characters, unique in your organization. Case and spaces are not normalized. */
  name: string
  status: InstanceStatus
  /** When the instance entered this status. */
  status_since: string
  reason: Reason | null
  action: InstanceAction
  /** Whether Posthorn would send a message to the network at once if it were accepted now. */
  sendable: boolean
  restriction: Restriction | null
  account: Account | null
  /** The time of the next attempt: to connect while `reconnecting`, to remove the instance while `deleting`. */
  next_attempt_at: string | null
  /** When the account was last linked, which is when it first connected with that link. Null if it is not linked, and on networks that need no link. */
  linked_at: string | null
  /** When the current or most recent connection was established. */
  connected_at: string | null
  /** When the network last responded: the evidence for `connected`. */
  last_verified_at: string | null
  queue: Queue
  link: Link | null
}

/** An instance was created. */
export interface InstanceCreatedEvent {
  /** Identifies the event permanently. It is the same in every delivery. */
  id: string
  type: 'instance.created'
  /** The number of the event in your organization. Numbers have no gaps, so a missing number is an event that you missed, or one that your filter or the limits of your key exclude. */
  sequence: number
  /** The history that the number belongs to. It changes only when the server is restored from a backup, because numbers are then used again: `epoch` and `sequence` together identify one event. */
  epoch: string
  /** When it happened. */
  timestamp: string
  data: InstanceEventData
}

/** The credentials of an instance were replaced. */
export interface InstanceCredentialsReplacedEvent {
  /** Identifies the event permanently. It is the same in every delivery. */
  id: string
  type: 'instance.credentials_replaced'
  /** The number of the event in your organization. Numbers have no gaps, so a missing number is an event that you missed, or one that your filter or the limits of your key exclude. */
  sequence: number
  /** The history that the number belongs to. It changes only when the server is restored from a backup, because numbers are then used again: `epoch` and `sequence` together identify one event. */
  epoch: string
  /** When it happened. */
  timestamp: string
  data: InstanceEventData
}

/** An instance was removed, and its name is free. */
export interface InstanceDeletedEvent {
  /** Identifies the event permanently. It is the same in every delivery. */
  id: string
  type: 'instance.deleted'
  /** The number of the event in your organization. Numbers have no gaps, so a missing number is an event that you missed, or one that your filter or the limits of your key exclude. */
  sequence: number
  /** The history that the number belongs to. It changes only when the server is restored from a backup, because numbers are then used again: `epoch` and `sequence` together identify one event. */
  epoch: string
  /** When it happened. */
  timestamp: string
  data: InstanceEventData
}

/** The instance at the time of the event. */
export interface InstanceEventData {
  instance: EventInstance
}

/** There is a new step to show to the person who links the account. */
export interface InstanceLinkChangedEvent {
  /** Identifies the event permanently. It is the same in every delivery. */
  id: string
  type: 'instance.link_changed'
  /** The number of the event in your organization. Numbers have no gaps, so a missing number is an event that you missed, or one that your filter or the limits of your key exclude. */
  sequence: number
  /** The history that the number belongs to. It changes only when the server is restored from a backup, because numbers are then used again: `epoch` and `sequence` together identify one event. */
  epoch: string
  /** When it happened. */
  timestamp: string
  data: LinkEventData
}

export interface InstancePage {
  data: Instance[]
  /** Pass it as `cursor` to get the next page; null on the last page. A page may hold fewer entries than `limit`: only null means the end. */
  next_cursor: string | null
}

/** The network restricted the account of an instance, warned of a restriction, or lifted one. */
export interface InstanceRestrictionChangedEvent {
  /** Identifies the event permanently. It is the same in every delivery. */
  id: string
  type: 'instance.restriction_changed'
  /** The number of the event in your organization. Numbers have no gaps, so a missing number is an event that you missed, or one that your filter or the limits of your key exclude. */
  sequence: number
  /** The history that the number belongs to. It changes only when the server is restored from a backup, because numbers are then used again: `epoch` and `sequence` together identify one event. */
  epoch: string
  /** When it happened. */
  timestamp: string
  data: InstanceEventData
}

/** The counts of one instance: a number for each interval of `data`, in its order. */
export interface InstanceSeries {
  /** The name of the instance: at most 63 characters, unique in your organization. Case and spaces are not normalized. */
  instance: string
  /** Messages that the network accepted. */
  sent: number[]
  /** Messages that could not be sent. */
  failed: number[]
  /** Messages that were received. */
  received: number[]
}

/**
 * The state of the instance.
 * - `connecting`: The connection is being opened, or the account is logging in.
 * - `awaiting_link`: A person must link the account: `link` in the status holds the code to scan or type in.
 * - `connected`: The account is logged in, and the network responded within the probe interval.
 * - `reconnecting`: The connection was lost. Posthorn tries again at `next_attempt_at`.
 * - `logged_out`: The network rejected the credentials, or the account was logged out. Posthorn does not reconnect by itself: replace the credentials (`PUT /v1/instances/{name}/credentials`), link the account again (`POST /v1/instances/{name}/link`), or start the instance to try the same credentials again.
 * - `stopped`: The instance was stopped, or its account was not linked in time. Start it to connect.
 * - `failed`: The network rejects the connection for a reason other than the credentials; `reason` names it. Posthorn does not try again by itself: start the instance once the cause is fixed.
 * - `deleting`: The instance is being removed. Once the network has confirmed, it is gone and its name is free.
 */
export type InstanceStatus = 'connecting' | 'awaiting_link' | 'connected' | 'reconnecting' | 'logged_out' | 'stopped' | 'failed' | 'deleting'

/** The status of an instance changed. */
export interface InstanceStatusChangedEvent {
  /** Identifies the event permanently. It is the same in every delivery. */
  id: string
  type: 'instance.status_changed'
  /** The number of the event in your organization. Numbers have no gaps, so a missing number is an event that you missed, or one that your filter or the limits of your key exclude. */
  sequence: number
  /** The history that the number belongs to. It changes only when the server is restored from a backup, because numbers are then used again: `epoch` and `sequence` together identify one event. */
  epoch: string
  /** When it happened. */
  timestamp: string
  data: InstanceEventData
}

/** Settings or labels of an instance were changed. */
export interface InstanceUpdatedEvent {
  /** Identifies the event permanently. It is the same in every delivery. */
  id: string
  type: 'instance.updated'
  /** The number of the event in your organization. Numbers have no gaps, so a missing number is an event that you missed, or one that your filter or the limits of your key exclude. */
  sequence: number
  /** The history that the number belongs to. It changes only when the server is restored from a backup, because numbers are then used again: `epoch` and `sequence` together identify one event. */
  epoch: string
  /** When it happened. */
  timestamp: string
  data: InstanceEventData
}

/** The instances that this node runs, by status. */
export interface InstancesByStatus {
  connecting?: number
  awaiting_link?: number
  connected?: number
  reconnecting?: number
  logged_out?: number
  stopped?: number
  failed?: number
  deleting?: number
}

/** A message to which the recipient replies by choosing: it has one of `buttons`, `list` and `url_button`. */
export interface Interactive {
  /** A heading above the body. */
  header?: string
  /** The text of the message. */
  body: string
  /** A line below the body, in small print. */
  footer?: string
  /** Buttons below the message. */
  buttons?: Button[]
  list?: ChoiceList
  url_button?: UrlButton
}

/** The limits of interactive messages, in Unicode characters unless they say otherwise; 0 if it cannot be sent. */
export interface InteractiveLimits {
  /** The longest body. */
  body_characters: number
  /** The most buttons. */
  buttons: number
  /** The longest words on a button. */
  button_characters: number
  /** The most rows of a list, in all its sections. */
  list_rows: number
  /** The longest title of a row, or of a section. */
  row_characters: number
  /** The longest description of a row. */
  row_description_characters: number
  /** The longest id of a button or row, in bytes of UTF-8. */
  id_bytes: number
}

/** The counts of an interval. */
export interface IntervalStatistics {
  /** When the interval begins. */
  from: string
  /** Messages that were accepted to be sent. */
  accepted: number
  /** Messages that the network accepted. */
  sent: number
  /** Messages that reached a device of the recipient. */
  delivered: number
  /** Messages that the recipient read. */
  read: number
  /** Messages that could not be sent. */
  failed: number
  /** Messages that expired before they could be sent. */
  expired: number
  /** Messages that were canceled. */
  canceled: number
  /** Messages that may or may not have arrived. */
  unknown: number
  /** Messages that were received. A message that cannot be decrypted counts once its content arrives. */
  received: number
  /** Messages in the queue at the end: accepted by then, and still `queued` or `sending`. If the interval is not over, after the last event that is counted. */
  queue_depth: number
  to_sent: Latency
  to_delivered: Latency
}

export interface InvalidValue {
  /** A JSON pointer (RFC 6901) into the body, or `query/…`, `header/…` for a parameter. */
  pointer: string
  /** The fault, as a stable code. */
  code: string
  /** A sentence about the fault, for people to read. It never repeats the value. */
  detail: string
}

/** A link by which people join a group. */
export interface InviteLink {
  /** The link. Anyone who has it can join. */
  url: string
}

export interface InviteLinkBody {
  /** Make a new link, so that earlier ones no longer work. */
  renew?: boolean
}

/** `approve` lets people join, `decline` does not; they may ask again. */
export type JoinDecision = 'approve' | 'decline'

export interface JoinGroupBody {
  /** The invite link, or the address of a group that is open to all. */
  invitation: string
}

/** A person who asks to join a group. */
export interface JoinRequest {
  /** The address of the person who asks. */
  address: string
  /** Their name, if the network gives it. */
  name: string | null
  /** When they asked; null if the network does not say. */
  asked_at: string | null
}

export interface JoinRequestPage {
  data: JoinRequest[]
  /** Pass it as `cursor` to get the next page; null on the last page. A page may hold fewer entries than `limit`: only null means the end. */
  next_cursor: string | null
}

/** A JSON Schema (2020-12). */
export type JsonSchema = Record<string, unknown>

/** A key of an organization, without the secret itself, which is not stored. */
export interface Key {
  /** Identifies the key. */
  id: string
  /** A name for people; null if it has none. */
  name: string | null
  /** The first characters of the key, by which people tell keys apart. */
  hint: string
  role: Role
  /** The names of the instances that the key is limited to: it can see and use no others. */
  instances: string[] | null
  /** When it was created. */
  created_at: string
  /** When it expires; null if it does not. */
  expires_at: string | null
  /** When it was last used, to the hour; null if it never was. */
  last_used_at: string | null
  /** When it was revoked; null if it was not. */
  revoked_at: string | null
}

export interface KeyPage {
  data: Key[]
  /** Pass it as `cursor` to get the next page; null on the last page. A page may hold fewer entries than `limit`: only null means the end. */
  next_cursor: string | null
}

/** How long messages took, counted from when they were accepted or, if that is later, from `send_at`. */
export interface Latency {
  /** How many were measured. */
  count: number
  /** An estimate of the seconds that half of them took at most, with an error of at most 10%; null if there are none. */
  p50_seconds: number | null
  /** An estimate of the seconds that 95% of them took at most, with an error of at most 10%; null if there are none. */
  p95_seconds: number | null
  /** An estimate of the seconds that 99% of them took at most, with an error of at most 10%; null if there are none. */
  p99_seconds: number | null
}

/** The step that a person must take to link the account. */
export interface Link {
  kind: LinkKind
  /** The value to show. Keep it secret until it expires, because its holder can link the account. */
  value: string
  /** When it is replaced by the next one, or the link attempt ends. */
  expires_at: string
}

/** The instance, and the link step that a person must take. */
export interface LinkEventData {
  instance: EventInstance
  link: LinkNotice
}

/** The kind of step. `qr`: a QR code to scan. `code`: a code to type in. `url`: a page to open. `question`: a question of the network; send the answer to `POST /v1/instances/{name}/link/answer`. */
export type LinkKind = 'qr' | 'code' | 'url' | 'question'

/** The step that the person must take. Its value is a secret: only the status of the instance contains it. */
export interface LinkNotice {
  kind: LinkKind
  /** When it is replaced by the next one, or the link attempt ends. */
  expires_at: string
}

/** The way to link; by default, `qr`. `qr`: the person scans a QR code with their phone. `code`: they type a code into the app on the phone with the number `phone`. */
export type LinkOrder = 'qr' | 'code'

/** A page on which a person without a key can link the account of one instance. */
export interface LinkPage {
  /** Identifies the page in the audit log. */
  id: string
  /** Send it to the owner of the phone. Its fragment is a secret that is shown only this once, because the holder of the URL can link the account. */
  url: string
  /** When the page ends, unless something ends it earlier. */
  expires_at: string
}

/** A way to link an account. */
export type LinkPageKind = 'qr' | 'code'

/** The language of the page. By default, that of the browser, if the page has it. */
export type LinkPageLanguage = 'en' | 'pt-BR' | 'es'

/** `ready`: the person can begin. `linking`: they take the `step`, or wait for one while it is null. `linked`: the account is linked, and nothing is left to do. `failed`: the network rejected the link; they can begin again. */
export type LinkPageState = 'ready' | 'linking' | 'linked' | 'failed'

/** The contents of a link page. Its token gives access to nothing more. */
export interface LinkPageView {
  /** The name of the business, if it gave one. */
  title: string | null
  /** Whether there is a picture of the business, which `GET /v1/link-page/picture` returns. */
  has_picture: boolean
  /** The language of the page, if one was chosen. */
  language: string | null
  /** The title of the messaging network. */
  network: string
  /** The ways in which the account can be linked. */
  kinds: LinkPageKind[]
  state: LinkPageState
  step: Link | null
  /** When the page ends. */
  expires_at: string
}

/** A row of a list that the recipient can choose. */
export interface ListRow {
  /** Your id, unique in the message: the reply names it. */
  id: string
  /** The words of the row. */
  title: string
  /** A second line. */
  description?: string
  /** A text of your own that comes back with the reply. The recipient does not see it. */
  payload?: string
}

/** A part of a list. */
export interface ListSection {
  /** The heading; required if there is more than one section. */
  title?: string
  /** Its rows. */
  rows: ListRow[]
}

/** Only those with one person, or only those in groups. */
export type ListedConversationKind = 'person' | 'group'

/** The position that a `location` shows. */
export interface Location {
  /** Degrees north of the equator. */
  latitude: number
  /** Degrees east of Greenwich. */
  longitude: number
  /** The name of the location. */
  name: string | null
  /** The postal address of the location. */
  address: string | null
}

/** Whether the person wants marketing from the account, as they last said: to their network, or with one of `stop_words` and `start_words` of the instance. `opted_out`: a message from a template for marketing is refused. Null if they said nothing. */
export type MarketingChoice = 'opted_out' | 'opted_in'

/** How they said it. `network`: to their network, which told the account. `stop_word`, `start_word`: with a message to the account that was one of these words. */
export type MarketingSource = 'network' | 'stop_word' | 'start_word'

/** The caller: a key of an organization, or the operator. */
export interface Me {
  kind: CallerKind
  organization: OwnOrganization | null
  key: Key | null
  /** The version of the server. */
  version: string
}

/** The file of a message as it is sent, which for a voice note is after conversion. Values that are unknown until the file is fetched are null. */
export interface Media {
  /** The name that the recipient sees: yours, with unsafe characters removed. For a received file, the name that its sender gave it, shortened to 240 bytes of UTF-8 before its extension. */
  filename: string | null
  /** The type detected from the bytes. */
  mime_type: string | null
  /** In bytes. */
  size: number | null
  /** The SHA-256 of the bytes, in hexadecimal. */
  sha256: string | null
}

/** The largest file of each kind, in bytes. A kind that is missing cannot be sent. */
export interface MediaBytes {
  document?: number
  audio?: number
  image?: number
  video?: number
  sticker?: number
}

/** How the file is shown to the recipient. */
export type MediaKind = 'document' | 'audio' | 'image' | 'video' | 'sticker'

/** `add` or `remove` members, `promote` members to admins, or `demote` admins. The network must be able to do it (`abilities.groups`). */
export type MemberAction = 'add' | 'remove' | 'promote' | 'demote'

/** `unknown`: the network did not say. Look at the group before you repeat the request. */
export type MemberOutcome = 'done' | 'refused' | 'unknown'

/** The result for one member. */
export interface MemberResult {
  /** The address as you gave it. */
  input: string
  /** The normalized address. */
  address: string
  result: MemberOutcome
  error: GroupMemberError | null
}

/** A person whom a message mentions. */
export interface MentionedPerson {
  /** As in `mentions`. */
  address: string
  /** The name of the person, as they or the network last gave it. */
  name: string
}

/** A message and everything that is known about its delivery. */
export interface Message {
  /** Identifies the message permanently. */
  id: string
  direction: MessageDirection
  origin: MessageOrigin | null
  /** The name of the instance: at most 63 characters, unique in your organization. Case and spaces are not normalized. */
  instance: string
  /** The normalized address of the sender; null if you sent it, through the account of the instance. */
  from: string | null
  /** The normalized address of the recipient. For a received message, the account of the instance, if it is known. */
  to: string | null
  /** The normalized address of the conversation: to reply, send a message to it. Between two people, it is the address of the other person. */
  conversation: string
  /** Other addresses of the same person that the network gave with the message: of the sender, or of the recipient if the account sent it from elsewhere. Empty on most networks, and for messages that you sent. You can send to any of them, and list the conversation by any of them. */
  aliases: string[]
  kind: MessageKind
  status: MessageStatus
  /** The text of a `text`, or the emojis of a `reaction`, separated by spaces. For other kinds, a description in words of what their content field says. A received text may be longer than one that can be sent; it is cut after 65,536 bytes of UTF-8, and U+FFFD replaces U+0000 and lone surrogates. */
  text?: string
  /** The caption of a media message, or of one that is `unsupported`. */
  caption?: string | null
  media?: Media
  template?: MessageTemplate
  location?: Location
  /** The people that a `contacts` shows. */
  contacts?: ContactCard[]
  interactive?: Interactive
  poll?: Poll
  poll_vote?: PollVote
  button_reply?: ChoiceReply
  list_reply?: ChoiceReply
  flow_reply?: FlowReply
  order?: Order
  referral?: Referral
  topic?: Topic
  sender?: Sender
  /** The people whom the text mentions. Present if there are any. */
  mentions?: string[]
  /** The subject of a received message, if it has one. */
  subject: string | null
  relation: Relation | null
  unsupported: Unsupported | null
  /** The id under which the network knows the message. If the network assigns ids, it is null until the network has assigned one; otherwise it is fixed when the message is accepted, and used by every attempt. */
  network_message_id: string | null
  /** Your own reference. */
  client_ref: string | null
  metadata: Metadata
  error: MessageError | null
  /** Differences between the message that you sent and the one that the recipient got. Usually empty. */
  notices: MessageNotice[]
  /** The number of attempts to send it that were started. */
  attempts: number
  /** When it was accepted, or received. */
  created_at: string
  /** When to send it, if not at once. */
  send_at: string | null
  /** No attempt starts after this time. The message then becomes `expired`, or `unknown` if an attempt was uncertain. Null for a received message, and for one that was sent elsewhere. */
  expires_at: string | null
  /** When the network acknowledged it. For a received message, when it was sent, if the network says so. */
  sent_at: string | null
  /** When the recipient's side confirmed that it arrived. */
  delivered_at: string | null
  /** When the recipient's side confirmed that it was read. */
  read_at: string | null
  /** The time until which the network lets you reply freely (`abilities.reply_window_seconds`). For a received message, it follows from this message. For one that you sent, it is the time that was known when the message was accepted; the window is longer if the recipient has written since. Null if it is not known, and on networks where you can reply at any time. */
  window_ends_at: string | null
  waits_for?: WaitsFor | null
  /** True if its person was forgotten (`DELETE /v1/instances/{name}/contacts/{address}`): its texts, names and file are gone, and its ids remain. Absent otherwise. */
  forgotten?: boolean
}

/** One attempt to send a message to its network. `error` says why the network rejected this attempt, and is null if it did not. */
export interface MessageAttempt {
  /** Counted from 1. */
  number: number
  /** When it began; null if that is not known. */
  started_at: string | null
  /** When its outcome was stored; null while it is in progress. If the server stopped during the attempt, when the server was back. */
  ended_at: string | null
  outcome: AttemptOutcome
  error: MessageError | null
  /** The earliest time of the next attempt, as decided when this one ended; null if none was to follow. */
  next_attempt_at: string | null
}

export interface MessageAttemptPage {
  data: MessageAttempt[]
  /** Pass it as `cursor` to get the next page; null on the last page. A page may hold fewer entries than `limit`: only null means the end. */
  next_cursor: string | null
}

/** A message was canceled, or its instance was removed, before it was sent. */
export interface MessageCanceledEvent {
  /** Identifies the event permanently. It is the same in every delivery. */
  id: string
  type: 'message.canceled'
  /** The number of the event in your organization. Numbers have no gaps, so a missing number is an event that you missed, or one that your filter or the limits of your key exclude. */
  sequence: number
  /** The history that the number belongs to. It changes only when the server is restored from a backup, because numbers are then used again: `epoch` and `sequence` together identify one event. */
  epoch: string
  /** When it happened. */
  timestamp: string
  data: MessageEventData
}

/** The recipient's side confirmed that a message arrived. */
export interface MessageDeliveredEvent {
  /** Identifies the event permanently. It is the same in every delivery. */
  id: string
  type: 'message.delivered'
  /** The number of the event in your organization. Numbers have no gaps, so a missing number is an event that you missed, or one that your filter or the limits of your key exclude. */
  sequence: number
  /** The history that the number belongs to. It changes only when the server is restored from a backup, because numbers are then used again: `epoch` and `sequence` together identify one event. */
  epoch: string
  /** When it happened. */
  timestamp: string
  data: MessageEventData
}

/** `outbound`: you sent it. `inbound`: it was sent to the account of the instance. */
export type MessageDirection = 'outbound' | 'inbound'

/** The network's last rejection, or the reason why the file could not be fetched. Null if there was none, or if the last attempt was uncertain. For a received message, the reason why its file is not available. */
export interface MessageError {
  /** The reason, as a stable code. The codes are listed in the section of the network, and those for files under *Messages*. */
  code: string
  /** What happened and what to do next, for a person. */
  detail: string
  /** True if the network would reject the same message again. If false, Posthorn tries again by itself while the message is `queued` or `sending`. */
  permanent: boolean
  /** The network's own code, word for word. */
  network_code: string | null
}

/** The message at the time of the event, and its instance. */
export interface MessageEventData {
  instance: MessageInstance
  message: Message
}

/** A message expired before it was sent. */
export interface MessageExpiredEvent {
  /** Identifies the event permanently. It is the same in every delivery. */
  id: string
  type: 'message.expired'
  /** The number of the event in your organization. Numbers have no gaps, so a missing number is an event that you missed, or one that your filter or the limits of your key exclude. */
  sequence: number
  /** The history that the number belongs to. It changes only when the server is restored from a backup, because numbers are then used again: `epoch` and `sequence` together identify one event. */
  epoch: string
  /** When it happened. */
  timestamp: string
  data: MessageEventData
}

/** A message failed: `error` says why. */
export interface MessageFailedEvent {
  /** Identifies the event permanently. It is the same in every delivery. */
  id: string
  type: 'message.failed'
  /** The number of the event in your organization. Numbers have no gaps, so a missing number is an event that you missed, or one that your filter or the limits of your key exclude. */
  sequence: number
  /** The history that the number belongs to. It changes only when the server is restored from a backup, because numbers are then used again: `epoch` and `sequence` together identify one event. */
  epoch: string
  /** When it happened. */
  timestamp: string
  data: MessageEventData
}

/** `ours`: Posthorn fixes the id of a message before its first attempt. `assigned`: the network gives it an id when it accepts it; until that id is known, `network_message_id` is null. */
export type MessageIds = 'ours' | 'assigned'

/** The instance of the message, with the labels that you gave it. */
export interface MessageInstance {
  /** Identifies the instance permanently. */
  id: string
  /** The name of the instance: at most 63 characters, unique in your organization. Case and spaces are not normalized. */
  name: string
  metadata: Metadata
}

/** The kind of message. For a received file, it is detected from the bytes, and is `document` until they are fetched. A `reaction` or `retraction` refers to the message that its `relation` names. Some kinds are only received: those that end in `_reply`, `order` and `poll_vote`, and `unsupported`, whose content cannot be shown. */
export type MessageKind = 'text' | 'document' | 'audio' | 'image' | 'video' | 'sticker' | 'template' | 'location' | 'contacts' | 'interactive' | 'poll' | 'reaction' | 'retraction' | 'button_reply' | 'list_reply' | 'flow_reply' | 'order' | 'poll_vote' | 'unsupported'

/** A difference between the message that you sent and the one that the recipient got. */
export interface MessageNotice {
  /** The notice, as a stable code. The codes are listed in the section of the network. */
  code: string
  /** What happened and what it means, for a person. */
  detail: string
}

/** `posthorn`: it was sent through Posthorn. `elsewhere`: the account sent it from another client, such as a phone; it is `sent` from the beginning. Null for a received message. */
export type MessageOrigin = 'posthorn' | 'elsewhere'

export interface MessagePage {
  data: Message[]
  /** Pass it as `cursor` to get the next page; null on the last page. A page may hold fewer entries than `limit`: only null means the end. */
  next_cursor: string | null
}

/** A message was accepted. */
export interface MessageQueuedEvent {
  /** Identifies the event permanently. It is the same in every delivery. */
  id: string
  type: 'message.queued'
  /** The number of the event in your organization. Numbers have no gaps, so a missing number is an event that you missed, or one that your filter or the limits of your key exclude. */
  sequence: number
  /** The history that the number belongs to. It changes only when the server is restored from a backup, because numbers are then used again: `epoch` and `sequence` together identify one event. */
  epoch: string
  /** When it happened. */
  timestamp: string
  data: MessageEventData
}

/** The recipient's side confirmed that a message was read. */
export interface MessageReadEvent {
  /** Identifies the event permanently. It is the same in every delivery. */
  id: string
  type: 'message.read'
  /** The number of the event in your organization. Numbers have no gaps, so a missing number is an event that you missed, or one that your filter or the limits of your key exclude. */
  sequence: number
  /** The history that the number belongs to. It changes only when the server is restored from a backup, because numbers are then used again: `epoch` and `sequence` together identify one event. */
  epoch: string
  /** When it happened. */
  timestamp: string
  data: MessageEventData
}

/** A person wrote to the account of an instance. If the message has a file, the event follows once the file is stored or cannot be fetched. An `undecryptable` message gets a second event once its content has arrived. */
export interface MessageReceivedEvent {
  /** Identifies the event permanently. It is the same in every delivery. */
  id: string
  type: 'message.received'
  /** The number of the event in your organization. Numbers have no gaps, so a missing number is an event that you missed, or one that your filter or the limits of your key exclude. */
  sequence: number
  /** The history that the number belongs to. It changes only when the server is restored from a backup, because numbers are then used again: `epoch` and `sequence` together identify one event. */
  epoch: string
  /** When it happened. */
  timestamp: string
  data: MessageEventData
}

/** The account of an instance sent a message from another client. If the message has a file, the event follows once the file is stored or cannot be fetched. */
export interface MessageSentElsewhereEvent {
  /** Identifies the event permanently. It is the same in every delivery. */
  id: string
  type: 'message.sent_elsewhere'
  /** The number of the event in your organization. Numbers have no gaps, so a missing number is an event that you missed, or one that your filter or the limits of your key exclude. */
  sequence: number
  /** The history that the number belongs to. It changes only when the server is restored from a backup, because numbers are then used again: `epoch` and `sequence` together identify one event. */
  epoch: string
  /** When it happened. */
  timestamp: string
  data: MessageEventData
}

/** The network acknowledged a message. */
export interface MessageSentEvent {
  /** Identifies the event permanently. It is the same in every delivery. */
  id: string
  type: 'message.sent'
  /** The number of the event in your organization. Numbers have no gaps, so a missing number is an event that you missed, or one that your filter or the limits of your key exclude. */
  sequence: number
  /** The history that the number belongs to. It changes only when the server is restored from a backup, because numbers are then used again: `epoch` and `sequence` together identify one event. */
  epoch: string
  /** When it happened. */
  timestamp: string
  data: MessageEventData
}

/**
 * The progress of the message. A status never moves backwards.
 * - `queued`: Accepted and stored. No attempt has been made yet: the message waits for `send_at`, for earlier messages, for the instance to connect, or for its file to be fetched. If a fetch failed, `error` says why.
 * - `sending`: At least one attempt was made, and the network has not acknowledged any yet. An attempt is in progress, or another one follows. `error` is the last rejection, or null if the last attempt was uncertain.
 * - `sent`: The network acknowledged the message.
 * - `delivered`: The recipient's side confirmed that the message arrived.
 * - `read`: The recipient's side confirmed that the message was read.
 * - `failed`: The network rejected the message permanently, its file could not be fetched, or the network returned it after it had acknowledged it (then `sent_at` is set). `error` says why.
 * - `expired`: It was not sent before `expires_at` and will not be sent. Sending a new message cannot create a duplicate.
 * - `canceled`: You canceled it, or its instance was removed while it waited. It was not sent and will not be.
 * - `unknown`: The outcome of an attempt cannot be known: the recipient may or may not have the message. Posthorn does not repeat it; you decide whether to send a new message, which may be a duplicate. A late receipt still updates the status.
 * - `received`: A person sent it to the account of the instance.
 */
export type MessageStatus = 'queued' | 'sending' | 'sent' | 'delivered' | 'read' | 'failed' | 'expired' | 'canceled' | 'unknown' | 'received'

/** A status that a message has had. The last step has the `error` of the message; in all others it is null. */
export interface MessageStep {
  status: MessageStatus
  /** When the message reached this status; null if that is not known. */
  at: string | null
  error: MessageError | null
}

export interface MessageStepPage {
  data: MessageStep[]
  /** Pass it as `cursor` to get the next page; null on the last page. A page may hold fewer entries than `limit`: only null means the end. */
  next_cursor: string | null
}

/** The template that the message is made from, and its parameters. */
export interface MessageTemplate {
  /** The name of the template at the network. */
  name: string
  /** The language of the template, as the network spells it. */
  language: string
  /** The values of the template's placeholders: the parameters of its header, its body and its buttons. Posthorn passes them to the network as you give them; `template_component` of `GET /v1/networks` is their schema. At most 32 KB of JSON, nested at most 10 levels deep. */
  components: TemplateComponent[]
  category?: TemplateCategory
}

/** Posthorn cannot know whether an attempt to send a message succeeded. */
export interface MessageUnknownEvent {
  /** Identifies the event permanently. It is the same in every delivery. */
  id: string
  type: 'message.unknown'
  /** The number of the event in your organization. Numbers have no gaps, so a missing number is an event that you missed, or one that your filter or the limits of your key exclude. */
  sequence: number
  /** The history that the number belongs to. It changes only when the server is restored from a backup, because numbers are then used again: `epoch` and `sequence` together identify one event. */
  epoch: string
  /** When it happened. */
  timestamp: string
  data: MessageEventData
}

/** The result of one call to cancel messages. */
export interface MessagesCanceled {
  /** How many messages were canceled by this call. */
  canceled: number
  /** To continue, send the same request with this as `cursor`; null once all messages were examined. */
  next_cursor: string | null
}

/** Your own labels: at most 20, each a string of at most 500 characters. Returned unchanged, never interpreted. */
export type Metadata = Record<string, string>

/** A messaging network that this server supports. `settings` and `credentials` are the schemas of those of an instance. `template_component` is the schema of a component of a template message; null if the network has no templates. */
export interface Network {
  /** The name of the network in requests. */
  network: string
  /** The name of the network for people. */
  title: string
  /** Whether the network is only for trying the API: its messages never leave this server. */
  for_trying: boolean
  /** The network, the form of its addresses, and the guarantees that it can give, in Markdown. */
  description: string
  abilities: NetworkAbilities
  limits: NetworkLimits
  settings: JsonSchema
  credentials: JsonSchema
  /** The settings that cannot be changed once the instance is created. */
  fixed_settings: string[]
  template_component: JsonSchema | null
  /** Every reason of the network; those that do not depend on the network are in the reference. */
  reasons: NetworkReason[]
  /** Every error of the network. */
  errors: NetworkError[]
  /** Every notice of the network; most have none. */
  notices: NetworkNotice[]
  /** Every restriction of the network; most have none. */
  restrictions: NetworkRestriction[]
}

/** The abilities of the network. */
export interface NetworkAbilities {
  message_ids: MessageIds
  /** The receipts that may come from recipients. A message gets no further status than these. */
  receipts: ReceiptState[]
  recipients: Recipients
  /** The time after the last incoming message of a conversation within which the account may reply freely; null for any time. */
  reply_window_seconds: number | null
  /** The ways in which a person can link an account. Empty if the account needs only credentials. You can request `qr` and `code` with `POST /v1/instances/{name}/link`. */
  links: LinkKind[]
  /** Whether `POST /v1/instances/{name}/logout` can log an account out. Its instance then stays and can be linked again. */
  logs_out: boolean
  /**
   * What can be sent besides texts, files (`limits.media_bytes`) and templates:
   * - `reply`: a reply that names the message that it answers (`reply_to`).
   * - `reaction`: an emoji as a reaction to a message.
   * - `edit`: a new text or caption for a message that was sent.
   * - `retract`: the retraction of a message that was sent.
   * - `mention`: mentions of people in a group (`mentions`).
   * - `topic`: messages into a topic of a group or private chat (`topic`).
   * - `location`: a place.
   * - `contacts`: contact details of people.
   * - `buttons`: buttons to reply with.
   * - `list`: a list to choose from.
   * - `url_button`: a button that opens a page.
   * - `interactive_header`: a `header` above buttons or a list.
   * - `interactive_footer`: a `footer` below them.
   * - `poll`: a poll.
   */
  sends: SendingAbility[]
  /** Whether the account can send read receipts. */
  marks_read: boolean
  /** Whether the network can tell whether addresses exist. */
  checks_addresses: boolean
  /** What the account can do with groups, besides sending to them and receiving from them; empty for nothing. `create`, `join`, `leave`; `list` the groups; `get` one with its members; `rename` it; `describe`: change what it says about itself; `add`, `remove`, `promote` and `demote` members; `invite_link`: get a link by which people join; `approval`: create a group that people join only once the account approves them; `list_requests` to join, and `decide_requests`. */
  groups: GroupAbility[]
  /** Whether the account can show people that it is typing to them. Some networks require the message that is answered: there, nothing is shown to people who have not written yet. */
  typing: boolean
  /** Whether the account can see the pictures of people and groups. */
  pictures: boolean
  /** Whether messages can be made from templates that the network approved. */
  templates: boolean
  /** Whether the network shows the messages that the account sends from other clients. */
  sent_elsewhere: boolean
  /** Whether the network sends callbacks to a URL of this server. */
  callbacks: boolean
  /** What `connected` proves, as one sentence in Markdown. */
  connected_means: string
}

/** A reason for which the network rejects or returns a message. */
export interface NetworkError {
  /** The value of `error.code`. */
  code: string
  /** What happened, in whole sentences. */
  happened: string
  /** The next step, and the party that takes it, in whole sentences. */
  next: string
}

/** The limits of the network. An instance sends at the rate of `pacing`, or with a `pause` between its messages; a network has at most one of them, and the setting `pacing` of an instance replaces it. `pacing_per_recipient` also limits the messages to each recipient of an instance. Null means no limit. */
export interface NetworkLimits {
  /** The longest text, in Unicode characters. */
  text_characters: number
  /** The longest caption, in Unicode characters. */
  caption_characters: number
  media_bytes: MediaBytes
  interactive: InteractiveLimits
  /** The most answers of a poll; 0 if it cannot be sent. */
  poll_options: number
  /** The longest answer of a poll, in Unicode characters. */
  poll_option_characters: number
  /** The longest question of a poll, in Unicode characters. */
  poll_question_characters: number
  /** The time after a message was sent within which it can be edited; null for any time. */
  edit_seconds: number | null
  /** The time after a message was sent within which it can be retracted; null for any time. */
  retract_seconds: number | null
  /** The longest subject of a group, in UTF-16 code units; 0 if the account can neither create nor rename groups. */
  group_subject_length: number
  /** The longest description of a group, in UTF-16 code units; 0 if the account cannot describe groups. */
  group_description_length: number
  /** Whether a message that is sent twice with one id reaches the recipient once, or can be recognized by its id. If so, Posthorn repeats an uncertain attempt with that id; if not, the message becomes `unknown`. The description of the network says if this is an assumption. */
  dedupes_by_id: boolean
  /** The number of messages of an instance that may await acknowledgement at the same time. */
  in_flight: number
  /** The number of these that may be texts to one recipient. */
  in_flight_per_recipient: number
  /** The time within which the network must acknowledge an attempt; a file also gets the time of its transfer. */
  answer_timeout_seconds: number
  pacing: Pace | null
  pause: Pause | null
  /** The longer pauses after an account was linked, the shortest time first: the first row that has not ended applies. Empty if pauses are always the same. */
  warm_up: WarmUp[]
  pacing_per_recipient: Pace | null
  /** The time for which a connection may be silent before Posthorn probes it. */
  probe_after_seconds: number
  /** The time within which the network must respond to a probe; then Posthorn ends the connection. */
  probe_timeout_seconds: number
}

/** A difference that may arise between the message that a caller sent and the one that the recipient got. */
export interface NetworkNotice {
  /** The code of the notice. */
  code: string
  /** What happened, in whole sentences. */
  happened: string
  /** The next step, and the party that takes it, in whole sentences. */
  next: string
}

export interface NetworkPage {
  data: Network[]
  /** Pass it as `cursor` to get the next page; null on the last page. A page may hold fewer entries than `limit`: only null means the end. */
  next_cursor: string | null
}

/** A reason for which a connection to the network ends, and the status of the instance then. */
export interface NetworkReason {
  /** The value of `reason.code`. */
  code: string
  status: InstanceStatus
  /** What happened, in whole sentences. */
  happened: string
  /** The next step, and the party that takes it, in whole sentences. */
  next: string
}

/** A restriction that the network may put on an account, or a warning of one. */
export interface NetworkRestriction {
  /** The value of `restriction.code`. */
  code: string
  /** What happened, in whole sentences. */
  happened: string
  /** The next step, and the party that takes it, in whole sentences. */
  next: string
}

/** The settings of the instance, in the form that its network documents. */
export type NewSettings = Record<string, unknown>

/** A node: one of the servers that share the database. A node that is gone and has no instance is forgotten after a day. */
export interface Node {
  /** Identifies the node: it is in `node.id` in its data folder. */
  id: string
  status: NodeStatus
  /** The version of its program. */
  version: string
  /** When its process was started, by its own clock. */
  started_at: string
  /** When its last beat was stored, by the clock of the database. */
  last_seen_at: string
  /** The instances that it owns. */
  instances: number
  /** True for the node that removes expired data for all nodes. */
  keeps_house: boolean
  /** The shares of organizations, out of 64, whose events it delivers and counts. */
  delivery_parts: number
  /** True for the node that responded to this request. */
  responded: boolean
}

export interface NodePage {
  data: Node[]
  /** Pass it as `cursor` to get the next page; null on the last page. A page may hold fewer entries than `limit`: only null means the end. */
  next_cursor: string | null
}

/** `running`; `draining`: it gives its instances to other nodes; `silent`: its last beat is so old that it does nothing any more, and others take over soon; `gone`: no process runs it. */
export type NodeStatus = 'running' | 'draining' | 'silent' | 'gone'

/** An OpenAPI 3.1 document. */
export type OpenApiDocument = Record<string, unknown>

/** An order from a catalog. */
export interface Order {
  /** The catalog that the products are from. */
  catalog_id: string | null
  /** The products; at most 100 are shown. */
  items: OrderItem[]
  /** How many products are not shown. */
  items_left_out: number
}

/** A product in an order. */
export interface OrderItem {
  /** The id of the product in the catalog. */
  product_id: string
  /** How many of it. */
  quantity: number
  /** The price of one, if the network says it. */
  price: number | null
  /** The currency of the price, as ISO 4217. */
  currency: string | null
}

/** An organization. Only its own keys see its instances, messages, events and keys. */
export interface Organization {
  /** Identifies the organization. */
  id: string
  /** The name of the organization: at most 63 characters, unique on this server. */
  name: string
  /** When it was created. */
  created_at: string
  usage: Quotas
  instances: OrganizationInstances
  last_24_hours: OrganizationTraffic
  /** Words by which people opt out of marketing when they send one of them. A word has a letter or a digit. A text counts if it consists of one of the words and nothing else; case, accents, invisible characters, the width of letters, and spaces and punctuation around it do not matter. A word can be in only one of the two lists. They apply to each instance of the organization that has none of its own. Null for none. */
  stop_words: string[] | null
  /** Words by which they opt in again. A word has a letter or a digit. A text counts if it consists of one of the words and nothing else; case, accents, invisible characters, the width of letters, and spaces and punctuation around it do not matter. A word can be in only one of the two lists. They apply to each instance of the organization that has none of its own. Null for none. */
  start_words: string[] | null
}

/** The instances of an organization. */
export interface OrganizationInstances {
  /** All of them. */
  total: number
  /** Those that are `connected`. */
  connected: number
  /** Those that wait for a person, because they are `logged_out` or `failed`. */
  need_person: number
}

export interface OrganizationPage {
  data: Organization[]
  /** Pass it as `cursor` to get the next page; null on the last page. A page may hold fewer entries than `limit`: only null means the end. */
  next_cursor: string | null
}

/** The messages of an organization in the hour of UTC that runs, and the 23 before it, as `GET /v1/statistics` counts them. */
export interface OrganizationTraffic {
  /** Messages that were accepted to be sent. */
  accepted: number
  /** Messages that the network accepted. */
  sent: number
  /** Messages that could not be sent, or expired before they could. */
  failed: number
  /** Messages that were received. */
  received: number
  /** The share of `failed` in `sent` and `failed` together; null if both are 0. */
  failed_share: number | null
}

/** The organization that the key belongs to; null for the operator, who belongs to none. */
export interface OwnOrganization {
  /** Identifies the organization. */
  id: string
  /** Its name. */
  name: string
}

/** The highest rate at which messages are sent. */
export interface Pace {
  /** The number of messages that may leave. */
  messages: number
  /** The length of the period, in seconds. */
  seconds: number
}

/** A pause after each message, of a random length. */
export interface Pause {
  /** The shortest pause. */
  min_seconds: number
  /** The longest pause. */
  max_seconds: number
}

/** A question with possible answers. */
export interface Poll {
  /** The question. */
  question: string
  /** The possible answers. */
  options: string[]
  /** Whether a person may choose more than one answer. */
  multiple_answers: boolean
}

/** A vote in the poll that `relation` names. A later vote of the same person replaces it. */
export interface PollVote {
  /** All answers that the person chooses now; empty if they took their vote back. */
  options: string[]
}

/** A problem as defined by RFC 9457. Rely on `code`, show `detail`, and quote `request_id`. */
export interface Problem {
  /** A URI reference that identifies the problem and leads to its explanation. */
  type: string
  /** The problem in a few words; the same for every occurrence. */
  title: string
  /** The HTTP status of the response. */
  status: number
  /** What happened this time, and what to do next. */
  detail: string
  code: ProblemCode
  /** Identifies this request in the log of the server. */
  request_id: string
  /** Whether the same request may succeed later. */
  retryable: boolean
  /** With `restored`: the cursor from which to continue the feed. */
  next_cursor?: string
  /** Each invalid value, if the request was invalid. */
  errors?: InvalidValue[]
}

/** The stable code that your program can rely on. */
export type ProblemCode = 'malformed_body' | 'invalid_request' | 'unauthenticated' | 'key_expired' | 'forbidden' | 'cross_origin' | 'session_changed' | 'route_not_found' | 'instance_not_found' | 'message_not_found' | 'webhook_not_found' | 'delivery_not_found' | 'event_not_found' | 'key_not_found' | 'organization_not_found' | 'node_not_found' | 'no_other_node' | 'media_not_found' | 'not_supported_by_network' | 'templates_not_supported' | 'setting_missing' | 'templates_being_listed' | 'instance_not_connected' | 'already_linked' | 'link_kind_not_supported' | 'base_url_missing' | 'link_page_not_found' | 'no_link_step' | 'logout_not_supported' | 'link_not_asking' | 'network_refused' | 'problem_not_found' | 'method_not_allowed' | 'not_acceptable' | 'request_timeout' | 'instance_name_taken' | 'instance_limit_reached' | 'account_in_use' | 'instance_deleting' | 'instance_changed_meanwhile' | 'organization_name_taken' | 'key_limit_reached' | 'webhook_limit_reached' | 'webhook_not_enabled' | 'message_not_cancelable' | 'files_quota_exceeded' | 'stored_quota_exceeded' | 'media_pending' | 'idempotency_in_progress' | 'event_forgotten' | 'cursor_expired' | 'restored' | 'body_too_large' | 'unsupported_media_type' | 'range_not_satisfiable' | 'misdirected_request' | 'idempotency_mismatch' | 'outside_reply_window' | 'rate_limited' | 'too_many_streams' | 'too_many_waits' | 'answers_not_read' | 'queue_full' | 'voice_queue_full' | 'unsettled_quota_exceeded' | 'headers_too_large' | 'internal_error' | 'store_unavailable' | 'instance_unreachable' | 'callback_not_accepted' | 'too_many_connections' | 'shutting_down' | 'storage_full' | 'contact_not_found' | 'group_not_found' | 'target_not_sent' | 'not_your_message' | 'message_not_received' | 'message_not_editable' | 'edit_window_over' | 'recipient_opted_out' | 'too_many_batches' | 'picture_not_found' | 'too_many_pictures' | 'too_many_checks' | 'too_many_group_changes' | 'group_requests_waiting' | 'outcome_unknown'

export interface ProblemExplanation {
  /** The stable code. */
  code: string
  /** The HTTP status of responses with this problem. */
  status: number
  /** The problem in a few words. */
  title: string
  /** What happened and what to do next. */
  explanation: string
  /** Whether the same request may succeed later. */
  retryable: boolean
}

/** The messages of the instance that wait to be sent. */
export interface Queue {
  /** The number of accepted messages that are not settled yet. */
  depth: number
  /** When the oldest unsettled message was accepted. */
  oldest_at: string | null
}

/** The quota that caused refusals, and how many. */
export interface QuotaEventData {
  quota: QuotaNotice
  /** The number of requests, files or messages that were refused since `since`. */
  refused: number
  /** When the first of them was refused. */
  since: string
}

/** Posthorn refused messages or files because of a quota. Sent at once, then once an hour while refusals continue. */
export interface QuotaExceededEvent {
  /** Identifies the event permanently. It is the same in every delivery. */
  id: string
  type: 'quota.exceeded'
  /** The number of the event in your organization. Numbers have no gaps, so a missing number is an event that you missed, or one that your filter or the limits of your key exclude. */
  sequence: number
  /** The history that the number belongs to. It changes only when the server is restored from a backup, because numbers are then used again: `epoch` and `sequence` together identify one event. */
  epoch: string
  /** When it happened. */
  timestamp: string
  data: QuotaEventData
}

/** The name of the quota in `GET /v1/quotas`. */
export type QuotaName = 'file_bytes' | 'stored_bytes' | 'unsettled_messages' | 'incoming_messages' | 'waiting_callbacks' | 'waiting_callback_bytes'

export interface QuotaNotice {
  name: QuotaName
  /** The amount that was used at that time. */
  used: number
  /** The limit of the quota. */
  limit: number
}

/** The quotas of an organization, and their usage. */
export interface Quotas {
  file_bytes: FileBytesQuota
  stored_bytes: StoredBytesQuota
  unsettled_messages: UnsettledMessagesQuota
  incoming_messages: IncomingMessagesQuota
  waiting_callbacks: WaitingCallbacksQuota
  waiting_callback_bytes: WaitingCallbackBytesQuota
}

/** The reason for the status of the instance. Null while it is connected, and if there is no particular reason. */
export interface Reason {
  /** The reason, as a stable code. Codes that apply to every network are listed under *Reasons*, those of one network in its section. */
  code: string
  /** What happened and what to do next, for a person. */
  detail: string
}

/** The progress of a message that a receipt confirms. */
export type ReceiptState = 'delivered' | 'read'

/** The people whom the account can write to: `anyone`, or only `those_who_wrote` to it before. */
export type Recipients = 'anyone' | 'those_who_wrote'

export interface RedeliverEvents {
  /** Events at or after this time. */
  since: string
  /** Events before this time; by default, until now. */
  until?: string
  which?: RedeliveredEvents
}

/** The events to deliver; by default, `missing`. */
export type RedeliveredEvents = 'missing' | 'all'

export interface Redelivery {
  /** How many deliveries were created. */
  deliveries: number
  /** The time from which to continue; null if no events are left. */
  next_since: string | null
}

/** What led the person to write: an advertisement, a post or a product. */
export interface Referral {
  /** The network's own name for it. */
  type: string | null
  /** The id of the advertisement or post. */
  id: string | null
  /** Its URL. */
  url: string | null
  /** Its heading. */
  title: string | null
  /** Its text. */
  text: string | null
  /** The id of the click, for attribution. */
  click_id: string | null
  /** The product that the person asks about. */
  product_id: string | null
}

/** The relation of this message to another one. Null if there is none. */
export interface Relation {
  type: RelationType
  /** The other message, if Posthorn has it in the same conversation. Senders can correct and retract only their own messages. */
  message_id: string | null
  /** The `network_message_id` of the other message, if Posthorn has it; otherwise the id that the sender used for it, or null if that id cannot be shown. */
  network_message_id: string | null
}

/** `correction`: its text replaces the text of the other message. `reply`: it replies to the other message. `reaction`: its text lists all current reactions of the sender to the other message, and is empty if they were removed. `retraction`: the sender retracts the other message. A reply by a button, a form or a poll is a `reply`, too. */
export type RelationType = 'correction' | 'reply' | 'reaction' | 'retraction'

export interface ReplaceCredentials {
  credentials: Credentials
}

/** A restriction that the network put on the account, or a warning of one; if there are several, the widest. It is not a status: the instance may still be connected. */
export interface Restriction {
  /** The restriction, as a stable code. The codes are listed in the section of the network. */
  code: string
  /** What happened and what to do next, for a person. */
  detail: string
  scope: RestrictionScope
  /** When it began. */
  since: string
  /** When it ends, or when Posthorn tries again. Null if it lasts until the network lifts it. */
  ends_at: string | null
}

/** The messages that wait until the restriction ends. `none`: the network only warns, and no message waits. */
export type RestrictionScope = 'all_messages' | 'new_contacts' | 'none'

export interface RetractMessage {
  /** Your own reference. You can list messages by it. */
  client_ref?: string
  metadata?: Metadata
  /** Start no attempt after this time. By default 24 hours after the message is to be sent, and at most 30 days after that. A time in the past, or not after `send_at`, is refused. */
  expires_at?: string
}

/** What the key may do: `read` reads, `send` also sends, `admin` does everything. */
export type Role = 'read' | 'send' | 'admin'

export interface SendBatch {
  /** The messages, in the order in which they are to leave. Each is checked separately: an invalid one does not affect the others. They may belong to different instances. A file is given by its URL. */
  messages: BatchMessage[]
}

export interface SendContacts {
  /** The name of the instance: at most 63 characters, unique in your organization. Case and spaces are not normalized. */
  instance: string
  /** The address of the recipient, in the form of the network. */
  to: string
  /** Your own reference. You can list messages by it. */
  client_ref?: string
  metadata?: Metadata
  /** Do not send it before this time; at most 30 days ahead. A time of at most a minute ago means at once, because clocks differ; an earlier time is refused. */
  send_at?: string
  /** Start no attempt after this time. By default 24 hours after the message is to be sent, and at most 30 days after that. A time in the past, or not after `send_at`, is refused. */
  expires_at?: string
  /** The message that this one replies to, by its `id` or its `network_message_id`. It must be in the same conversation. If it is still being sent, the reply waits for it. */
  reply_to?: string
  /** The topic in which it is to be shown, by the `topic.id` of a message there: groups have topics, and so have private chats with some bots of Telegram. By default that of the message that it replies to, or else the one that the network chooses. */
  topic?: string
  /** The people whose contact details are sent. */
  contacts: ContactCardToSend[]
}

export interface SendInteractive {
  /** The name of the instance: at most 63 characters, unique in your organization. Case and spaces are not normalized. */
  instance: string
  /** The address of the recipient, in the form of the network. */
  to: string
  /** Your own reference. You can list messages by it. */
  client_ref?: string
  metadata?: Metadata
  /** Do not send it before this time; at most 30 days ahead. A time of at most a minute ago means at once, because clocks differ; an earlier time is refused. */
  send_at?: string
  /** Start no attempt after this time. By default 24 hours after the message is to be sent, and at most 30 days after that. A time in the past, or not after `send_at`, is refused. */
  expires_at?: string
  /** The message that this one replies to, by its `id` or its `network_message_id`. It must be in the same conversation. If it is still being sent, the reply waits for it. */
  reply_to?: string
  /** The topic in which it is to be shown, by the `topic.id` of a message there: groups have topics, and so have private chats with some bots of Telegram. By default that of the message that it replies to, or else the one that the network chooses. */
  topic?: string
  /** A heading above the body. */
  header?: string
  /** The text of the message. */
  body: string
  /** A line below the body, in small print. */
  footer?: string
  /** Buttons below the message. */
  buttons?: Button[]
  list?: ChoiceList
  url_button?: UrlButton
}

export interface SendLocation {
  /** The name of the instance: at most 63 characters, unique in your organization. Case and spaces are not normalized. */
  instance: string
  /** The address of the recipient, in the form of the network. */
  to: string
  /** Your own reference. You can list messages by it. */
  client_ref?: string
  metadata?: Metadata
  /** Do not send it before this time; at most 30 days ahead. A time of at most a minute ago means at once, because clocks differ; an earlier time is refused. */
  send_at?: string
  /** Start no attempt after this time. By default 24 hours after the message is to be sent, and at most 30 days after that. A time in the past, or not after `send_at`, is refused. */
  expires_at?: string
  /** The message that this one replies to, by its `id` or its `network_message_id`. It must be in the same conversation. If it is still being sent, the reply waits for it. */
  reply_to?: string
  /** The topic in which it is to be shown, by the `topic.id` of a message there: groups have topics, and so have private chats with some bots of Telegram. By default that of the message that it replies to, or else the one that the network chooses. */
  topic?: string
  /** Degrees north of the equator. */
  latitude: number
  /** Degrees east of Greenwich. */
  longitude: number
  /** The name of the location. */
  name?: string
  /** The postal address of the location. */
  address?: string
}

export interface SendMedia {
  /** The name of the instance: at most 63 characters, unique in your organization. Case and spaces are not normalized. */
  instance: string
  /** The address of the recipient, in the form of the network. */
  to: string
  /** Your own reference. You can list messages by it. */
  client_ref?: string
  metadata?: Metadata
  /** Do not send it before this time; at most 30 days ahead. A time of at most a minute ago means at once, because clocks differ; an earlier time is refused. */
  send_at?: string
  /** Start no attempt after this time. By default 24 hours after the message is to be sent, and at most 30 days after that. A time in the past, or not after `send_at`, is refused. */
  expires_at?: string
  /** The message that this one replies to, by its `id` or its `network_message_id`. It must be in the same conversation. If it is still being sent, the reply waits for it. */
  reply_to?: string
  /** The topic in which it is to be shown, by the `topic.id` of a message there: groups have topics, and so have private chats with some bots of Telegram. By default that of the message that it replies to, or else the one that the network chooses. */
  topic?: string
  /** The people whom the text mentions, by their addresses. Only messages to groups mention people. Write each in the text as `@` with their address, or with the part of it before another `@`. */
  mentions?: string[]
  kind: MediaKind
  /** A text shown with the file. */
  caption?: string
  /** The name that the recipient sees, instead of the one that comes with the file. Paths, invisible characters and characters that some system does not allow are removed, and an image or audio gets a matching extension. The result may have at most 230 bytes of UTF-8; a longer name is refused, and so is a longer name of an uploaded file without `filename`. Names that come from a server are shortened and keep their extensions. */
  filename?: string
  /** Send audio as a voice note, if the network has voice notes. Audio other than OGG with Opus is converted, if the server can. */
  voice?: boolean
  /** The URL that Posthorn fetches the file from: over HTTPS, on port 443, at a public address. The operator may allow other addresses. A file as base64 or as a `data:` URL is refused: upload it instead. */
  url: string
}

export interface SendPoll {
  /** The name of the instance: at most 63 characters, unique in your organization. Case and spaces are not normalized. */
  instance: string
  /** The address of the recipient, in the form of the network. */
  to: string
  /** Your own reference. You can list messages by it. */
  client_ref?: string
  metadata?: Metadata
  /** Do not send it before this time; at most 30 days ahead. A time of at most a minute ago means at once, because clocks differ; an earlier time is refused. */
  send_at?: string
  /** Start no attempt after this time. By default 24 hours after the message is to be sent, and at most 30 days after that. A time in the past, or not after `send_at`, is refused. */
  expires_at?: string
  /** The message that this one replies to, by its `id` or its `network_message_id`. It must be in the same conversation. If it is still being sent, the reply waits for it. */
  reply_to?: string
  /** The topic in which it is to be shown, by the `topic.id` of a message there: groups have topics, and so have private chats with some bots of Telegram. By default that of the message that it replies to, or else the one that the network chooses. */
  topic?: string
  /** The question. */
  question: string
  /** The possible answers, each different. */
  options: string[]
  /** Whether a person may choose more than one answer. */
  multiple_answers?: boolean
}

export interface SendReaction {
  /** Your own reference. You can list messages by it. */
  client_ref?: string
  metadata?: Metadata
  /** Start no attempt after this time. By default 24 hours after the message is to be sent, and at most 30 days after that. A time in the past, or not after `send_at`, is refused. */
  expires_at?: string
  /** One emoji. It replaces the one that you sent before; null takes that back. */
  emoji: string | null
}

export interface SendTemplate {
  /** The name of the instance: at most 63 characters, unique in your organization. Case and spaces are not normalized. */
  instance: string
  /** The address of the recipient, in the form of the network. */
  to: string
  /** Your own reference. You can list messages by it. */
  client_ref?: string
  metadata?: Metadata
  /** Do not send it before this time; at most 30 days ahead. A time of at most a minute ago means at once, because clocks differ; an earlier time is refused. */
  send_at?: string
  /** Start no attempt after this time. By default 24 hours after the message is to be sent, and at most 30 days after that. A time in the past, or not after `send_at`, is refused. */
  expires_at?: string
  /** The message that this one replies to, by its `id` or its `network_message_id`. It must be in the same conversation. If it is still being sent, the reply waits for it. */
  reply_to?: string
  /** The topic in which it is to be shown, by the `topic.id` of a message there: groups have topics, and so have private chats with some bots of Telegram. By default that of the message that it replies to, or else the one that the network chooses. */
  topic?: string
  /** The name of the template at the network. */
  name: string
  /** The language of the template, as the network spells it. */
  language: string
  /** The values of the template's placeholders: the parameters of its header, its body and its buttons. Posthorn passes them to the network as you give them; `template_component` of `GET /v1/networks` is their schema. At most 32 KB of JSON, nested at most 10 levels deep. */
  components?: TemplateComponent[]
  category?: TemplateCategory
}

export interface SendText {
  /** The name of the instance: at most 63 characters, unique in your organization. Case and spaces are not normalized. */
  instance: string
  /** The address of the recipient, in the form of the network. */
  to: string
  /** Your own reference. You can list messages by it. */
  client_ref?: string
  metadata?: Metadata
  /** Do not send it before this time; at most 30 days ahead. A time of at most a minute ago means at once, because clocks differ; an earlier time is refused. */
  send_at?: string
  /** Start no attempt after this time. By default 24 hours after the message is to be sent, and at most 30 days after that. A time in the past, or not after `send_at`, is refused. */
  expires_at?: string
  /** The message that this one replies to, by its `id` or its `network_message_id`. It must be in the same conversation. If it is still being sent, the reply waits for it. */
  reply_to?: string
  /** The topic in which it is to be shown, by the `topic.id` of a message there: groups have topics, and so have private chats with some bots of Telegram. By default that of the message that it replies to, or else the one that the network chooses. */
  topic?: string
  /** The people whom the text mentions, by their addresses. Only messages to groups mention people. Write each in the text as `@` with their address, or with the part of it before another `@`. */
  mentions?: string[]
  /** The plain text: at most 4,096 characters, or fewer if the network allows fewer. */
  text: string
}

/** The writer of a received message. People choose these names themselves, so a name proves nothing. */
export interface Sender {
  /** The same as `from`. */
  address: string
  /** The name that the person uses at the network. */
  name: string | null
  /** The username of the person, without `@`. */
  username: string | null
}

/** Something that can be sent. New values may be added. */
export type SendingAbility = 'reply' | 'reaction' | 'edit' | 'retract' | 'mention' | 'topic' | 'location' | 'contacts' | 'buttons' | 'list' | 'url_button' | 'interactive_header' | 'interactive_footer' | 'poll'

/** An action in the audit log of an organization. */
export interface ServerAuditEntry {
  /** Identifies the entry. */
  id: string
  /** When it was done. */
  timestamp: string
  actor: AuditActor
  /** The action: an `operationId` of this contract; `signIn` or `signOut`, for a browser in the console; or, for the operator, `createOrganization`, `createKey`, `revokeKey`, `sendQueue` or `failQueue` (for messages held after a restore), `backup` or `restore`. */
  action: string
  /** The object of the action: an id, or the name of an instance. Null if there is none. */
  target: string | null
  /** The name of the instance: at most 63 characters, unique in your organization. Case and spaces are not normalized. */
  instance: string | null
  /** `done`, or the code of the problem with which it was refused. */
  result: string
  /** The address of the caller, as far as the server knows it; null at the command line. */
  address: string | null
  /** The `Request-Id` of the request; null at the command line. */
  request_id: string | null
  /** The name of the organization in whose log it is. */
  organization: string
}

export interface ServerAuditPage {
  data: ServerAuditEntry[]
  /** Pass it as `cursor` to get the next page; null on the last page. A page may hold fewer entries than `limit`: only null means the end. */
  next_cursor: string | null
}

/** The disk of the data folder. */
export interface ServerDisk {
  /** What may still be filled. */
  free_bytes: number
  /** Its size. */
  size_bytes: number
}

/** Something that the operator should know, as `posthorn doctor` would say it. */
export interface ServerFinding {
  /**
   * What was found; there may be more codes in later versions.
   *
   * - `store_unavailable`: The store does not respond, or accepts no writes.
   * - `storage_full`: The disk of the store is full, so no message is accepted.
   * - `store_corrupt`: Parts of the store cannot be read, because its data is damaged.
   * - `store_replaced`: The file of the store was removed or replaced while the server is running.
   * - `node_not_trusted`: This node cannot show the others that it runs, so it neither writes nor sends.
   * - `disk_full`: The disk of the data folder is almost full. When it is, no message is accepted.
   * - `disk_low`: The disk of the data folder is filling up.
   * - `messages_held`: Messages are held, because the store was restored from a backup: they may have been sent since.
   * - `queue_overdue`: A message of a connected instance has been due for more than ten minutes.
   * - `instances_need_person`: Instances are logged out or failed, and wait for a person.
   * - `webhooks_behind`: The oldest event that waits for a webhook has waited for more than 15 minutes.
   * - `webhooks_failing`: Webhooks have not taken an event for an hour.
   * - `webhooks_disabled`: Posthorn disabled webhooks, because their receivers failed for days or are gone.
   * - `quotas_exhausted`: Organizations have nothing left of a quota, so some of their requests are refused.
   * - `backup_old`: The last backup was made more than two days ago.
   * - `backup_missing`: No backup was made with `posthorn backup`.
   * - `listening_in_the_open`: Other machines may reach the server, and nothing says that TLS is in front of it.
   * - `folder_open`: Other users of the machine can enter the data folder, or read a file with secrets.
   * - `network_file_system`: The store is on a network file system, on which SQLite may lose accepted messages.
   * - `files_on_one_node`: Several nodes run, but each keeps files in its own folder, where the others do not find them.
   * - `nodes_silent`: Nodes have not shown that they run for too long.
   * - `versions_differ`: The nodes run different versions.
   * - `standbys_unconfirmed`: No standby server confirms commits, so a fail-over of the database may lose what was accepted.
   * - `clocks_differ`: The clocks of the database and of this machine differ by more than five seconds.
   * - `voice_notes_off`: Voice notes are not converted: ffmpeg is installed, but ffprobe or prlimit is not.
   */
  code: string
  severity: FindingSeverity
  /** What was found, for the operator. */
  happened: string
  /** What the operator can do. */
  next: string
  /** The number of things that it is about; null if that is none or one. */
  count: number | null
  /** Since when, as far as that is known. */
  since: string | null
}

/** The health of a server. What could not be read in time is null. */
export interface ServerHealth {
  /** The node that responded, and that this is about. */
  node: string
  status: HealthStatus
  /** When this was determined: a few seconds ago at most. */
  checked_at: string
  /** The most severe first; empty if all is well. */
  findings: ServerFinding[]
  /** The version of the program. */
  version: string
  /** The version of Node.js. */
  node_version: string
  /** When the process was started. */
  started_at: string
  /** The memory of the process, without its workers. */
  memory_bytes: number
  store: ServerStore
  disk: ServerDisk | null
  queue: ServerQueue | null
  webhooks: ServerWebhooks | null
  /** Callbacks of networks that are stored and not handled. */
  waiting_callbacks: number | null
  instances: InstancesByStatus
  workers: ServerWorkers[]
  /** Nodes that run on the store, as this one sees them. `GET /v1/nodes` lists them. */
  nodes_running: number
  /** When `posthorn backup` last succeeded; null if it never has, or if that is not known now. */
  last_backup_at: string | null
}

/** The messages that wait to be sent, of all organizations and nodes. */
export interface ServerQueue {
  /** Messages of all organizations that are `queued` or `sending`. */
  messages: number
  /** For how long the oldest of them waits; null if there is none. */
  oldest_seconds: number | null
  /** For how long the oldest message of a connected instance is due and not settled; null if there is none. Messages that are held, or wait for a file or for another message, do not count. */
  overdue_seconds: number | null
  /** Messages that are held since the store was restored, until the operator decides. */
  held: number
}

/** The database in which everything is kept. */
export interface ServerStore {
  kind: StoreKind
  /** The newest step of its schema. */
  schema: string | null
  /** Its size, with its indexes and the bytes of small files; null if it is not known. */
  bytes: number | null
  /** How long the last test write to the store took; null before the first. */
  write_seconds: number | null
  /** Reads of this node that wait for their turn. */
  waiting_reads: number
  /** Writes of this node that wait for their turn. */
  waiting_writes: number
}

/** The webhooks of all organizations. */
export interface ServerWebhooks {
  /** Deliveries that wait, of all webhooks that are enabled and not paused. */
  pending: number
  /** For how long the oldest of them waits; null if there is none. */
  oldest_seconds: number | null
  /** Enabled webhooks whose last attempt failed. */
  failing: number
  /** Webhooks that Posthorn disabled. */
  disabled: number
}

/** The worker processes of a node that hold the accounts of a network. */
export interface ServerWorkers {
  /** The network whose accounts they hold. */
  network: string
  /** Processes that run. */
  running: number
  /** Accounts that they hold. */
  accounts: number
  /** Processes that ended unexpectedly since the node was started; their accounts were reconnected. */
  ended: number
}

/** The settings of the instance as the caller gave them, in the form that its network documents. Settings that were left out have the default of the network; that of `pacing`, for example, is in its limits (`GET /v1/networks`). */
export type Settings = Record<string, unknown>

export interface ShowTypingBody {
  /** The address of the person or group, in the form of the network. */
  to: string
  /** The topic in which it is to be shown, by the `topic.id` of a message there. */
  topic?: string
  /** The time for which it is shown, unless you send a message earlier. */
  seconds: number
}

export interface SkipBacklog {
  /** Skip events before this time, which must not be in the future. */
  until: string
}

export interface SkippedBacklog {
  /** How many deliveries were skipped. */
  skipped: number
  /** Whether all of them were skipped; if not, repeat the request. */
  done: boolean
}

export interface StartLink {
  kind?: LinkOrder
  /** The phone number of the account, with its country code: 7 to 15 digits, with `+`, spaces, dots and hyphens as you like. Required for `code`, and only for that. */
  phone?: string
}

export interface Statistics {
  interval: StatisticsInterval
  /** When the first interval begins. */
  from: string
  /** When the last interval ends. */
  to: string
  /** No event before this time is counted: your organization was created then, or earlier counts are no longer kept. A 0 before it means that the count is not known. */
  counted_from: string
  /** Every event before this time is counted; some later ones may be. */
  counted_until: string
  totals: StatisticsTotals
  /** One entry for each interval, even if nothing happened in it, oldest first. */
  data: IntervalStatistics[]
  /** The counts of the instances that the query names, in its order, without those that your key may not see; empty if it names none. An instance that is not known has zeros. */
  by_instance: InstanceSeries[]
}

/** The length of an interval: a minute, an hour or a day. Minutes are kept for 3 hours. Days are those of UTC unless you name a `time_zone`. */
export type StatisticsInterval = 'minute' | 'hour' | 'day'

/** The counts of the whole time. */
export interface StatisticsTotals {
  /** Messages that were accepted to be sent. */
  accepted: number
  /** Messages that the network accepted. */
  sent: number
  /** Messages that reached a device of the recipient. */
  delivered: number
  /** Messages that the recipient read. */
  read: number
  /** Messages that could not be sent. */
  failed: number
  /** Messages that expired before they could be sent. */
  expired: number
  /** Messages that were canceled. */
  canceled: number
  /** Messages that may or may not have arrived. */
  unknown: number
  /** Messages that were received. A message that cannot be decrypted counts once its content arrives. */
  received: number
  to_sent: Latency
  to_delivered: Latency
  /** The errors with which messages failed, the most frequent first. Their sum is less than `failed` if some failed before Posthorn counted errors. */
  failures: FailureCount[]
}

/** The database. */
export type StoreKind = 'sqlite' | 'postgres'

/** The bytes of your outgoing messages, in any status: for each, 1,024 bytes, and those of its text or caption, `metadata`, `client_ref` and recipient. Messages count until they are removed, `POSTHORN_MESSAGE_RETENTION_DAYS` after their last event. Files and incoming messages do not count here. */
export interface StoredBytesQuota {
  /** How much your organization currently uses. */
  used: number
  /** How much it may use, as set by the operator; null for no limit. */
  limit: number | null
  /** How much is left; null if there is no limit. */
  remaining: number | null
}

/** The type of an event, as in `type`, or `conversation.typing`, which only event streams have. */
export type StreamedEventType = 'instance.created' | 'instance.status_changed' | 'instance.link_changed' | 'instance.restriction_changed' | 'instance.updated' | 'instance.credentials_replaced' | 'instance.deleted' | 'message.received' | 'message.sent_elsewhere' | 'message.queued' | 'message.sent' | 'message.delivered' | 'message.read' | 'message.failed' | 'message.expired' | 'message.canceled' | 'message.unknown' | 'template.status_changed' | 'contact.opted_out' | 'contact.opted_in' | 'group.changed' | 'quota.exceeded' | 'webhook.disabled' | 'webhook.lagging' | 'webhook.caught_up' | 'webhook.test' | 'conversation.typing'

/** A template of the account, which the network has to approve before messages can be made from it. */
export interface Template {
  /** The name of the template at the network. */
  name: string
  /** The language of the template, as the network spells it. */
  language: string
  /** The network's own category, in lower case. */
  category: string | null
  status: TemplateStatus
  /** The network's own word for the status. */
  network_status: string | null
  /** The reason for its rejection, in the network's own words, if the network gives one. */
  rejected_reason: string | null
  /** Its parts, as the network describes them; parts that are nested too deeply are left out. */
  components: TemplateComponent[]
}

/** The category of the template, if you want to say it. It matters only for people who opted out of marketing, and only as long as the network does not say another: a template whose category is not known counts as marketing then. */
export type TemplateCategory = 'marketing' | 'utility' | 'authentication'

/** A part of a template, such as its body, in the form of the network; its section has the fields. */
export type TemplateComponent = Record<string, unknown>

/** The template, its new status, and an instance whose account has it. */
export interface TemplateEventData {
  instance: MessageInstance
  template: TemplateNotice
}

export interface TemplateNotice {
  /** The name of the template at the network. */
  name: string
  /** The language of the template, as the network spells it. */
  language: string
  status: TemplateStatus
  /** The network's own word for the status. */
  network_status: string | null
  /** The reason for its rejection, in the network's own words, if the network gives one. */
  rejected_reason: string | null
}

export interface TemplatePage {
  data: Template[]
  /** Pass it as `cursor` to get the next page; null on the last page. A page may hold fewer entries than `limit`: only null means the end. */
  next_cursor: string | null
}

/**
 * Whether messages can be made from it. New values may be added.
 * - `approved`: Messages can be made from it.
 * - `pending`: The network has not decided yet, or decides again.
 * - `paused`: The network paused it for a time, usually because recipients complained about it.
 * - `rejected`: The network does not allow it. `rejected_reason` says why, if the network does.
 * - `disabled`: The network, or its owner, took it out of use.
 * - `other`: Any other status: see `network_status`.
 */
export type TemplateStatus = 'approved' | 'pending' | 'paused' | 'rejected' | 'disabled' | 'other'

/** The network decided on a template of the account, or changed its mind. */
export interface TemplateStatusChangedEvent {
  /** Identifies the event permanently. It is the same in every delivery. */
  id: string
  type: 'template.status_changed'
  /** The number of the event in your organization. Numbers have no gaps, so a missing number is an event that you missed, or one that your filter or the limits of your key exclude. */
  sequence: number
  /** The history that the number belongs to. It changes only when the server is restored from a backup, because numbers are then used again: `epoch` and `sequence` together identify one event. */
  epoch: string
  /** When it happened. */
  timestamp: string
  data: TemplateEventData
}

/** The topic of a group, or of a private chat that has topics, in which the message was written, or is to be shown. */
export interface Topic {
  /** The id of the topic at the network. */
  id: string
  /** Its name, if it is known. */
  name: string | null
}

/** The headers that receivers read, without the signature. */
export interface TriedHeaders {
  'content-type': string
  'webhook-id': string
  'webhook-timestamp': string
}

export interface TriedRequest {
  headers: TriedHeaders
  /** The body, byte for byte. */
  body: string
}

/** Send audio as a voice note. Audio other than OGG with Opus is converted, if the server can. */
export type TrueOrFalse = 'true' | 'false'

export interface TryWebhook {
  /** The URL that events are sent to: HTTPS, at a public address. */
  url: string
  /** The webhook whose secret signs the request. Without it, a secret signs that is used for nothing else. */
  webhook?: string
}

export interface TypingEventData {
  instance: TypingInstance
  /** The address of the conversation, as in its messages. */
  conversation: string
  /** The address of the person; in a group, that of the member. */
  from: string
  state: TypingState
}

/** The instance of the conversation. */
export interface TypingInstance {
  /** Identifies the instance permanently. */
  id: string
  /** The name of the instance: at most 63 characters, unique in your organization. Case and spaces are not normalized. */
  name: string
}

/**
 * What the person does:
 * - `typing`: They write.
 * - `recording`: They record a voice note or a video.
 * - `paused`: They have stopped. This may not come: forget what you show after 20 seconds.
 */
export type TypingState = 'typing' | 'recording' | 'paused'

/** The messages of all instances that are `queued` or `sending`, including scheduled ones. */
export interface UnsettledMessagesQuota {
  /** How much your organization currently uses. */
  used: number
  /** How much it may use, as set by the operator; null for no limit. */
  limit: number | null
  /** How much is left; null if there is no limit. */
  remaining: number | null
}

/** The reason why the content of the message cannot be shown, if the kind is `unsupported`. Null otherwise. */
export interface Unsupported {
  /** The type of content, as a stable code. For example, `encrypted`: only other clients of the account can read it. `undecryptable`: it could not be decrypted, and Posthorn asked the sender to send it again. If a readable copy arrives, its content replaces this, under the same `id`, and the event follows once more. */
  type: string
  /** The network's own name for it, if it gives one. */
  name: string | null
}

export interface UpdateGroupBody {
  /** The subject, at most as long as the network allows (`limits.group_subject_length` of `GET /v1/networks`). */
  subject?: string
  /** What the group says about itself, at most as long as the network allows (`limits.group_description_length` of `GET /v1/networks`). The network must be able to describe groups (`describe` in `abilities.groups`). An empty text takes it away. */
  description?: string
}

export interface UpdateInstance {
  settings?: ChangedSettings
  metadata?: ChangedMetadata
  /** Words by which people opt out of marketing when they send one of them. A word has a letter or a digit. A text counts if it consists of one of the words and nothing else; case, accents, invisible characters, the width of letters, and spaces and punctuation around it do not matter. A word can be in only one of the two lists. Null for those that the operator set for the organization; an empty list for none. An inherited list counts, too, when words are compared. If the operator changes it later, a word that is then in both lists opts out. */
  stop_words?: string[] | null
  /** Words by which they opt in again. A word has a letter or a digit. A text counts if it consists of one of the words and nothing else; case, accents, invisible characters, the width of letters, and spaces and punctuation around it do not matter. A word can be in only one of the two lists. Null for those that the operator set for the organization; an empty list for none. An inherited list counts, too, when words are compared. If the operator changes it later, a word that is then in both lists opts out. */
  start_words?: string[] | null
}

export interface UpdateOrganization {
  /** Words by which people opt out of marketing when they send one of them. A word has a letter or a digit. A text counts if it consists of one of the words and nothing else; case, accents, invisible characters, the width of letters, and spaces and punctuation around it do not matter. A word can be in only one of the two lists. They apply to each instance of the organization that has none of its own. Null for none. */
  stop_words?: string[] | null
  /** Words by which they opt in again. A word has a letter or a digit. A text counts if it consists of one of the words and nothing else; case, accents, invisible characters, the width of letters, and spaces and punctuation around it do not matter. A word can be in only one of the two lists. They apply to each instance of the organization that has none of its own. Null for none. */
  start_words?: string[] | null
}

/** Fields that are left out stay unchanged. */
export interface UpdateWebhook {
  /** A name for people; null if it has none. */
  name?: string | null
  /** The URL that events are sent to: HTTPS, at a public address. */
  url?: string
  /** The types of events that it gets; null for all, including types that are added later. */
  events?: EventType[] | null
  /** The names of the instances whose events it gets; null for all. Events that concern no instance are always included. */
  instances?: string[] | null
  ordering?: WebhookOrdering
  /** The maximum number of events in one request. With 1, each event is sent alone. With more, every request holds `{"events": […]}` and the id of a batch as its `webhook-id`, even if there is only one event to send. Such a body has at most about 256 KB, unless a single event is larger. With `ordering: per_instance`, a batch holds consecutive events of one instance. */
  batch?: number
  /** While false, nothing is sent, and new events are not collected. To collect them, pause the webhook instead. */
  enabled?: boolean
  /** While true, nothing is sent, and events are collected until it is false again. A webhook that is not enabled collects no events. */
  paused?: boolean
}

export interface UploadMedia {
  /** The name of the instance: at most 63 characters, unique in your organization. Case and spaces are not normalized. */
  instance: string
  /** The address of the recipient, in the form of the network. */
  to: string
  /** Your own reference. You can list messages by it. */
  client_ref?: string
  /** Your own labels, as a JSON object. */
  metadata?: string
  /** Do not send it before this time; at most 30 days ahead. A time of at most a minute ago means at once, because clocks differ; an earlier time is refused. */
  send_at?: string
  /** Start no attempt after this time. By default 24 hours after the message is to be sent, and at most 30 days after that. A time in the past, or not after `send_at`, is refused. */
  expires_at?: string
  /** The message that this one replies to, by its `id` or its `network_message_id`. It must be in the same conversation. If it is still being sent, the reply waits for it. */
  reply_to?: string
  /** The topic in which it is to be shown, by the `topic.id` of a message there: groups have topics, and so have private chats with some bots of Telegram. By default that of the message that it replies to, or else the one that the network chooses. */
  topic?: string
  /** The people whom the caption mentions, as a JSON array of addresses. */
  mentions?: string
  kind: MediaKind
  /** A text shown with the file. */
  caption?: string
  /** The name that the recipient sees, instead of the one that comes with the file. Paths, invisible characters and characters that some system does not allow are removed, and an image or audio gets a matching extension. The result may have at most 230 bytes of UTF-8; a longer name is refused, and so is a longer name of an uploaded file without `filename`. Names that come from a server are shortened and keep their extensions. */
  filename?: string
  voice?: TrueOrFalse
  /** The file itself: its bytes, not base64 and not a `data:` URL. */
  file: Blob
}

/** A button that opens a page. */
export interface UrlButton {
  /** The words on the button. */
  title: string
  /** The page that it opens: an `http` or `https` URL. */
  url: string
}

/**
 * The first of these that applies.
 * - `answer`: An attempt is in progress: it waits for the response of the network.
 * - `operator`: The server was restored from a backup, and the operator decides whether to send it (`held_after_restore`).
 * - `send_at`: It waits for its `send_at`.
 * - `file`: It waits for its file to be fetched; if a fetch failed, `until` is the time of the next one.
 * - `target`: It refers to the message `message_id`, which was not sent yet, or whose outcome is unknown.
 * - `retry`: The last attempt failed, and the next one follows at `until`.
 * - `recipient_pace`: The network accepts only a limited number of messages to one recipient in a period: the next attempt is at `until`.
 * - `earlier_message`: The message `message_id` to the same recipient goes first. Read that message to see what it waits for.
 * - `instance`: Its instance is not connected: `instance_status` gives the status.
 * - `restriction`: The network does not let the account of the instance send anything, until `until` if that is known.
 * - `turn`: Nothing else holds it up: it leaves when its turn comes, at the pace of its instance.
 * - `unknown`: Posthorn cannot tell.
 */
export type WaitReason = 'answer' | 'operator' | 'send_at' | 'file' | 'target' | 'retry' | 'recipient_pace' | 'earlier_message' | 'instance' | 'restriction' | 'turn' | 'unknown'

/** The bytes of these callbacks. */
export interface WaitingCallbackBytesQuota {
  /** How much your organization currently uses. */
  used: number
  /** How much it may use, as set by the operator; null for no limit. */
  limit: number | null
  /** How much is left; null if there is no limit. */
  remaining: number | null
}

/** The callbacks of all instances that are not handled yet, for example because an instance is stopped. One instance may use a fifth of the limit. Requests that concern several instances may use twice the limit, so `used` may exceed `limit`. */
export interface WaitingCallbacksQuota {
  /** How much your organization currently uses. */
  used: number
  /** How much it may use, as set by the operator; null for no limit. */
  limit: number | null
  /** How much is left; null if there is no limit. */
  remaining: number | null
}

/** The cause for which a message that is `queued` or `sending` waits, at the moment of the response; null once it waits no longer. Absent in lists and events, which do not look for it: read the message (`GET /v1/messages/{id}`). */
export interface WaitsFor {
  reason: WaitReason
  /** The other message that it waits for; null if it waits for none. */
  message_id: string | null
  instance_status: InstanceStatus | null
  /** The time that it waits for; null if it waits for none, or that is not known. */
  until: string | null
}

/** The longer pauses of an account that was linked recently. */
export interface WarmUp {
  /** The end of this row, in hours after `linked_at` of the instance. */
  until_hours: number
  /** The factor by which each pause is longer. */
  factor: number
}

/** A URL that events are sent to. Its secret is shown only once. */
export interface Webhook {
  /** Identifies the webhook. */
  id: string
  /** A name for people; null if it has none. */
  name: string | null
  /** The URL that events are sent to: HTTPS, at a public address. */
  url: string
  /** The types of events that it gets; null for all, including types that are added later. */
  events: EventType[] | null
  /** The names of the instances whose events it gets; null for all. Events that concern no instance are always included. */
  instances: string[] | null
  ordering: WebhookOrdering
  /** The maximum number of events in one request. With 1, each event is sent alone. With more, every request holds `{"events": […]}` and the id of a batch as its `webhook-id`, even if there is only one event to send. Such a body has at most about 256 KB, unless a single event is larger. With `ordering: per_instance`, a batch holds consecutive events of one instance. */
  batch: number
  /** While true, nothing is sent, and events are collected until it is false again. A webhook that is not enabled collects no events. */
  paused: boolean
  /** Whether it currently gets events. */
  enabled: boolean
  disabled_reason: WebhookDisabledReason | null
  /** When deliveries began to fail: the time of the first failure after the last success. */
  failing_since: string | null
  /** The number of pending deliveries, including those in progress: its backlog. */
  pending: number
  /** Since when the oldest of them has been waiting; null if none is. */
  oldest_at: string | null
  /** When the next delivery is due; null if none waits for a time. While it is failing, one is tried at a time. */
  next_attempt_at: string | null
  /** The number of events per second that were delivered over the last minute by the node that responds. With several nodes, one of them delivers the events of an organization, and the others show 0. */
  rate: number
  /** Since when it has been lagging, as reported by `webhook.lagging`; null if it is not. */
  lagging_since: string | null
  /** When it was created. */
  created_at: string
  /** When it was last changed. */
  updated_at: string
}

/** A webhook is no longer lagging: no event has been waiting for half of that limit. */
export interface WebhookCaughtUpEvent {
  /** Identifies the event permanently. It is the same in every delivery. */
  id: string
  type: 'webhook.caught_up'
  /** The number of the event in your organization. Numbers have no gaps, so a missing number is an event that you missed, or one that your filter or the limits of your key exclude. */
  sequence: number
  /** The history that the number belongs to. It changes only when the server is restored from a backup, because numbers are then used again: `epoch` and `sequence` together identify one event. */
  epoch: string
  /** When it happened. */
  timestamp: string
  data: WebhookLagEventData
}

/** `gone`: the receiver responded with 410. `failing`: no delivery succeeded for five days. */
export type WebhookDisabledCode = 'gone' | 'failing'

/** A webhook was disabled and no longer gets events. */
export interface WebhookDisabledEvent {
  /** Identifies the event permanently. It is the same in every delivery. */
  id: string
  type: 'webhook.disabled'
  /** The number of the event in your organization. Numbers have no gaps, so a missing number is an event that you missed, or one that your filter or the limits of your key exclude. */
  sequence: number
  /** The history that the number belongs to. It changes only when the server is restored from a backup, because numbers are then used again: `epoch` and `sequence` together identify one event. */
  epoch: string
  /** When it happened. */
  timestamp: string
  data: WebhookDisabledEventData
}

/** The webhook that no longer gets events, and why. */
export interface WebhookDisabledEventData {
  webhook: WebhookNotice
  reason: WebhookDisabledReason
}

export interface WebhookDisabledReason {
  code: WebhookDisabledCode
  /** What happened and what to do next, for a person. */
  detail: string
}

export interface WebhookHour {
  /** When the hour began. */
  from: string
  /** The number of deliveries that arrived. */
  delivered: number
  /** Of these, the number that arrived at the first attempt. */
  delivered_at_once: number
  /** The number of deliveries that Posthorn gave up. */
  failed: number
  /** The number of requests that failed, most of which were retried. */
  failed_attempts: number
  /** The number of deliveries that were pending at the end of the hour, or are now: the backlog. */
  pending: number
}

/** The webhook and its backlog. */
export interface WebhookLagEventData {
  webhook: WebhookNotice
  /** The number of pending deliveries. */
  pending: number
  /** Since when the oldest of them has been waiting; null if none is. */
  oldest_at: string | null
}

/** An event has been waiting for a webhook for longer than the limit that the operator set (5 minutes by default). */
export interface WebhookLaggingEvent {
  /** Identifies the event permanently. It is the same in every delivery. */
  id: string
  type: 'webhook.lagging'
  /** The number of the event in your organization. Numbers have no gaps, so a missing number is an event that you missed, or one that your filter or the limits of your key exclude. */
  sequence: number
  /** The history that the number belongs to. It changes only when the server is restored from a backup, because numbers are then used again: `epoch` and `sequence` together identify one event. */
  epoch: string
  /** When it happened. */
  timestamp: string
  data: WebhookLagEventData
}

export interface WebhookNotice {
  /** Identifies the webhook. */
  id: string
}

/** `none`: each event is delivered as soon as possible. `per_instance`: the events of one instance are delivered one by one, in order; later events wait until the delivery of an earlier one succeeds or has `failed`. */
export type WebhookOrdering = 'none' | 'per_instance'

export interface WebhookPage {
  data: Webhook[]
  /** Pass it as `cursor` to get the next page; null on the last page. A page may hold fewer entries than `limit`: only null means the end. */
  next_cursor: string | null
}

export interface WebhookStatistics {
  data: WebhookHour[]
}

/** A caller requested a test of a webhook. Only that webhook gets this event. */
export interface WebhookTestEvent {
  /** Identifies the event permanently. It is the same in every delivery. */
  id: string
  type: 'webhook.test'
  /** The number of the event in your organization. Numbers have no gaps, so a missing number is an event that you missed, or one that your filter or the limits of your key exclude. */
  sequence: number
  /** The history that the number belongs to. It changes only when the server is restored from a backup, because numbers are then used again: `epoch` and `sequence` together identify one event. */
  epoch: string
  /** When it happened. */
  timestamp: string
  data: WebhookTestEventData
}

/** The webhook that is tested. */
export interface WebhookTestEventData {
  webhook: WebhookNotice
}

/** A request to a URL that need not be that of a webhook, and the response. */
export interface WebhookTrial {
  request: TriedRequest
  /** When it started. */
  started_at: string
  /** How long it took, in milliseconds. */
  duration_ms: number
  /** The HTTP status of the response; null if there was none. */
  status: number | null
  error: DeliveryError | null
  /** The first kilobyte of the response. */
  body: string | null
}

/** A webhook and its secret. */
export interface WebhookWithSecret {
  /** Identifies the webhook. */
  id: string
  /** A name for people; null if it has none. */
  name: string | null
  /** The URL that events are sent to: HTTPS, at a public address. */
  url: string
  /** The types of events that it gets; null for all, including types that are added later. */
  events: EventType[] | null
  /** The names of the instances whose events it gets; null for all. Events that concern no instance are always included. */
  instances: string[] | null
  ordering: WebhookOrdering
  /** The maximum number of events in one request. With 1, each event is sent alone. With more, every request holds `{"events": […]}` and the id of a batch as its `webhook-id`, even if there is only one event to send. Such a body has at most about 256 KB, unless a single event is larger. With `ordering: per_instance`, a batch holds consecutive events of one instance. */
  batch: number
  /** While true, nothing is sent, and events are collected until it is false again. A webhook that is not enabled collects no events. */
  paused: boolean
  /** Whether it currently gets events. */
  enabled: boolean
  disabled_reason: WebhookDisabledReason | null
  /** When deliveries began to fail: the time of the first failure after the last success. */
  failing_since: string | null
  /** The number of pending deliveries, including those in progress: its backlog. */
  pending: number
  /** Since when the oldest of them has been waiting; null if none is. */
  oldest_at: string | null
  /** When the next delivery is due; null if none waits for a time. While it is failing, one is tried at a time. */
  next_attempt_at: string | null
  /** The number of events per second that were delivered over the last minute by the node that responds. With several nodes, one of them delivers the events of an organization, and the others show 0. */
  rate: number
  /** Since when it has been lagging, as reported by `webhook.lagging`; null if it is not. */
  lagging_since: string | null
  /** When it was created. */
  created_at: string
  /** When it was last changed. */
  updated_at: string
  /** The secret that signs deliveries, as Standard Webhooks specifies. Shown only this once: store it where the receiver can read it. */
  secret: string
}

export interface ListInstancesQuery {
  /** Only instances that have this status now. */
  status?: 'connecting' | 'awaiting_link' | 'connected' | 'reconnecting' | 'logged_out' | 'stopped' | 'failed' | 'deleting'
  /** Only instances of this network. */
  network?: string
  /** Only instances that contain this in their name, in the address or the display name of their account, or in the value of a label. Case is ignored. A page may be empty although more follow: only `next_cursor: null` means the end. */
  search?: string
  /** The maximum number of entries on a page. A page also ends after about 1 MB: then it holds fewer, and `next_cursor` leads to the rest. */
  limit?: number
  /** Where to continue: the `next_cursor` of the previous page. Opaque. */
  cursor?: string
}

export interface ListTemplatesQuery {
  /** The maximum number of entries on a page. A page also ends after about 1 MB: then it holds fewer, and `next_cursor` leads to the rest. */
  limit?: number
  /** Where to continue: the `next_cursor` of the previous page. Opaque. */
  cursor?: string
}

export interface ListMessagesQuery {
  /** The name of the instance: at most 63 characters, unique in your organization. Case and spaces are not normalized. */
  instance?: string
  /** Only messages that have this status now. */
  status?: 'queued' | 'sending' | 'sent' | 'delivered' | 'read' | 'failed' | 'expired' | 'canceled' | 'unknown' | 'received'
  /** Only messages that you sent, or only those that you received. */
  direction?: 'outbound' | 'inbound'
  /** Only messages of this kind. A received file is a `document` until it is fetched. */
  kind?: 'text' | 'document' | 'audio' | 'image' | 'video' | 'sticker' | 'template' | 'location' | 'contacts' | 'interactive' | 'poll' | 'reaction' | 'retraction' | 'button_reply' | 'list_reply' | 'flow_reply' | 'order' | 'poll_vote' | 'unsupported'
  /** Only messages that you sent to this address, in any spelling in which you may send to it, or to another address of the same person. Without `instance`, it is read as each network reads it. */
  to?: string
  /** Only messages of this conversation, in both directions: its address, in any spelling in which you may send to it. If the person is known to have other addresses (`aliases`), messages with those match, too. */
  conversation?: string
  /** Only messages with this reference. */
  client_ref?: string
  /** Only messages created at or after this time. */
  created_after?: string
  /** Only messages created before this time. */
  created_before?: string
  /** Only messages whose text or caption contains this. Case is ignored, as Unicode folds it: `ß` matches `SS`, and `i`, `I`, `İ` and `ı` match each other. Accents count: `e` does not match `é`. The contents of templates are not searched. */
  text?: string
  /** The maximum number of entries on a page. A page also ends after about 1 MB: then it holds fewer, and `next_cursor` leads to the rest. */
  limit?: number
  /** Where to continue: the `next_cursor` of the previous page. Opaque. */
  cursor?: string
}

export interface ListConversationsQuery {
  /** The name of the instance: at most 63 characters, unique in your organization. Case and spaces are not normalized. */
  instance?: string
  /** Only those with people or groups whose name, username or address contains this. Case is ignored. */
  search?: string
  /** Only those with one person, or only those in groups. */
  kind?: ListedConversationKind
  /** True for only those with unread messages. */
  unread?: boolean
  /** The maximum number of entries on a page. A page also ends after about 1 MB: then it holds fewer, and `next_cursor` leads to the rest. */
  limit?: number
  /** Where to continue: the `next_cursor` of the previous page. Opaque. */
  cursor?: string
}

export interface ListContactsQuery {
  /** Only people whose name, username or address contains this. Case is ignored. */
  search?: string
  /** The maximum number of entries on a page. A page also ends after about 1 MB: then it holds fewer, and `next_cursor` leads to the rest. */
  limit?: number
  /** Where to continue: the `next_cursor` of the previous page. Opaque. */
  cursor?: string
}

export interface ListGroupsQuery {
  /** The maximum number of entries on a page. A page also ends after about 1 MB: then it holds fewer, and `next_cursor` leads to the rest. */
  limit?: number
  /** Where to continue: the `next_cursor` of the previous page. Opaque. */
  cursor?: string
}

export interface ListJoinRequestsQuery {
  /** The maximum number of entries on a page. A page also ends after about 1 MB: then it holds fewer, and `next_cursor` leads to the rest. */
  limit?: number
  /** Where to continue: the `next_cursor` of the previous page. Opaque. */
  cursor?: string
}

export interface ListEventsQuery {
  /** Where to continue: the `next_cursor` of a page, or the `id` of an event of a stream. `latest` begins with new events. */
  after?: string
  /** Instead of `after`: begins with this many of the newest matching events. At most 10,000 events are examined for that. */
  last?: number
  /** The maximum number of entries on a page. A page also ends after about 1 MB: then it holds fewer, and `next_cursor` leads to the rest. */
  limit?: number
  /** Only events of these types, separated by commas. `conversation.typing`, which reports people who begin or stop typing, is only for streams, and comes only if it is named here. It is not stored, has no `id`, and may be missed. */
  types?: StreamedEventType[]
  /** Only events of the instances with these names, separated by commas. Events that concern no instance are still included. */
  instances?: string[]
}

export interface ListWebhooksQuery {
  /** The maximum number of entries on a page. A page also ends after about 1 MB: then it holds fewer, and `next_cursor` leads to the rest. */
  limit?: number
  /** Where to continue: the `next_cursor` of the previous page. Opaque. */
  cursor?: string
}

export interface GetWebhookStatisticsQuery {
  /** The number of hours; by default, 24. */
  hours?: number
}

export interface ListDeliveriesQuery {
  /** Only deliveries that have this status now. */
  status?: 'pending' | 'delivered' | 'failed' | 'skipped'
  /** The maximum number of entries on a page. A page also ends after about 1 MB: then it holds fewer, and `next_cursor` leads to the rest. */
  limit?: number
  /** Where to continue: the `next_cursor` of the previous page. Opaque. */
  cursor?: string
}

export interface GetStatisticsQuery {
  /** The beginning; by default 24 hours before `to`, or 3 hours with `interval=minute`. Its interval is included. */
  from?: string
  /** The end; by default now. Its interval is included. A response has at most 1,000 intervals, and is made of at most 1,000 hours if you name a `time_zone`. */
  to?: string
  /** The length of an interval: a minute, an hour or a day. Minutes are kept for 3 hours. Days are those of UTC unless you name a `time_zone`. */
  interval?: StatisticsInterval
  /** The time zone whose days are meant, by its name in the tz database. It changes only `interval=day`: the first day begins at its midnight, and the last one ends with the hour of `to`. Days are made of hours of UTC: if a midnight is between two of them, its day begins with the next. */
  time_zone?: string
  /** The name of the instance: at most 63 characters, unique in your organization. Case and spaces are not normalized. */
  instance?: string
  /** The names of instances, separated by commas: `by_instance` of the response has the counts of each. The other counts stay as they are without it. */
  by_instance?: string[]
}

export interface ListAuditQuery {
  /** Only actions of this key, by its id, or of the `operator`. */
  actor?: string
  /** Only this action. */
  action?: string
  /** The name of the instance: at most 63 characters, unique in your organization. Case and spaces are not normalized. */
  instance?: string
  /** Only actions at or after this time. */
  since?: string
  /** Only actions before this time. */
  until?: string
  /** The maximum number of entries on a page. A page also ends after about 1 MB: then it holds fewer, and `next_cursor` leads to the rest. */
  limit?: number
  /** Where to continue: the `next_cursor` of the previous page. Opaque. */
  cursor?: string
}

export interface ListKeysQuery {
  /** `true` lists only revoked keys, `false` only those that are not revoked. */
  revoked?: boolean
  /** The maximum number of entries on a page. A page also ends after about 1 MB: then it holds fewer, and `next_cursor` leads to the rest. */
  limit?: number
  /** Where to continue: the `next_cursor` of the previous page. Opaque. */
  cursor?: string
}

export interface ListOrganizationsQuery {
  /** The maximum number of entries on a page. A page also ends after about 1 MB: then it holds fewer, and `next_cursor` leads to the rest. */
  limit?: number
  /** Where to continue: the `next_cursor` of the previous page. Opaque. */
  cursor?: string
}

export interface ListOrganizationKeysQuery {
  /** `true` lists only revoked keys, `false` only those that are not revoked. */
  revoked?: boolean
  /** The maximum number of entries on a page. A page also ends after about 1 MB: then it holds fewer, and `next_cursor` leads to the rest. */
  limit?: number
  /** Where to continue: the `next_cursor` of the previous page. Opaque. */
  cursor?: string
}

export interface ListServerAuditQuery {
  /** Only the log of the organization with this name. */
  organization?: string
  /** Only actions of this key, by its id, or of the `operator`. */
  actor?: string
  /** Only this action. */
  action?: string
  /** The name of the instance: at most 63 characters, unique in your organization. Case and spaces are not normalized. */
  instance?: string
  /** Only actions at or after this time. */
  since?: string
  /** Only actions before this time. */
  until?: string
  /** The maximum number of entries on a page. A page also ends after about 1 MB: then it holds fewer, and `next_cursor` leads to the rest. */
  limit?: number
  /** Where to continue: the `next_cursor` of the previous page. Opaque. */
  cursor?: string
}
