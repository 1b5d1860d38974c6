import type { MessageDirection, MessageStatus } from '../../contract/resources/message.ts'
import type { KeptOutcome } from '../../contract/statuses.ts'
import { bigint, bytes, integer, nullable, orElse, sequence, textColumn } from './columns.ts'

/** The statuses of a message that is not settled. */
export type WaitingStatus = Extract<MessageStatus, 'queued' | 'sending'>

export const messageTables = {
  /**
   * The instances that messages are of, by short numbers. A row is made with its instance, and goes with the last message that may
   * be of it.
   */
  message_instances: {
    number: sequence(),
    instance_id: textColumn(),
    organization_id: textColumn(),
    instance_name: textColumn(),
    /** The newest message when the instance was erased; null until then. */
    last_seq: nullable(bigint()),
  },
  messages: {
    /** The order of acceptance. */
    seq: sequence(),
    id: textColumn(),
    /** The number of its instance. */
    instance: bigint(),
    /** 1 for an incoming message. */
    incoming: orElse(integer(), 0),
    /** 1 for an outgoing message that the account sent from another client. */
    sent_elsewhere: orElse(integer(), 0),
    /** The writer of a message that was received. */
    sender: nullable(textColumn()),
    /** The id that the writer of a message that was received gave it, by which later ones refer to it. */
    sender_message_id: nullable(textColumn()),
    /** The subject of one that was received; JSON of what it refers to, and of why it cannot be read, as they are published. */
    subject: nullable(textColumn()),
    relation: nullable(textColumn()),
    unsupported: nullable(textColumn()),
    /** JSON of the fields of its content, such as a place, as they are published; null for none. */
    content: nullable(textColumn()),
    /** JSON of the other addresses of the person, as they came with a message from the network; null for none. */
    aliases: nullable(textColumn()),
    /**
     * Of a message that was received: until when its writer may be answered freely. Of one to send: the same, as far as it was known
     * when the message was accepted.
     */
    window_ends_at: nullable(bigint()),
    /** The address of the account that received it, if it is known. */
    account: nullable(textColumn()),
    /** The address of the conversation: for a message that is sent, of its recipient. */
    recipient: textColumn(),
    /** The number of its kind (`kept-message.ts`). */
    kind: integer(),
    /** That of its status: of `queued` until it is settled, until which the outbox says more. */
    status: integer(),
    /** The text, or the caption of a file; of a message from a template, JSON of its name, language and components. */
    text: nullable(textColumn()),
    /** The id that the network gave the message; null for one that goes by our own id there (`messages/message.ts`). */
    network_message_id: nullable(textColumn()),
    /** 1 for a message to send whose network gives it an id: `network_message_id` is null until it did. */
    id_assigned: orElse(integer(), 0),
    client_ref: nullable(textColumn()),
    metadata: nullable(textColumn()),
    /**
     * Bytes for which it counts among those of its organization, until it is removed; 0 for one that came from the network.
     */
    stored_bytes: orElse(bigint(), 0),
    error: nullable(textColumn()),
    /** JSON of what its driver did otherwise than asked, as it is published; null for nothing. */
    notices: nullable(textColumn()),
    attempts: orElse(integer(), 0),
    created_at: bigint(),
    send_at: nullable(bigint()),
    expires_at: bigint(),
    /*
     * When these happened, as milliseconds since `created_at`: most are few, and SQLite stores small numbers in fewer bytes
     * (`messages/message-times.ts`).
     */
    /** The beginning of its last attempt; null before the first. */
    last_attempt_after: nullable(bigint()),
    sent_after: nullable(bigint()),
    delivered_after: nullable(bigint()),
    read_after: nullable(bigint()),
    last_event_after: orElse(bigint(), 0),
    /** 1 while the file of a message that came from the network is being fetched. */
    awaits_file: orElse(integer(), 0),
    /** The trace context of the request that it came with (`runtime/text/trace-context.ts`); null for none. */
    trace: nullable(textColumn()),
    /** 1 once its person was forgotten: then it says nothing any more. */
    forgotten: orElse(integer(), 0),
  },
  /**
   * The messages that wait to be sent, or are being sent: a row is made with its message, and goes when that is settled. What can
   * change about a message until then stands here alone; `messages/current-message.ts` reads both.
   */
  outbox: {
    /** That of the message. */
    seq: bigint(),
    /** The number of its instance. */
    instance: bigint(),
    recipient: textColumn(),
    status: orElse(textColumn<WaitingStatus>(), 'queued'),
    attempts: orElse(integer(), 0),
    /** When its last attempt began; null before the first. */
    last_attempt_at: nullable(bigint()),
    /** JSON of why its last attempt failed, or its file was not fetched. */
    error: nullable(textColumn()),
    /** When receipts came while an attempt was under way: they count when it ends. */
    delivered_at: nullable(bigint()),
    read_at: nullable(bigint()),
    expires_at: bigint(),
    /** 1 once an attempt ended without an answer: from then on Posthorn must not say that the message was not sent. */
    uncertain: orElse(integer(), 0),
    /*
     * It waits for the first of these that applies: the end of its attempt (`underway`); the operator (`held`); its file
     * (`awaits_file`); a time (`due_at`); an earlier message to the same recipient (`leads_lane` is 0); else its place in the
     * queue of its instance (`queue_position`), which moves while the instance is connected.
     */
    /** The number of the message that it changes or replies to; null for none. */
    target_seq: nullable(bigint()),
    /** 1 if messages that change it or reply to it wait for it. */
    awaited: orElse(integer(), 0),
    /** 1 for a correction of a message that has left, or is leaving, with its text. */
    included: orElse(integer(), 0),
    /** 1 while an attempt is under way. */
    underway: orElse(integer(), 0),
    /** 1 while it waits for the operator: the store went back to a backup, and the message may have been sent since. */
    held: orElse(integer(), 0),
    /** 1 while its file is being fetched. */
    awaits_file: orElse(integer(), 0),
    /** When a message that is scheduled for later joins the lane of its recipient; 0 once it has, as most do at once. */
    joins_lane_at: orElse(bigint(), 0),
    /** 1 for the message of its lane that is sent next, or is being sent; the others wait. */
    leads_lane: orElse(integer(), 0),
    /** Its position in the queue of its instance, counted up. The lowest is sent next. Null while it waits for anything else. */
    queue_position: nullable(bigint()),
    /** When it joins its lane, if it is scheduled for later, or is tried again. Null while it waits for no time. */
    due_at: nullable(bigint()),
  },
  /** An attempt that did not simply succeed; what is known of the others stands in the row of the message. */
  message_attempts: {
    message_seq: bigint(),
    /** Counted from 1. */
    number: integer(),
    outcome: textColumn<KeptOutcome>(),
    started_at: nullable(bigint()),
    ended_at: bigint(),
    /** JSON of the refusal, as it is published. */
    error: nullable(textColumn()),
    /** The earliest time of the next attempt, as it was decided then; null if none was to follow. */
    next_attempt_at: nullable(bigint()),
  },
  /** The index of lists of messages, in blocks of messages (docs/decisions/0013). */
  message_index: {
    /** A number of blocks of consecutive messages. */
    block: bigint(),
    /** A digest of something that lists ask for, as of a conversation or an instance. */
    key: bigint(),
    /** The places in the block of the messages that have it (`messages/list/places.ts`). */
    places: bytes(),
  },
  /** The last message of each conversation, but for those of messages in no block yet (docs/decisions/0052). */
  conversations: {
    /** Digests of the conversation and of its organization (`messages/list/conversations.ts`). */
    key: bytes(),
    organization: bigint(),
    last_seq: bigint(),
    /**
     * The messages that were received after the account last read, less those that are in no block yet: it may be below 0
     * (`messages/list/conversations/unread.ts`).
     */
    unread: orElse(integer(), 0),
    /** The last message that counts as read. */
    read_seq: orElse(bigint(), 0),
  },
  /** The file of a media message: how it was described, and what is known once it is stored. */
  message_files: {
    message_id: textColumn(),
    organization_id: textColumn(),
    /** That of its message. */
    direction: orElse(textColumn<MessageDirection>(), 'outbound'),
    /** The URL to fetch it from; null if it was uploaded, and once the fetch is over. */
    url: nullable(textColumn()),
    /** The reference by which its connection opens it, opaque to all parts but its driver; null as `url` is. */
    reference: nullable(textColumn()),
    /** When to fetch it; null once it was fetched, or cannot be. */
    fetch_at: nullable(bigint()),
    fetch_attempts: orElse(integer(), 0),
    /** 1 for audio to send as a voice note. */
    voice: integer(),
    filename: nullable(textColumn()),
    /** The media type that its network names for a file to fetch. It is not trusted. */
    declared_type: nullable(textColumn()),
    media_id: nullable(textColumn()),
    mime_type: nullable(textColumn()),
    size: nullable(bigint()),
    sha256: nullable(textColumn()),
  },
}
