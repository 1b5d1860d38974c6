import assert from 'node:assert/strict'
import { mock, test } from 'node:test'
import fc from 'fast-check'
import { Alarms } from './alarms.ts'

/** Time that stands still until it is told to go on; the timers of Node follow it. */
function onHeldTime(play: (alarms: Alarms, pass: (ms: number) => void) => void): void {
  mock.timers.enable({ apis: ['setTimeout'] })
  let now = 1_000
  const pass = (ms: number) => {
    for (let left = ms; left > 0; left -= 1) {
      now += Math.min(1, left)
      mock.timers.tick(Math.min(1, left))
    }
  }
  const alarms = new Alarms({ now: () => now, monotonic: () => now })
  try {
    play(alarms, pass)
  } finally {
    alarms.stop()
    mock.timers.reset()
  }
}

test('alarms ring once each, in the order of their times and never early; canceled ones do not', () => {
  const delays = fc.array(fc.record({ delay: fc.nat(200), canceled: fc.boolean() }), { maxLength: 300 })
  fc.assert(
    fc.property(delays, (wanted) => {
      onHeldTime((alarms, pass) => {
        const rung: number[] = []
        const set = wanted.map(({ delay }) => alarms.in(delay, () => rung.push(delay)))
        for (const [index, { canceled }] of wanted.entries()) if (canceled) set[index]?.cancel()
        const kept = wanted.filter(({ canceled }) => !canceled).map(({ delay }) => delay)
        for (let passed = 0; passed <= 200; passed += 20) {
          assert.ok(rung.every((delay) => delay <= passed))
          pass(20)
        }
        assert.deepEqual(
          rung,
          kept.sort((left, right) => left - right),
        )
      })
    }),
    { numRuns: 50 },
  )
})

test('thousands of alarms share one timer, and sweeping the canceled ones loses none', () => {
  onHeldTime((alarms, pass) => {
    let rung = 0
    const set = Array.from({ length: 10_000 }, (_, index) => alarms.in((index * 7919) % 500, () => rung++))
    const canceled = set.filter((_, index) => index % 5 !== 0)
    for (const alarm of canceled) alarm.cancel()
    pass(500)
    assert.equal(rung, 2_000)
  })
})

test('an alarm may set another, and cancel one that is due in the same moment', () => {
  onHeldTime((alarms, pass) => {
    const rung: string[] = []
    alarms.in(10, () => {
      rung.push('first')
      later.cancel()
      alarms.in(0, () => rung.push('set by the first'))
    })
    const later = alarms.in(10.5, () => rung.push('canceled'))
    pass(30)
    assert.deepEqual(rung, ['first', 'set by the first'])
  })
})

test('canceling twice, or after it rang, does nothing', () => {
  onHeldTime((alarms, pass) => {
    let rung = 0
    const alarm = alarms.in(1, () => rung++)
    pass(2)
    for (let times = 0; times < 200; times++) alarm.cancel()
    alarms.in(1, () => rung++)
    pass(2)
    assert.equal(rung, 2)
  })
})

test('an alarm beyond the longest timer of Node waits for its time', () => {
  const month = 31 * 24 * 60 * 60_000
  mock.timers.enable({ apis: ['setTimeout'] })
  let now = 0
  const alarms = new Alarms({ now: () => now, monotonic: () => now })
  try {
    let rung = 0
    alarms.in(month, () => rung++)
    now = 2 ** 31 - 1
    mock.timers.tick(now)
    assert.equal(rung, 0)
    const left = month - now
    now = month
    mock.timers.tick(left)
    assert.equal(rung, 1)
  } finally {
    alarms.stop()
    mock.timers.reset()
  }
})

test('after a stop none rings, and none keeps the process alive', () => {
  onHeldTime((alarms, pass) => {
    let rung = 0
    alarms.in(1, () => rung++)
    alarms.stop()
    pass(5)
    assert.equal(rung, 0)
    alarms.in(1, () => rung++)
    pass(5)
    assert.equal(rung, 0, 'also none that is set later')
  })
})
