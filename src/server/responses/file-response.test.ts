import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, get, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { describe, type TestContext, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import fc from 'fast-check'
import { FakeTime } from '../../../test/kit/fake-time.ts'
import type { ServedFile } from '../../contract/handler.ts'
import { Problem } from '../../contract/problem.ts'
import type { Alarms } from '../../runtime/timers/alarms.ts'
import { fileResponse, openStoredFile, sendFile } from './file-response.ts'

const etag = '"abc123"'

function fileOf(size: number, open: ServedFile['open'] = () => Readable.from([])): ServedFile {
  return { filename: 'Größe.pdf', mimeType: 'application/pdf', size, sha256: 'abc123', open }
}

/** Returns the response in a few words. */
function said(size: number, asked: Record<string, string>): string {
  try {
    const { status, headers } = fileResponse(fileOf(size), asked)
    return [status, headers['content-range'] ?? headers['content-length']].join(' ').trim()
  } catch (error) {
    assert.ok(error instanceof Problem && error.code === 'range_not_satisfiable')
    return `416 ${error.headers['content-range']}`
  }
}

describe('what is asked for', () => {
  const ranges = {
    'bytes=0-0': '206 bytes 0-0/1000',
    'bytes=0-999': '206 bytes 0-999/1000',
    'bytes=500-': '206 bytes 500-999/1000',
    'bytes=-1': '206 bytes 999-999/1000',
    'bytes=-5000': '206 bytes 0-999/1000',
    'bytes=990-99999999999999999999': '206 bytes 990-999/1000',
    'Bytes= 1-2 ': '206 bytes 1-2/1000',
    'bytes=1000-': '416 bytes */1000',
    'bytes=-0': '416 bytes */1000',
    [`bytes=${'9'.repeat(400)}-`]: '416 bytes */1000',
    'bytes=2-1': '200 1000',
    'bytes=-': '200 1000',
    'bytes=0-1,4-5': '200 1000',
    'lines=0-1': '200 1000',
    'bytes=a-b': '200 1000',
    'bytes 0-1': '200 1000',
    '': '200 1000',
  }
  for (const [range, expected] of Object.entries(ranges))
    test(`"${range.slice(0, 40)}" is answered ${expected}`, () =>
      assert.equal(said(1000, { range }), expected))

  test('an empty file has no part, and can be had as a whole', () => {
    assert.deepEqual(
      ['bytes=0-', 'bytes=-1', ''].map((range) => said(0, { range })),
      ['416 bytes */0', '416 bytes */0', '200 0'],
    )
  })

  test('a part is sent only of the file that the caller began', () => {
    const range = 'bytes=0-1'
    const dates = ['Sun, 06 Nov 1994 08:49:37 GMT', `W/${etag}`, '"other"', '']
    for (const other of dates) assert.equal(said(1000, { range, 'if-range': other }), '200 1000')
    assert.equal(said(1000, { range, 'if-range': etag }), '206 bytes 0-1/1000')
  })

  test('nothing is sent to whoever has the file', () => {
    for (const list of [etag, `W/${etag}`, `"x", ${etag}`, '*'])
      assert.equal(said(1000, { 'if-none-match': list, range: 'bytes=5000-' }), '304')
    for (const list of ['"x"', 'abc123', '']) assert.equal(said(1000, { 'if-none-match': list }), '200 1000')
  })

  test('the name is carried whole, and in the letters that every client knows', () => {
    const { headers } = fileResponse(fileOf(1), {})
    assert.equal(
      headers['content-disposition'],
      `attachment; filename="Gr??e.pdf"; filename*=UTF-8''Gr%C3%B6%C3%9Fe.pdf`,
    )
  })

  test('whatever is asked, a part lies within the file, and its length is given', () => {
    const bound = fc.oneof(fc.nat(20).map(String), fc.constant(''))
    fc.assert(
      fc.property(fc.nat(10), bound, bound, (size, from, to) => {
        const [status, , part] = said(size, { range: `bytes=${from}-${to}` }).split(' ')
        if (status !== '206') return
        const [first, last, whole] = (part ?? '').split(/[-/]/).map(Number) as [number, number, number]
        assert.ok(first >= 0 && first <= last && last < size && whole === size)
      }),
    )
  })
})

const megabyte = 1024 * 1024

/** A source of so many megabytes that reports how many were taken, and when its reader is gone. */
class Source {
  taken = 0
  readonly released: Promise<void>
  readonly #megabytes: number
  readonly #failsAfter: number
  #release = () => {}

  constructor(megabytes: number, failsAfter = Number.POSITIVE_INFINITY) {
    this.#megabytes = megabytes
    this.#failsAfter = failsAfter
    this.released = new Promise((resolve) => {
      this.#release = resolve
    })
  }

  get file(): ServedFile {
    return fileOf(this.#megabytes * megabyte, () => Readable.from(this.#bytes(), { objectMode: false }))
  }

  async *#bytes(): AsyncGenerator<Buffer> {
    try {
      for (; this.taken < this.#megabytes; this.taken++) {
        if (this.taken === this.#failsAfter) throw new Error('the disk is gone')
        yield Buffer.alloc(megabyte, this.taken)
      }
    } finally {
      this.#release()
    }
  }
}

/** Serves a source to one caller, who has got the headers and read nothing yet. */
async function served(t: TestContext, source: Source, time = new FakeTime()) {
  let sending: Promise<unknown> | undefined
  let response: ServerResponse | undefined
  const server = createServer((request, given) => {
    response = given
    const answer = fileResponse(source.file, request.headers)
    const sent = async () => {
      const bytes = await openStoredFile(source.file, answer.range)
      await sendFile(given, answer, bytes, { headers: {}, alarms: time.alarms as Alarms })
    }
    sending = sent().catch((error: unknown) => error)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  const request = get({ port: (server.address() as AddressInfo).port, host: '127.0.0.1' })
  request.on('error', () => {})
  const [reply] = (await once(request, 'response')) as [IncomingMessage]
  reply.on('error', () => {})
  reply.pause()
  assert.ok(response && sending)
  return { reply, response, sending, time }
}

/** Resolves once the caller has been given as much as goes without reading. */
async function isFull(response: ServerResponse, source: Source): Promise<void> {
  for (let still = 0, before = -1; still < 20; ) {
    still = response.writableNeedDrain && source.taken === before ? still + 1 : 0
    before = source.taken
    await wait(5)
  }
}

test('a caller who reads slowly is given no more than fits on the way, and in the end all of it', async (t) => {
  const source = new Source(128)
  const { reply, response, sending } = await served(t, source)
  await isFull(response, source)
  assert.ok(source.taken < 24, `${source.taken} MB were taken for somebody who reads nothing`)
  let read = 0
  for await (const bytes of reply) read += bytes.length
  assert.equal(read, 128 * megabyte)
  assert.equal(await sending, undefined)
})

test('the file is let go of when the caller goes away', async (t) => {
  const source = new Source(128)
  const { reply, response, sending, time } = await served(t, source)
  await isFull(response, source)
  reply.destroy()
  await source.released
  assert.ok((await sending) instanceof Error)
  assert.equal(time.waiting, 0)
})

test('what fails on the way ends the connection: nobody takes a part for the whole', async (t) => {
  const { reply, sending } = await served(t, new Source(8, 4))
  await assert.rejects(reply.toArray(), { code: 'ECONNRESET' })
  assert.match(String(await sending), /the disk is gone/)
})

test('a failure before the first byte is reported before anything is sent', async () => {
  const source = new Source(8, 0)
  await assert.rejects(openStoredFile(source.file, undefined), /the disk is gone/)
  await source.released
})

test('a caller who reads nothing for two minutes is cut off, and one who reads a little is not', async (t) => {
  const source = new Source(128)
  const { reply, response, sending, time } = await served(t, source)
  for (let minute = 0; minute < 5; minute++) {
    await isFull(response, source)
    time.pass(60_000)
    const before = source.taken
    while (source.taken === before) {
      reply.read()
      await wait(1)
    }
  }
  await isFull(response, source)
  assert.ok(!response.destroyed)
  time.pass(180_000)
  await source.released
  assert.ok((await sending) instanceof Error)
  assert.equal(time.waiting, 0)
})
