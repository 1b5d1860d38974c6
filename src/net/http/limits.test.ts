import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { Authority } from '../../../test/kit/far-ends/certificates.ts'
import { closed } from '../../../test/kit/far-ends/far-end.ts'
import { failureOf, farEnd, reply } from '../../../test/kit/far-ends/fetching.ts'
import { answerIn, failureIn, Requesting } from '../../../test/kit/far-ends/requesting.ts'
import { NetFailure } from '../failure.ts'

test('a connection that is not open in time is given up before anything is sent', async (t) => {
  const requesting = await Requesting.start(t, undefined, { ca: new Authority('Nobody').cert })
  const far = await farEnd(t, () => {})
  const url = `https://api.test:${far.port}/`
  for (const limits of [{ connect: 300 }, { total: 300 }]) {
    const connected = far.nextConnection()
    const result = requesting.request(url, { limits })
    await connected
    requesting.time.pass(299)
    await turn()
    requesting.time.pass(1)
    assert.equal(failureIn(await result), 'before-sending: timeout')
    await far.left()
  }
  assert.equal(requesting.time.waiting, 0)
})

test('a long poll waits as long as its caller says, and no longer', async (t) => {
  const requesting = await Requesting.start(t)
  const far = await farEnd(t, () => {})
  const url = `http://api.test:${far.port}/`
  const limits = { headers: 55_000, total: 70_000 }
  const patient = requesting.request(url, { limits })
  const { socket } = await far.nextRequest()
  while (requesting.time.waiting < 2) await turn()
  requesting.time.pass(50_000)
  socket.write(reply(200, {}, 'late'))
  assert.deepEqual(answerIn(await patient), [200, 'late'])
  requesting.time.pass(20_000)
  const hanging = requesting.request(url, { limits })
  await far.nextRequest()
  while (requesting.time.waiting < 2) await turn()
  requesting.time.pass(54_999)
  await turn()
  assert.equal(requesting.time.waiting, 2)
  requesting.time.pass(1)
  assert.equal(failureIn(await hanging), 'after-sending: timeout')
  await far.left()
})

test('a body that stops, or drips, is given up', async (t) => {
  const requesting = await Requesting.start(t)
  const far = await farEnd(t, ({ socket }) => socket.write(reply(200, { 'Content-Length': '900' }, 'x')))
  const url = `http://api.test:${far.port}/`
  const stopped = requesting.request(url, { limits: { idle: 300 } })
  await far.nextRequest()
  // The total and the wait for the next bytes; that for the headers took the place of the latter.
  for (let turns = 0; turns < 20; turns++) await turn()
  requesting.time.pass(300)
  const result = await stopped
  assert.equal(failureIn(result), 'after-sending: timeout')
  assert.equal(result.kind === 'failed' && result.status, 200)
  const dripping = requesting.request(url, { limits: { idle: 300, total: 1_000 } })
  const { socket } = await far.nextRequest()
  for (let passed = 0; passed < 1_000; passed += 200) {
    for (let turns = 0; turns < 20; turns++) await turn()
    requesting.time.pass(200)
    socket.write('x')
  }
  assert.equal(failureIn(await dripping), 'after-sending: timeout')
  await far.left()
  assert.equal(requesting.time.waiting, 0)
})

test('a download is given up when it stops, and when everything took too long', async (t) => {
  const requesting = await Requesting.start(t)
  const far = await farEnd(t, ({ socket }) => socket.write(reply(200, { 'Content-Length': '900' }, 'x')))
  for (const limits of [{ idle: 300 }, { total: 300 }]) {
    const opened = await requesting.open(`http://api.test:${far.port}/`, { limits })
    assert.ok(opened.kind === 'responded')
    const read = failureOf(opened.body.toArray())
    for (let turns = 0; turns < 20; turns++) await turn()
    requesting.time.pass(300)
    assert.equal((await read).reason, 'timeout')
    await far.left()
  }
  assert.equal(requesting.time.waiting, 0)
})

test('the signal ends a request and frees its connection at once, at any step', async (t) => {
  const requesting = await Requesting.start(t, undefined, { ca: new Authority('Nobody').cert })
  const far = await farEnd(t, ({ head, socket }) => {
    if (head.startsWith('POST /begun')) socket.write(reply(200, { 'Content-Length': '900' }, 'x'))
  })
  const connecting = new AbortController()
  const connected = far.nextConnection()
  const early = requesting.request(`https://api.test:${far.port}/`, { signal: connecting.signal })
  const secured = await connected
  connecting.abort(new NetFailure('lost', false, 'a reason of the caller'))
  assert.equal(failureIn(await early), 'before-sending: aborted')
  await closed(secured)
  for (const path of ['polling', 'begun']) {
    const caller = new AbortController()
    const late = requesting.request(`http://api.test:${far.port}/${path}`, { signal: caller.signal })
    const { socket } = await far.nextRequest()
    caller.abort()
    assert.equal(failureIn(await late), 'after-sending: aborted')
    await closed(socket)
  }
  assert.equal(requesting.time.waiting, 0)
})
