import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FakeTime } from '../../test/kit/fake-time.ts'
import { WakeUp } from './wake-up.ts'

function setUp() {
  const time = new FakeTime()
  const wokenAt: number[] = []
  const wakeUp = new WakeUp(time, () => {
    assert.equal(wakeUp.isSet, false, 'it may be set again')
    wokenAt.push(time.now)
  })
  return { time, wokenAt, wakeUp }
}

test('however often the store fails, it is asked again once, a second after the first failure', () => {
  const { time, wokenAt, wakeUp } = setUp()
  wakeUp.afterFailure()
  time.pass(600)
  wakeUp.afterFailure()
  assert.deepEqual([wakeUp.isSet, time.waiting], [true, 1])
  time.pass(10_000)
  assert.deepEqual(wokenAt, [1_000])
  wakeUp.afterFailure()
  time.pass(10_000)
  assert.deepEqual(wokenAt, [1_000, 11_600])
})

test('the earliest time wins, and nothing is left of the others', () => {
  const { time, wokenAt, wakeUp } = setUp()
  wakeUp.in(5_000)
  wakeUp.in(200)
  wakeUp.afterFailure()
  assert.equal(time.waiting, 1)
  time.pass(10_000)
  assert.deepEqual(wokenAt, [200])
})

test('what was due later does not put off asking a store that failed', () => {
  const { time, wokenAt, wakeUp } = setUp()
  wakeUp.in(60_000)
  wakeUp.afterFailure()
  time.pass(60_000)
  assert.deepEqual(wokenAt, [1_000])
})

test('nobody is woken after a cancel, until a time is set again', () => {
  const { time, wokenAt, wakeUp } = setUp()
  wakeUp.in(200)
  wakeUp.cancel()
  assert.deepEqual([wakeUp.isSet, time.waiting], [false, 0])
  time.pass(1_000)
  wakeUp.in(200)
  time.pass(1_000)
  assert.deepEqual(wokenAt, [1_200])
})
