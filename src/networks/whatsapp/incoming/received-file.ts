import { shortenName } from '../../../media/content/file-name.ts'
import type { FileByReference } from '../../driver/observation.ts'
import { type Json, textIn } from '../../kit/json.ts'
import { referenceTo } from '../media/files.ts'
import type { FileKind } from '../media/media-crypto.ts'

/** The fields of messages with a file, and how each is encrypted. */
const kinds: Readonly<Record<string, FileKind>> = {
  imageMessage: 'image',
  stickerMessage: 'image',
  documentMessage: 'document',
  audioMessage: 'audio',
  videoMessage: 'video',
  ptvMessage: 'video',
}

/** The file that such a field describes; null if it describes none that can be fetched. */
export function fileIn(field: string, about: Json): FileByReference | null {
  const kind = Object.hasOwn(kinds, field) ? kinds[field] : undefined
  if (kind === undefined) return null
  const reference = referenceTo({
    kind,
    directPath: textIn(about, 'directPath') ?? '',
    secrets: {
      mediaKey: bytesIn(about, 'mediaKey'),
      fileSha256: bytesIn(about, 'fileSha256'),
      fileEncSha256: bytesIn(about, 'fileEncSha256'),
    },
    size: sizeIn(about),
  })
  if (reference === null) return null
  const said = textIn(about, 'fileName') ?? textIn(about, 'title') ?? ''
  const name = said.replace(/^.*[/\\]/s, '').replace(/\p{Cc}/gu, '')
  const type = textIn(about, 'mimetype')
  return {
    reference,
    filename: shortenName(name.slice(0, longestName)) || null,
    mime_type: type !== null && /^[\x21-\x7e ]{1,255}$/.test(type) ? type : null,
    ...(field === 'stickerMessage' && { isSticker: true }),
  }
}

/** UTF-16 units of a name that are looked at. */
const longestName = 1024

function bytesIn(about: Json, name: string): Uint8Array {
  const value = about[name]
  return value instanceof Uint8Array ? value : new Uint8Array()
}

/** A 64-bit integer comes as a number, or as an object that says it in decimal. Null if it is no size. */
function sizeIn({ fileLength }: Json): number | null {
  const isNumber = typeof fileLength === 'number' || typeof fileLength === 'object'
  const size = isNumber && fileLength !== null ? Number(String(fileLength)) : Number.NaN
  return Number.isSafeInteger(size) && size >= 0 ? size : null
}
