import { randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import type { HttpClient } from '../../../net/http/client.ts'
import type {
  FollowingMessage,
  OutgoingContacts,
  OutgoingFile,
  OutgoingLocation,
  OutgoingMedia,
  OutgoingPoll,
  OutgoingText,
} from '../../driver/message.ts'
import { type Notice, type Outcome, rejected } from '../../driver/outcome.ts'
import { UploadFault } from '../../kit/transfer.ts'
import type { ErrorCode, NoticeCode } from '../codes.ts'
import { errorOf, noticeOf } from '../errors.ts'
import { shownTypes, voiceType } from '../limits.ts'
import { type FileKind, type FileSecrets, keyBytes, secretsOf } from '../media/media-crypto.ts'
import { type MediaConnection, type UploadedFile, upload } from '../media/upload.ts'
import { type VoiceFacts, VoiceNoteReader } from '../media/voice-note.ts'
import { type StickerFacts, StickerReader } from '../media/webp.ts'
import { contextOf } from './context.ts'
import type { WhatsAppContent } from './fields.ts'
import { followingContent } from './following.ts'
import { shownContent } from './shown-content.ts'
import { isRepresentable } from './text.ts'
import { acceptedAt } from './time.ts'

/** The messages that WhatsApp has: a linked client has neither templates nor buttons. */
export type SendableMessage =
  | OutgoingText
  | OutgoingMedia
  | OutgoingLocation
  | OutgoingContacts
  | OutgoingPoll
  | FollowingMessage

/** Content to be stored before the first attempt; or the reason why nothing can be sent. */
export type Built =
  | { readonly kind: 'built'; readonly content: WhatsAppContent; readonly notices: readonly Notice[] }
  | { readonly kind: 'failed'; readonly outcome: Outcome }

/** A small picture of an image. */
export interface Thumbnail {
  readonly jpeg: Uint8Array
  /** Of the image itself, in pixels, as it is shown. */
  readonly width: number
  readonly height: number
}

export interface ContentOptions {
  readonly http: HttpClient
  /** Returns the hosts that take files; `fresh`: the earlier answer is no longer valid. Rejects if WhatsApp does not say. */
  readonly mediaHosts: (fresh: boolean) => Promise<MediaConnection>
  /** Null if there is none. */
  readonly thumbnail: (image: Uint8Array) => Promise<Thumbnail | null>
  /** Does something that holds a whole image when it is its turn: few at a time. Rejects if too much waits. */
  readonly inTurn: <Result>(work: () => Promise<Result>) => Promise<Result>
  /** Keeps room for the bytes of an image until it is uploaded; returns how to release them, or null if there is no room. */
  readonly hold: (bytes: number) => (() => void) | null
  readonly signal: AbortSignal
}

/** Milliseconds that a host for files may take to answer, besides the time for the bytes. */
const answerTime = 20_000

/** The largest image of which a thumbnail is made, in bytes: until it is there, the whole image is in memory. */
const largestWithThumbnail = 8 * 1024 * 1024

/** Bytes of an image in memory that the upload takes at once. */
const pieceBytes = 65_536

/** Builds what is sent for a message; its file is uploaded for that, under a new key. Never rejects. */
export async function buildContent(message: SendableMessage, options: ContentOptions): Promise<Built> {
  const fault = faultOf(message)
  if (fault) return failed(rejected(errorOf(fault, true)))
  return isMedia(message) ? await buildMedia(message, options) : built(plainContent(message), [])
}

type WithoutFile = Exclude<SendableMessage, OutgoingMedia>

function isMedia(message: SendableMessage): message is OutgoingMedia {
  return 'file' in message
}

function plainContent(message: WithoutFile): WhatsAppContent {
  switch (message.kind) {
    case 'text': {
      const { text } = message
      const contextInfo = contextOf(message)
      return contextInfo ? { extendedTextMessage: { text, contextInfo } } : { conversation: text }
    }
    case 'location':
    case 'contacts':
    case 'poll':
      return shownContent(message)
    default:
      return followingContent(message)
  }
}

async function buildMedia(message: OutgoingMedia, options: ContentOptions): Promise<Built> {
  const { form } = formOf(message)
  if ((form === 'audio' || form === 'sticker') && (message.caption ?? '') !== '')
    return failed(rejected(errorOf('caption_not_supported', true)))
  const mediaKey = randomBytes(keyBytes)
  try {
    const { file, release, ...learned } = await examined(message.file, form, mediaKey, options)
    const uploaded = await uploadedFile(file, encryptionOf(form), learned.secrets, options).finally(release)
    if (uploaded.kind === 'failed') return uploaded
    return built(mediaContent({ message, form, uploaded, ...learned }), noticesOf(message))
  } catch (caught) {
    if (caught instanceof UploadFault) return failed(rejected(caught.error))
    return failed(rejected(errorOf(options.signal.aborted ? 'not_connected' : 'upload_failed', false)))
  }
}

/** The core has checked the words of contents without a text of their own (`textFault`). */
function faultOf(message: SendableMessage): ErrorCode | null {
  if (isMedia(message)) {
    const { file, caption } = message
    if (!isRepresentable(`${caption ?? ''}\n${file.filename}`)) return 'text_not_representable'
    return file.size === 0 ? 'file_empty' : null
  }
  return 'text' in message && !isRepresentable(message.text) ? 'text_not_representable' : null
}

/** As what a file goes: what clients do not show or play goes as a document. */
function formOf({ kind, voice, file }: OutgoingMedia): {
  form: OutgoingMedia['kind']
  notices: NoticeCode[]
} {
  if (kind === 'document') return { form: kind, notices: [] }
  if (!shownTypes[kind]?.includes(file.mime_type)) return { form: 'document', notices: ['sent_as_document'] }
  return { form: kind, notices: voice && file.mime_type !== voiceType ? ['sent_as_audio'] : [] }
}

/** Returns the notices to the sender of a message, the same in each attempt. */
export function noticesOf(message: SendableMessage): readonly Notice[] {
  return isMedia(message) ? formOf(message).notices.map((code) => noticeOf(code)) : []
}

/** The kind as which a file is encrypted and uploaded: a sticker is an image there. */
function encryptionOf(form: OutgoingMedia['kind']): FileKind {
  return form === 'sticker' ? 'image' : form
}

/** Uploads a file; with another secret of the connection, if the first is no longer valid. */
async function uploadedFile(
  file: OutgoingFile,
  kind: FileKind,
  secrets: FileSecrets,
  { http, mediaHosts, signal }: ContentOptions,
): Promise<UploadedFile | Extract<Built, { kind: 'failed' }>> {
  for (const fresh of [false, true]) {
    const connection = await mediaHosts(fresh)
    const result = await upload({ http, connection, file, kind, secrets, answerTime, signal })
    if (result.kind === 'uploaded') return result
    if (!result.isStale || fresh) return failed(rejected(result.error))
  }
  return failed(rejected(errorOf('upload_failed', false)))
}

/** Facts about a file that reading it once reveals, before it is uploaded. */
interface Examined {
  readonly secrets: FileSecrets
  readonly seen: Thumbnail | null
  readonly heard: VoiceFacts | null
  readonly sticker: StickerFacts | null
  /** The file for the upload: in memory until it is released, or as it was. */
  readonly file: OutgoingFile
  readonly release: () => void
}

const nothing = () => {}

/** An image without a thumbnail is sent nevertheless. */
async function examined(
  file: OutgoingFile,
  form: OutgoingMedia['kind'],
  mediaKey: Uint8Array,
  options: ContentOptions,
): Promise<Examined> {
  if (form === 'image' && file.size <= largestWithThumbnail) {
    let isItsTurn = false
    try {
      return await options.inTurn(() => {
        isItsTurn = true
        return examinedImage(file, mediaKey, options)
      })
    } catch (caught) {
      if (isItsTurn) throw caught
    }
  }
  const note = form === 'audio' && file.mime_type === voiceType ? new VoiceNoteReader() : null
  const webp = form === 'sticker' ? new StickerReader() : null
  const secrets = await secretsOf(file, encryptionOf(form), mediaKey, options.signal, (bytes) => {
    note?.take(bytes)
    webp?.take(bytes)
  })
  const [heard, sticker] = [note?.facts() ?? null, webp?.facts() ?? null]
  return { secrets, seen: null, heard, sticker, file, release: nothing }
}

async function examinedImage(
  file: OutgoingFile,
  mediaKey: Uint8Array,
  { thumbnail, hold, signal }: ContentOptions,
): Promise<Examined> {
  const image = Buffer.alloc(file.size)
  let count = 0
  const secrets = await secretsOf(file, 'image', mediaKey, signal, (bytes) => {
    count += bytes.copy(image, count)
  })
  const seen = await thumbnail(image).catch(() => null)
  const release = hold(image.length)
  const open = () => Readable.from(copiesOf(image), { objectMode: false })
  const held = release ? { ...file, open } : file
  return { secrets, seen, heard: null, sticker: null, file: held, release: release ?? nothing }
}

/** Copies the bytes piece by piece: the upload frees each once it is sent, and may have to begin again at another host. */
function* copiesOf(image: Buffer): Generator<Buffer> {
  for (let at = 0; at < image.length; at += pieceBytes) yield Buffer.from(image.subarray(at, at + pieceBytes))
}

interface Parts extends Pick<Examined, 'secrets' | 'seen' | 'heard'>, Partial<Pick<Examined, 'sticker'>> {
  readonly message: OutgoingMedia
  readonly form: OutgoingMedia['kind']
  readonly uploaded: Pick<UploadedFile, 'url' | 'directPath'>
}

/** The content of a message with a file: the same for the same parts. */
export function mediaContent({
  message,
  form,
  secrets,
  uploaded,
  seen,
  heard,
  sticker,
}: Parts): WhatsAppContent {
  const { file, caption } = message
  const contextInfo = contextOf(message)
  const said = caption !== null && caption !== '' ? { caption } : {}
  const common = {
    url: uploaded.url,
    directPath: uploaded.directPath,
    mimetype: file.mime_type,
    fileLength: file.size,
    mediaKey: secrets.mediaKey,
    fileSha256: secrets.fileSha256,
    fileEncSha256: secrets.fileEncSha256,
    mediaKeyTimestamp: Math.floor(acceptedAt(message.id) / 1000),
    ...(contextInfo && { contextInfo }),
  }
  switch (form) {
    case 'image': {
      const shown = seen && { width: seen.width, height: seen.height, jpegThumbnail: seen.jpeg }
      return { imageMessage: { ...common, ...shown, ...said } }
    }
    case 'video':
      return { videoMessage: { ...common, ...said } }
    case 'sticker':
      return { stickerMessage: { ...common, ...stickerFields(sticker ?? null) } }
    case 'audio':
      return { audioMessage: { ...common, ...audioFields(message, heard) } }
    case 'document': {
      const documentMessage = { ...common, fileName: file.filename, title: file.filename, ...said }
      // Clients show the caption of a document only in this wrapping.
      return 'caption' in said
        ? { documentWithCaptionMessage: { message: { documentMessage } } }
        : { documentMessage }
    }
  }
}

function stickerFields(facts: StickerFacts | null): WhatsAppContent {
  const { isAnimated = false, width = null, height = null } = facts ?? {}
  return { isAnimated, ...(width !== null && height !== null && { width, height }) }
}

function audioFields({ voice, file }: OutgoingMedia, heard: VoiceFacts | null): WhatsAppContent {
  const { seconds, waveform = null } = heard ?? {}
  return {
    ptt: voice && file.mime_type === voiceType,
    ...(seconds !== undefined && { seconds }),
    ...(voice && waveform !== null && { waveform }),
  }
}

function built(content: WhatsAppContent, notices: readonly Notice[]): Built {
  return { kind: 'built', content, notices }
}

function failed(outcome: Outcome): Extract<Built, { kind: 'failed' }> {
  return { kind: 'failed', outcome }
}
