import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import { WaMediaCrypto } from 'zapo-js/media'
import {
  Decryption,
  Encryption,
  type FileKind,
  pipeThrough,
  secretsOf,
} from '../../../src/networks/whatsapp/media/media-crypto.ts'
import { newFile } from './files.ts'

const never = new AbortController().signal

async function bytesOf(stream: Readable): Promise<Buffer> {
  return Buffer.concat(await stream.toArray())
}

for (const kind of ['image', 'document', 'audio', 'video'] as const satisfies readonly FileKind[]) {
  for (const size of [0, 15, 16, 100_000]) {
    test(`another client reads a file of ${size} bytes that was sent as ${kind}, and the other way round`, async () => {
      const file = newFile(size)
      const plain = await bytesOf(file.open())
      const mediaKey = randomBytes(32)
      const secrets = await secretsOf(file, kind, mediaKey, never)
      const encrypted = await bytesOf(pipeThrough(file.open(), new Encryption(kind, mediaKey)))
      const theirs = await WaMediaCrypto.encryptBytes(kind, mediaKey, plain)
      assert.deepEqual(Buffer.from(theirs.ciphertextHmac), encrypted)
      assert.deepEqual(Buffer.from(theirs.fileSha256), secrets.fileSha256)
      assert.deepEqual(Buffer.from(theirs.fileEncSha256), secrets.fileEncSha256)

      const { fileSha256, fileEncSha256 } = secrets
      const { plaintext } = await WaMediaCrypto.decryptBytes(
        kind,
        mediaKey,
        encrypted,
        fileSha256,
        fileEncSha256,
      )
      assert.deepEqual(Buffer.from(plaintext), plain)
      const source = Readable.from([Buffer.from(theirs.ciphertextHmac)])
      assert.deepEqual(await bytesOf(pipeThrough(source, new Decryption(kind, secrets))), plain)
    })
  }
}
