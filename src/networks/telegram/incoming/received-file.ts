import { shortenName } from '../../../media/content/file-name.ts'
import type { FileByReference } from '../../driver/observation.ts'
import { integerIn, type Json, objectIn, objectsIn, textIn } from '../../kit/json.ts'

/** A file of a message, and the id by which it is recognized wherever it is sent. */
interface FoundFile {
  readonly file: FileByReference
  readonly unique: string | null
}

/** The kinds of files, and of what type each is if Telegram does not say. An animation comes as a document, too. */
const files = {
  animation: 'video/mp4',
  document: null,
  audio: null,
  voice: 'audio/ogg',
  video: 'video/mp4',
  video_note: 'video/mp4',
  live_photo: null,
  sticker: null,
} as const

/** Returns the file of a message; null if it has none. */
export function fileIn(message: Json): FoundFile | null {
  const photo = objectsIn(message, 'photo').reduce<Json | null>(
    (largest, size) => (area(size) >= area(largest ?? {}) ? size : largest),
    null,
  )
  if (photo) return asFile(photo, 'image/jpeg')
  for (const [name, type] of Object.entries(files)) {
    const file = objectIn(message, name)
    if (file && name === 'sticker') return asSticker(file)
    if (file) return asFile(file, type)
  }
  return null
}

function area(size: Json): number {
  return (integerIn(size, 'width') ?? 0) * (integerIn(size, 'height') ?? 0)
}

function asSticker(sticker: Json): FoundFile | null {
  const found = asFile(sticker, stickerType(sticker))
  return found && { ...found, file: { ...found.file, isSticker: true } }
}

function stickerType(sticker: Json): string {
  if (sticker.is_video === true) return 'video/webm'
  return sticker.is_animated === true ? 'application/gzip' : 'image/webp'
}

/** Length of the id of a file, in UTF-16 units: Telegram's have about 100. */
const longestFileId = 1024

function asFile(file: Json, usualType: string | null): FoundFile | null {
  const reference = textIn(file, 'file_id')
  if (reference === null || !/^[\x21-\x7e]+$/.test(reference) || reference.length > longestFileId) return null
  const type = textIn(file, 'mime_type')
  const name = (textIn(file, 'file_name') ?? '').replace(/^.*[/\\]/s, '').replace(/\p{Cc}/gu, '')
  const filename = shortenName(name) || null
  const mime_type = type !== null && /^[\x21-\x7e ]{1,255}$/.test(type) ? type : usualType
  return { file: { reference, filename, mime_type }, unique: textIn(file, 'file_unique_id') }
}
