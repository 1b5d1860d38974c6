import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import { newFile } from '../../../../test/conformance/networks/files.ts'
import { NetFailure } from '../../../net/failure.ts'
import { UploadFault } from '../../kit/transfer.ts'
import {
  Decryption,
  Encryption,
  encryptedSize,
  type FileKind,
  type FileSecrets,
  pipeThrough,
  secretsOf,
} from './media-crypto.ts'

const never = new AbortController().signal
const mediaKey = randomBytes(32)

async function bytesOf(stream: Readable): Promise<Buffer> {
  return Buffer.concat(await stream.toArray())
}

async function encrypt(size: number, kind: FileKind = 'document') {
  const file = newFile(size)
  const plain = await bytesOf(file.open())
  const secrets = await secretsOf(file, kind, mediaKey, never)
  const encrypted = await bytesOf(pipeThrough(file.open(), new Encryption(kind, mediaKey)))
  return { plain, secrets, encrypted }
}

/** Decrypts bytes that come in pieces of so many. */
function decrypt(
  bytes: Buffer,
  secrets: FileSecrets,
  kind: FileKind = 'document',
  piece = 1000,
): Promise<Buffer> {
  const pieces = function* () {
    for (let at = 0; at < bytes.length; at += piece) yield bytes.subarray(at, at + piece)
  }
  return bytesOf(pipeThrough(Readable.from(pieces(), { objectMode: false }), new Decryption(kind, secrets)))
}

for (const size of [0, 1, 15, 16, 17, 65_536, 200_001]) {
  test(`a file of ${size} bytes comes back as it was`, async () => {
    const { plain, secrets, encrypted } = await encrypt(size)
    assert.equal(encrypted.length, encryptedSize(size))
    for (const piece of [1, 9, 10, 11, 4096].filter((each) => size < 1000 || each > 1000))
      assert.ok((await decrypt(encrypted, secrets, 'document', piece)).equals(plain))
  })
}

test('the same file and key give the same bytes, and another kind or key gives others', async () => {
  const file = newFile(1000)
  const bytes = (kind: FileKind, key: Uint8Array) =>
    bytesOf(pipeThrough(file.open(), new Encryption(kind, key)))
  const first = await bytes('image', mediaKey)
  assert.ok(first.equals(await bytes('image', mediaKey)))
  for (const kind of ['document', 'audio', 'video'] as const)
    assert.ok(!first.equals(await bytes(kind, mediaKey)))
  assert.ok(!first.equals(await bytes('image', randomBytes(32))))
})

test('nothing that was changed anywhere comes to its end', async () => {
  const { secrets, encrypted } = await encrypt(5000)
  const flipped = (at: number) => {
    const bytes = Buffer.from(encrypted)
    bytes[at] = (bytes[at] ?? 0) ^ 1
    return bytes
  }
  const other = randomBytes(32)
  const cases: readonly (readonly [Buffer, FileSecrets, FileKind?])[] = [
    [flipped(0), secrets],
    [flipped(2500), secrets],
    [flipped(encrypted.length - 1), secrets],
    [encrypted.subarray(0, -16), secrets],
    [encrypted.subarray(0, 5), secrets],
    [Buffer.alloc(0), secrets],
    [Buffer.concat([encrypted, Buffer.alloc(16)]), secrets],
    [encrypted, { ...secrets, mediaKey: other }],
    [encrypted, { ...secrets, fileSha256: other }],
    [encrypted, { ...secrets, fileEncSha256: other }],
    [encrypted, { ...secrets, fileSha256: Buffer.alloc(0) }],
    [encrypted, secrets, 'image'],
  ]
  for (const [bytes, given, kind] of cases) {
    await assert.rejects(decrypt(bytes, given, kind), (failure) => {
      assert.ok(failure instanceof NetFailure)
      return failure.permanent && failure.reason === 'malformed'
    })
  }
})

test('a wrong MAC is noticed, also if the digest of what was uploaded fits it', async () => {
  const { secrets, encrypted } = await encrypt(5000)
  encrypted[encrypted.length - 1] = (encrypted.at(-1) ?? 0) ^ 1
  const fileEncSha256 = createHash('sha256').update(encrypted).digest()
  await assert.rejects(decrypt(encrypted, { ...secrets, fileEncSha256 }), NetFailure)
})

test('a file that is at fault is so before anything is uploaded', async () => {
  const file = newFile(100_000)
  const lies = { ...file, sha256: newFile(1).sha256 }
  await assert.rejects(secretsOf(lies, 'image', mediaKey, never), (fault) => {
    return fault instanceof UploadFault && fault.error.code === 'file_altered'
  })
  const ended = new AbortController()
  ended.abort(new Error('nobody wants it'))
  await assert.rejects(secretsOf(file, 'image', mediaKey, ended.signal), /nobody wants it/)
})

test('a file is encrypted in bounded memory', async () => {
  const size = 64 * 1024 * 1024
  const before = process.memoryUsage().arrayBuffers
  let most = 0
  const watch = setInterval(() => {
    most = Math.max(most, process.memoryUsage().arrayBuffers - before)
  }, 5)
  await secretsOf(newFile(size), 'document', mediaKey, never)
  clearInterval(watch)
  assert.ok(most < size / 2, `${most} bytes were held`)
})
