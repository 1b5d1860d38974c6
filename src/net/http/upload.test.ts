import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { inspect } from 'node:util'
import { closed } from '../../../test/kit/far-ends/far-end.ts'
import { closedPort, farEnd, reply } from '../../../test/kit/far-ends/fetching.ts'
import { answerIn, failureIn, Requesting } from '../../../test/kit/far-ends/requesting.ts'
import type { HttpBody } from './request.ts'

/** A file for one upload, which remembers how much of it was read. */
class PlayedFile {
  opened = 0
  read = 0
  stream: Readable | undefined
  readonly #bytes: () => Iterable<Buffer> | AsyncIterable<Buffer>

  /** `bytes` are what is read from it. */
  constructor(bytes: () => Iterable<Buffer> | AsyncIterable<Buffer>) {
    this.#bytes = bytes
  }

  form(size: number) {
    return { form: { fields: {}, file: { ...usual, size, open: () => this.#open() } } }
  }

  #open(): Readable {
    this.opened++
    this.stream = Readable.from(this.#counted(), { objectMode: false })
    return this.stream
  }

  async *#counted() {
    for await (const chunk of this.#bytes()) {
      this.read += chunk.length
      yield chunk
    }
  }
}

const usual = { name: 'document', filename: 'a.bin', type: 'application/octet-stream' }

const piece = 65_536

/** So many pieces of a file. */
function* pieces(count: number) {
  for (let each = 0; each < count; each++) yield Buffer.alloc(piece, each)
}

/** Waits until a file is read no further. */
async function standstill(file: PlayedFile): Promise<void> {
  for (let read = -1, same = 0; same < 50; same = file.read === read ? same + 1 : 0) {
    read = file.read
    await turn()
  }
}

test('a file arrives whole, its length is announced, and the connection is used again', async (t) => {
  const requesting = await Requesting.start(t)
  const far = await farEnd(t, ({ socket }) => socket.write(reply(200)))
  const url = `http://api.test:${far.port}/`
  for (const count of [0, 1, 50]) {
    const file = new PlayedFile(() => pieces(count))
    assert.equal(answerIn(await requesting.request(url, { body: file.form(count * piece) }))[0], 200)
    assert.deepEqual([file.opened, file.stream?.destroyed], [1, true])
    const { head = '', body = Buffer.alloc(0) } = far.asked.at(-1) ?? {}
    assert.equal(Number(/content-length: (\d+)/i.exec(head)?.[1]), body.length)
    const from = body.indexOf('\r\n\r\n') + 4
    assert.ok(body.subarray(from, from + count * piece).equals(Buffer.concat([...pieces(count)])))
  }
  assert.equal(far.connections, 1)
})

test('a file can be the whole body', async (t) => {
  const requesting = await Requesting.start(t)
  const far = await farEnd(t, ({ socket }) => socket.write(reply(200)))
  for (const count of [0, 1, 50]) {
    const { file } = new PlayedFile(() => pieces(count)).form(count * piece).form
    const body = { file: { ...file, type: 'application/x-encrypted' } }
    assert.equal(answerIn(await requesting.request(`http://api.test:${far.port}/`, { body }))[0], 200)
    const { head = '', body: got = Buffer.alloc(0) } = far.asked.at(-1) ?? {}
    assert.match(head, /^content-type: application\/x-encrypted\r$/im)
    assert.match(head, new RegExp(`^content-length: ${count * piece}\\r$`, 'im'))
    assert.ok(got.equals(Buffer.concat([...pieces(count)])))
  }
  const short = { file: { type: 'x/y', size: 3 * piece, open: () => Readable.from(pieces(2)) } }
  const result = await requesting.request(`http://api.test:${far.port}/`, { body: short })
  assert.equal(failureIn(result), 'after-sending: file')
})

test('a server that does not read holds the file back, and is given up when nothing moves', async (t) => {
  const requesting = await Requesting.start(t)
  const far = await farEnd(t, () => {})
  const file = new PlayedFile(() => pieces(1_600))
  const connected = far.nextConnection()
  const result = requesting.request(`http://api.test:${far.port}/`, {
    body: file.form(1_600 * piece),
    limits: { idle: 300, total: 1_000_000 },
  })
  const socket = await connected
  socket.pause()
  await standstill(file)
  assert.ok(file.read < 20_000_000, `${file.read} bytes were read ahead`)
  requesting.time.pass(299)
  await turn()
  assert.equal(file.stream?.destroyed, false)
  requesting.time.pass(1)
  const failure = await result
  assert.equal(failureIn(failure), 'after-sending: timeout')
  assert.match(inspect(failure), /stopped reading/)
  assert.equal(file.stream?.destroyed, true)
  while (requesting.time.waiting > 0) await turn()
})

test('the headers of the answer are waited for from when the upload is through', async (t) => {
  const requesting = await Requesting.start(t)
  const far = await farEnd(t, () => {})
  const steps = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const file = new PlayedFile(async function* () {
    for (const step of steps) {
      await step.promise
      yield Buffer.alloc(10)
    }
  })
  const limits = { headers: 500, idle: 400 }
  const result = requesting.request(`http://api.test:${far.port}/`, { body: file.form(20), limits })
  for (const step of steps) {
    await standstill(file)
    requesting.time.pass(399)
    step.resolve()
  }
  const { socket } = await far.nextRequest()
  await standstill(file)
  requesting.time.pass(499)
  socket.write(reply(200))
  assert.equal(answerIn(await result)[0], 200)
})

test('an answer before the end of the upload is the answer, and ends the upload', async (t) => {
  const requesting = await Requesting.start(t)
  const far = await farEnd(t, () => {}, { greeting: reply(413, {}, 'too much') })
  const file = new PlayedFile(() => pieces(1_600))
  const connected = far.nextConnection()
  const result = requesting.request(`http://api.test:${far.port}/`, { body: file.form(1_600 * piece) })
  ;(await connected).pause()
  assert.deepEqual(answerIn(await result), [413, 'too much'])
  assert.equal(file.stream?.destroyed, true)
  assert.ok(file.read < 1_600 * piece)
  while (requesting.time.waiting > 0) await turn()
})

test('a server that has the file, answers and leaves before its end was told is believed', async (t) => {
  const requesting = await Requesting.start(t)
  const far = await farEnd(t, ({ socket }) => socket.end(reply(201)))
  const file = new PlayedFile(async function* () {
    yield* pieces(3)
    await far.left()
  })
  const result = await requesting.request(`http://api.test:${far.port}/`, {
    body: { file: { ...file.form(3 * piece).form.file, type: 'x/y' } },
  })
  assert.equal(answerIn(result)[0], 201)
  assert.equal(file.stream?.destroyed, true)
})

test('a file that cannot be opened or read at all fails before anything is sent', async (t) => {
  const requesting = await Requesting.start(t)
  const far = await farEnd(t, ({ socket }) => socket.write(reply(200)))
  const broken = new Error('the disk is gone')
  const failing: HttpBody[] = [
    {
      form: {
        fields: {},
        file: {
          ...usual,
          size: 1,
          open: () => {
            throw broken
          },
        },
      },
    },
    new PlayedFile(() => {
      throw broken
    }).form(1),
  ]
  for (const body of failing) {
    const result = await requesting.request(`http://api.test:${far.port}/`, { body })
    assert.equal(failureIn(result), 'before-sending: file')
    assert.equal(result.kind === 'failed' && result.error, broken)
  }
  const short = await requesting.request(`http://api.test:${far.port}/`, {
    body: new PlayedFile(() => []).form(1),
  })
  assert.equal(failureIn(short), 'before-sending: file')
  assert.deepEqual([far.connections, requesting.time.waiting], [0, 0])
})

test('a file that breaks, or has another size than was said, never arrives whole', async (t) => {
  const requesting = await Requesting.start(t)
  const far = await farEnd(t, ({ socket }) => socket.write(reply(200)))
  for (const bytes of [
    function* () {
      yield* pieces(2)
      throw new Error('the disk is gone')
    },
    () => pieces(3),
    () => pieces(5),
  ]) {
    const file = new PlayedFile(bytes)
    const result = await requesting.request(`http://api.test:${far.port}/`, { body: file.form(4 * piece) })
    assert.equal(failureIn(result), 'after-sending: file')
    assert.equal(file.stream?.destroyed, true)
    await far.left()
  }
  assert.deepEqual([far.asked.length, requesting.time.waiting], [0, 0])
})

test('a file that hangs is given up', async (t) => {
  const requesting = await Requesting.start(t)
  const far = await farEnd(t, () => {})
  const hang = () => new Promise<never>(() => {})
  const early = new PlayedFile(async function* () {
    yield await hang()
  })
  const late = new PlayedFile(async function* () {
    yield* pieces(1)
    await hang()
  })
  for (const [file, phase] of [
    [early, 'before-sending'],
    [late, 'after-sending'],
  ] as const) {
    const result = requesting.request(`http://api.test:${far.port}/`, {
      body: file.form(2 * piece),
      limits: { idle: 300 },
    })
    if (file === late) await far.nextConnection()
    await standstill(file)
    requesting.time.pass(300)
    assert.equal(failureIn(await result), `${phase}: timeout`)
    assert.equal(file.stream?.destroyed, true)
  }
  await far.left()
})

test('whatever ends a request lets go of its file', async (t) => {
  const requesting = await Requesting.start(t)
  const port = await closedPort(t)
  const breaking = await farEnd(t, ({ socket }) => socket.resetAndDestroy())
  const silent = await farEnd(t, () => {})
  const caller = new AbortController()
  for (const [to, expected] of [
    [port, 'before-sending: unreachable'],
    [breaking.port, 'after-sending: lost'],
    [silent.port, 'after-sending: aborted'],
  ] as const) {
    const file = new PlayedFile(() => pieces(2))
    const body = file.form(2 * piece)
    const result = requesting.request(`http://api.test:${to}/`, { body, signal: caller.signal })
    if (to === silent.port) {
      const { socket } = await silent.nextRequest()
      caller.abort()
      await closed(socket)
    }
    assert.equal(failureIn(await result), expected)
    assert.equal(file.stream?.destroyed, true)
  }
})
