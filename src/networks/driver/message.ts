import type { Readable } from 'node:stream'
import type { MediaKind } from '../../contract/resources/message.ts'
import type { MessageTemplate } from '../../contract/resources/template.ts'

/**
 * A message as a driver needs it. `id` is our id of the message: 26 digits and lower-case letters
 * (`src/messages/message.ts`), unique, time-ordered, and the same for every attempt. Unless the network assigns ids, it is
 * the id of the message there.
 */
export type OutgoingMessage = FreeFormMessage | OutgoingTemplate

/** A message that its sender worded: the only kind for a network without templates. */
export type FreeFormMessage = OutgoingText | OutgoingMedia

export interface OutgoingText {
  readonly id: string
  readonly to: string
  readonly kind: 'text'
  readonly text: string
}

export interface OutgoingTemplate {
  readonly id: string
  readonly to: string
  readonly kind: 'template'
  /** Its components fit the schema of the driver, and have none of its faults. */
  readonly template: MessageTemplate
}

export interface OutgoingMedia {
  readonly id: string
  readonly to: string
  readonly kind: MediaKind
  readonly caption: string | null
  /** True for audio that should be played as a voice note, if the network has voice notes. */
  readonly voice: boolean
  readonly file: OutgoingFile
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
