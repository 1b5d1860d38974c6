import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { farEnd, listed, reply } from '../../../test/kit/far-ends/fetching.ts'
import { answerIn, failureIn, Requesting } from '../../../test/kit/far-ends/requesting.ts'

test('requests to one origin share their connections, one after the other', async (t) => {
  const requesting = await Requesting.start(t)
  const far = await farEnd(t, ({ socket }) => socket.write(reply(200)))
  const other = await farEnd(t, ({ socket }) => socket.write(reply(200)))
  const url = `http://api.test:${far.port}`
  await requesting.request(`${url}/bot1/a`)
  await requesting.request(`${url}/bot2/b`)
  assert.deepEqual([far.connections, far.asked.length], [1, 2])
  await Promise.all([requesting.request(`${url}/a`), requesting.request(`${url}/b`)])
  assert.equal(far.connections, 2)
  await requesting.request(`http://api.test:${other.port}/`)
  await requesting.request(`http://alias.test:${far.port}/`)
  assert.deepEqual([far.connections, other.connections], [3, 1])
})

test('requests that hang leave every other request its connection', async (t) => {
  const requesting = await Requesting.start(t)
  const far = await farEnd(t, ({ head, socket }) => {
    if (!head.startsWith('POST /hang')) socket.write(reply(200))
  })
  const url = `http://${listed}:${far.port}`
  const caller = new AbortController()
  const hanging = Array.from({ length: 100 }, () =>
    requesting.request(`${url}/hang`, { signal: caller.signal }),
  )
  while (far.asked.length < 100) await turn()
  for (let each = 0; each < 3; each++) assert.equal(answerIn(await requesting.request(url))[0], 200)
  assert.equal(far.connections, 101)
  caller.abort()
  for (const each of await Promise.all(hanging)) assert.equal(failureIn(each), 'after-sending: aborted')
})

test('at most 256 idle connections to one origin are kept', async (t) => {
  const requesting = await Requesting.start(t)
  const far = await farEnd(t, ({ socket }) => {
    if (far.asked.length === 300) for (const asked of far.asked) asked.socket.write(reply(200))
    if (far.asked.length > 300) socket.write(reply(200))
  })
  const url = `http://${listed}:${far.port}/`
  await Promise.all(Array.from({ length: 300 }, () => requesting.request(url)))
  assert.equal(requesting.time.waiting, 256)
  requesting.close()
  await far.left()
  assert.equal(requesting.time.waiting, 0)
})

test('an idle connection is closed after fifteen seconds, or before the server would close it', async (t) => {
  const requesting = await Requesting.start(t)
  for (const [announced, idle, connections] of [
    [undefined, 14_999, 1],
    [undefined, 15_000, 2],
    ['timeout=5, max=100', 3_999, 1],
    ['timeout=5', 4_000, 2],
    ['max=3, timeout=999999999', 15_000, 2],
    ['timeout=1', 0, 2],
  ] as const) {
    const headers = announced === undefined ? undefined : { 'Keep-Alive': announced }
    const far = await farEnd(t, ({ socket }) => socket.write(reply(200, headers)))
    const url = `http://api.test:${far.port}/`
    await requesting.request(url)
    requesting.time.pass(idle)
    await requesting.request(url)
    assert.equal(far.connections, connections, `${announced} ${idle}`)
  }
})

test('a busy connection is used for ten minutes', async (t) => {
  const requesting = await Requesting.start(t)
  const far = await farEnd(t, ({ socket }) => socket.write(reply(200)))
  for (let passed = 0; passed < 600_000; passed += 10_000) {
    await requesting.request(`http://api.test:${far.port}/`)
    requesting.time.pass(10_000)
  }
  assert.equal(far.connections, 1)
  await requesting.request(`http://api.test:${far.port}/`)
  assert.equal(far.connections, 2)
})

test('a kept connection that the server has closed is not used, even if nobody was told yet', async (t) => {
  const requesting = await Requesting.start(t)
  const far = await farEnd(t, ({ socket }) => socket.write(reply(200)))
  const url = `http://api.test:${far.port}/`
  await requesting.request(url)
  far.asked[0]?.socket.destroy()
  assert.equal(answerIn(await requesting.request(url))[0], 200)
  assert.deepEqual([far.connections, far.asked.length], [2, 2])
})

test('a kept connection that breaks after the request was written is not tried again', async (t) => {
  const requesting = await Requesting.start(t)
  for (const breaks of ['end', 'resetAndDestroy'] as const) {
    const used = new Set<unknown>()
    const far = await farEnd(t, ({ socket }) => {
      if (used.has(socket)) return socket[breaks]()
      used.add(socket)
      socket.write(reply(200))
    })
    const url = `http://api.test:${far.port}/`
    await requesting.request(url)
    assert.equal(failureIn(await requesting.request(url)), 'after-sending: lost')
    assert.deepEqual([far.connections, far.asked.length], [1, 2])
  }
})

test('what a server says unasked is never taken for an answer', async (t) => {
  const requesting = await Requesting.start(t)
  const far = await farEnd(t, ({ socket }) => socket.write(reply(200) + reply(299, {}, 'forged')))
  for (let each = 0; each < 3; each++)
    assert.equal(answerIn(await requesting.request(`http://api.test:${far.port}/`))[0], 200)
  assert.equal(far.connections, 3)
})
