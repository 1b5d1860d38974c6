import type { MessageContent } from '../../contract/resources/content.ts'
import type { RelationType } from '../../contract/statuses.ts'
import type { LinkStep } from './abilities/linking.ts'
import type { Resumption } from './abilities/resumption.ts'
import type { AccountNews } from './account-news.ts'
import type { NetworkError } from './outcome.ts'

/** The reason for an event: a stable snake_case code from the driver's list, and English sentences for a person. */
export interface Reason {
  readonly code: string
  readonly detail: string
}

/** A limit that the network put on the account. It is never a status: messages wait for it if its scope says so. */
export interface Restriction {
  /** From the driver's list of restrictions. */
  readonly code: string
  /** English sentences for a person. */
  readonly detail: string
  /** `none`: the network only warns. */
  readonly scope: 'all_messages' | 'new_contacts' | 'none'
  /** Milliseconds since the epoch. */
  readonly since: number
  /** The time when it ends, or when it is to be tried again; null if it lasts until the driver reports another, or null. */
  readonly ends_at: number | null
}

/**
 * Everything that a driver can report. It is a closed union: the lifecycle decides for every kind what it means in every
 * status, and the compiler rejects a kind that was not decided on.
 */
export type Observation =
  /** Connected and authenticated: the network answered just now. */
  | { readonly kind: 'connection-opened' }
  /** The network answered just now, to a probe or by itself. */
  | { readonly kind: 'connection-verified' }
  /** The connection is gone. The driver does not reopen it. `takenOver`: another client uses the account instead. */
  | {
      readonly kind: 'connection-lost'
      readonly reason: Reason
      readonly resumption?: Resumption
      readonly takenOver?: boolean
    }
  /** The network does not accept these credentials (any more). */
  | { readonly kind: 'credentials-refused'; readonly reason: Reason }
  /** The network rejects this account or this client altogether; trying again makes it worse. */
  | { readonly kind: 'connection-refused'; readonly reason: Reason }
  /** A person must act: here is what to show. A later step replaces an earlier one. */
  | { readonly kind: 'link-step'; readonly step: LinkStep }
  /** The link steps expired before a person acted. */
  | { readonly kind: 'link-expired' }
  | AccountKnown
  | { readonly kind: 'restriction'; readonly restriction: Restriction | null }
  /** The recipient's side confirmed a message. */
  | (MessageNamed & {
      readonly kind: 'receipt'
      /**
       * The normalised address that confirmed: the server ignores addresses other than the recipient's. Null if the network
       * vouches for the receipt by the id.
       */
      readonly from: string | null
      readonly state: 'delivered' | 'read'
      /** Present if everything before it in its conversation is confirmed, too. */
      readonly and_before?: true
    })
  /**
   * The network shows that it has one of our messages, perhaps from an attempt whose answer was lost. Reported before the
   * connection counts as open, if it is known that early: a message that is proven then need not be sent again.
   */
  | (MessageNamed & {
      readonly kind: 'message-acknowledged'
      /** The id by which the others in a group refer to the message, if that is not `network_message_id`. */
      readonly shared_id?: string
    })
  /** The network gave a message back after it had accepted it. */
  | (MessageNamed & {
      readonly kind: 'message-returned'
      /** The normalised address that the message was for; null if the network vouches for the return by the id. */
      readonly from: string | null
      readonly error: NetworkError
    })
  | ContactKnown
  | ReadElsewhere
  | MessageReceived
  | MessageSentElsewhere
  | AccountNews
  /**
   * Every message to the account was reported up to the entry with this id in an archive of the network (`through`, which
   * may be an entry of any kind) or, if it is null, up to now. The latter is reported once by each connection that knows it:
   * as soon as it is open, or when the gap before it is closed (`StoredMessages.upTo`).
   */
  | { readonly kind: 'caught-up'; readonly through: string | null }

/** The account of the connection, as the network shows it. */
export interface AccountKnown {
  readonly kind: 'account-known'
  /** Normalized. */
  readonly address: string
  readonly display_name?: string
  /** A link by which people find the account, if the network has such links. */
  readonly url?: string
}

/** The name of a message that was sent, in an observation. It may come before the outcome of the attempt. */
interface MessageNamed {
  /** Our id of the message, or the one that the network assigned. */
  readonly network_message_id: string
  /** The id that the network assigned, if `network_message_id` is ours: it may not be known yet. */
  readonly assigned_id?: string
}

/**
 * The network told by which addresses it knows a person. What a message tells of its sender stands in the message
 * instead.
 */
export interface ContactKnown {
  readonly kind: 'contact-known'
  /** See `TellsAddresses`. */
  readonly addresses: readonly string[]
  /** The normalized address that the person had before one of these. */
  readonly formerly?: string
  /**
   * The network's id, or ours, of the message to this person with which it was told: if the message is another person's,
   * nothing is believed.
   */
  readonly with_message?: string
}

/** The account read a conversation in another client, such as a phone. */
export interface ReadElsewhere {
  readonly kind: 'read-elsewhere'
  /** The normalized address of the conversation. */
  readonly conversation: string
  /**
   * The network's id, or ours, of the last message that was read; missing if everything was. One that was not reported says
   * nothing.
   */
  readonly up_to?: string
}

interface TellsAddresses {
  /**
   * All normalized addresses of the person that came with the message, at most `maxToldAddresses`; present if there is more
   * than one. The most lasting comes first, such as a user id: one after it, such as a phone number, may pass to another
   * person, and belongs to whom it was told of last.
   */
  readonly addresses?: readonly string[]
}

/** Addresses of a person that are told at once, at most. */
export const maxToldAddresses = 4

/**
 * The account sent a message from another client. It may be reported more than once: it is stored once, by its id. What this
 * server sent itself must not be reported.
 */
export interface MessageSentElsewhere extends TellsAddresses {
  readonly kind: 'message-sent-elsewhere'
  readonly network_message_id: string
  /** The normalized address of the conversation. */
  readonly conversation: string
  /** As of a message that was received. */
  readonly at: number
  readonly text: string | null
  readonly file: ReceivedFile | null
  readonly sender_message_id?: string
  readonly relation?: ReceivedRelation
  readonly unsupported?: UnsupportedMessage
  readonly content?: ReceivedContent
  readonly mark?: string
}

/** A message that a person sent to the account. It may be reported more than once: it is stored once, by its id. */
export interface MessageReceived extends TellsAddresses {
  readonly kind: 'message-received'
  /** The network's own id of the message: the same however often and in whichever way it comes. */
  readonly network_message_id: string
  /** The normalized address of the sender. */
  readonly from: string
  /** The normalized address of the conversation, where an answer goes: for a direct message the same as `from`. */
  readonly conversation: string
  /**
   * The time when it was sent or arrived, according to the network, or else now, in milliseconds since the epoch; never in
   * the future by the driver's clock.
   */
  readonly at: number
  /** The text, or the caption of the file; null if there is none. At most `longestReceivedText`: the rest is cut off. */
  readonly text: string | null
  readonly file: ReceivedFile | null
  /**
   * Returns the message to its sender, to be sent again later. Present if the network does not keep the message; otherwise, without
   * capacity for it, the message is left at the network, after the mark.
   */
  readonly decline?: () => void
  /** Its subject, of at most `longestReceivedSubject`, if it has one. */
  readonly subject?: string
  /** The id that its sender gave it, by which later messages refer to it, if that is not `network_message_id`. */
  readonly sender_message_id?: string
  readonly relation?: ReceivedRelation
  /** Present if it cannot be read here: then `file` is null, and `text` is a caption, if it has one. */
  readonly unsupported?: UnsupportedMessage
  readonly content?: ReceivedContent
  /** The mark that is reached once it is stored, if that is not `network_message_id`. */
  readonly mark?: string
}

/**
 * What a message contains besides its text and its file, of any length: what is longer than the contract allows is cut. At most one of its fields
 * makes the kind of the message, such as `location`; `text` is then null, or what the person wrote with it. The sender's `address` is `from`.
 */
export type ReceivedContent = Partial<MessageContent>

/**
 * The relation of a message to the one that it refers to. A reaction has its emojis as the text, a retraction has no text.
 */
export interface ReceivedRelation {
  readonly type: RelationType
  /** Our own id of a message that was sent, or the id that its sender gave it; null if there is none that can be shown. */
  readonly message: string | null
}

/** The kind of a message that cannot be read: a snake_case code, and the network's name for it, of at most 64 characters. */
export interface UnsupportedMessage {
  readonly type: string
  readonly name: string | null
}

/** A file that the account received, and the way to get it. */
export type ReceivedFile = FileAtUrl | FileByReference

/** The sender chose the URL, so it must be fetched with care. */
export interface FileAtUrl extends DescribedFile {
  /** `http` or `https`. */
  readonly url: string
}

/** The connection opens it: `FileAccess.open`. */
export interface FileByReference extends DescribedFile {
  /** Opaque to everyone but its driver; it works for later connections, too. At most `longestReference`. */
  readonly reference: string
}

/** The longest reference, in bytes of UTF-8. */
export const longestReference = 4 * 1024

interface DescribedFile {
  /** Its name without a path, of at most 255 UTF-16 units; null if unknown. */
  readonly filename: string | null
  /** The type that the sender declared, which may not be that of the bytes; null if unknown. */
  readonly mime_type: string | null
  /** Present if it is a sticker. */
  readonly isSticker?: true
}

export type ObservationKind = Observation['kind']

/** The observations that end a connection, each with a reason. */
export type EndingKind = Extract<Observation, { readonly reason: Reason }>['kind']
