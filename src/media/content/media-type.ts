import type { MediaKind } from '../../contract/resources/message.ts'
import { headBytes } from '../draft.ts'
import { type MediaRefusal, mediaRefusal } from './media-refusal.ts'

/** The type of a file, or the reason why it cannot be sent as the requested kind. */
export type MediaTypeVerdict = { readonly ok: true; readonly mimeType: string } | MediaRefusal

export interface MediaClaim {
  /** As what the recipient is to see it. */
  readonly kind: MediaKind
  /** The media type that came with the file (RFC 9110, 8.3), if one did. It refines what the bytes leave open, no more. */
  readonly declared: string | undefined
  /** The first bytes of the file: `head` of its draft. */
  readonly head: Uint8Array
}

/** The media type of OGG with Opus in it, which is what voice notes are. */
export const oggOpus = 'audio/ogg; codecs=opus'

/**
 * Images that messaging clients show, and how each begins, in hexadecimal, as clients tell (WHATWG MIME Sniffing, section
 * 6.1); JPEG-LS, which begins like JPEG, is shown by none. The others (SVG, TIFF, HEIC …) can be sent as documents.
 */
const images: readonly (readonly [mimeType: string, beginning: RegExp])[] = [
  ['image/jpeg', /^ffd8ff(?!f7)/],
  ['image/png', /^89504e470d0a1a0a/],
  ['image/gif', /^474946383[79]61/],
  ['image/webp', /^52494646.{8}574542505650/],
]

/** The longest of these beginnings, in bytes. */
const beginningBytes = 14

/** Audio that messaging clients play. Some formats hold pictures too; sent as audio, they are heard. */
const audio: ReadonlyMap<string, string> = new Map([
  [oggOpus, oggOpus],
  ['audio/ogg', 'audio/ogg'],
  ['audio/mpeg', 'audio/mpeg'],
  ['audio/mp4', 'audio/mp4'],
  ['audio/x-m4a', 'audio/mp4'],
  ['video/mp4', 'audio/mp4'],
  ['audio/aac', 'audio/aac'],
  ['audio/wav', 'audio/wav'],
  ['audio/flac', 'audio/flac'],
  ['audio/amr', 'audio/amr'],
  ['video/3gpp', 'audio/3gpp'],
  ['video/webm', 'audio/webm'],
])

/** Videos that messaging clients play. */
const videos: ReadonlyMap<string, string> = new Map([
  ['video/mp4', 'video/mp4'],
  ['video/x-m4v', 'video/mp4'],
  ['video/3gpp', 'video/3gpp'],
  ['video/webm', 'video/webm'],
  ['video/quicktime', 'video/quicktime'],
])

const formats = {
  image: 'an image is a JPEG, PNG, WebP or GIF',
  audio: 'audio is OGG, MP3, MP4, AAC, WAV, FLAC, AMR or WebM',
  video: 'a video is MP4, 3GP, WebM or QuickTime',
  sticker: 'a sticker is a WebP',
}

/** Formats of documents that differ from others with the same container only after the first bytes. */
const refinements: ReadonlyMap<string, RegExp> = new Map([
  [
    'application/zip',
    /^application\/(vnd\.openxmlformats-officedocument\.[\w.-]+|vnd\.oasis\.opendocument\.[\w.-]+|epub\+zip)$/,
  ],
  ['application/x-cfb', /^application\/(msword|vnd\.ms-(excel|powerpoint|outlook|project))$/],
  ['text/plain', /^(text\/(csv|tab-separated-values|calendar|vcard|markdown)|application\/json)$/],
])

/**
 * Detects the type of a file from its first bytes, in bounded time; it never throws. The declared type is not trusted:
 * an image is what begins like one, and a document has the declared type only if that fits the bytes.
 */
export async function judgeMediaType({ kind, declared, head }: MediaClaim): Promise<MediaTypeVerdict> {
  if (kind === 'document') return { ok: true, mimeType: refined(await findType(head), declared) }
  const mimeType = await typeOf(kind, head)
  return mimeType === undefined ? mediaRefusal('media_type_mismatch', formats[kind]) : { ok: true, mimeType }
}

async function typeOf(kind: Exclude<MediaKind, 'document'>, head: Uint8Array): Promise<string | undefined> {
  if (kind === 'image') return imageType(head)
  if (kind === 'sticker') return imageType(head) === 'image/webp' ? 'image/webp' : undefined
  return (kind === 'audio' ? audio : videos).get(await findType(head))
}

/**
 * Detects from its first bytes what a received file is: an image, audio or a video if messaging clients show
 * it as such, and a document otherwise. Of the formats that hold sound or films, what is declared decides.
 */
export async function recogniseMedia({
  declared,
  head,
}: Omit<MediaClaim, 'kind'>): Promise<{ readonly kind: MediaKind; readonly mimeType: string }> {
  const image = imageType(head)
  if (image !== undefined) return { kind: 'image', mimeType: image }
  const found = await findType(head)
  const sound = audio.get(found)
  const isHeard = found.startsWith('audio/') || /^\s*audio\//i.test(declared ?? '')
  if (sound !== undefined && isHeard) return { kind: 'audio', mimeType: sound }
  const video = videos.get(found)
  if (video !== undefined) return { kind: 'video', mimeType: video }
  return { kind: 'document', mimeType: refined(found, declared) }
}

function refined(found: string, declared = ''): string {
  const essence = declared.split(';', 1)[0]?.trim().toLowerCase() ?? ''
  return refinements.get(found)?.test(essence) ? essence : found
}

/** The type of an image that messaging clients show, by its first bytes; undefined if it is none. */
export function imageType(head: Uint8Array): string | undefined {
  const beginning = Buffer.from(head.subarray(0, beginningBytes)).toString('hex')
  return images.find(([, looks]) => looks.test(beginning))?.[0]
}

let fileType: Promise<typeof import('file-type')> | undefined

/** The type by the bytes. Anything unknown is text, or simply bytes; markup and scripts are text, too. */
async function findType(bytes: Uint8Array): Promise<string> {
  const head = bytes.subarray(0, headBytes)
  // Loaded when the first file comes that is not sent as an image, since it takes 11 MB of memory; and then at hand, since
  // to import it again takes a while.
  fileType ??= import('file-type')
  const { fileTypeFromBuffer } = await fileType
  // Of what it cannot make sense it sometimes throws instead of saying so.
  const found = await fileTypeFromBuffer(head).catch(() => undefined)
  return found?.mime ?? imageType(head) ?? (isText(head) ? 'text/plain' : 'application/octet-stream')
}

/** True for UTF-8 without control characters other than white space. The last character may be cut off. */
function isText(head: Uint8Array): boolean {
  if (head.length === 0) return false
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(head, { stream: head.length === headBytes })
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
    return !/[\x00-\x08\x0b\x0e-\x1f\x7f]/.test(text)
  } catch {
    return false
  }
}
