import { createHash } from 'node:crypto'
import type { MediaStore } from '../media/store.ts'
import type { FileReference, Message } from '../proto/message.ts'
import { decryptMedia, type MediaKind } from '../signal/media.ts'
import type { Media, Said } from './inbox.ts'

/** Contents around the content that a person sees. */
const wrappers = [
  'viewOnceMessage',
  'viewOnceMessageV2',
  'viewOnceMessageV2Extension',
  'ephemeralMessage',
  'documentWithCaptionMessage',
  'editedMessage',
] as const

/** Files, and by which kind their keys are made. */
const files = {
  imageMessage: 'image',
  documentMessage: 'document',
  audioMessage: 'audio',
  videoMessage: 'video',
  stickerMessage: 'sticker',
} as const

type FileField = keyof typeof files

/** Every field that a file may have apart from where it is. */
interface Describing extends FileReference {
  readonly fileName?: string
  readonly caption?: string
  readonly seconds?: number
  readonly ptt?: boolean
  readonly waveform?: Uint8Array
  readonly width?: number
  readonly height?: number
  readonly jpegThumbnail?: Uint8Array
  readonly contextInfo?: { readonly stanzaId?: string }
}

/** Reads a message as a person does; files are fetched from the media host and checked. */
export function read(message: Message, store: MediaStore): Said {
  for (const name of wrappers) {
    const inside = message[name]?.message
    if (inside) return read(inside, store)
  }
  const expiration = expirationOf(message)
  return { ...readContent(message, store), ...(expiration > 0 && { expiration }) }
}

/** Returns the expiration that a content claims, in any field that has one. */
function expirationOf(message: Message): number {
  const contents: readonly unknown[] = Object.values(message)
  const contexts = contents.map(
    (content) => (content as { contextInfo?: { expiration?: number } } | undefined)?.contextInfo,
  )
  return Math.max(0, ...contexts.map((context) => context?.expiration ?? 0))
}

function readContent(message: Message, store: MediaStore): Said {
  for (const field of Object.keys(files) as FileField[]) {
    const reference: Describing | undefined = message[field]
    if (reference) return readFile(files[field], reference, store)
  }
  return readText(message)
}

function readText(message: Message): Said {
  const { conversation, extendedTextMessage, reactionMessage, protocolMessage, locationMessage } = message
  if (extendedTextMessage) {
    const about = extendedTextMessage.contextInfo?.stanzaId
    return { kind: 'text', text: extendedTextMessage.text ?? '', ...(about !== undefined && { about }) }
  }
  if (reactionMessage) {
    return { kind: 'reaction', text: reactionMessage.text ?? '', about: reactionMessage.key?.id ?? '' }
  }
  if (protocolMessage?.type === 'MESSAGE_EDIT') {
    const { conversation = '', extendedTextMessage: extended } = protocolMessage.editedMessage ?? {}
    return { kind: 'edit', text: extended?.text ?? conversation, about: protocolMessage.key?.id ?? '' }
  }
  if (protocolMessage) {
    const isRevocation = protocolMessage.type === undefined || protocolMessage.type === 'REVOKE'
    const kind = isRevocation ? 'revoke' : protocolMessage.type
    return { kind: kind ?? 'revoke', about: protocolMessage.key?.id ?? '' }
  }
  if (locationMessage) {
    const { degreesLatitude = 0, degreesLongitude = 0, name = '' } = locationMessage
    return { kind: 'location', text: name, latitude: degreesLatitude, longitude: degreesLongitude }
  }
  if (conversation !== undefined) return { kind: 'text', text: conversation }
  const [kind = 'nothing'] = Object.keys(message).filter((name) => name !== 'messageContextInfo')
  return { kind }
}

function readFile(kind: MediaKind, reference: Describing, store: MediaStore): Said {
  const about = reference.contextInfo?.stanzaId
  return { kind, media: fetchMedia(kind, reference, store), ...(about !== undefined && { about }) }
}

function fetchMedia(kind: MediaKind, reference: Describing, store: MediaStore): Media {
  const { mimetype = '', fileName, caption, seconds, ptt, waveform, width, height } = reference
  const thumbnail = reference.jpegThumbnail?.length
  const description = {
    mimetype,
    ...(fileName !== undefined && { fileName }),
    ...(caption !== undefined && { caption }),
    ...(seconds !== undefined && { seconds }),
    ...(ptt !== undefined && { ptt }),
    ...(waveform && { waveform: waveform.length }),
    ...(width !== undefined && { width }),
    ...(height !== undefined && { height }),
    ...(thumbnail !== undefined && { thumbnail }),
  }
  try {
    const bytes = open(kind, reference, store)
    const sha256 = createHash('sha256').update(bytes).digest('hex')
    return { ...description, bytes: bytes.length, sha256 }
  } catch (error) {
    const failure = error instanceof Error ? error.message : String(error)
    return { ...description, bytes: 0, sha256: '', failure }
  }
}

function open(kind: MediaKind, reference: Describing, store: MediaStore): Uint8Array {
  const { directPath = '', mediaKey, fileSha256, fileEncSha256 } = reference
  if (!mediaKey || !fileSha256 || !fileEncSha256)
    throw new Error('The message does not say how to open its file.')
  const encrypted = store.get(directPath)
  if (!encrypted) throw new Error('The file is not on the media host.')
  return decryptMedia(encrypted, { mediaKey, fileSha256, fileEncSha256 }, kind)
}
