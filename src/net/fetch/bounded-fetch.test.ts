import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { finished } from 'node:stream/promises'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { FakeTime } from '../../../test/kit/fake-time.ts'
import { failureOf } from '../../../test/kit/far-ends/fetching.ts'
import { NetFailure } from '../failure.ts'
import { maxTransferTime, stepLimits } from '../timeouts.ts'
import { boundedFetch } from './bounded-fetch.ts'
import type { Fetched } from './fetch.ts'

const base = 60_000
const never = new AbortController().signal

function setUp() {
  const time = new FakeTime()
  return { time, bounded: boundedFetch({ ...time, slowest: 1_000, base }) }
}

const answer = (body: Readable, headers = {}): Fetched => ({ headers, suggestedFilename: undefined, body })

/** A body that says nothing by itself. */
const silence = () => new Readable({ read() {} })

test('what is within its bounds comes as it is, and leaves no alarm', async () => {
  const { time, bounded } = setUp()
  const { body, headers } = await bounded({ largest: 4, signal: never }, async () =>
    answer(Readable.from([Buffer.from('fo'), Buffer.from('ur')]), { 'content-type': 'text/plain' }),
  )
  assert.equal(String(Buffer.concat(await body.toArray())), 'four')
  assert.deepEqual([headers, time.waiting], [{ 'content-type': 'text/plain' }, 0])
})

test('a fetch that never begins ends with its time, and what comes later is let go of', async () => {
  const { time, bounded } = setUp()
  const late = Promise.withResolvers<Fetched>()
  const fetch = failureOf(bounded({ largest: 3, signal: never }, () => late.promise))
  time.pass(base)
  assert.deepEqual([(await fetch).reason, (await fetch).permanent], ['timeout', false])
  const body = silence()
  late.resolve(answer(body))
  await turn()
  assert.ok(body.destroyed)
})

test('a body that stops, or drips, is given up', async () => {
  const { time, bounded } = setUp()
  const stopped = silence()
  const { body } = await bounded({ largest: 100, signal: never }, async () => answer(stopped))
  const reading = failureOf(body.toArray())
  await turn()
  time.pass(stepLimits.stall)
  assert.equal((await reading).reason, 'timeout')
  const dripping = silence()
  const drips = await bounded({ largest: 1_000, signal: never }, async () => answer(dripping))
  let failed = false
  const dripped = failureOf(drips.body.toArray()).finally(() => {
    failed = true
  })
  for (let drop = 0; drop < 20 && !failed; drop++) {
    await turn()
    time.pass(stepLimits.stall / 4)
    dripping.push(Buffer.from('.'))
    await turn()
  }
  assert.equal((await dripped).reason, 'timeout')
  assert.deepEqual([stopped.destroyed, dripping.destroyed], [true, true])
})

test('the signal ends a fetch before and while its body is read', async () => {
  const { bounded } = setUp()
  for (const isOpen of [false, true]) {
    const ending = new AbortController()
    const source = silence()
    const bounds = { largest: 3, signal: ending.signal }
    const opening = bounded(bounds, async () => (isOpen ? answer(source) : new Promise<Fetched>(() => {})))
    const over = isOpen ? (await opening).body.toArray() : opening
    const reason = new Error('the server stops')
    ending.abort(reason)
    await assert.rejects(over, reason)
    assert.equal(source.destroyed, isOpen)
  }
})

test('whatever goes wrong is a failure of the fetch', async () => {
  const { bounded } = setUp()
  const bounds = { largest: 3, signal: never }
  const fault = await failureOf(bounded(bounds, () => Promise.reject(new TypeError('secret'))))
  assert.deepEqual([fault.permanent, /secret/.test(fault.message)], [false, false])
  const refused = new NetFailure('status', true, 'the server answered with the status 404', { status: 404 })
  assert.equal(await failureOf(bounded(bounds, () => Promise.reject(refused))), refused)
  const source = silence()
  const { body } = await bounded(bounds, async () => answer(source))
  source.destroy(new Error('broken before anybody reads'))
  await turn()
  assert.equal((await failureOf(body.toArray())).permanent, false)
})

const slowest = 16_384
const seconds = (count: number) => count * 1_000

/** Fetches a file of so many bytes that comes at this pace; how many came, in how many seconds, and why no more did. */
async function fetchAt(bytesPerSecond: number, size: number) {
  const time = new FakeTime()
  const bounded = boundedFetch({ ...time, slowest, base: seconds(30) })
  const source = silence()
  const { body } = await bounded({ largest: size, signal: never }, async () => answer(source))
  let came = 0
  let took = 0
  body.on('data', ({ length }: Buffer) => {
    came += length
  })
  const end = finished(body).then(
    () => 'whole',
    (caught: NetFailure) => caught.reason,
  )
  for (let sent = 0; sent < size && !body.destroyed; took++) {
    time.pass(seconds(1))
    const piece = Math.min(bytesPerSecond, size - sent)
    if (!source.destroyed) source.push(Buffer.alloc(piece))
    sent += piece
    await turn()
  }
  if (!source.destroyed) source.push(null)
  return { end: await end, came, took }
}

test('a large file gets time by its size: a little more than the slowest pace is enough', async () => {
  const size = 2 * 1024 * 1024
  const { end, came, took } = await fetchAt(17_000, size)
  assert.deepEqual([end, came], ['whole', size])
  assert.ok(took > 120, `${took} s`)
})

test('a large file that comes slower than the slowest pace is given up', async () => {
  const { end, took } = await fetchAt(15_000, 2 * 1024 * 1024)
  assert.equal(end, 'timeout')
  assert.ok(took <= 30, `${took} s`)
})

test('no file has more than ten minutes, however large it is', async () => {
  const { end, took } = await fetchAt(17_000, 20 * 1024 * 1024)
  assert.equal(end, 'timeout')
  assert.equal(seconds(took), maxTransferTime)
})
