import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { buffer } from 'node:stream/consumers'
import { type TestContext, test } from 'node:test'
import { newFile } from '../../../../test/conformance/networks/files.ts'
import { Authority } from '../../../../test/kit/far-ends/certificates.ts'
import { farEnd, listed, withoutDialling } from '../../../../test/kit/far-ends/fetching.ts'
import { Requesting } from '../../../../test/kit/far-ends/requesting.ts'
import { NetFailure } from '../../../net/failure.ts'
import { openFile, readReference, referenceTo } from './files.ts'
import { Encryption, pipeThrough, secretsOf } from './media-crypto.ts'

const authority = new Authority('The authority of these tests')
const certified = authority.certify({ hosts: ['media.test', listed] })
const never = new AbortController().signal
const mediaKey = randomBytes(32)
const megabyte = 1024 * 1024

async function sent(size = 50_000) {
  const file = newFile(size)
  const secrets = await secretsOf(file, 'audio', mediaKey, never)
  const plain = await buffer(file.open())
  const encrypted = await buffer(pipeThrough(file.open(), new Encryption('audio', mediaKey)))
  const reference =
    referenceTo({ kind: 'audio', directPath: '/v/t62/1?ccb=11-4&oh=x', secrets, size }) ?? assert.fail()
  return { plain, encrypted, secrets, reference }
}

/** A place with a file, which answers with this. */
async function opening(t: TestContext, status: number, body: Buffer) {
  const requesting = await Requesting.start(t, undefined, { ca: authority.cert })
  const head = `HTTP/1.1 ${status} Whatever\r\nContent-Length: ${body.length}\r\n\r\n`
  const far = await farEnd(t, ({ socket }) => socket.write(Buffer.concat([Buffer.from(head), body])), {
    certified,
  })
  const options = { http: requesting.client, hosts: [`media.test:${far.port}`], answerTime: 5_000 }
  const open = async (reference: string, largest = megabyte) =>
    buffer((await openFile(options, reference, { largest, signal: never })).body)
  return { far, open, options }
}

function fails(opened: Promise<unknown>, reason: string, permanent: boolean): Promise<void> {
  return assert.rejects(opened, (failure) => {
    assert.ok(failure instanceof NetFailure, String(failure))
    assert.deepEqual([failure.reason, failure.permanent], [reason, permanent])
    return true
  })
}

test('a file comes as it was sent', async (t) => {
  const { plain, encrypted, reference } = await sent()
  const { far, open } = await opening(t, 200, encrypted)
  assert.ok((await open(reference)).equals(plain))
  assert.match(far.asked[0]?.head ?? '', /^GET \/v\/t62\/1\?ccb=11-4&oh=x HTTP/)
  assert.match(far.asked[0]?.head ?? '', /^origin: https:\/\/web\.whatsapp\.com\r$/im)
})

test('a file that is not the one that was sent never comes to its end', async (t) => {
  const { encrypted, reference } = await sent()
  encrypted[100] = (encrypted[100] ?? 0) ^ 1
  const { open } = await opening(t, 200, encrypted)
  await fails(open(reference), 'malformed', true)
})

for (const [status, permanent] of [
  [404, true],
  [410, true],
  [500, false],
  [302, true],
] as const) {
  test(`the status ${status} is ${permanent ? '' : 'not '}final`, async (t) => {
    const { encrypted, reference } = await sent()
    const { open } = await opening(t, status, encrypted)
    await fails(open(reference), 'status', permanent)
  })
}

test('a file that is gone says so', async (t) => {
  const { reference } = await sent()
  const { open } = await opening(t, 410, Buffer.alloc(0))
  await assert.rejects(open(reference), /no longer has the file/)
})

test('the next host has it if the first fails', async (t) => {
  const { plain, encrypted, reference } = await sent()
  const failing = await opening(t, 503, Buffer.alloc(0))
  const { options } = await opening(t, 200, encrypted)
  const both = { ...options, hosts: [...failing.options.hosts, ...options.hosts] }
  const { body } = await openFile(both, reference, { largest: megabyte, signal: never })
  assert.ok((await buffer(body)).equals(plain))
})

test('a file that is too large is not fetched, or cut off', async (t) => {
  const { encrypted, reference, secrets } = await sent()
  const { far, open } = await opening(t, 200, encrypted)
  await fails(open(reference, 49_999), 'too_large', true)
  assert.equal(far.asked.length, 0)
  const lie = referenceTo({ kind: 'audio', directPath: '/v/1', secrets, size: 1 }) ?? assert.fail()
  await fails(open(lie, 40_000), 'too_large', true)
})

for (const reference of [
  '',
  'x',
  '{}',
  '[]',
  'null',
  JSON.stringify({ kind: 'audio', path: '/v/1' }),
  JSON.stringify({ kind: 'toString', path: '/v/1', key: 'x', sha256: 'x', enc_sha256: 'x', size: 1 }),
]) {
  test(`${reference || 'nothing'} refers to no file`, async (t) => {
    const requesting = await Requesting.start(t)
    const options = { http: requesting.client, hosts: [], answerTime: 5_000 }
    await withoutDialling(() =>
      fails(openFile(options, reference, { largest: megabyte, signal: never }), 'malformed', true),
    )
  })
}

const secrets = { mediaKey, fileSha256: randomBytes(32), fileEncSha256: randomBytes(32) }

for (const directPath of [
  '',
  'v/1',
  '//other.example/1',
  '/v//1',
  '/v/../1',
  '/v/%2e%2E/1',
  '/./1',
  '/v/@other.example',
  '@other.example/1',
  ':8080/1',
  '/v\\1',
  '/v/1#x',
  '/v/ 1',
  '/v/1\r\nHost: x',
  'https://other.example/1',
  `/${'x'.repeat(1024)}`,
]) {
  test(`a file is not at ${JSON.stringify(directPath.slice(0, 40))}`, () => {
    assert.equal(referenceTo({ kind: 'image', directPath, secrets, size: 1 }), null)
    const forged = referenceTo({ kind: 'image', directPath: '/v/1', secrets, size: 1 }) ?? assert.fail()
    assert.equal(readReference(JSON.stringify({ ...JSON.parse(forged), path: directPath })), null)
  })
}

test('a file without its key or digests is none', () => {
  for (const part of ['mediaKey', 'fileSha256', 'fileEncSha256'] as const) {
    const wrong = { ...secrets, [part]: randomBytes(31) }
    assert.equal(referenceTo({ kind: 'image', directPath: '/v/1', secrets: wrong, size: 1 }), null)
  }
})

test('a reference is read as it was written', () => {
  const media = {
    kind: 'document',
    directPath: '/v/t62.7119-24/1?ccb=1&_nc_sid=5e03e0',
    secrets,
    size: null,
  } as const
  assert.deepEqual(readReference(referenceTo(media) ?? ''), media)
})
