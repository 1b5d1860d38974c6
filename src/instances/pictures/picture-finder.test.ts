import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { FakeTime } from '../../../test/kit/fake-time.ts'
import type { HttpResponse } from '../../net/http/request.ts'
import type { PictureAnswer } from '../../networks/driver/abilities/pictures.ts'
import { FoundPicture } from './picture-cache.ts'
import { PictureFinder } from './picture-finder.ts'

const png = (bytes: number) =>
  Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), Buffer.alloc(bytes - 8)])
const found = (bytes: Uint8Array): PictureAnswer => ({ kind: 'found', bytes })

function plays(answer: (address: string) => PictureAnswer | Promise<PictureAnswer>) {
  const time = new FakeTime()
  const asked: string[] = []
  const fetched: string[] = []
  let response: Partial<HttpResponse> | { kind: 'failed'; reason: string } = {}
  const http = {
    of: () => ({
      request: async ({ url, maxBytes }: { url: string; maxBytes: number }) => {
        assert.equal(maxBytes, 1024 * 1024)
        fetched.push(url)
        return response as never
      },
      open: async () => assert.fail('a picture is read at once'),
    }),
  }
  const finder = new PictureFinder({ ...time, http })
  const connection = {
    findPicture: async (address: string) => {
      asked.push(address)
      return await answer(address)
    },
  }
  const of = (id: string, organization: string) => ({ id, organization, connection })
  const ask = (address: string, id = 'inst_a', organization = 'org_a') =>
    finder.ask(of(id, organization), address)
  const respond = (given: typeof response) => {
    response = given
  }
  return { time, finder, asked, fetched, ask, of, respond }
}

test('a picture is kept for a day, and that there is none for an hour', async () => {
  const { time, asked, ask } = plays((address) => (address === 'bob' ? { kind: 'none' } : found(png(100))))
  const kinds = async () => [(await ask('ana')).kind, (await ask('bob')).kind]
  assert.deepEqual(await kinds(), ['found', 'none'])
  time.pass(60 * 60_000 - 1)
  await kinds()
  assert.deepEqual(asked, ['ana', 'bob'])
  time.pass(1)
  await kinds()
  assert.deepEqual(asked, ['ana', 'bob', 'bob'])
  time.pass(23 * 60 * 60_000)
  await kinds()
  assert.deepEqual(asked, ['ana', 'bob', 'bob', 'ana', 'bob'])
})

test('all who ask at a time share one question, and what failed is asked again', async () => {
  let fail = true
  const { asked, ask } = plays(async () => {
    await turn()
    return fail ? { kind: 'unanswered', detail: 'Not now.' } : found(png(100))
  })
  const both = await Promise.all([ask('ana'), ask('ana')])
  assert.deepEqual([both.map(({ kind }) => kind), asked.length], [['unanswered', 'unanswered'], 1])
  fail = false
  assert.equal((await ask('ana')).kind, 'found')
  assert.equal(asked.length, 2)
})

test('bytes that are no picture, or too many, are none', async () => {
  const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>')
  for (const bytes of [svg, Buffer.from('GIF89a trailing'), Buffer.alloc(0), png(1024 * 1024 + 1)])
    assert.equal((await plays(() => found(bytes)).ask('ana')).kind, 'none')
  assert.equal((await plays(() => found(png(1024 * 1024))).ask('ana')).kind, 'found')
})

test('one at a URL is fetched with care', async () => {
  const { ask, fetched, respond } = plays((address) => ({
    kind: 'at-url',
    url: `https://example.org/${address}`,
  }))
  const kindOf = async (address: string, response: Parameters<typeof respond>[0]) => {
    respond(response)
    return (await ask(address)).kind
  }
  assert.equal(await kindOf('a', { kind: 'responded', status: 200, body: png(10) }), 'found')
  assert.equal(await kindOf('b', { kind: 'responded', status: 404, body: png(10) }), 'none')
  assert.equal(await kindOf('c', { kind: 'responded', status: 302, body: png(10) }), 'unanswered')
  assert.equal(await kindOf('d', { kind: 'failed', reason: 'too_large' }), 'none')
  assert.equal(await kindOf('e', { kind: 'failed', reason: 'refused' }), 'unanswered')
  assert.equal(fetched.length, 5)
})

test('an instance asks about a minute’s worth at once, a few more wait, and the rest is refused', async () => {
  const { time, asked, ask } = plays(() => ({ kind: 'none' }))
  const all = Array.from({ length: 70 }, (_, at) => ask(`p${at}`))
  await turn()
  assert.equal(asked.length, 60)
  assert.equal((await ask('x', 'inst_b')).kind, 'none')
  assert.deepEqual(await all.at(-1), { kind: 'paced', seconds: 5 })
  time.pass(5_000)
  const results = await Promise.all(all)
  assert.equal(results.filter(({ kind }) => kind === 'none').length, 65)
})

test('a network that never answers holds up four questions of its organization, for half a minute', async () => {
  const { time, asked, ask } = plays((address) =>
    address.startsWith('slow') ? new Promise<never>(() => {}) : { kind: 'none' },
  )
  const slow = Array.from({ length: 6 }, (_, at) => ask(`slow${at}`))
  await turn()
  assert.equal(asked.length, 4)
  assert.equal((await ask('ana', 'inst_b', 'org_b')).kind, 'none')
  time.pass(30_000)
  const kinds = (await Promise.all(slow)).map(({ kind }) => kind)
  assert.deepEqual(kinds.toSorted(), [...Array(2).fill('paced'), ...Array(4).fill('unanswered')])
  assert.equal((await ask('ana')).kind, 'none')
})

test('what an instance found is forgotten, also what is on its way', async () => {
  const gate = Promise.withResolvers<void>()
  let isHeld = false
  const { finder, asked, ask, of } = plays(async () => {
    if (isHeld) await gate.promise
    return found(png(100))
  })
  await ask('ana')
  await ask('ana', 'inst_b')
  isHeld = true
  const late = ask('bob')
  finder.forget(of('inst_a', 'org_a'))
  gate.resolve()
  assert.equal((await late).kind, 'found')
  for (const address of ['ana', 'bob']) await ask(address)
  await ask('ana', 'inst_b')
  assert.deepEqual(asked, ['ana', 'ana', 'bob', 'ana', 'bob'])
})

test('memory is bounded for an organization, and for all: the one with the most gives', async () => {
  const { time, asked, ask } = plays(() => found(png(1024 * 1024 - 1_000)))
  const fill = async (organization: string, count: number) => {
    for (let at = 0; at < count; at++) {
      await ask(`p${at}`, `inst_${organization}`, organization)
      time.pass(1_000)
    }
  }
  await fill('org_small', 1)
  for (let at = 0; at < 6; at++) await fill(`org_${at}`, 20)
  asked.length = 0
  await ask('p0', 'inst_org_small', 'org_small')
  assert.deepEqual(asked, [], 'the small one keeps its own')
  for (let at = 19; at >= 0; at--) await ask(`p${at}`, 'inst_org_5', 'org_5')
  assert.ok(asked.length >= 12 && asked.length <= 16, `${asked.length} were asked for again`)
})

test('a picture crosses to another node as JSON, and back', async () => {
  const { ask } = plays(() => found(png(100)))
  const picture = await ask('ana')
  assert.ok(picture instanceof FoundPicture)
  const crossed = JSON.parse(JSON.stringify(picture))
  assert.deepEqual(Buffer.from(crossed.bytes, 'base64'), png(100))
  assert.deepEqual([crossed.kind, crossed.mimeType, crossed.sha256], ['found', 'image/png', picture.sha256])
})
