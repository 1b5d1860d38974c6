import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import { newFile, StoppingFile } from '../../../../test/conformance/networks/files.ts'
import { Authority } from '../../../../test/kit/far-ends/certificates.ts'
import type { Asked } from '../../../../test/kit/far-ends/far-end.ts'
import { closedPort, farEnd, listed, reply } from '../../../../test/kit/far-ends/fetching.ts'
import { Requesting } from '../../../../test/kit/far-ends/requesting.ts'
import type { OutgoingFile } from '../../driver/message.ts'
import { Decryption, encryptedSize, secretsOf } from './media-crypto.ts'
import { type MediaHost, upload } from './upload.ts'

const authority = new Authority('The authority of these tests')
const certified = authority.certify({ hosts: ['media.test', listed] })
const never = new AbortController().signal
const taken = JSON.stringify({ url: 'https://mmg.whatsapp.net/v/t62/1?x=y', direct_path: '/v/t62/1?x=y' })
const mediaKey = randomBytes(32)

const at = (port: number, most: number | null = null): MediaHost => ({
  hostname: `media.test:${port}`,
  maxContentLengthBytes: most,
})

async function uploads(
  t: TestContext,
  hosts: readonly MediaHost[],
  { file = newFile(100_000), signal = never }: { file?: OutgoingFile; signal?: AbortSignal } = {},
) {
  const requesting = await Requesting.start(t, undefined, { ca: authority.cert })
  const secrets = await secretsOf(newFile(10), 'document', mediaKey, never)
  const connection = { auth: 'a secret/with&signs', hosts }
  const options = { connection, file, kind: 'document', secrets, answerTime: 5_000, signal } as const
  return { secrets, result: await upload({ http: requesting.client, ...options }) }
}

function host(t: TestContext, behaviour: (asked: Asked) => unknown) {
  return farEnd(t, behaviour, { certified })
}

test('a file is uploaded encrypted, under its digest, with the secret of the connection', async (t) => {
  const far = await host(t, ({ socket }) => socket.write(reply(200, {}, taken)))
  const file = newFile(100_000)
  const requesting = await Requesting.start(t, undefined, { ca: authority.cert })
  const secrets = await secretsOf(file, 'image', mediaKey, never)
  const result = await upload({
    http: requesting.client,
    connection: { auth: 'a secret/with&signs', hosts: [at(far.port)] },
    file,
    kind: 'image',
    secrets,
    answerTime: 5_000,
    signal: never,
  })
  assert.deepEqual(result, {
    kind: 'uploaded',
    url: 'https://mmg.whatsapp.net/v/t62/1?x=y',
    directPath: '/v/t62/1?x=y',
  })
  const [{ head, body } = assert.fail()] = far.asked
  const name = Buffer.from(secrets.fileEncSha256).toString('base64url')
  assert.match(head, /^POST \/mms\/image\//)
  const asked = new URL(head.split(' ')[1] ?? '', 'https://media.test')
  assert.equal(asked.pathname, `/mms/image/${name}`)
  assert.equal(asked.searchParams.get('auth'), 'a secret/with&signs')
  assert.equal(asked.searchParams.get('token'), name)
  assert.match(head, /^origin: https:\/\/web\.whatsapp\.com\r$/im)
  assert.match(head, /^content-type: application\/octet-stream\r$/im)
  assert.equal(body.length, encryptedSize(file.size))
  const decryption = new Decryption('image', secrets)
  decryption.end(body)
  const plain = Buffer.concat(await file.open().toArray())
  assert.ok(Buffer.concat(await decryption.toArray()).equals(plain))
})

test('the next host is tried if one fails, and none after one that took it', async (t) => {
  const broken = await host(t, ({ socket }) => socket.destroy())
  const failing = await host(t, ({ socket }) => socket.write(reply(503)))
  const far = await host(t, ({ socket }) => socket.write(reply(200, {}, taken)))
  const unused = await host(t, () => {})
  const hosts = [at(broken.port), at(failing.port), at(far.port), at(unused.port)]
  const { result } = await uploads(t, hosts)
  assert.equal(result.kind, 'uploaded')
  assert.deepEqual(
    [broken, failing, far, unused].map(({ asked }) => asked.length),
    [1, 1, 1, 0],
  )
})

test('if all hosts fail, nothing was sent, and it may be tried again', async (t) => {
  const gone = await closedPort(t)
  const elsewhere = await host(t, ({ socket }) =>
    socket.write(reply(307, { Location: 'https://media.test/other' })),
  )
  const garbage = await host(t, ({ socket }) => socket.write(reply(200, {}, 'not JSON')))
  const { result } = await uploads(t, [at(gone), at(elsewhere.port), at(garbage.port)])
  assert.ok(result.kind === 'not-uploaded' && !result.isStale)
  assert.deepEqual([result.error.code, result.error.permanent], ['upload_failed', false])
  assert.deepEqual([elsewhere.asked.length, garbage.asked.length], [1, 1])
})

for (const [status, code, permanent, isStale] of [
  [401, 'upload_failed', false, true],
  [403, 'upload_failed', false, true],
  [413, 'file_too_large', true, false],
  [415, 'upload_refused', true, false],
  [400, 'upload_refused', true, false],
] as const) {
  test(`the status ${status} is the answer of all hosts`, async (t) => {
    const far = await host(t, ({ socket }) => socket.write(reply(status)))
    const other = await host(t, () => {})
    const { result } = await uploads(t, [at(far.port), at(other.port)])
    assert.ok(result.kind === 'not-uploaded')
    assert.deepEqual([result.error.code, result.error.permanent, result.isStale], [code, permanent, isStale])
    assert.equal(other.connections, 0)
    assert.ok(!JSON.stringify(result).includes('secret'))
  })
}

for (const answer of [
  {},
  { url: 'https://mmg.whatsapp.net/x' },
  { direct_path: '//other.example/x' },
  { direct_path: 'https://other.example/x' },
  { direct_path: '/v/../x' },
  { direct_path: '/v/@other' },
  { direct_path: '/v\\x' },
  { direct_path: 7 },
  [],
]) {
  test(`${JSON.stringify(answer)} says nowhere where the file is`, async (t) => {
    const far = await host(t, ({ socket }) => socket.write(reply(200, {}, JSON.stringify(answer))))
    const { result } = await uploads(t, [at(far.port)])
    assert.ok(result.kind === 'not-uploaded' && result.error.code === 'upload_failed')
  })
}

test('a URL that is none is made from the path', async (t) => {
  const answer = JSON.stringify({ url: 'javascript:alert(1)', direct_path: '/v/1' })
  const far = await host(t, ({ socket }) => socket.write(reply(200, {}, answer)))
  const { result } = await uploads(t, [at(far.port)])
  assert.ok(result.kind === 'uploaded' && result.url === 'https://mmg.whatsapp.net/v/1')
})

test('a host that takes no file of that size is passed over', async (t) => {
  const far = await host(t, ({ socket }) => socket.write(reply(200, {}, taken)))
  const size = encryptedSize(100_000)
  const { result } = await uploads(t, [at(1, size - 1), at(far.port, size)])
  assert.equal(result.kind, 'uploaded')
  const refused = await uploads(t, [at(far.port, size - 1)])
  assert.ok(refused.result.kind === 'not-uploaded' && refused.result.error.code === 'file_too_large')
})

test('a host that is none, and none at all, is nowhere', async (t) => {
  for (const hosts of [[], [{ hostname: 'user@media.test', maxContentLengthBytes: null }]]) {
    const { result } = await uploads(t, hosts)
    assert.ok(result.kind === 'not-uploaded')
    assert.deepEqual([result.error.code, result.error.permanent], ['upload_failed', false])
  }
})

test('a file that is at fault is what went wrong', async (t) => {
  const far = await host(t, () => {})
  const file = newFile(100_000)
  const { result } = await uploads(t, [at(far.port)], { file: { ...file, sha256: newFile(1).sha256 } })
  assert.ok(result.kind === 'not-uploaded' && result.error.code === 'file_altered')
  assert.equal(result.error.permanent, true)
})

test('a file is let go of when nobody wants the upload any longer', async (t) => {
  const far = await host(t, () => {})
  const file = new StoppingFile()
  const caller = new AbortController()
  const connected = far.nextConnection()
  const uploading = uploads(t, [at(far.port)], { file, signal: caller.signal })
  await connected
  caller.abort()
  const { result } = await uploading
  assert.ok(result.kind === 'not-uploaded' && !result.error.permanent)
  await file.released
})
