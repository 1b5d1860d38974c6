import { normalizeMessageContent, proto, unpadRandomMax16 } from 'baileys'
import { hasContent } from '../../../incoming/incoming-message.ts'
import { boundedReader, decodeBounded, readFields } from './decoding.ts'

/**
 * Length of a message, in bytes, without its files: the longest text takes a quarter of it. To read a megabyte takes all
 * clients of this process a tenth of a second.
 */
const longestMessage = 1024 * 1024

/** Tags, lengths and numbers of a message. A share of a thousand keys, or a thousand mentions, take a tenth of it. */
const maxElements = 50_000

/** The message is longer, or has more parts, than may be. */
export class MessageTooLarge extends Error {
  override readonly name = 'MessageTooLarge'

  constructor() {
    super('the message is too large')
  }
}

/**
 * Decodes a plaintext, and all that the library is going to decode in it; null if it makes no sense, which would not change
 * if it were sent again. Throws `MessageTooLarge` for any sender, our own phone included.
 */
export function messageIn(plaintext: Uint8Array): proto.IMessage | null {
  if (plaintext.length > longestMessage) throw new MessageTooLarge()
  try {
    const bytes = unpadRandomMax16(plaintext)
    const message = decodeBounded(proto.Message, bytes, maxElements)
    checkInside(message.deviceSentMessage?.message ?? message)
    return isNewer(bytes, message) ? Object.assign(message, newerContent) : message
  } catch (error) {
    if (error instanceof Error && isTooMuch(error)) throw new MessageTooLarge()
    return null
  }
}

/** Stands for a content that the library does not know: clients show that there is something. */
const newerContent = { newerMessage: {} }

/** True if a message has no content but a field that the library does not know. */
function isNewer(bytes: Uint8Array, message: proto.IMessage): boolean {
  if (hasContent(message)) return false
  const known = fieldsOf(proto.Message.encode(message).finish())
  return [...fieldsOf(bytes)].some((field) => !known.has(field))
}

/** The numbers of the fields of a message. */
function fieldsOf(bytes: Uint8Array): ReadonlySet<number> {
  const fields = new Set<number>()
  readFields(boundedReader(bytes, maxElements), bytes.length, (field) => {
    fields.add(field)
    return false
  })
  return fields
}

/** True if bytes are a message that can be decoded, and is not too large. */
export function isReadable(bytes: Uint8Array): boolean {
  try {
    if (bytes.length <= longestMessage) decodeBounded(proto.Message, bytes, maxElements)
    return bytes.length <= longestMessage
  } catch {
    return false
  }
}

/** Too many elements, or so deeply nested that the stack ends. */
function isTooMuch(error: Error): boolean {
  return error.name === 'TooManyElements' || error.message === 'Maximum call stack size exceeded'
}

/** Bytes in a message that the library takes for messages of their own. */
function checkInside(message: proto.IMessage): void {
  const inner = normalizeMessageContent(message)?.protocolMessage
  const mapping = inner?.lidMigrationMappingSyncMessage?.encodedMappingPayload
  if (mapping) decodeBounded(proto.LIDMigrationMappingSyncPayload, mapping, maxElements)
  const results = inner?.peerDataOperationRequestResponseMessage?.peerDataOperationResult ?? []
  for (const { placeholderMessageResendResponse: resent } of results)
    if (resent?.webMessageInfoBytes)
      decodeBounded(proto.WebMessageInfo, resent.webMessageInfoBytes, maxElements)
}
