import { createCipheriv, createDecipheriv, createHash, createHmac, hkdfSync, randomBytes } from 'node:crypto'
import type { FileReference } from '../proto/message.ts'

/*
 * Encryption of files before they are uploaded. Source: messages-media.js and MEDIA_HKDF_KEY_MAPPING of Baileys,
 * WaMediaCrypto of zapo-js.
 */

const keyNames = {
  image: 'WhatsApp Image Keys',
  sticker: 'WhatsApp Image Keys',
  video: 'WhatsApp Video Keys',
  audio: 'WhatsApp Audio Keys',
  document: 'WhatsApp Document Keys',
  history: 'WhatsApp History Keys',
} as const

/** Kind of a file; a voice note is audio. */
export type MediaKind = keyof typeof keyNames

/** A file as it is uploaded, and what a message must say about it. Keys and digests have 32 bytes. */
export interface EncryptedMedia {
  readonly encrypted: Uint8Array
  readonly mediaKey: Uint8Array
  readonly fileSha256: Uint8Array
  readonly fileEncSha256: Uint8Array
}

const macLength = 10

/** Encrypts a file under a new key. */
export function encryptMedia(bytes: Uint8Array, kind: MediaKind): EncryptedMedia {
  const mediaKey = randomBytes(32)
  const keys = keysOf(mediaKey, kind)
  const cipher = createCipheriv('aes-256-cbc', keys.cipher, keys.iv)
  const ciphertext = Buffer.concat([cipher.update(bytes), cipher.final()])
  const encrypted = Buffer.concat([ciphertext, macOf(keys, ciphertext)])
  return { encrypted, mediaKey, fileSha256: sha256(bytes), fileEncSha256: sha256(encrypted) }
}

/** The file that a message refers to. Throws unless the MAC and both digests are there and fit. */
export function decryptMedia(encrypted: Uint8Array, reference: FileReference, kind: MediaKind): Buffer {
  const { mediaKey, fileSha256, fileEncSha256 } = reference
  if (mediaKey?.length !== 32 || !fileSha256 || !fileEncSha256)
    throw new Error('The message does not say how its file is encrypted.')
  if (!sha256(encrypted).equals(fileEncSha256))
    throw new Error('The encrypted file is not the one that the message is about.')
  const keys = keysOf(mediaKey, kind)
  const ciphertext = encrypted.subarray(0, -macLength)
  if (!macOf(keys, ciphertext).equals(encrypted.subarray(-macLength)))
    throw new Error('The MAC of the file does not fit its key.')
  const decipher = createDecipheriv('aes-256-cbc', keys.cipher, keys.iv)
  const bytes = Buffer.concat([decipher.update(ciphertext), decipher.final()])
  if (!sha256(bytes).equals(fileSha256)) throw new Error('The file is not the one that the message is about.')
  return bytes
}

interface MediaKeys {
  readonly iv: Uint8Array
  readonly cipher: Uint8Array
  readonly mac: Uint8Array
}

function keysOf(mediaKey: Uint8Array, kind: MediaKind): MediaKeys {
  const derived = Buffer.from(hkdfSync('sha256', mediaKey, new Uint8Array(32), keyNames[kind], 112))
  return { iv: derived.subarray(0, 16), cipher: derived.subarray(16, 48), mac: derived.subarray(48, 80) }
}

const macOf = ({ iv, mac }: MediaKeys, ciphertext: Uint8Array) =>
  createHmac('sha256', mac).update(iv).update(ciphertext).digest().subarray(0, macLength)

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest()
