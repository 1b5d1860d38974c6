import type { FileAtUrl } from '../../driver/observation.ts'
import { fileAt } from '../../kit/file-url.ts'
import { ns, type Xml } from '../stanzas/xml.ts'

/** A file as a message names it, with its caption. */
export interface NamedFile {
  readonly file: FileAtUrl
  readonly caption: string | null
}

/**
 * The file that a message names as out-of-band data (XEP-0066), or null. Clients repeat the URL as the body, for those that
 * do not know the data; a body that says anything else is the caption. If there is no body at all, the description of the
 * data is the caption. A client that sends a body, as Posthorn does, sends the description again as a message of its own.
 */
export function fileIn(message: Xml, body: string | null): NamedFile | null {
  const data = message.getChild('x', ns.outOfBand)
  const written = data?.getChildText('url')?.trim() ?? ''
  const found = fileAt(written)
  if (!data || !found) return null
  const isSticker = message.getChild('sticker', ns.stickers) !== undefined
  const file: FileAtUrl = isSticker ? { ...found, isSticker } : found
  if (body === null) return { file, caption: data.getChildText('desc') || null }
  return { file, caption: [written, file.url].includes(body.trim()) ? null : body }
}
