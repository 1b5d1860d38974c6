import { malformed, NetFailure, statusFailure, tooLarge } from '../../../net/failure.ts'
import type { Fetched } from '../../../net/fetch/fetch.ts'
import type { HttpClient } from '../../../net/http/client.ts'
import type { HttpOpened } from '../../../net/http/request.ts'
import type { FileRequest } from '../../driver/abilities/files.ts'
import { longestReference } from '../../driver/observation.ts'
import { fileFailure } from '../../kit/http-reasons.ts'
import { integerIn, type Json, parseObject, textIn } from '../../kit/json.ts'
import {
  Decryption,
  encryptedSize,
  type FileKind,
  type FileSecrets,
  keyBytes,
  pipeThrough,
} from './media-crypto.ts'
import { isDirectPath, isMediaHost, mediaOrigin, usualMediaHost } from './media-places.ts'

/** A file in a message, as it is referred to. */
export interface ReceivedMedia {
  readonly kind: FileKind
  readonly directPath: string
  readonly secrets: FileSecrets
  /** In bytes, as its sender says; null if they do not. */
  readonly size: number | null
}

export interface FileOptions {
  readonly http: HttpClient
  /** The hosts that WhatsApp names, in its order; empty if it named none so far. */
  readonly hosts: readonly string[]
  /** Milliseconds that a host may take to answer. */
  readonly answerTime: number
}

/** Hosts that are tried. */
const maxHosts = 3

const kinds: readonly FileKind[] = ['image', 'document', 'audio', 'video', 'history']

/** The reference to a file; null if it cannot be fetched, because something that is needed is missing or makes no sense. */
export function referenceTo({ kind, directPath, secrets, size }: ReceivedMedia): string | null {
  const { mediaKey, fileSha256, fileEncSha256 } = secrets
  if (!isDirectPath(directPath)) return null
  if ([mediaKey, fileSha256, fileEncSha256].some(({ length }) => length !== keyBytes)) return null
  const reference = JSON.stringify({
    kind,
    path: directPath,
    key: inBase64(mediaKey),
    sha256: inBase64(fileSha256),
    enc_sha256: inBase64(fileEncSha256),
    size,
  })
  return Buffer.byteLength(reference) <= longestReference ? reference : null
}

/** Reads a reference; null if it is none. */
export function readReference(reference: string): ReceivedMedia | null {
  const json = parseObject(Buffer.from(reference)) ?? {}
  const kind = kinds.find((each) => each === json.kind)
  const directPath = textIn(json, 'path') ?? ''
  const [mediaKey, fileSha256, fileEncSha256] = ['key', 'sha256', 'enc_sha256'].map((name) =>
    bytesIn(json, name),
  )
  if (!kind || !isDirectPath(directPath) || !mediaKey || !fileSha256 || !fileEncSha256) return null
  return { kind, directPath, secrets: { mediaKey, fileSha256, fileEncSha256 }, size: integerIn(json, 'size') }
}

/**
 * Opens a received file: `FileAccess.open`. Its body fails at the end if the file is not the one that was sent. Rejects with a
 * NetFailure.
 */
export async function openFile(
  { http, hosts, answerTime }: FileOptions,
  reference: string,
  { largest, signal }: FileRequest,
): Promise<Fetched> {
  const media = readReference(reference)
  if (media === null) throw malformed('the network has no such file')
  if ((media.size ?? 0) > largest) throw tooLarge(largest)
  const known = hosts.filter(isMediaHost).slice(0, maxHosts)
  let failure: NetFailure | null = null
  for (const host of known.length > 0 ? known : [usualMediaHost]) {
    const opened = await http.open({
      url: `https://${host}${media.directPath}`,
      headers: { Origin: mediaOrigin },
      maxBytes: encryptedSize(largest),
      limits: { headers: answerTime },
      signal,
    })
    signal.throwIfAborted()
    if (opened.kind === 'responded' && opened.status === 200) return decrypted(opened, media)
    failure = opened.kind === 'failed' ? fileFailure(opened, largest) : refusalOf(opened)
    if (failure.permanent && failure.reason !== 'refused' && failure.reason !== 'tls') break
  }
  throw failure ?? malformed('the network does not say where its files are')
}

function decrypted({ body }: HttpOpened, { kind, secrets }: ReceivedMedia): Fetched {
  return { headers: {}, suggestedFilename: undefined, body: pipeThrough(body, new Decryption(kind, secrets)) }
}

function refusalOf({ status, body }: HttpOpened): NetFailure {
  body.destroy()
  // WhatsApp keeps files for some weeks; afterwards, only a phone that has one could upload it again.
  if (status === 404 || status === 410)
    return new NetFailure('status', true, 'WhatsApp no longer has the file', { status })
  return statusFailure(status)
}

function inBase64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64url')
}

function bytesIn(json: Json, name: string): Buffer | null {
  const text = textIn(json, name)
  const bytes = text === null ? null : Buffer.from(text, 'base64url')
  return bytes?.length === keyBytes ? bytes : null
}
