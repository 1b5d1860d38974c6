import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import { connect, type Socket } from 'node:net'
import { afterEach, describe, test } from 'node:test'
import { setImmediate, setTimeout as wait } from 'node:timers/promises'
import { FakeTime } from '../../../test/kit/fake-time.ts'
import type { StreamEvent, StreamResponse } from '../../contract/handler.ts'
import { writeEventStream } from './event-stream.ts'

/* The writer of event streams between a real connection and a stream that does as it is told. */

const signOfLife = 15_000
const closing: (() => void)[] = []
afterEach(() => {
  for (const close of closing.splice(0)) close()
})

/** Those who are to ask again when the caller may have lost the right to listen. */
class Doubts {
  readonly asking = new Set<() => void>()
  readonly heed = (ask: () => void) => {
    this.asking.add(ask)
    return () => void this.asking.delete(ask)
  }
}

/** One listener who was connected, and has asked; it reads nothing until it is told to. */
async function listen(reply: Omit<StreamResponse, 'status'>, stillAllowed = async () => true) {
  const doubts = new Doubts()
  const time = new FakeTime()
  const abort = new AbortController()
  const begun = Promise.withResolvers<ServerResponse>()
  const written = Promise.withResolvers<void>()
  const server = createServer((_, response) => {
    begun.resolve(response)
    const context = { alarms: time.alarms, stillAllowed, whenInDoubt: doubts.heed, abort }
    writeEventStream(response, {}, { status: 200, ...reply }, context).then(written.resolve, written.reject)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as { port: number }
  const socket = connect({ host: '127.0.0.1', port })
  closing.push(() => {
    socket.destroy()
    server.close()
  })
  socket.on('error', () => {})
  socket.pause()
  socket.write('GET / HTTP/1.1\r\nhost: localhost\r\n\r\n')
  const response = await begun.promise
  const closed = once(response, 'close')
  return { time, abort, response, closed, socket, written: written.promise, doubts }
}

/** Everything that comes until the connection, or the response, ends. */
async function readAll(socket: Socket): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of socket) {
    chunks.push(chunk)
    if (Buffer.concat(chunks.slice(-2)).subarray(-7).toString() === '\r\n0\r\n\r\n') break
  }
  // The lengths of the chunks stand on lines of their own (RFC 9112, section 7.1).
  return Buffer.concat(chunks)
    .toString()
    .replaceAll(/(?:^|\r\n)[0-9a-f]+\r\n/g, '')
}

/** Events of a kilobyte each, and how many of them were asked for. */
function numbered(count: number) {
  const asked = { count: 0, ended: false }
  async function* events(): AsyncGenerator<StreamEvent> {
    try {
      for (let number = 1; number <= count; number++) {
        asked.count++
        yield { id: `n${number}`, event: 'one', data: { number, fill: 'x'.repeat(1_000) } }
      }
    } finally {
      asked.ended = true
    }
  }
  return { asked, events: events() }
}

/** Resolves once as much is written as fits on the way, and no more moves. */
async function stalled(response: ServerResponse, asked: { readonly count: number }): Promise<void> {
  for (let before = -1; !response.writableNeedDrain || asked.count !== before; await wait(50))
    before = asked.count
}

describe('what is written', () => {
  test('are events with their ids, and positions without data', async () => {
    async function* items() {
      yield { id: 'a1' }
      yield { id: 'a2', event: 'one', data: { text: 'two\nlines' } }
      yield { event: 'two', data: null }
    }
    const { socket } = await listen({ stream: items() })
    const text = await readAll(socket)
    assert.match(text, /^HTTP\/1\.1 200 OK\r\ncontent-type: text\/event-stream; charset=utf-8\r\n/)
    const body =
      'id: a1\n\n' + 'id: a2\nevent: one\ndata: {"text":"two\\nlines"}\n\n' + 'event: two\ndata: null\n\n'
    assert.ok(text.includes(body), text)
  })

  test('is a sign of life now and then, as long as the caller may listen', async () => {
    const { events } = numbered(0)
    const open = Promise.withResolvers<void>()
    async function* never(): AsyncGenerator<StreamEvent> {
      await open.promise
      yield* events
    }
    let allowed = true
    const { time, abort, socket, written } = await listen({ stream: never() }, async () => allowed)
    abort.signal.addEventListener('abort', () => open.resolve())
    time.pass(signOfLife)
    await wait(0)
    allowed = false
    time.pass(signOfLife)
    await written
    assert.equal((await readAll(socket)).match(/: still here\n\n/g)?.length, 2)
  })

  test('ends at once for a caller who lost the right to listen, even if nothing happens', async () => {
    const gone = Promise.withResolvers<void>()
    async function* never(): AsyncGenerator<StreamEvent> {
      await gone.promise
      yield* numbered(0).events
    }
    let allowed = true
    const { abort, socket, written, doubts } = await listen({ stream: never() }, async () => allowed)
    abort.signal.addEventListener('abort', () => gone.resolve())
    for (const ask of doubts.asking) ask()
    await setImmediate()
    assert.ok(!abort.signal.aborted)
    allowed = false
    for (const ask of doubts.asking) ask()
    await written
    assert.equal((await readAll(socket)).match(/still here/), null)
    assert.equal(doubts.asking.size, 0)
  })

  test('is nothing after the end, even if the end came while the caller was looked up', async () => {
    const looked = Promise.withResolvers<boolean>()
    const { asked, events } = numbered(1)
    const going = Promise.withResolvers<void>()
    async function* waiting() {
      await going.promise
      yield* events
    }
    let looks = 0
    const { time, written, closed } = await listen({ stream: waiting() }, async () =>
      ++looks === 1 ? looked.promise : true,
    )
    time.pass(signOfLife)
    going.resolve()
    await written
    looked.resolve(true)
    await closed
    assert.equal(asked.count, 1)
    assert.equal(time.waiting, 0)
  })
})

describe('a listener who reads nothing', () => {
  test('of a paced stream is waited for: nothing piles up, and all of it comes once it is read', async () => {
    const many = 30_000
    const { asked, events } = numbered(many)
    const { response, socket, written } = await listen({ stream: events, paced: true })
    await stalled(response, asked)
    assert.ok(asked.count < many, 'not everything was asked for')
    assert.ok(response.writableLength < 256 * 1024, `${response.writableLength} bytes wait`)
    const ids = [...(await readAll(socket)).matchAll(/id: n(\d+)\n/g)].map(([, number]) => Number(number))
    await written
    assert.deepEqual(
      ids,
      Array.from({ length: many }, (_, index) => index + 1),
    )
  })

  test('is cut off when it took in nothing between two signs of life, and not before', async () => {
    const { asked, events } = numbered(1_000_000)
    const { time, response, socket, written, closed } = await listen({ stream: events, paced: true })
    await stalled(response, asked)
    time.pass(signOfLife)
    await wait(0)
    assert.equal(response.destroyed, false)
    // It takes in what waits, and stops again.
    const before = asked.count
    socket.resume()
    while (asked.count < before + 20_000) await wait(5)
    socket.pause()
    await stalled(response, asked)
    time.pass(signOfLife)
    await wait(0)
    assert.equal(response.destroyed, false)
    time.pass(signOfLife)
    await Promise.all([written, closed])
    assert.equal(asked.ended, true)
    assert.equal(time.waiting, 0)
  })

  test('is left at once when the server stops', async () => {
    const { asked, events } = numbered(1_000_000)
    const { abort, response, written } = await listen({ stream: events, paced: true })
    await stalled(response, asked)
    abort.abort()
    await written
    assert.equal(asked.ended, true)
  })

  test('of a stream that is not paced is left at a megabyte, and cut off if it does not take the rest', async () => {
    const { asked, events } = numbered(100_000)
    async function* oneByOne() {
      for await (const event of events) {
        await setImmediate()
        yield event
      }
    }
    const { time, response, closed, written } = await listen({ stream: oneByOne() })
    await written
    assert.deepEqual([asked.ended, asked.count < 100_000], [true, true])
    assert.ok(response.writableLength > 900_000 && response.writableLength < 1_100_000)
    assert.equal(response.destroyed, false)
    time.pass(signOfLife)
    await closed
    assert.equal(response.destroyed, true)
    assert.equal(time.waiting, 0)
  })
})
