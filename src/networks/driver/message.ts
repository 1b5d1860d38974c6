import type { Readable } from 'node:stream'
import type { ContactCard, Interactive, Location, Poll } from '../../contract/resources/content.ts'
import type { MediaKind, MessageKind } from '../../contract/resources/message.ts'
import type { MessageTemplate } from '../../contract/resources/template.ts'

/**
 * A message as a driver needs it. `id` is our id of the message: 26 digits and lower-case letters
 * (`src/messages/message.ts`), unique, time-ordered, and the same for every attempt. Unless the network assigns ids, it is
 * the id of the message there.
 */
export type OutgoingMessage = FreeFormMessage | OutgoingTemplate

/** A message that its sender worded: the only kind for a network without templates. */
export type FreeFormMessage = OutgoingText | OutgoingMedia | OutgoingContent | FollowingMessage

/** A message of the kinds that every network can send. */
export type PlainMessage = OutgoingText | OutgoingMedia

/** Content that a network sends only if it says so (`DriverAbilities.sends`). */
export type OutgoingContent = OutgoingLocation | OutgoingContacts | OutgoingInteractive | OutgoingPoll

/** A message that changes or answers another. */
export type FollowingMessage = OutgoingReaction | OutgoingCorrection | OutgoingRetraction

interface Addressed {
  readonly id: string
  readonly to: string
}

/** A message that may reply to another one of its conversation. */
interface Replying extends Addressed {
  /** Present only if the network has replies. */
  readonly replyTo?: TargetMessage
  /** The id of the topic of a group in which it is to be shown; present only if the network has topics. */
  readonly topic?: string
}

interface Mentioning {
  /** The normalized addresses of the people whom the text mentions; present only if the network has mentions. */
  readonly mentions?: readonly string[]
}

/** A message that another one is about. The network has it: it was received, or sent. */
export interface TargetMessage {
  /** The id under which the network knows it. */
  readonly network_message_id: string
  /**
   * The id by which the people in the conversation refer to it, if that is another: the one that its writer gave it, or that a group gave
   * to a message of the account (`shared_id`).
   */
  readonly sender_message_id: string | null
  /** The normalized address of its writer; null if the account wrote it. */
  readonly from: string | null
  readonly kind: MessageKind
  /** Its text or caption, for networks on which a reply quotes; null if it has none. */
  readonly text: string | null
  /** The id of the topic of a group that it was written in; null if it was in none. */
  readonly topic: string | null
  /** The message to which it replies, if the account wrote it and that is known: a correction of it is a reply, too. */
  readonly replyTo?: TargetMessage
}

export interface OutgoingText extends Replying, Mentioning {
  readonly kind: 'text'
  readonly text: string
}

export interface OutgoingTemplate extends Replying {
  readonly kind: 'template'
  /** Its components fit the schema of the driver, and have none of its faults. */
  readonly template: MessageTemplate
}

export interface OutgoingMedia extends Replying, Mentioning {
  readonly kind: MediaKind
  readonly caption: string | null
  /** True for audio that should be played as a voice note, if the network has voice notes. */
  readonly voice: boolean
  readonly file: OutgoingFile
}

export interface OutgoingLocation extends Replying {
  readonly kind: 'location'
  readonly location: Location
}

export interface OutgoingContacts extends Replying {
  readonly kind: 'contacts'
  readonly contacts: readonly ContactCard[]
}

/** Fits the limits of the network. A button or row that is chosen is reported by its `id`. */
export interface OutgoingInteractive extends Replying {
  readonly kind: 'interactive'
  readonly interactive: Interactive
}

export interface OutgoingPoll extends Replying {
  readonly kind: 'poll'
  readonly poll: Poll
}

export interface OutgoingReaction extends Addressed {
  readonly kind: 'reaction'
  readonly target: TargetMessage
  /** Replaces the reaction before; null takes it back. */
  readonly emoji: string | null
}

/** Replaces the text of a text, or the caption of a file, that the account sent (`target.kind` says which). */
export interface OutgoingCorrection extends Addressed {
  readonly kind: 'correction'
  readonly target: TargetMessage
  readonly text: string
}

export interface OutgoingRetraction extends Addressed {
  readonly kind: 'retraction'
  readonly target: TargetMessage
}

/** The file of a media message: its bytes are stored, and can be read as often as attempts need. */
export interface OutgoingFile {
  /** Cleaned: no path, no control characters. */
  readonly filename: string
  /** Detected from the bytes. */
  readonly mime_type: string
  /** In bytes. */
  readonly size: number
  /** In hexadecimal. */
  readonly sha256: string
  /**
   * Opens the bytes for reading once, from the beginning; destroying the stream closes the file. The memory of what is read
   * belongs to the reader, who may free it.
   */
  open(): Readable
}
