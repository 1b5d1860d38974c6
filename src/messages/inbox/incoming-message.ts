import type { MessageContent } from '../../contract/resources/content.ts'
import type { Unsupported } from '../../contract/resources/message.ts'
import { cleanFileName } from '../../media/content/file-name.ts'
import {
  longestReference,
  type MessageReceived,
  type MessageSentElsewhere,
  maxToldAddresses,
  type ReceivedFile,
} from '../../networks/driver/observation.ts'
import { cutText, longestReceivedBytes, longestReceivedSubject } from '../../networks/kit/received-text.ts'
import { newId } from '../../runtime/ids.ts'
import { carried } from '../content/carried.ts'
import { fitContent } from '../content/received-content.ts'
import type { Reference } from './relation.ts'

/** An incoming message as it is stored: everything in it that an unknown sender wrote is bounded, and fits every store. */
export interface IncomingMessage {
  /** Our id. A message that comes again keeps the id that it got the first time. */
  readonly id: string
  readonly network_message_id: string
  /** Null for a message that the account sent from another client. */
  readonly sender: string | null
  readonly conversation: string
  /** All addresses of the person that the network told, the most lasting first; empty if it told only one. */
  readonly addresses: readonly string[]
  readonly text: string | null
  /** When it was sent, and when it came; milliseconds since the epoch. */
  readonly sent_at: number
  readonly received_at: number
  readonly file: IncomingFile | null
  readonly subject: string | null
  readonly sender_message_id: string | null
  readonly reference: Reference | null
  readonly unsupported: Unsupported | null
  /** Its content besides its text and its file; empty for none. */
  readonly content: MessageContent
  /** True if its conversation is that of a group, which is never called like a person. */
  readonly isInGroup?: boolean
}

export interface IncomingFile {
  /** The URL to fetch it from, or the reference by which its connection opens it. Both are null if it cannot be had. */
  readonly url: string | null
  readonly reference: string | null
  readonly filename: string | null
  readonly declared_type: string | null
  readonly isSticker: boolean
}

/** The longest address that is stored, in bytes of UTF-8: as long as one that callers may name. */
const longestAddress = 1024
/** No server takes a longer one. */
const longestUrl = 8 * 1024
const longestTypeName = 255
const longestId = 255
const longestName = 64

/**
 * Returns the number of messages that one with a text of so many Unicode characters counts as, among those that an
 * organization may keep.
 */
export function weightOf(characters: number): number {
  return 1 + Math.floor(Number(characters) / 4096)
}

/** Returns what to store of a message that came at `now`; null if its address cannot be answered. `isGroup` is that of its driver. */
export function incomingMessage(
  received: MessageReceived | MessageSentElsewhere,
  now: number,
  isGroup?: (address: string) => boolean,
): IncomingMessage | null {
  if (received.kind === 'message-sent-elsewhere') {
    const { conversation: from } = received
    const message = incomingMessage({ ...received, kind: 'message-received', from }, now, isGroup)
    return message && { ...message, sender: null }
  }
  const { network_message_id, from, conversation, at, text, file } = received
  const { subject, sender_message_id, relation, unsupported } = received
  if (![from, conversation].every(fitsAddress)) return null
  return {
    id: newId('msg'),
    network_message_id,
    sender: from,
    conversation,
    addresses: fitAddresses(received.addresses ?? []),
    text: text === null ? null : fitText(text),
    // No message is sent after it came: if one says so, a clock is wrong or its sender lies.
    sent_at: Number.isFinite(at) ? Math.round(Math.max(0, Math.min(at, now))) : now,
    received_at: now,
    file: file && fitFile(file),
    subject: subject === undefined ? null : cutText(carried(subject), longestReceivedSubject),
    sender_message_id: fitId(sender_message_id ?? null),
    reference: relation ? { type: relation.type, message: fitId(relation.message) } : null,
    unsupported: unsupported
      ? { type: unsupported.type, name: unsupported.name && cutText(carried(unsupported.name), longestName) }
      : null,
    content: received.content ? fitContent(received.content) : {},
    ...(isGroup?.(conversation) && { isInGroup: true }),
  }
}

function fitsAddress(address: string): boolean {
  return Buffer.byteLength(address) <= longestAddress
}

/** The addresses of one person that can be stored. */
export function fitAddresses(addresses: readonly string[]): string[] {
  return addresses.slice(0, maxToldAddresses).filter(fitsAddress)
}

function fitFile(file: ReceivedFile): IncomingFile {
  const { filename, mime_type } = file
  const url = 'url' in file && file.url.length <= longestUrl ? carried(file.url) : null
  return {
    url,
    reference: 'reference' in file ? fitReference(file.reference) : null,
    filename: filename === null ? null : cleanFileName(filename, ''),
    declared_type: mime_type === null ? null : carried(mime_type).slice(0, longestTypeName),
    isSticker: file.isSticker === true,
  }
}

/** Returns a reference if it can be stored as it is: only its driver may change anything about it. */
function fitReference(reference: string): string | null {
  const fits = Buffer.byteLength(reference) <= longestReference && carried(reference) === reference
  return fits ? reference : null
}

/** An id that can be stored and shown: one that is too long names nothing. */
function fitId(id: string | null): string | null {
  return id === null || id.length > longestId ? null : carried(id)
}

/** The text, cut between characters if it is too long. */
function fitText(text: string): string {
  const whole = carried(text)
  if (Buffer.byteLength(whole) <= longestReceivedBytes) return whole
  const bytes = Buffer.from(whole).subarray(0, longestReceivedBytes)
  // The rest of a character that was cut in two is not decoded.
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes, { stream: true })
}
