import type { HttpClient } from '../../../net/http/client.ts'
import type { HttpFailure, HttpResponse } from '../../../net/http/request.ts'
import { slowestTransfer } from '../../driver/limits.ts'
import type { OutgoingFile } from '../../driver/message.ts'
import type { NetworkError } from '../../driver/outcome.ts'
import { isWithin, parseObject, textIn } from '../../kit/json.ts'
import { CheckedFile, UploadFault } from '../../kit/transfer.ts'
import type { ErrorCode } from '../codes.ts'
import { errorOf } from '../errors.ts'
import { Encryption, encryptedSize, type FileKind, type FileSecrets, pipeThrough } from './media-crypto.ts'
import { isDirectPath, isMediaHost, mediaOrigin, usualMediaHost } from './media-places.ts'

/** Hosts that take files, as WhatsApp names them on the connection (`media_conn`). */
export interface MediaConnection {
  /** A secret that is valid for some minutes. */
  readonly auth: string
  readonly hosts: readonly MediaHost[]
}

export interface MediaHost {
  /** May have a port. */
  readonly hostname: string
  /** The largest body that it takes, in bytes; null if it does not say. */
  readonly maxContentLengthBytes: number | null
}

export interface UploadOptions {
  readonly http: HttpClient
  readonly connection: MediaConnection
  readonly file: OutgoingFile
  readonly kind: FileKind
  readonly secrets: FileSecrets
  /** Milliseconds that a host may take to answer, besides the time for the bytes. */
  readonly answerTime: number
  readonly signal: AbortSignal
}

/** A file that WhatsApp has. */
export interface UploadedFile {
  readonly kind: 'uploaded'
  readonly url: string
  readonly directPath: string
}

/** Nothing was sent. `isStale`: WhatsApp takes files with this `auth` no longer, and another one is to be asked for. */
export interface NotUploaded {
  readonly kind: 'not-uploaded'
  readonly isStale: boolean
  readonly error: NetworkError
}

/** Hosts that are tried. */
const maxHosts = 4

/** In bytes. */
const longestAnswer = 16 * 1024
const answerLimits = { structure: 200, depth: 8 }

/**
 * Uploads a file to the first host that takes it, encrypted while it is read. Never rejects. Source: whatsmeow, upload.go; Baileys,
 * getWAUploadToServer.
 */
export async function upload(options: UploadOptions): Promise<UploadedFile | NotUploaded> {
  const { connection, file } = options
  const size = encryptedSize(file.size)
  const known = connection.hosts.filter(({ hostname }) => isMediaHost(hostname))
  const hosts = known.filter(({ maxContentLengthBytes: most }) => most === null || most >= size)
  let failed = notUploaded(
    known.length > hosts.length ? 'file_too_large' : 'upload_failed',
    hosts.length < known.length,
  )
  for (const { hostname } of hosts.slice(0, maxHosts)) {
    const result = await uploadTo(hostname, options)
    if (result.kind === 'uploaded') return result
    failed = result
    if (result.isStale || result.error.permanent || options.signal.aborted || !result.mayTryNext) break
  }
  const { kind, isStale, error } = failed
  return { kind, isStale, error }
}

interface Failed extends NotUploaded {
  readonly mayTryNext: boolean
}

async function uploadTo(hostname: string, options: UploadOptions): Promise<UploadedFile | Failed> {
  const { http, connection, file, kind, secrets, answerTime, signal } = options
  const name = Buffer.from(secrets.fileEncSha256).toString('base64url')
  const query = new URLSearchParams({ auth: connection.auth, token: name })
  const source = new CheckedFile(file)
  const answer = await http.request({
    method: 'POST',
    url: `https://${hostname}/mms/${kind}/${name}?${query}`,
    headers: { Origin: mediaOrigin },
    body: {
      file: {
        type: 'application/octet-stream',
        size: encryptedSize(file.size),
        open: () => encrypted(source, kind, secrets),
      },
    },
    limits: { headers: answerTime, total: answerTime + file.size / slowestTransfer },
    maxBytes: longestAnswer,
    signal,
  })
  return answer.kind === 'failed' ? failureOf(answer) : readAnswer(answer)
}

/** Returns the encrypted bytes, which fail with the error of the file. */
function encrypted(source: CheckedFile, kind: FileKind, { mediaKey }: FileSecrets) {
  return pipeThrough(source.open(), new Encryption(kind, mediaKey))
}

function failureOf({ error }: HttpFailure): Failed {
  if (error instanceof UploadFault)
    return { kind: 'not-uploaded', isStale: false, error: error.error, mayTryNext: false }
  return notUploaded('upload_failed', false)
}

function readAnswer({ status, body }: HttpResponse): UploadedFile | Failed {
  if (status === 401 || status === 403) return { ...notUploaded('upload_failed', false), isStale: true }
  if (status === 413) return notUploaded('file_too_large', true)
  if (status === 400 || status === 415) return notUploaded('upload_refused', true, `HTTP ${status}`)
  const json = status === 200 && isWithin(body, answerLimits) ? parseObject(body) : null
  const directPath = json && textIn(json, 'direct_path')
  if (!json || directPath === null || !isDirectPath(directPath)) return notUploaded('upload_failed', false)
  const url = textIn(json, 'url')
  return { kind: 'uploaded', url: shownUrl(url) ?? `https://${usualMediaHost}${directPath}`, directPath }
}

/** In UTF-16 units. */
const longestUrl = 2048

/** Returns the URL of the file for recipients, if it is one. */
function shownUrl(url: string | null): string | null {
  if (url === null || url.length > longestUrl) return null
  return URL.parse(url)?.protocol === 'https:' ? url : null
}

function notUploaded(code: ErrorCode, permanent: boolean, networkCode?: string): Failed {
  return {
    kind: 'not-uploaded',
    isStale: false,
    error: errorOf(code, permanent, networkCode),
    mayTryNext: !permanent,
  }
}
