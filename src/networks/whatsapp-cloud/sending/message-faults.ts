import type { OutgoingFile, OutgoingMedia, OutgoingMessage } from '../../driver/message.ts'
import { CheckedFile } from '../../kit/transfer.ts'
import type { ErrorCode } from '../codes.ts'
import { mediaTypes } from '../limits.ts'

export function isMedia(message: OutgoingMessage): message is OutgoingMedia {
  return 'file' in message
}

/** Returns the reason why WhatsApp cannot take a message; null if there is none. Rejects with an UploadFault. */
export async function faultOf(message: OutgoingMessage): Promise<ErrorCode | null> {
  if (message.kind === 'text') return message.text.includes('\0') ? 'text_not_representable' : null
  if (!isMedia(message)) return null
  const { kind, caption, voice, file } = message
  if (`${caption ?? ''}${file.filename}`.includes('\0')) return 'text_not_representable'
  if (file.size === 0) return 'file_empty'
  if (kind === 'document') return null
  if ((kind === 'audio' || kind === 'sticker') && (caption ?? '') !== '') return 'caption_not_supported'
  const isVoiceNote = file.mime_type === 'audio/ogg; codecs=opus'
  const fits = mediaTypes[kind]?.includes(file.mime_type) && (!voice || isVoiceNote)
  if (!fits) return 'file_type_not_supported'
  return kind === 'sticker' && (await isTooLargeSticker(file)) ? 'sticker_too_large' : null
}

/** In bytes, of a sticker that does not move. Source: Cloud API, Supported media types. */
const maxStaticSticker = 100 * 1024

async function isTooLargeSticker(file: OutgoingFile): Promise<boolean> {
  return file.size > maxStaticSticker && !isAnimated(await headOf(file))
}

/** The first chunk of a WebP, and its flags. */
const headBytes = 21

async function headOf(file: OutgoingFile): Promise<Buffer> {
  let head = Buffer.alloc(0)
  for await (const chunk of new CheckedFile(file).open() as AsyncIterable<Buffer>) {
    // A copy: the memory of the chunk is its reader's.
    head = Buffer.concat([head, chunk.subarray(0, headBytes)])
    if (head.length >= headBytes) break
  }
  return head
}

/** Source: WebP Container Specification, Extended file format. */
function isAnimated(head: Buffer): boolean {
  return head.toString('latin1', 12, 16) === 'VP8X' && ((head[20] ?? 0) & 0b10) !== 0
}
