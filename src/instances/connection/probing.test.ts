import assert from 'node:assert/strict'
import { beforeEach, describe, test } from 'node:test'
import { FakeTime } from '../../../test/kit/fake-time.ts'
import { plainLimits } from '../../networks/kit/plain-limits.ts'
import { Probing } from './probing.ts'

const limits = {
  ...plainLimits,
  text_characters: 1,
  media_bytes: {},
  caption_characters: 1,
  dedupes_by_id: true,
  in_flight: 1,
  in_flight_per_recipient: 1,
  pause: null,
  warm_up: [],
  pacing_per_recipient: null,
  answer_timeout_seconds: 20,
  pacing: null,
  probe_after_seconds: 60,
  probe_timeout_seconds: 10,
}

let time: FakeTime
let probes: number[]
let givenUp: number[]
let probing: Probing

beforeEach(() => {
  time = new FakeTime()
  probes = []
  givenUp = []
  probing = new Probing({ alarms: time.alarms, clock: time.clock }, limits, {
    probe: () => probes.push(time.now),
    giveUp: () => givenUp.push(time.now),
  })
})

describe('a connection that is open', () => {
  test('is probed once it has been silent for as long as it is believed', () => {
    probing.begin()
    time.pass(59_999)
    assert.deepEqual(probes, [])
    time.pass(1)
    assert.deepEqual(probes, [60_000])
  })

  test('is given up when a probe goes unanswered, within one interval and its timeout', () => {
    probing.begin()
    time.pass(200_000)
    assert.deepEqual(probes, [60_000])
    assert.deepEqual(givenUp, [72_000])
    assert.equal(time.waiting, 0)
  })

  test('is not probed while the network answers by itself', () => {
    probing.begin()
    for (let minute = 0; minute < 60; minute++) {
      time.pass(50_000)
      probing.verified()
    }
    assert.deepEqual(probes, [])
  })

  test('is probed again and again as long as probes are answered', () => {
    probing.begin()
    for (let minute = 0; minute < 10; minute++) {
      time.pass(60_000)
      probing.verified()
    }
    time.pass(12_000)
    assert.deepEqual(givenUp, [])
    assert.ok(probes.length >= 5)
  })

  test('is still probed when an answer came after the alarm was set', () => {
    probing.begin()
    time.pass(30_000)
    probing.verified()
    time.pass(59_999)
    assert.deepEqual(probes, [])
    time.pass(1)
    assert.deepEqual(probes, [90_000])
  })
})

test('once it has ended nothing is probed or given up, whenever that was', () => {
  for (const before of [0, 59_000, 65_000]) {
    probing.begin()
    time.pass(before)
    const known = probes.length
    probing.end()
    assert.equal(time.waiting, 0)
    time.pass(300_000)
    assert.equal(probes.length, known)
  }
  assert.deepEqual(givenUp, [])
})

test('a connection that follows another is believed from its own beginning', () => {
  probing.begin()
  time.pass(65_000)
  probing.begin()
  time.pass(59_999)
  assert.deepEqual(givenUp, [], 'the probe of the connection before it is nobody’s business now')
  time.pass(1)
  assert.deepEqual(probes, [60_000, 125_000])
})
