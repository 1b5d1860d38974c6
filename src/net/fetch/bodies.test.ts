import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { closed, flood } from '../../../test/kit/far-ends/far-end.ts'
import { Fetching, failureOf, farEnd, reply } from '../../../test/kit/far-ends/fetching.ts'
import { maxTransferTime } from '../timeouts.ts'

/** The rest of a response that does not state its length: chunks, or bytes until the connection ends. */
const chunked = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n'
const untilEnd = 'HTTP/1.1 200 OK\r\n\r\n'

test('a body of the largest size is taken, by its length, in chunks and until the end', async (t) => {
  const fetching = await Fetching.start(t)
  for (const answer of [
    reply(200, {}, 'four'),
    `${chunked}2\r\nfo\r\n2\r\nur\r\n0\r\n\r\n`,
    `${untilEnd}four`,
  ]) {
    const far = await farEnd(t, ({ socket }) => socket.end(answer))
    assert.equal(await fetching.read(`http://media.test:${far.port}/`, { largest: 4 }), 'four')
    const failure = await failureOf(fetching.read(`http://media.test:${far.port}/`, { largest: 3 }))
    assert.deepEqual([failure.reason, failure.permanent], ['too_large', true])
  }
})

test('a length above the limit is refused before a byte is read', async (t) => {
  const fetching = await Fetching.start(t)
  const far = await farEnd(t, ({ socket }) => socket.write(reply(200, { 'Content-Length': '1001' })))
  const failure = await failureOf(fetching.get(`http://media.test:${far.port}/`, { largest: 1_000 }))
  assert.deepEqual([failure.reason, failure.permanent], ['too_large', true])
  await far.left()
})

test('a body that never ends is cut off at the limit', async (t) => {
  const fetching = await Fetching.start(t)
  const bytes = Buffer.alloc(65_536)
  for (const [head, piece] of [
    [untilEnd, bytes],
    [chunked, Buffer.concat([Buffer.from('10000\r\n'), bytes, Buffer.from('\r\n')])],
  ] as const) {
    const far = await farEnd(t, ({ socket }) => {
      socket.write(head)
      return flood(socket, piece)
    })
    const { body } = await fetching.get(`http://media.test:${far.port}/`, { largest: 1_000_000 })
    let count = 0
    body.on('data', (chunk: Buffer) => {
      count += chunk.length
    })
    assert.equal((await failureOf(once(body, 'end'))).reason, 'too_large')
    assert.ok(count <= 1_000_000, `${count} bytes were passed on`)
    await far.left()
  }
})

test('a body that is shorter than its length is not taken for whole', async (t) => {
  const fetching = await Fetching.start(t)
  for (const answer of [
    reply(200, { 'Content-Length': '100' }, 'short'),
    `${chunked}5\r\nshort\r\n`,
    `${chunked}64\r\nshort`,
  ]) {
    const far = await farEnd(t, ({ socket }) => socket.end(answer))
    const failure = await failureOf(fetching.read(`http://media.test:${far.port}/`))
    assert.deepEqual([failure.reason, failure.permanent], ['lost', false], answer)
  }
})

test('bytes after the stated length are not part of the file', async (t) => {
  const fetching = await Fetching.start(t)
  const far = await farEnd(t, ({ socket }) => socket.end(reply(200, { 'Content-Length': '4' }, 'fourteen')))
  assert.equal(await fetching.read(`http://media.test:${far.port}/`), 'four')
  const twice = await farEnd(t, ({ socket }) =>
    socket.end(reply(200, {}, 'first') + reply(200, {}, 'second')),
  )
  assert.equal(await fetching.read(`http://media.test:${twice.port}/`), 'first')
})

test('a connection that is reset in the middle breaks the body off', async (t) => {
  const fetching = await Fetching.start(t)
  for (const head of [reply(200, { 'Content-Length': '100' }), chunked, untilEnd]) {
    const far = await farEnd(t, ({ socket }) => socket.write(`${head}5\r\nbegin\r\n`))
    const asked = far.nextRequest()
    const { body } = await fetching.get(`http://media.test:${far.port}/`)
    await once(body, 'readable')
    ;(await asked).socket.resetAndDestroy()
    const failure = await failureOf(body.toArray())
    assert.deepEqual([failure.reason, failure.permanent], ['lost', false])
  }
})

test('a compressed body is refused, though it was asked for none', async (t) => {
  const fetching = await Fetching.start(t)
  for (const encoding of [
    'gzip',
    'GZIP',
    'br',
    'deflate',
    'zstd',
    'compress',
    'identity, gzip',
    'gzip, identity',
    'x',
  ]) {
    const far = await farEnd(t, ({ socket }) => socket.end(reply(200, { 'Content-Encoding': encoding }, 'x')))
    const failure = await failureOf(fetching.get(`http://media.test:${far.port}/`))
    assert.deepEqual([failure.reason, failure.permanent], ['malformed', true], encoding)
  }
  const far = await farEnd(t, ({ socket }) =>
    socket.end(reply(200, { 'Content-Encoding': 'identity' }, 'as it is')),
  )
  assert.equal(await fetching.read(`http://media.test:${far.port}/`), 'as it is')
})

test('a server that stops sending is given up after ten seconds', async (t) => {
  const fetching = await Fetching.start(t)
  const far = await farEnd(t, ({ socket }) => socket.write(reply(200, { 'Content-Length': '100' }, 'begin')))
  const { body } = await fetching.get(`http://media.test:${far.port}/`)
  const chunks = body.iterator()
  await chunks.next()
  const next = failureOf(chunks.next())
  await turn()
  fetching.time.pass(9_999)
  await turn()
  assert.equal(body.destroyed, false)
  fetching.time.pass(1)
  const { reason, permanent } = await next
  assert.deepEqual([reason, permanent], ['timeout', false])
  await far.left()
})

test('a server that sends less than a kilobyte a second is given up, however it spreads it', async (t) => {
  const fetching = await Fetching.start(t)
  const far = await farEnd(t, ({ socket }) => socket.write(reply(200, { 'Content-Length': '1000000' })))
  const asked = far.nextRequest()
  const { body } = await fetching.get(`http://media.test:${far.port}/`)
  const { socket } = await asked
  const chunks = body.iterator()
  /** Four seconds pass in which this many bytes are waited for. */
  const comes = async (bytes: number) => {
    const next = chunks.next()
    await turn()
    fetching.time.pass(4_000)
    socket.write(Buffer.alloc(bytes))
    await next
  }
  // The pace is looked at when more than ten seconds were waited, and the next ten seconds count anew.
  const enough = 12 * 1_024
  for (const bytes of [1, 1, enough - 2, enough, 1, 1, 1, 1]) await comes(bytes)
  assert.equal((await failureOf(comes(enough - 3))).reason, 'timeout')
  await far.left()
})

test('a reader who takes its time makes no slow server', async (t) => {
  const fetching = await Fetching.start(t)
  const whole = Buffer.alloc(900_000, 'x')
  const far = await farEnd(t, ({ socket }) =>
    socket.end(`${reply(200, { 'Content-Length': '900000' })}${whole}`),
  )
  const { body } = await fetching.get(`http://media.test:${far.port}/`)
  let count = 0
  for await (const chunk of body) {
    count += chunk.length
    // Once as much is read ahead as may be, only the time for the whole is waited for.
    while (count < 300_000 && fetching.time.waiting > 1) await turn()
    if (count < 300_000) fetching.time.pass(9_000)
  }
  assert.equal(count, whole.length)
})

test('everything together may take a minute and the time for the bytes that came, and at most ten minutes', async (t) => {
  const fetching = await Fetching.start(t)
  const far = await farEnd(t, ({ socket }) => {
    socket.write(reply(200, { 'Content-Length': '1000000000' }))
    return flood(socket, Buffer.alloc(65_536))
  })
  const { body } = await fetching.get(`http://media.test:${far.port}/`, { largest: 1_000_000_000 })
  const chunks = body.iterator()
  await chunks.next()
  // As much is read ahead as may be: no bytes are waited for.
  while (fetching.time.waiting > 1) await turn()
  fetching.time.pass(60_000)
  await turn()
  assert.equal(body.destroyed, false)
  fetching.time.pass(maxTransferTime - 60_000)
  await far.left()
  const { reason, permanent } = await failureOf(body.toArray())
  assert.deepEqual([reason, permanent], ['timeout', false])
})

test('a body without a length that is given up is not taken for whole', async (t) => {
  const fetching = await Fetching.start(t)
  const far = await farEnd(t, ({ socket }) => socket.write(`${untilEnd}begin`))
  const { body } = await fetching.get(`http://media.test:${far.port}/`)
  await once(body, 'readable')
  fetching.time.pass(10_000)
  assert.equal((await failureOf(body.toArray())).reason, 'timeout')
})

test('a body that nobody reads is held back, and let go of when it is destroyed', async (t) => {
  const fetching = await Fetching.start(t)
  let written = 0
  const far = await farEnd(t, async ({ socket }) => {
    socket.write(untilEnd)
    while (socket.write(Buffer.alloc(65_536))) written += 65_536
    await closed(socket)
  })
  const { body } = await fetching.get(`http://media.test:${far.port}/`, { largest: 1_000_000_000 })
  await once(body, 'readable')
  for (let turns = 0; turns < 100; turns++) await turn()
  assert.ok(written < 16_000_000, `${written} bytes were taken`)
  body.destroy()
  await far.left()
  assert.equal(fetching.time.waiting, 0)
})
