import assert from 'node:assert/strict'
import { mock, test } from 'node:test'
import fc from 'fast-check'
import { Alarms } from './alarms.ts'

const epoch = Date.UTC(2026, 0, 1)

type Play = (
  alarms: Alarms,
  pass: (ms: number) => void,
  /** Time passes while the process stands still. */
  leap: (ms: number) => void,
  /** Sets the wall clock. */
  set: (by: number) => void,
) => void

/** Time that stands still until it is told to go on; the timers of Node follow it. */
function onHeldTime(play: Play): void {
  mock.timers.enable({ apis: ['setTimeout'] })
  let now = 1_000
  let offset = epoch - now
  const pass = (ms: number) => {
    for (let left = ms; left > 0; left -= 1) {
      now += Math.min(1, left)
      mock.timers.tick(Math.min(1, left))
    }
  }
  const leap = (ms: number) => {
    now += ms
    mock.timers.tick(ms)
  }
  const set = (by: number) => {
    offset += by
  }
  const alarms = new Alarms({ now: () => now + offset, monotonic: () => now })
  try {
    play(alarms, pass, leap, set)
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
  onHeldTime((alarms, pass, leap) => {
    let rung = 0
    alarms.in(month, () => rung++)
    leap(2 ** 31 - 1)
    pass(2_000)
    leap(month - (2 ** 31 - 1) - 5_000)
    pass(2_999)
    assert.equal(rung, 0)
    pass(1)
    assert.equal(rung, 1)
  })
})

test('after the process was held up, what came in is read before any deadline is judged', () => {
  onHeldTime((alarms, pass, leap) => {
    const told: string[] = []
    const deadline = alarms.in(30_000, () => told.push('nobody answered'))
    pass(2_500)
    leap(60_000)
    // The timers that are over come first, then the sockets.
    pass(1)
    told.push('the answer')
    deadline.cancel()
    alarms.in(0, () => told.push('set afterwards'))
    pass(2_000)
    assert.deepEqual(told, ['the answer', 'set afterwards'])
  })
})

test('the same if the pause ended right before the deadline', () => {
  onHeldTime((alarms, pass, leap) => {
    let rung = 0
    alarms.in(30_000, () => rung++)
    pass(500)
    leap(29_499)
    pass(100)
    assert.equal(rung, 0)
    pass(1_000)
    assert.equal(rung, 1)
  })
})

test('a process that is always late still rings its alarms', () => {
  onHeldTime((alarms, pass, leap) => {
    let rung = 0
    alarms.in(1_000, () => rung++)
    for (let turns = 0; turns < 6; turns++) {
      leap(10_000)
      pass(1)
    }
    assert.equal(rung, 1)
  })
})

for (const minutes of [-180, -1, 1, 180])
  test(`when the wall clock is set by ${minutes} minutes, an alarm for a moment rings at that moment, or when its time is over`, () => {
    onHeldTime((alarms, pass, _, set) => {
      const rung: string[] = []
      const told: number[] = []
      alarms.onClockSet((by) => told.push(by))
      alarms.at(epoch + 10_000, () => rung.push('10 s'))
      alarms.at(epoch + 40_000, () => rung.push('40 s')).cancel()
      alarms.at(epoch + 3 * 60_000, () => rung.push('3 min'))
      pass(5_000)
      assert.deepEqual(rung, [])
      set(minutes * 60_000)
      pass(1_000)
      assert.deepEqual(told, [minutes * 60_000], 'everybody who asked is told once')
      assert.deepEqual(rung, minutes < 0 ? [] : minutes < 3 ? ['10 s'] : ['10 s', '3 min'])
      pass(4_000)
      assert.equal(rung[0], '10 s', 'however far it was set back')
      pass(3 * 60_000 - 10_000)
      assert.deepEqual(rung, ['10 s', '3 min'])
      assert.equal(told.length, 1)
    })
  })

test('an alarm for a moment that was taken back never rings', () => {
  onHeldTime((alarms, pass, _, set) => {
    let rung = 0
    const alarm = alarms.at(epoch + 1_000, () => rung++)
    alarms.at(epoch - 1, () => (rung += 10))
    alarm.cancel()
    alarm.cancel()
    set(60_000)
    pass(5_000)
    assert.equal(rung, 10)
  })
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
