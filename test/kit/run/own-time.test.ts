import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { measureOwnTime } from './own-time.ts'

test('time in which this process waits or calculates is its own, and time without a turn is not', async () => {
  const waiting = measureOwnTime()
  for (let turn = 0; turn < 30; turn++) await wait(10)
  const waited = waiting()
  assert.ok(waited > 100, `${waited} ms`)

  const calculating = measureOwnTime()
  const begun = process.cpuUsage()
  while (process.cpuUsage(begun).user < 200_000);
  const calculated = calculating()
  assert.ok(calculated >= 199, `${calculated} ms`)

  const standing = measureOwnTime()
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_000)
  const stood = standing()
  assert.ok(stood < 500, `${stood} ms`)
})
