import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { ProblemError } from '../../../src/contract/client/client.ts'
import {
  cancelMessage,
  getMessage,
  listMessages,
  sendMediaMessage,
  sendTextMessage,
  uploadMediaMessage,
} from '../../../src/contract/operations/message-operations.ts'
import type { Message } from '../../../src/contract/resources/message.ts'
import type { TranscriptLine } from '../../../src/networks/sandbox/people/far-end.ts'
import { needsFfmpeg } from '../../kit/ffmpeg.ts'
import { problemOf } from '../../kit/http/problem-of.ts'
import { create, eventually, reaches, startObserved } from '../../kit/play.ts'
import type { Posthorn } from '../../kit/posthorn.ts'

/* Files through the sandbox, given by upload and by URL: what the recipient has is what was given, byte for byte. */

/** The beginning of a picture, as far as it is read: its header, and a chunk of image data. */
const pictureHead = '89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c48900004e2049444154'
const png = Buffer.concat([Buffer.from(pictureHead, 'hex'), randomBytes(20_004)])
const wav = Buffer.concat([Buffer.from('RIFF\u0000\u0000\u0000\u0000WAVEfmt '), randomBytes(30_000)])
const pdf = Buffer.concat([Buffer.from('%PDF-1.7\n'), randomBytes(3_000_000)])
const files = { image: png, audio: wav, document: pdf } as const
type Kind = keyof typeof files

const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')

let posthorn: Posthorn
let transcript: () => TranscriptLine[]
let web: Server
let origin: string
/** Number of requests to the restless address; it answers from the second on. */
let restless = 0
/** The slow address answers when the test lets it. */
const slow = { asked: Promise.withResolvers<void>(), answered: Promise.withResolvers<void>() }

before(async () => {
  web = createServer(async (request, response) => {
    if (request.url?.endsWith('?slow')) {
      slow.asked.resolve()
      await slow.answered.promise
    }
    const kind = request.url?.slice(1).split('.')[0] as Kind
    if (request.url === '/image.bin?restless' && !restless++) response.writeHead(503).end()
    else if (request.url?.startsWith('/to?'))
      response.writeHead(302, { location: request.url.slice('/to?'.length) }).end()
    else if (files[kind]) response.end(files[kind])
    else response.writeHead(404).end()
  })
  await new Promise<void>((resolve) => web.listen(0, '127.0.0.1', resolve))
  origin = `http://127.0.0.1:${(web.address() as AddressInfo).port}`
  const observed = await startObserved({ environment: { POSTHORN_FETCH_ALLOW_CIDRS: '127.0.0.1/32' } })
  posthorn = observed.posthorn
  transcript = observed.transcript
  await create(posthorn.admin, 'trial')
})

after(async () => {
  await posthorn.stop()
  web.close()
})

function form(fields: Record<string, string>, bytes?: Buffer, filename = 'report.bin'): FormData {
  const body = new FormData()
  for (const [name, value] of Object.entries({ instance: 'trial', to: 'ana@delivers.sandbox', ...fields }))
    body.set(name, value)
  if (bytes) body.set('file', new Blob([new Uint8Array(bytes)]), filename)
  return body
}

async function upload(
  fields: Record<string, string>,
  bytes?: Buffer,
  { by = 'media', ...options }: { idempotencyKey?: string; by?: keyof typeof paths } = {},
) {
  const given = { body: form(fields, bytes), waitSeconds: 10, ...options }
  return (await posthorn.admin.call(paths[by], given)).body
}

/** Uploads are taken by the path that takes URLs as well, and by one of their own. */
const paths = { media: sendMediaMessage, upload: uploadMediaMessage } as const

/** Returns the arrivals at the recipient under the network's id of a message. */
function received(message: Message) {
  return transcript().find(({ id }) => id === message.network_message_id) ?? assert.fail('nothing came')
}

for (const kind of ['image', 'audio', 'document'] as const) {
  describe(`a file sent as ${kind}`, () => {
    for (const by of ['media', 'upload'] as const)
      test(`by upload to …/${by} reaches the recipient byte for byte`, async () => {
        const fields = { kind, caption: 'See this', filename: 'fine name.bin' }
        const message = await upload(fields, files[kind], { by })
        assert.equal(message.media?.sha256, sha256(files[kind]))
        assert.equal(message.media.size, files[kind].length)
        await reaches(posthorn.admin, message.id, 'delivered')
        const line = received(message)
        assert.equal(line.media?.sha256, sha256(files[kind]))
        assert.equal(line.media?.caption, 'See this')
        assert.match(line.media?.filename ?? '', /^fine name\./)
      })

    test('by URL is fetched, and reaches the recipient byte for byte', async () => {
      const body = { instance: 'trial', to: 'ana@delivers.sandbox', kind, url: `${origin}/${kind}.bin` }
      const { body: accepted } = await posthorn.admin.call(sendMediaMessage, { body })
      assert.equal(accepted.media?.sha256, null, 'it is accepted before it is fetched')
      const message = await reaches(posthorn.admin, accepted.id, 'delivered')
      assert.equal(message.media?.sha256, sha256(files[kind]))
      assert.equal(received(message).media?.sha256, sha256(files[kind]))
    })
  })
}

/** A second of silence, as WAV: 8,000 samples of 16 bits. */
function recording(): Buffer {
  const head = Buffer.alloc(44)
  head.write('RIFF\u0024\u003e\u0000\u0000WAVEfmt \u0010', 'latin1')
  head.writeUInt16LE(1, 20)
  head.writeUInt16LE(1, 22)
  head.writeUInt32LE(8_000, 24)
  head.writeUInt32LE(16_000, 28)
  head.writeUInt16LE(2, 32)
  head.writeUInt16LE(16, 34)
  head.write('data', 36)
  head.writeUInt32LE(16_000, 40)
  return Buffer.concat([head, Buffer.alloc(16_000)])
}

test('audio sent as a voice note arrives as one, by type and by name', needsFfmpeg, async () => {
  const sent = await upload({ kind: 'audio', voice: 'true', filename: 'greeting.wav' }, recording())
  const { media } = received(await reaches(posthorn.admin, sent.id, 'delivered'))
  assert.deepEqual(
    [media?.voice, media?.mime_type, media?.filename],
    [true, 'audio/ogg; codecs=opus', 'greeting.ogg'],
  )
})

test('a text after a file that is still being fetched keeps its place', async () => {
  const to = 'orderly@delivers.sandbox'
  const text = (to: string) =>
    posthorn.admin.call(sendTextMessage, { body: { instance: 'trial', to, text: 'Behind it' } })
  const body = { instance: 'trial', to, kind: 'document', url: `${origin}/document.bin?slow` } as const
  const { body: first } = await posthorn.admin.call(sendMediaMessage, { body })
  await slow.asked.promise
  const { body: second } = await text(to)
  const { body: other } = await text('somebody.else@delivers.sandbox')
  await reaches(posthorn.admin, other.id, 'delivered')
  const statusOf = async (id: string) =>
    (await posthorn.admin.call(getMessage, { params: { id } })).body.status
  assert.deepEqual([await statusOf(first.id), await statusOf(second.id)], ['queued', 'queued'])
  slow.answered.resolve()
  await reaches(posthorn.admin, second.id, 'delivered')
  const seen = transcript().filter((line) => line.to === to)
  assert.deepEqual(
    seen.map(({ id }) => id),
    [first.network_message_id, second.network_message_id],
  )
})

test('a URL that cannot be had makes the message fail, and says why', async () => {
  const cases = {
    [`${origin}/none.bin`]: 'media_unreachable',
    [`${origin}/to?http://127.0.0.2/secret`]: 'media_refused',
    [`${origin}/to?https://169.254.169.254/latest/meta-data`]: 'media_refused',
  }
  for (const [url, code] of Object.entries(cases)) {
    const body = { instance: 'trial', to: 'bert@delivers.sandbox', kind: 'document', url } as const
    const { body: accepted } = await posthorn.admin.call(sendMediaMessage, { body })
    const { error } = await reaches(posthorn.admin, accepted.id, 'failed')
    assert.equal(error?.code, code)
    assert.equal(error.permanent, true)
  }
  const body = {
    instance: 'trial',
    to: 'bert@delivers.sandbox',
    kind: 'image',
    url: `${origin}/document.bin`,
  } as const
  const { body: accepted } = await posthorn.admin.call(sendMediaMessage, { body })
  assert.equal((await reaches(posthorn.admin, accepted.id, 'failed')).error?.code, 'media_type_mismatch')
})

test('a URL from which nothing is ever fetched is refused at once, with what the settings allow', async () => {
  const never = [
    'http://127.0.0.2/a.png',
    'https://10.0.0.1/a.png',
    'https://169.254.169.254/',
    'http://[::1]/',
  ]
  for (const url of never) {
    const body = { instance: 'trial', to: 'bert@delivers.sandbox', kind: 'image', url } as const
    const { code, problem } = await problemOf(posthorn.admin.call(sendMediaMessage, { body }))
    assert.deepEqual([code, problem.errors?.map(({ pointer }) => pointer)], ['invalid_request', ['/url']])
    assert.match(problem.detail, /POSTHORN_FETCH_ALLOW_CIDRS/)
    assert.ok(!problem.detail.includes(url))
  }
})

test('a URL that cannot be had now is fetched again, and says meanwhile why', async () => {
  const url = `${origin}/image.bin?restless`
  const body = { instance: 'trial', to: 'patient@delivers.sandbox', kind: 'image', url } as const
  const { body: accepted } = await posthorn.admin.call(sendMediaMessage, { body })
  const read = async () => (await posthorn.admin.call(getMessage, { params: { id: accepted.id } })).body
  const waiting = await eventually('the first failure', read, ({ error }) => error !== null)
  assert.deepEqual([waiting.status, waiting.error?.permanent], ['queued', false])
  const message = await reaches(posthorn.admin, accepted.id, 'delivered')
  assert.equal(received(message).media?.sha256, sha256(png))
  assert.equal(restless, 2)
})

async function refusal(call: Promise<unknown>) {
  const error = await call.then(
    () => assert.fail('it was accepted'),
    (error: unknown) => error,
  )
  assert.ok(error instanceof ProblemError)
  return { code: error.code, pointers: error.problem.errors?.map(({ pointer }) => pointer) }
}

test('the path of uploads takes nothing else', async () => {
  const { url, adminKey } = posthorn
  const body = JSON.stringify({ instance: 'trial', to: 'ana@delivers.sandbox', kind: 'image', url: origin })
  const authorization = `Bearer ${adminKey}`
  for (const [headers, given] of [
    [{ authorization, 'content-type': 'application/json' }, body],
    [{ authorization, 'content-type': 'text/plain' }, body],
    [{ authorization }, undefined],
  ] as const) {
    const path = '/v1/messages/media/upload'
    const reply = await posthorn.client().rawRequest('POST', path, {
      headers,
      ...(given === undefined ? {} : { body: given }),
    })
    assert.equal(reply.status, 415, url)
    assert.match(reply.text, /Send the body as a form of the type `multipart\/form-data`/)
  }
  assert.deepEqual(await refusal(upload({ kind: 'image' }, pdf, { by: 'upload' })), {
    code: 'invalid_request',
    pointers: ['/file'],
  })
})

test('the caption of an upload mentions people, whose addresses come as JSON, and nothing else is taken for them', async () => {
  const people = ['ana@delivers.sandbox', 'bo@delivers.sandbox']
  const fields = { kind: 'document', to: 'crew@group.sandbox', caption: 'For @ana and @bo' }
  for (const by of ['media', 'upload'] as const) {
    const message = await upload({ ...fields, mentions: JSON.stringify(people) }, pdf, { by })
    assert.deepEqual(message.mentions, people)
    await reaches(posthorn.admin, message.id, 'delivered')
    assert.deepEqual(received(message).mentions, people)
  }
  for (const mentions of ['ana@delivers.sandbox', '{"0": "ana@delivers.sandbox"}', '"ana"', '', '[1]'])
    assert.deepEqual(
      await refusal(upload({ ...fields, mentions }, pdf)),
      { code: 'invalid_request', pointers: [mentions === '[1]' ? '/mentions/0' : '/mentions'] },
      mentions,
    )
})

test('an upload that does not fit is refused by name', async () => {
  assert.deepEqual(await refusal(upload({ kind: 'image' }, pdf)), {
    code: 'invalid_request',
    pointers: ['/file'],
  })
  assert.deepEqual(await refusal(upload({ kind: 'image' })), { code: 'invalid_request', pointers: ['/file'] })
  assert.deepEqual(await refusal(upload({ kind: 'picture' }, png)), {
    code: 'invalid_request',
    pointers: ['/kind'],
  })
  assert.deepEqual(await refusal(upload({ kind: 'image', voice: 'true' }, png)), {
    code: 'invalid_request',
    pointers: ['/voice'],
  })
  assert.deepEqual(
    await refusal(upload({ kind: 'image' }, Buffer.concat([png, Buffer.alloc(17 * 1024 * 1024)]))),
    {
      code: 'body_too_large',
      pointers: undefined,
    },
  )
})

test('an upload that is repeated with its key is one message; with another file it is refused', async () => {
  const options = { idempotencyKey: 'upload-1' }
  const fields = { kind: 'image', client_ref: 'once' }
  const first = await upload(fields, png, options)
  const again = await upload(fields, png, options)
  assert.equal(again.id, first.id)
  assert.equal(
    (await refusal(upload(fields, Buffer.concat([png, png]), options))).code,
    'idempotency_mismatch',
  )
  const { body } = await posthorn.admin.call(listMessages, { query: { client_ref: 'once' } })
  assert.deepEqual(
    body.data.map(({ media }) => media?.sha256),
    [sha256(png)],
  )
  const { body: read } = await posthorn.admin.call(getMessage, { params: { id: first.id } })
  assert.equal(read.media?.mime_type, 'image/png')
})

test('a file is kept while a message needs it, and forgotten after its time', async () => {
  const bytes = Buffer.from('needed twice')
  const sent = await upload({ kind: 'document' }, bytes)
  const waiting = await upload({ kind: 'document', to: 'carla@busy.sandbox' }, bytes)
  await reaches(posthorn.admin, sent.id, 'delivered')
  await posthorn.forgetFiles(Date.now())
  assert.equal(await posthorn.forgetFiles(Date.now()), 0, 'what is settled was forgotten, and nothing twice')
  const ask = () => {
    const headers = { authorization: `Bearer ${posthorn.adminKey}` }
    return posthorn.admin.rawRequest('GET', `/v1/messages/${waiting.id}/media`, { headers })
  }
  assert.equal((await ask()).status, 200)
  await posthorn.admin.call(cancelMessage, { params: { id: waiting.id } })
  assert.equal((await ask()).status, 404, 'the last message let go of it')
})
