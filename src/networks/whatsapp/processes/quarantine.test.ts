import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Quarantine } from './quarantine.ts'

const hour = 60 * 60_000

test('an instance is put apart when a process falls while it serves it for the second time, and each pause is longer', () => {
  let now = 0
  const quarantine = new Quarantine(() => now)
  quarantine.fell('inst_1')
  assert.deepEqual([quarantine.holds('inst_1'), quarantine.pause('inst_1')], [false, 0])
  const pauses: number[] = []
  for (let fall = 0; fall < 14; fall++) {
    quarantine.fell('inst_1')
    assert.equal(quarantine.holds('inst_1'), true)
    const pause = quarantine.pause('inst_1')
    pauses.push(pause)
    now += pause
    assert.equal(quarantine.pause('inst_1'), 0)
  }
  assert.deepEqual(pauses.slice(0, 4), [5_000, 10_000, 20_000, 40_000])
  assert.equal(pauses.at(-1), hour / 2)
  assert.equal(quarantine.holds('inst_2'), false)
})

test('nothing is held against an instance after an hour without a fall', () => {
  let now = 0
  const quarantine = new Quarantine(() => now)
  quarantine.fell('inst_1')
  quarantine.fell('inst_1')
  now += hour - 1
  assert.equal(quarantine.holds('inst_1'), true)
  now += 1
  assert.equal(quarantine.holds('inst_1'), false)
  quarantine.fell('inst_1')
  assert.equal(quarantine.holds('inst_1'), false)
})
