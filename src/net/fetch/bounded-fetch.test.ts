import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { FakeTime } from '../../../test/kit/fake-time.ts'
import { failureOf } from '../../../test/kit/far-ends/fetching.ts'
import { NetFailure } from '../failure.ts'
import { stepLimits } from '../timeouts.ts'
import { boundedFetch } from './bounded-fetch.ts'
import type { Fetched } from './fetch.ts'

const total = 60_000
const never = new AbortController().signal

function setUp() {
  const time = new FakeTime()
  return { time, bounded: boundedFetch({ ...time, slowest: 1_000, total }) }
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

test('more bytes than may come are cut off, and refused at once if they are announced', async () => {
  const { time, bounded } = setUp()
  const source = Readable.from([Buffer.from('fo'), Buffer.from('ur')])
  const { body } = await bounded({ largest: 3, signal: never }, async () => answer(source))
  assert.equal((await failureOf(body.toArray())).reason, 'too_large')
  const announced = silence()
  const fetch = bounded({ largest: 3, signal: never }, async () =>
    answer(announced, { 'content-length': '4' }),
  )
  assert.equal((await failureOf(fetch)).reason, 'too_large')
  assert.deepEqual([source.destroyed, announced.destroyed, time.waiting], [true, true, 0])
})

test('a fetch that never begins ends with its time, and what comes later is let go of', async () => {
  const { time, bounded } = setUp()
  const late = Promise.withResolvers<Fetched>()
  const fetch = failureOf(bounded({ largest: 3, signal: never }, () => late.promise))
  time.pass(total)
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
