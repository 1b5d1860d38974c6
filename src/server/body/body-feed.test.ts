import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { PassThrough, Readable, Writable } from 'node:stream'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { BodyFeed } from './body-feed.ts'

/** A parser that keeps what it is given, and takes the next only when it is told to. */
function slowParser() {
  const taken: Buffer[] = []
  let next = () => {}
  const parser = new Writable({
    highWaterMark: 1,
    write(bytes: Buffer, _encoding, done) {
      taken.push(Buffer.from(bytes))
      next = () => {
        next = () => {}
        done()
      }
    },
  })
  return { parser, taken, goOn: () => next() }
}

/** Makes a parser that takes everything as the file, passes on slices of its input, and waits for no reader. */
function filePasser() {
  const file = new Readable({ read() {} })
  const parser = new Writable({
    write(bytes: Buffer, _encoding, done) {
      file.push(bytes)
      done()
    },
    final(done) {
      file.push(null)
      done()
    },
  })
  return { parser, file }
}

/** A body in chunks of a size, each in memory of its own, as Node gives them out. `given` are those that were asked for. */
function bodyOf(content: Buffer, size: number, given: Uint8Array[] = []): Readable {
  return new Readable({
    highWaterMark: 1,
    read() {
      const at = given.length * size
      if (at >= content.length) return void this.push(null)
      const chunk = Uint8Array.from(content.subarray(at, at + size))
      given.push(chunk)
      this.push(chunk)
    },
  })
}

async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) await setImmediate()
}

test('what comes in a thousand chunks at once is parsed as one, and nothing of it is lost', async () => {
  const content = randomBytes(60_000)
  const { parser, taken, goOn } = slowParser()
  const body = new PassThrough({ highWaterMark: 1_000_000 })
  new BodyFeed(body, parser)
  for (let at = 0; at < content.length; at += 60) body.write(Uint8Array.from(content.subarray(at, at + 60)))
  body.end()
  await turns(20)
  const finished = once(parser, 'finish')
  goOn()
  await finished
  assert.ok(Buffer.concat(taken).equals(content))
  assert.ok(taken.length <= 2, `${taken.length} pieces`)
})

for (const size of [1_000, 20_000, 65_536, 300_000]) {
  test(`a body in chunks of ${size} bytes is taken no faster than it is parsed, in pieces of a bounded size`, async () => {
    const content = randomBytes(2_000_000)
    const { parser, taken, goOn } = slowParser()
    const given: Uint8Array[] = []
    new BodyFeed(bodyOf(content, size, given), parser)
    await turns(300)
    assert.ok(given.length * size <= 300_000 + 2 * size, `${given.length} chunks were taken at once`)
    let isFinished = false
    parser.once('finish', () => {
      isFinished = true
    })
    for (; !isFinished; await setImmediate()) goOn()
    assert.ok(Buffer.concat(taken).equals(content))
    const largest = Math.max(...taken.map(({ length }) => length))
    assert.ok(largest <= 128 * 1024, `${largest} bytes were parsed as one`)
  })

  test(`a file in chunks of ${size} bytes is whole for a reader who is slow, in two pieces of memory`, async () => {
    const content = randomBytes(2_000_000)
    const { parser, file } = filePasser()
    const read: Buffer[] = []
    const memory = new Set<ArrayBufferLike>()
    const lent = new BodyFeed(bodyOf(content, size), parser).lend(file)
    // Gives any code that could overwrite the waiting or the current bytes time to do so.
    await turns(50)
    for await (const bytes of lent) {
      await turns(5)
      read.push(Buffer.from(bytes))
      memory.add(bytes.buffer)
    }
    assert.ok(Buffer.concat(read).equals(content))
    assert.equal(memory.size, 2)
  })
}

test('the memory of each chunk is given back', async () => {
  const { parser, file } = filePasser()
  const body = new PassThrough()
  const chunks = Array.from({ length: 10 }, () => Buffer.alloc(10_000))
  for (const chunk of chunks) body.write(chunk)
  body.end()
  for await (const _ of new BodyFeed(body, parser).lend(file));
  assert.deepEqual(
    chunks.map(({ length }) => length),
    chunks.map(() => 0),
  )
})

test('a body whose length is known takes no more memory than that', async () => {
  const { parser, file } = filePasser()
  const content = randomBytes(5_000)
  for await (const bytes of new BodyFeed(bodyOf(content, 5_000), parser, content.length).lend(file)) {
    assert.deepEqual(bytes, content)
    assert.equal(bytes.buffer.byteLength, content.length)
  }
})

test('a body that comes whole is parsed at once and where it is, and its memory is given back', async () => {
  const { parser, file } = filePasser()
  const body = new PassThrough()
  const content = randomBytes(5_000)
  const chunk = Uint8Array.from(content)
  const feed = new BodyFeed(body, parser, chunk.length)
  const lent = feed.lend(file)
  body.end(chunk)
  await once(body, 'end')
  for await (const bytes of lent) {
    assert.deepEqual(Buffer.from(bytes), content)
    assert.equal(bytes.buffer, chunk.buffer)
  }
  feed.free()
  assert.equal(chunk.length, 0)
})

test('when it is stopped, nothing more is parsed, and the rest is read past', async () => {
  const { parser, taken, goOn } = slowParser()
  const body = new PassThrough()
  const feed = new BodyFeed(body, parser)
  body.write('in time')
  await turns(5)
  body.write('too late')
  await turns(5)
  goOn()
  feed.stop()
  const ended = once(body, 'end')
  const rest = Buffer.alloc(1_000_000)
  body.end(rest)
  await ended
  await turns(5)
  assert.equal(Buffer.concat(taken).toString(), 'in time')
  assert.equal(rest.length, 0)
  assert.equal(parser.writableEnded, false)
})
