import type { Generated } from 'kysely'
import type { MessageDirection, MessageKind, MessageStatus } from '../../contract/resources/message.ts'
import type { KeptOutcome } from '../../contract/statuses.ts'

export interface MessagesTable {
  /** The order of acceptance. */
  seq: Generated<number>
  id: string
  organization_id: string
  instance_id: string
  instance_name: string
  direction: Generated<MessageDirection>
  /** 1 for an outbound message that the account sent from another client. */
  sent_elsewhere: Generated<number>
  /** Who wrote a message that was received. */
  sender: string | null
  /** The id that the writer of a message that was received gave it, by which later ones refer to it. */
  sender_message_id: string | null
  /** The subject of one that was received; JSON of what it refers to, and of why it cannot be read, as they are published. */
  subject: string | null
  relation: string | null
  unsupported: string | null
  /** JSON of the other addresses of the person, as they came with a message from the network; null for none. */
  aliases: string | null
  /**
   * Of a message that was received: until when its writer may be answered freely. Of one to send: the same, as far as it was known
   * when the message was accepted.
   */
  window_ends_at: number | null
  /** The address of the account that received it, if it is known. */
  account: string | null
  /** The address of the conversation: for a message that is sent, of its recipient. */
  recipient: string
  kind: MessageKind
  status: MessageStatus
  /** The text, or the caption of a file; of a message from a template, JSON of its name, language and components. */
  text: string | null
  /** The id that the network gave the message; null for one that goes by our own id there (`messages/network-id.ts`). */
  network_message_id: string | null
  /** 1 for a message to send whose network gives it an id: `network_message_id` is null until it did. */
  id_assigned: Generated<number>
  client_ref: string | null
  metadata: string | null
  /** For how many bytes it counts among those of its organization, until it is removed; 0 for one that came from the network. */
  stored_bytes: Generated<number>
  error: string | null
  /** JSON of what its driver did otherwise than asked, as it is published; null for nothing. */
  notices: string | null
  attempts: Generated<number>
  /** When its last attempt began; null before the first. */
  last_attempt_at: number | null
  created_at: number
  send_at: number | null
  expires_at: number
  sent_at: number | null
  delivered_at: number | null
  read_at: number | null
  /** The time of its last event; 0 while it has none. */
  last_event_at: Generated<number>
  /** 1 once an attempt ended without an answer: from then on nobody may say that the message was not sent. */
  uncertain: Generated<number>
  /*
   * What an unsettled message waits for. It is the first of these that applies: the end of its attempt (`underway`); the
   * operator (`held`); its file (`awaits_file`); a time (`due_at`); an earlier message to the same recipient (`leads_lane` is
   * 0); else its place in the queue of its instance (`queue_position`), which moves while the instance is connected.
   */
  /** 1 while an attempt is under way. */
  underway: Generated<number>
  /** 1 while it waits for the operator: the store went back to a backup, and nobody knows whether it was sent since. */
  held: Generated<number>
  /** 1 while its file is being fetched. */
  awaits_file: Generated<number>
  /** When a message that is scheduled for later joins the lane of its recipient; 0 once it has, as most do at once. */
  joins_lane_at: Generated<number>
  /** 1 for the message of its lane that is sent next, or is being sent; the others wait. Means nothing once it is settled. */
  leads_lane: Generated<number>
  /** Its position in the queue of its instance, counted up. The lowest is sent next. Null while it waits for anything else. */
  queue_position: number | null
  /** When it joins its lane, if it is scheduled for later, or is tried again. Null while it waits for no time. */
  due_at: number | null
}

/** An attempt that did not simply succeed; what is known of the others stands in the row of the message. */
export interface MessageAttemptsTable {
  message_seq: number
  /** Counted from 1. */
  number: number
  outcome: KeptOutcome
  started_at: number | null
  ended_at: number
  /** JSON of the refusal, as it is published. */
  error: string | null
  /** The earliest time of the next attempt, as it was decided then; null if none was to follow. */
  next_attempt_at: number | null
}

/** The index of lists of messages, in blocks of messages (docs/decisions/0013). */
export interface MessageIndexTable {
  /** A number of blocks of consecutive messages. */
  block: number
  /** A digest of something that lists ask for, as of a conversation or an instance. */
  key: number
  /** The message that has it. */
  seq: number
}

/** The last message of each conversation, but for those in the newest block of messages (docs/decisions/0052). */
export interface ConversationsTable {
  organization_id: string
  instance_name: string
  /** The `recipient` of its messages. */
  address: string
  last_seq: number
}

/** The file of a media message: how it was described, and what is known once it is stored. */
export interface MessageFilesTable {
  message_id: string
  organization_id: string
  /** That of its message. */
  direction: Generated<MessageDirection>
  /** The URL to fetch it from; null if it was uploaded, and once the fetch is over. */
  url: string | null
  /** The reference by which its connection opens it, opaque to everyone but its driver; null as `url` is. */
  reference: string | null
  /** When to fetch it; null once it was fetched, or cannot be. */
  fetch_at: number | null
  fetch_attempts: Generated<number>
  /** 1 for audio to send as a voice note. */
  voice: number
  filename: string | null
  /** The media type that its network names for a file to fetch. It is not trusted. */
  declared_type: string | null
  media_id: string | null
  mime_type: string | null
  size: number | null
  sha256: string | null
}
