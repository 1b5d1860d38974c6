import { randomBytes } from 'node:crypto'
import type { HttpClient } from '../../../net/http/client.ts'
import { bytesOfBase32 } from '../../../runtime/ids.ts'
import type { FreeFormMessage, OutgoingFile, OutgoingMedia } from '../../driver/message.ts'
import { type Notice, type Outcome, rejected } from '../../driver/outcome.ts'
import { UploadFault } from '../../kit/transfer.ts'
import type { ErrorCode, NoticeCode } from '../codes.ts'
import { errorOf, noticeOf } from '../errors.ts'
import { shownTypes, voiceType } from '../limits.ts'
import { type FileKind, type FileSecrets, keyBytes, secretsOf } from '../media/media-crypto.ts'
import { type MediaConnection, type UploadedFile, upload } from '../media/upload.ts'
import { type VoiceFacts, voiceFactsOf } from '../media/voice-note.ts'
import { isRepresentable } from './text.ts'

/** The fields of the protobuf message `Message`, by name, as far as they are set. */
export type WhatsAppContent = Readonly<Record<string, unknown>>

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
  readonly signal: AbortSignal
}

/** Milliseconds that a host for files may take to answer, besides the time for the bytes. */
const answerTime = 20_000

/** The largest image of which a thumbnail is made, in bytes: until it is there, the whole image is in memory. */
const largestWithThumbnail = 8 * 1024 * 1024

/** Builds what is sent for a message; its file is uploaded for that, under a new key. Never rejects. */
export async function buildContent(message: FreeFormMessage, options: ContentOptions): Promise<Built> {
  const fault = faultOf(message)
  if (fault) return failed(rejected(errorOf(fault, true)))
  if (message.kind === 'text') return built({ conversation: message.text }, [])
  const { form } = formOf(message)
  if (form === 'audio' && (message.caption ?? '') !== '')
    return failed(rejected(errorOf('caption_not_supported', true)))
  const mediaKey = randomBytes(keyBytes)
  try {
    const secrets = await secretsOf(message.file, form, mediaKey, options.signal)
    const uploaded = await uploadedFile(message.file, form, secrets, options)
    if (uploaded.kind === 'failed') return uploaded
    const seen = form === 'image' ? await thumbnailOf(message.file, options) : null
    const heard =
      form === 'audio' && message.file.mime_type === voiceType ? await voiceFactsOf(message.file) : null
    return built(mediaContent({ message, form, secrets, uploaded, seen, heard }), noticesOf(message))
  } catch (caught) {
    if (caught instanceof UploadFault) return failed(rejected(caught.error))
    return failed(rejected(errorOf(options.signal.aborted ? 'not_connected' : 'upload_failed', false)))
  }
}

function faultOf(message: FreeFormMessage): ErrorCode | null {
  const words = message.kind === 'text' ? message.text : `${message.caption ?? ''}\n${message.file.filename}`
  if (!isRepresentable(words)) return 'text_not_representable'
  return message.kind !== 'text' && message.file.size === 0 ? 'file_empty' : null
}

/** As what a file goes: what clients do not show or play goes as a document. */
function formOf({ kind, voice, file }: OutgoingMedia): {
  form: OutgoingMedia['kind']
  notices: NoticeCode[]
} {
  if (kind === 'document') return { form: kind, notices: [] }
  if (!shownTypes[kind].includes(file.mime_type)) return { form: 'document', notices: ['sent_as_document'] }
  return { form: kind, notices: voice && file.mime_type !== voiceType ? ['sent_as_audio'] : [] }
}

/** Returns the notices to the sender of a message, the same in each attempt. */
export function noticesOf(message: FreeFormMessage): readonly Notice[] {
  return message.kind === 'text' ? [] : formOf(message).notices.map((code) => noticeOf(code))
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

/** An image without a thumbnail is sent nevertheless. */
async function thumbnailOf(file: OutgoingFile, options: ContentOptions): Promise<Thumbnail | null> {
  if (file.size > largestWithThumbnail) return null
  try {
    return await options.inTurn(async () => {
      const image = Buffer.concat((await file.open().toArray()) as Buffer[])
      return image.length === file.size ? await options.thumbnail(image) : null
    })
  } catch {
    return null
  }
}

interface Parts {
  readonly message: OutgoingMedia
  readonly form: OutgoingMedia['kind']
  readonly secrets: FileSecrets
  readonly uploaded: Pick<UploadedFile, 'url' | 'directPath'>
  readonly seen: Thumbnail | null
  readonly heard: VoiceFacts | null
}

/** The content of a message with a file: the same for the same parts. */
export function mediaContent({ message, form, secrets, uploaded, seen, heard }: Parts): WhatsAppContent {
  const { file, caption } = message
  const said = caption !== null && caption !== '' ? { caption } : {}
  const common = {
    url: uploaded.url,
    directPath: uploaded.directPath,
    mimetype: file.mime_type,
    fileLength: file.size,
    mediaKey: secrets.mediaKey,
    fileSha256: secrets.fileSha256,
    fileEncSha256: secrets.fileEncSha256,
    mediaKeyTimestamp: secondsIn(message.id),
  }
  if (form === 'image') {
    const shown = seen && { width: seen.width, height: seen.height, jpegThumbnail: seen.jpeg }
    return { imageMessage: { ...common, ...shown, ...said } }
  }
  if (form === 'audio') {
    const { seconds, waveform = null } = heard ?? {}
    return {
      audioMessage: {
        ...common,
        ptt: message.voice && file.mime_type === voiceType,
        ...(seconds !== undefined && { seconds }),
        ...(message.voice && waveform !== null && { waveform }),
      },
    }
  }
  const documentMessage = { ...common, fileName: file.filename, title: file.filename, ...said }
  // Clients show the caption of a document only in this wrapping.
  return 'caption' in said
    ? { documentWithCaptionMessage: { message: { documentMessage } } }
    : { documentMessage }
}

/** When the message was accepted, in seconds since the epoch: its id begins with that in milliseconds (RFC 9562, UUIDv7). */
function secondsIn(id: string): number {
  return Math.floor(Buffer.from(bytesOfBase32(id)).readUIntBE(0, 6) / 1000)
}

function built(content: WhatsAppContent, notices: readonly Notice[]): Built {
  return { kind: 'built', content, notices }
}

function failed(outcome: Outcome): Extract<Built, { kind: 'failed' }> {
  return { kind: 'failed', outcome }
}
