import {
  type Cipheriv,
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  type Decipheriv,
  type Hash,
  type Hmac,
  hkdfSync,
  timingSafeEqual,
} from 'node:crypto'
import { pipeline as pipelineOf, type Readable, Transform, type TransformCallback } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { malformed } from '../../../net/failure.ts'
import { freeBuffer } from '../../../runtime/free-buffer.ts'
import type { OutgoingFile } from '../../driver/message.ts'
import { CheckedFile } from '../../kit/transfer.ts'

/*
 * Encryption of files on WhatsApp: HKDF-SHA256 makes 112 bytes of a random key of 32, by the kind of the file: the IV, the
 * keys of AES-256-CBC and of HMAC-SHA256, and 32 bytes that are not needed here. The upload is the ciphertext and the first
 * ten bytes of the HMAC of the IV and the ciphertext. Source: WhatsApp Encryption Overview, Transmitting Media; whatsmeow,
 * download.go.
 */

/** Encrypted things: the kinds of files, and parts of the history. */
export type FileKind = 'image' | 'document' | 'audio' | 'video' | 'history'

const infos: Readonly<Record<FileKind, string>> = {
  image: 'WhatsApp Image Keys',
  document: 'WhatsApp Document Keys',
  audio: 'WhatsApp Audio Keys',
  video: 'WhatsApp Video Keys',
  history: 'WhatsApp History Keys',
}

/** In bytes, of the key of a file, and of each of its digests. */
export const keyBytes = 32
const blockBytes = 16
const macBytes = 10

/** The key of a file, and the digests by which it is recognized: each of 32 bytes. */
export interface FileSecrets {
  readonly mediaKey: Uint8Array
  /** Of the file. */
  readonly fileSha256: Uint8Array
  /** Of what is uploaded. */
  readonly fileEncSha256: Uint8Array
}

/** Returns the bytes to upload of a file of so many. */
export function encryptedSize(size: number): number {
  return (Math.floor(size / blockBytes) + 1) * blockBytes + macBytes
}

/** Encrypts the bytes of a file. The same file and key give the same bytes, so a file can be encrypted as often as it is uploaded. */
export class Encryption extends Transform {
  readonly #cipher: Cipheriv
  readonly #mac: Hmac
  readonly #plain = createHash('sha256')
  readonly #encrypted = createHash('sha256')
  #digests: Omit<FileSecrets, 'mediaKey'> | null = null

  constructor(kind: FileKind, mediaKey: Uint8Array) {
    super()
    const { iv, cipherKey, macKey } = keysOf(kind, mediaKey)
    this.#cipher = createCipheriv('aes-256-cbc', cipherKey, iv)
    this.#mac = createHmac('sha256', macKey).update(iv)
  }

  /** Null until everything is encrypted. */
  get digests(): Omit<FileSecrets, 'mediaKey'> | null {
    return this.#digests
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, pass: TransformCallback): void {
    this.#plain.update(chunk)
    const bytes = this.#cipher.update(chunk)
    freeBuffer(chunk)
    pass(null, this.#counted(bytes))
  }

  override _flush(end: TransformCallback): void {
    const last = this.#counted(this.#cipher.final())
    const mac = this.#mac.digest().subarray(0, macBytes)
    this.#encrypted.update(mac)
    this.#digests = { fileSha256: this.#plain.digest(), fileEncSha256: this.#encrypted.digest() }
    end(null, Buffer.concat([last, mac]))
  }

  #counted(bytes: Buffer): Buffer {
    this.#mac.update(bytes)
    this.#encrypted.update(bytes)
    return bytes
  }
}

/**
 * Reads a file once to find out what it will be recognized by; nothing of it is kept. `onBytes` sees them, too, and must copy what it
 * keeps. Rejects with a `FileFault` if the file is at fault,
 * and with the reason of the signal if that aborts.
 */
export async function secretsOf(
  file: OutgoingFile,
  kind: FileKind,
  mediaKey: Uint8Array,
  signal: AbortSignal,
  onBytes: (bytes: Buffer) => void = () => {},
): Promise<FileSecrets> {
  const encryption = new Encryption(kind, mediaKey)
  const shown = async function* (bytes: AsyncIterable<Buffer>) {
    for await (const each of bytes) {
      onBytes(each)
      yield each
    }
  }
  try {
    await pipeline(new CheckedFile(file).open(), shown, encryption, discarded, { signal })
  } catch (caught) {
    signal.throwIfAborted()
    throw caught
  }
  if (encryption.digests === null) throw new Error('the encryption did not end')
  return { mediaKey, ...encryption.digests }
}

async function discarded(bytes: AsyncIterable<Buffer>): Promise<void> {
  for await (const each of bytes) freeBuffer(each)
}

/**
 * Decrypts what was uploaded. It ends only if the file is the one that was sent; otherwise, it fails with a NetFailure at the end at the
 * latest. So what comes out of it must not be used before it ended.
 */
export class Decryption extends Transform {
  readonly #secrets: FileSecrets
  readonly #decipher: Decipheriv
  readonly #mac: Hmac
  readonly #plain: Hash = createHash('sha256')
  readonly #encrypted: Hash = createHash('sha256')
  /** The last bytes, of which the MAC is not decrypted. */
  #tail: Buffer = Buffer.alloc(0)

  constructor(kind: FileKind, secrets: FileSecrets) {
    super()
    const { iv, cipherKey, macKey } = keysOf(kind, secrets.mediaKey)
    this.#secrets = secrets
    this.#decipher = createDecipheriv('aes-256-cbc', cipherKey, iv)
    this.#mac = createHmac('sha256', macKey).update(iv)
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, pass: TransformCallback): void {
    this.#encrypted.update(chunk)
    const bytes = Buffer.concat([this.#tail, chunk])
    const end = Math.max(0, bytes.length - macBytes)
    this.#tail = Buffer.from(bytes.subarray(end))
    const encrypted = bytes.subarray(0, end)
    this.#mac.update(encrypted)
    pass(null, this.#counted(this.#decipher.update(encrypted)))
  }

  override _flush(end: TransformCallback): void {
    const last = this.#checkedEnd()
    if (last === null) end(malformed('the file is not the one that was sent'))
    else end(null, last)
  }

  /** The last bytes; null if the file is another one. */
  #checkedEnd(): Buffer | null {
    const { fileSha256, fileEncSha256 } = this.#secrets
    const mac = this.#mac.digest().subarray(0, macBytes)
    // Bytes that are not authentic are not unpadded: its success would say something about the rest.
    if (!isSame(mac, this.#tail) || !isSame(this.#encrypted.digest(), fileEncSha256)) return null
    try {
      const last = this.#counted(this.#decipher.final())
      return isSame(this.#plain.digest(), fileSha256) ? last : null
    } catch {
      return null
    }
  }

  #counted(bytes: Buffer): Buffer {
    this.#plain.update(bytes)
    return bytes
  }
}

/** Returns the output of a transform that reads `source`: the end of either ends the other, with the same error. */
export function pipeThrough(source: Readable, transform: Transform): Readable {
  return pipelineOf(source, transform, () => {})
}

function keysOf(kind: FileKind, mediaKey: Uint8Array) {
  if (mediaKey.length !== keyBytes) throw new RangeError(`the key of a file has ${keyBytes} bytes`)
  const bytes = Buffer.from(hkdfSync('sha256', mediaKey, '', infos[kind], 112))
  return { iv: bytes.subarray(0, 16), cipherKey: bytes.subarray(16, 48), macKey: bytes.subarray(48, 80) }
}

function isSame(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && timingSafeEqual(one, other)
}
