import assert from 'node:assert/strict'
import { uptime } from 'node:os'
import { test } from 'node:test'
import { quickSinceBoot, sinceBoot } from './since-boot.ts'

/** Milliseconds: the kernel tells hundredths of seconds. */
const coarse = 25

test('it is the time since the machine was started, however often it is asked for', () => {
  for (let asked = 0; asked < 10_000; asked++) {
    const before = uptime() * 1_000
    const told = sinceBoot()
    const after = uptime() * 1_000
    assert.ok(told > before - coarse && told < after + coarse, `${told} is not from ${before} to ${after}`)
  }
})

test('it is looked up ten times a second, and at once when the machine has slept', () => {
  let [awake, asleep, looked] = [0, 0, 0]
  const clock = quickSinceBoot({
    monotonic: () => awake,
    wall: () => 1_700_000_000_000 + awake + asleep,
    sinceBoot: () => {
      looked++
      return 5_000 + awake + asleep
    },
  })
  for (; awake < 1_000; awake++) assert.equal(clock(), 5_000 + awake)
  assert.equal(looked, 10)
  asleep = 60_000
  assert.equal(clock(), 66_000)
})
