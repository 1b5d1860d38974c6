import { createHash } from 'node:crypto'
import type { MediaStore } from '../media/store.ts'
import type { FileReference, Message } from '../proto/message.ts'
import { decryptMedia, type MediaKind } from '../signal/media.ts'
import type { Media, Said } from './inbox.ts'
import { contextIn, shownIn } from './showing.ts'

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
  readonly isAnimated?: boolean
  readonly jpegThumbnail?: Uint8Array
}

/** Reads a message as a person does; files are fetched from the media host and checked. */
export function read(message: Message, store: MediaStore): Said {
  const content = unwrapped(message)
  const { stanzaId: about, expiration = 0, mentionedJid: mentions = [] } = contextIn(content) ?? {}
  const shown = shownIn(content)
  return {
    ...(about !== undefined && { about }),
    ...readContent(content, store),
    ...(shown && { shown }),
    ...(mentions.length > 0 && { mentions }),
    ...(expiration > 0 && { expiration }),
  }
}

/** The content that a person sees. */
export function unwrapped(message: Message): Message {
  for (const name of wrappers) {
    const inside = message[name]?.message
    if (inside) return unwrapped(inside)
  }
  return message
}

function readContent(message: Message, store: MediaStore): Said {
  for (const field of Object.keys(files) as FileField[]) {
    const reference: Describing | undefined = message[field]
    if (reference) return { kind: files[field], media: fetchMedia(files[field], reference, store) }
  }
  return readText(message, store)
}

function readText(message: Message, store: MediaStore): Said {
  const { conversation, extendedTextMessage, reactionMessage, protocolMessage, locationMessage } = message
  if (extendedTextMessage) return { kind: 'text', text: extendedTextMessage.text ?? '' }
  if (reactionMessage) {
    return { kind: 'reaction', text: reactionMessage.text ?? '', about: reactionMessage.key?.id ?? '' }
  }
  if (protocolMessage?.type === 'MESSAGE_EDIT') {
    const { text, media } = read(protocolMessage.editedMessage ?? {}, store)
    const about = protocolMessage.key?.id ?? ''
    return { kind: 'edit', text: text ?? media?.caption ?? '', about, ...(media && { media }) }
  }
  if (protocolMessage) {
    const isRevocation = protocolMessage.type === undefined || protocolMessage.type === 'REVOKE'
    const kind = isRevocation ? 'revoke' : protocolMessage.type
    return { kind: kind ?? 'revoke', about: protocolMessage.key?.id ?? '' }
  }
  if (locationMessage) return { kind: 'location', text: locationMessage.name ?? '' }
  if (conversation !== undefined) return { kind: 'text', text: conversation }
  const [kind = 'nothing'] = Object.keys(message).filter((name) => name !== 'messageContextInfo')
  return { kind }
}

function fetchMedia(kind: MediaKind, reference: Describing, store: MediaStore): Media {
  const { mimetype = '', fileName, caption, seconds, ptt, waveform, width, height, isAnimated } = reference
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
    ...(isAnimated && { isAnimated }),
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
