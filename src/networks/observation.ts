import type { RelationType } from '../contract/resources/message.ts'
import type { NetworkError } from './outcome.ts'

/** Why something is as it is: a stable snake_case code of the driver's list, and English sentences for a person. */
export interface Reason {
  readonly code: string
  readonly detail: string
}

/**
 * What a dropped connection hands to the connection that follows it, in the same process, so that the network can tell
 * which messages it had received (XMPP: XEP-0198 resumption). Opaque to everyone but its driver.
 */
export interface Resumption {
  /** No connection will follow: every send that is still waiting for its answer becomes uncertain. Idempotent. */
  abandon(): void
}

/** What a person must do to link the account, and until when (milliseconds since the epoch). A secret while it lasts. */
export interface LinkStep {
  readonly kind: 'qr' | 'code'
  readonly value: string
  readonly expires_at: number
}

/** A limit that the network put on the account. It is never a status: messages wait for it where its scope says so. */
export interface Restriction {
  readonly code: string
  readonly scope: 'all_messages' | 'new_contacts'
  /** Milliseconds since the epoch. */
  readonly since: number
  readonly ends_at: number | null
}

/**
 * Everything that a driver can tell. It is a closed union: the lifecycle decides for every kind what it means in every
 * status, and the compiler refuses a kind that nobody decided on.
 */
export type Observation =
  /** Connected and authenticated: the network answered just now. */
  | { readonly kind: 'connection-opened' }
  /** The network answered just now, to a probe or by itself. */
  | { readonly kind: 'connection-verified' }
  /** The connection is gone. The driver does not reopen it. `takenOver`: somebody else uses the account in its place. */
  | {
      readonly kind: 'connection-lost'
      readonly reason: Reason
      readonly resumption?: Resumption
      readonly takenOver?: boolean
    }
  /** The network does not accept these credentials (any more). */
  | { readonly kind: 'credentials-refused'; readonly reason: Reason }
  /** The network will not have this account or this client at all; trying again makes it worse. */
  | { readonly kind: 'connection-refused'; readonly reason: Reason }
  /** A person must act: here is what to show. A later step replaces an earlier one. */
  | { readonly kind: 'link-step'; readonly step: LinkStep }
  /** Nobody acted while the link steps lasted. */
  | { readonly kind: 'link-expired' }
  | { readonly kind: 'account-known'; readonly address: string; readonly display_name?: string }
  | { readonly kind: 'restriction'; readonly restriction: Restriction | null }
  /** The recipient's side confirmed a message. `from` is the normalised address that confirmed; strangers are ignored. */
  | {
      readonly kind: 'receipt'
      readonly network_message_id: string
      readonly from: string
      readonly state: 'delivered' | 'read'
    }
  /**
   * The network shows that it has a message of ours, which it may have taken in an attempt whose answer was lost. Told before
   * the connection counts as open, where that can be known so soon: what is proven then need not be sent again.
   */
  | { readonly kind: 'message-acknowledged'; readonly network_message_id: string }
  /** The network gave a message back after it had accepted it. `from` is the normalised address it was for. */
  | {
      readonly kind: 'message-returned'
      readonly network_message_id: string
      readonly from: string
      readonly error: NetworkError
    }
  | MessageReceived
  /**
   * Every message to the account was reported that came up to the entry of this id in an archive of the network (`through`, of
   * whatever kind the entry is) or, where it is null, until now. The latter is told once in each connection that knows it: as
   * soon as it is open, or when the gap before it is closed (`ConnectContext.caughtUp`).
   */
  | { readonly kind: 'caught-up'; readonly through: string | null }

/** Somebody wrote to the account. It may be reported more than once: who keeps it knows it by its id. */
export interface MessageReceived {
  readonly kind: 'message-received'
  /** The network's own id of that message: the same however often it comes, and by whichever way. */
  readonly network_message_id: string
  /** The normalised address of who wrote it. */
  readonly from: string
  /** The normalised address of where it was written, and where an answer goes: for a direct message the same as `from`. */
  readonly conversation: string
  /**
   * When the network says that it was sent or arrived there, else now, in milliseconds since the epoch; never in the future
   * by the driver's clock.
   */
  readonly at: number
  /** The text, or the caption of the file; null where there is none. At most `longestReceivedText`: the rest is cut off. */
  readonly text: string | null
  readonly file: ReceivedFile | null
  /**
   * Gives the message back to whoever wrote it, to be sent again later. Present if the network keeps it for nobody; else it is
   * left there, behind the mark, by whoever has no room for it.
   */
  readonly decline?: () => void
  /** Its subject, of at most `longestReceivedSubject`, where it has one. */
  readonly subject?: string
  /** The id that its writer gave it, by which later messages refer to it, where that is not `network_message_id`. */
  readonly sender_message_id?: string
  readonly relation?: ReceivedRelation
  /** There where nothing of it can be read here: then `text` and `file` are null. */
  readonly unsupported?: UnsupportedMessage
}

/** Which message another one refers to. A reaction has its emojis as the text, a retraction has no text. */
export interface ReceivedRelation {
  readonly type: RelationType
  /** Our own id of a message that was sent, or the id that its writer gave it; null where it is none that could be shown. */
  readonly message: string | null
}

/** What kind of message cannot be read: a snake_case code, and the network's word for it, of at most 64 characters. */
export interface UnsupportedMessage {
  readonly type: string
  readonly name: string | null
}

/** Where a file that somebody sent can be fetched from. The URL is of the sender's choice: whoever fetches it is on guard. */
export interface ReceivedFile {
  /** `http` or `https`. */
  readonly url: string
  /** Its name without a path, of at most 255 UTF-16 units; null where nobody told. */
  readonly filename: string | null
  /** As the sender calls it, whatever the bytes are; null where nobody told. */
  readonly mime_type: string | null
}

export type ObservationKind = Observation['kind']

/** The observations that end a connection, each for a reason. */
export type Ending = Extract<Observation, { readonly reason: Reason }>['kind']
