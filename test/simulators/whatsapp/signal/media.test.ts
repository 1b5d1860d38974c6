import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { readFile, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { describe, test } from 'node:test'
import { downloadEncryptedContent, encryptedStream, getMediaKeys } from 'baileys'
import { WaMediaCrypto } from 'zapo-js/media'
import { decryptMedia, encryptMedia } from './media.ts'

const kinds = ['image', 'sticker', 'video', 'audio', 'document'] as const
const sizes = [0, 1, 15, 16, 17, 70_000]

describe('a file that a phone encrypts', () => {
  test('is read by zapo-js, which checks all there is', async () => {
    for (const kind of kinds)
      for (const size of sizes) {
        const bytes = randomBytes(size)
        const { encrypted, mediaKey, fileSha256, fileEncSha256 } = encryptMedia(bytes, kind)
        const read = await WaMediaCrypto.decryptBytes(kind, mediaKey, encrypted, fileSha256, fileEncSha256)
        assert.deepEqual(Buffer.from(read.plaintext), bytes, `${kind} of ${size} bytes`)
      }
  })

  test('is refused by zapo-js under another key, or of another kind', async () => {
    const { encrypted, mediaKey, fileSha256, fileEncSha256 } = encryptMedia(randomBytes(100), 'image')
    await assert.rejects(
      WaMediaCrypto.decryptBytes('image', randomBytes(32), encrypted, fileSha256, fileEncSha256),
      /MAC/,
    )
    await assert.rejects(
      WaMediaCrypto.decryptBytes('audio', mediaKey, encrypted, fileSha256, fileEncSha256),
      /MAC/,
    )
  })

  test('is read by Baileys', async () => {
    const bytes = randomBytes(70_000)
    const { encrypted, mediaKey } = encryptMedia(bytes, 'document')
    const server = createServer((_, response) => response.end(encrypted)).listen(0, '127.0.0.1')
    await new Promise((listening) => server.once('listening', listening))
    const { port } = server.address() as AddressInfo
    const stream = await downloadEncryptedContent(
      `http://127.0.0.1:${port}/file`,
      await getMediaKeys(mediaKey, 'document'),
    )
    assert.deepEqual(await buffer(stream), bytes)
    server.close()
  })
})

describe('a phone reads a file', () => {
  test('that zapo-js encrypted', async () => {
    for (const kind of kinds) {
      const [bytes, mediaKey] = [randomBytes(1000), randomBytes(32)]
      const sent = await WaMediaCrypto.encryptBytes(kind, mediaKey, bytes)
      assert.deepEqual(decryptMedia(sent.ciphertextHmac, { ...sent, mediaKey }, kind), bytes)
    }
  })

  test('that Baileys encrypted', async () => {
    const bytes = randomBytes(70_000)
    const { encFilePath, ...sent } = await encryptedStream(bytes, 'audio')
    const encrypted = await readFile(encFilePath)
    await rm(encFilePath)
    assert.deepEqual(decryptMedia(encrypted, sent, 'audio'), bytes)
  })

  test('only if its MAC and both digests fit', () => {
    const bytes = randomBytes(1000)
    const { encrypted, ...said } = encryptMedia(bytes, 'image')
    const changed = Buffer.from(encrypted)
    changed[changed.length - 1] = (changed.at(-1) ?? 0) ^ 1
    const digest = createHash('sha256').update(changed).digest()
    assert.throws(() => decryptMedia(changed, said, 'image'), /not the one/)
    assert.throws(() => decryptMedia(changed, { ...said, fileEncSha256: digest }, 'image'), /MAC/)
    assert.throws(() => decryptMedia(encrypted, said, 'audio'), /MAC/)
    assert.throws(
      () => decryptMedia(encrypted, { ...said, fileSha256: randomBytes(32) }, 'image'),
      /not the one/,
    )
    assert.throws(() => decryptMedia(encrypted, { mediaKey: said.mediaKey }, 'image'), /does not say/)
    assert.deepEqual(decryptMedia(encrypted, said, 'image'), bytes)
  })
})
