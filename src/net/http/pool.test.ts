import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { Authority } from '../../../test/kit/far-ends/certificates.ts'
import { type Asked, closed } from '../../../test/kit/far-ends/far-end.ts'
import { farEnd, listed, reply, unlisted } from '../../../test/kit/far-ends/fetching.ts'
import { Posting, type PostWishes } from '../../../test/kit/far-ends/posting.ts'

/** Posts that get a status, and their outcomes. */
async function statuses(posting: Posting, url: string, wishes: readonly PostWishes[]): Promise<unknown[]> {
  const results: unknown[] = []
  for (const wish of wishes) {
    const result = await posting.post(url, wish)
    results.push(result.kind === 'responded' ? result.status : result.code)
  }
  return results
}

const twice: readonly PostWishes[] = [{}, {}]

/** A receiver that responds to every request, in one write and with the connection left open. */
function receiver(t: TestContext, answer: string = reply(200, {}, 'good')) {
  return farEnd(t, ({ socket }) => socket.write(answer))
}

test('attempts of one webhook to one URL share a connection, and no others do', async (t) => {
  const posting = await Posting.start(t)
  const far = await receiver(t)
  const url = `http://hook.test:${far.port}/`
  assert.deepEqual(
    await statuses(posting, `${url}a`, [{ body: 'one' }, { body: 'two' }, { body: 'three' }]),
    [200, 200, 200],
  )
  assert.deepEqual([far.connections, posting.names.asked], [1, ['A hook.test', 'AAAA hook.test']])
  assert.deepEqual(
    far.asked.map(({ body }) => body.toString()),
    ['one', 'two', 'three'],
  )
  await posting.post(`${url}a`, { webhookId: 'another' })
  assert.equal(far.connections, 2)
  await posting.post(`${url}b`)
  assert.equal(far.connections, 3)
  await statuses(posting, `${url}a`, twice)
  assert.equal(far.connections, 3)
})

test('an encrypted connection is shared in the same way', async (t) => {
  const authority = new Authority('The authority of these tests')
  const posting = await Posting.start(t, undefined, { ca: authority.cert })
  const certified = authority.certify({ hosts: ['hook.test'] })
  const far = await farEnd(t, ({ socket }) => socket.write(reply(200)), { certified })
  assert.deepEqual(await statuses(posting, `https://hook.test:${far.port}/`, [{}, {}, {}]), [200, 200, 200])
  assert.deepEqual([far.connections, far.asked.length], [1, 3])
})

test('an answer that comes before the request was written to its end leaves the connection whole', async (t) => {
  const posting = await Posting.start(t)
  const far = await farEnd(
    t,
    ({ socket }) => {
      if (far.asked.length > 1) socket.write(reply(200))
    },
    { greeting: reply(202) },
  )
  const url = `http://hook.test:${far.port}/`
  assert.deepEqual(await statuses(posting, url, [{ body: Buffer.alloc(4_000_000) }, {}]), [202, 200])
  assert.deepEqual([far.connections, far.asked[0]?.body.length], [1, 4_000_000])
})

test('an answer that comes before the request, which is never read, is an answer all the same', async (t) => {
  const posting = await Posting.start(t)
  const far = await farEnd(t, () => {})
  const connected = far.nextConnection()
  const posted = posting.post(`http://hook.test:${far.port}/`, { body: Buffer.alloc(20_000_000) })
  const socket = await connected
  socket.pause()
  // The connection is open once its alarm is off, and the response is there once another is on.
  while (posting.time.waiting > 1) await turn()
  socket.write(reply(413))
  while (posting.time.waiting < 2) await turn()
  posting.time.pass(2_000)
  const result = await posted
  assert.ok(result.kind === 'responded' && result.status === 413)
  socket.resume()
  await far.left()
})

test('an answer that is longer than is read, or asks for it, ends its connection', async (t) => {
  const posting = await Posting.start(t)
  for (const [answer, connections] of [
    [reply(204), 1],
    [reply(200, {}, 'x'.repeat(1_024)), 1],
    ['HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\ngood\r\n0\r\n\r\n', 1],
    [reply(200, {}, 'x'.repeat(1_025)), 2],
    [reply(200, { Connection: 'close' }), 2],
    [reply(200).replace('HTTP/1.1', 'HTTP/1.0'), 2],
  ] as const) {
    const far = await receiver(t, answer)
    for (let attempt = 0; attempt < 2; attempt++)
      assert.equal((await posting.post(`http://hook.test:${far.port}/`)).kind, 'responded')
    assert.equal(far.connections, connections, answer.slice(0, 80))
  }
})

test('a connection is used for a minute from when its name was looked up, however busy it is', async (t) => {
  const posting = await Posting.start(t)
  const far = await receiver(t)
  const url = `http://hook.test:${far.port}/`
  for (let second = 0; second < 59; second++) {
    await posting.post(url)
    posting.time.pass(1_000)
  }
  assert.equal(far.connections, 1)
  posting.time.pass(1_000)
  await far.left()
  await posting.post(url)
  assert.deepEqual([far.connections, posting.names.asked.length], [2, 4])
})

test('an attempt that lasts beyond that minute leaves no connection behind', async (t) => {
  const posting = await Posting.start(t)
  const far = await farEnd(t, ({ body, socket }) => {
    if (body.toString() !== 'slow') socket.write(reply(200))
  })
  const url = `http://hook.test:${far.port}/`
  await posting.post(url)
  posting.time.pass(55_000)
  const slow = posting.post(url, { body: 'slow' })
  const { socket } = await far.nextRequest()
  posting.time.pass(10_000)
  socket.write(reply(200))
  assert.equal((await slow).kind, 'responded')
  await far.left()
  assert.deepEqual([far.connections, posting.time.waiting], [1, 0])
})

test('a name that leads elsewhere meanwhile moves no connection, and is judged for the next', async (t) => {
  const canary = await farEnd(t, () => {}, { host: unlisted })
  const far = await farEnd(t, ({ socket }) => socket.write(reply(200)), { port: canary.port })
  let address = listed
  const posting = await Posting.start(t, (_name, type) => (type === 'A' ? [address] : []))
  const url = `http://hook.test:${far.port}/`
  await posting.post(url)
  address = unlisted
  assert.deepEqual(await statuses(posting, url, twice), [200, 200])
  posting.time.pass(60_000)
  assert.deepEqual(await statuses(posting, url, twice), ['refused_by_policy', 'refused_by_policy'])
  assert.deepEqual([far.asked.length, canary.connections], [3, 0])
})

test('a receiver that ends a connection nothing was sent on is posted to on another', async (t) => {
  const posting = await Posting.start(t)
  const far = await receiver(t)
  const url = `http://hook.test:${far.port}/`
  for (const end of ['end', 'resetAndDestroy'] as const) {
    await posting.post(url)
    far.asked.at(-1)?.socket[end]()
    await far.left()
    while (posting.time.waiting > 0) await turn()
    assert.deepEqual(await statuses(posting, url, twice), [200, 200])
    posting.time.pass(60_000)
  }
  assert.deepEqual([far.connections, far.asked.length], [4, 6])
})

test('if a kept connection breaks as it is used, the attempt goes on over another, once', async (t) => {
  const posting = await Posting.start(t)
  for (const breaks of ['end', 'resetAndDestroy'] as const) {
    let broken = false
    const used = new Set<unknown>()
    const far = await farEnd(t, ({ socket }: Asked) => {
      if (broken || used.has(socket)) return socket[breaks]()
      used.add(socket)
      socket.write(reply(200))
    })
    const url = `http://hook.test:${far.port}/`
    assert.deepEqual(await statuses(posting, url, [{ body: 'one' }, { body: 'two' }]), [200, 200])
    assert.deepEqual(
      far.asked.map(({ body }) => body.toString()),
      ['one', 'two', 'two'],
    )
    broken = true
    assert.deepEqual(await statuses(posting, url, twice), ['connection_lost', 'connection_lost'])
    assert.equal(
      far.asked.length,
      6,
      'once over what was kept and once over a new one, and then over a new one only',
    )
  }
})

test('what fails otherwise on a kept connection is not tried again', async (t) => {
  const posting = await Posting.start(t)
  const far = await farEnd(t, ({ body, socket }) => {
    if (body.toString() === 'garbage') socket.write('garbage\r\n')
    else if (body.toString() !== 'hang') socket.write(reply(200))
  })
  const url = `http://hook.test:${far.port}/`
  assert.deepEqual(await statuses(posting, url, [{}, { body: 'garbage' }, {}]), [200, 'invalid_answer', 200])
  const hanging = posting.post(url, { body: 'hang' })
  await far.nextRequest()
  posting.time.pass(20_000)
  const result = await hanging
  assert.ok(result.kind === 'failed' && result.code === 'timeout')
  const caller = new AbortController()
  await posting.post(url)
  const unwanted = posting.post(url, { body: 'hang', signal: caller.signal })
  await far.nextRequest()
  caller.abort()
  const interrupted = await unwanted
  assert.ok(interrupted.kind === 'failed' && interrupted.code === 'interrupted')
  assert.equal(far.asked.length, 6)
})

test('what a receiver says unasked is never taken for an answer', async (t) => {
  const posting = await Posting.start(t)
  const forged = reply(299, {}, 'forged')
  const patient = await receiver(t)
  const url = `http://hook.test:${patient.port}/`
  await posting.post(url)
  patient.asked[0]?.socket.write(forged)
  await patient.left()
  while (posting.time.waiting > 0) await turn()
  assert.deepEqual(await statuses(posting, url, twice), [200, 200])
  const hasty = await receiver(t, reply(200) + forged)
  assert.deepEqual(await statuses(posting, `http://hook.test:${hasty.port}/`, [{}, {}, {}]), [200, 200, 200])
  assert.equal(hasty.connections, 3)
})

test('as many connections as are allowed are kept for one webhook, and 512 in all', async (t) => {
  const posting = await Posting.start(t)
  const far = await receiver(t)
  const url = `http://hook.test:${far.port}/`
  await Promise.all(Array.from({ length: 10 }, () => posting.post(url)))
  assert.deepEqual([far.connections, posting.time.waiting], [10, 8])
  for (let webhook = 0; webhook < 520; webhook++) await posting.post(url, { webhookId: `webhook ${webhook}` })
  assert.equal(posting.time.waiting, 512)
  posting.time.pass(60_000)
  await far.left()
  assert.equal(posting.time.waiting, 0)
  await posting.post(url)
  assert.equal(posting.time.waiting, 1, 'there is room again')
})

test('if all room is taken, whoever keeps most loses one to whoever keeps none', async (t) => {
  const posting = await Posting.start(t, undefined, { keptConnections: 300 })
  const far = await receiver(t)
  const url = `http://hook.test:${far.port}/`
  const many = (webhookId: string, count: number) =>
    Promise.all(Array.from({ length: count }, () => posting.post(url, { webhookId })))
  await many('greedy', 300)
  await many('eager', 212)
  assert.equal(posting.time.waiting, 512)
  const before = far.connections
  await statuses(posting, url, [{ webhookId: 'modest' }, { webhookId: 'modest' }])
  assert.equal(far.connections, before + 1, 'the second post found the connection of the first')
  await many('greedy', 299)
  assert.deepEqual([far.connections, posting.time.waiting], [before + 1, 512])
})

test('when all is over, what is kept is ended, and what is under way leaves nothing behind', async (t) => {
  const posting = await Posting.start(t)
  const far = await farEnd(t, ({ body, socket }) => {
    if (body.toString() !== 'slow') socket.write(reply(200))
  })
  const url = `http://hook.test:${far.port}/`
  const slow = posting.post(url, { body: 'slow' })
  const { socket } = await far.nextRequest()
  await posting.post(url)
  const kept = far.asked.at(-1)?.socket
  posting.client.close()
  assert.ok(kept)
  await closed(kept)
  assert.equal(socket.destroyed, false)
  socket.write(reply(200))
  assert.equal((await slow).kind, 'responded')
  await far.left()
  assert.equal(posting.time.waiting, 0)
  // Requests that begin later are still carried out, on connections of their own.
  assert.deepEqual([await statuses(posting, url, twice), far.connections], [[200, 200], 4])
  await far.left()
})
