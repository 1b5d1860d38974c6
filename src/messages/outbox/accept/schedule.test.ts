import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type GivenTimes, scheduleFaults, scheduleOf } from './schedule.ts'

const now = Date.parse('2026-11-20T12:00:00Z')
const day = 24 * 60 * 60_000

function at(offset: number): string {
  return new Date(now + offset).toISOString()
}

/** Returns the pointers to the faults, if there are any. */
function faults(given: GivenTimes): string[] {
  return scheduleFaults(given, now).map(({ pointer }) => pointer)
}

describe('when a message is sent and when it is given up', () => {
  test('at once, and after a day, if the caller says nothing', () => {
    assert.deepEqual(scheduleOf({}, now), { sendAt: null, expiresAt: now + day })
  })

  test('a day after its time to be sent, if it has one', () => {
    assert.deepEqual(scheduleOf({ send_at: at(5_000) }, now), {
      sendAt: now + 5_000,
      expiresAt: now + 5_000 + day,
    })
  })

  test('a time to be sent that is past means at once', () => {
    assert.deepEqual(scheduleOf({ send_at: at(-5_000) }, now), { sendAt: now - 5_000, expiresAt: now + day })
  })

  test('any offset from UTC is understood', () => {
    const { sendAt, expiresAt } = scheduleOf(
      { send_at: '2026-11-20T15:00:00+02:00', expires_at: '2026-11-20T08:00:00-06:00' },
      now,
    )
    assert.equal(sendAt, now + 60 * 60_000)
    assert.equal(expiresAt, now + 2 * 60 * 60_000)
  })

  test('a leap second is the one after it', () => {
    const leap = { send_at: '2026-11-30T23:59:60Z', expires_at: '2026-12-01T00:59:60.5+01:00' }
    const { sendAt, expiresAt } = scheduleOf(leap, now)
    assert.deepEqual(
      [sendAt, expiresAt].map((time) => new Date(time ?? 0).toISOString()),
      ['2026-12-01T00:00:00.000Z', '2026-12-01T00:00:00.500Z'],
    )
  })
})

describe('times that do not fit are named', () => {
  const wrong: readonly [string, GivenTimes, string[]][] = [
    ['to be sent more than a minute ago', { send_at: at(-60_001) }, ['/send_at']],
    ['to be sent a minute ago', { send_at: at(-60_000) }, []],
    ['to be sent in more than 30 days', { send_at: at(30 * day + 1) }, ['/send_at']],
    ['given up before now', { expires_at: at(-1) }, ['/expires_at']],
    ['given up now', { expires_at: at(0) }, ['/expires_at']],
    ['given up before it is sent', { send_at: at(10_000), expires_at: at(9_999) }, ['/expires_at']],
    ['given up in more than 30 days', { expires_at: at(30 * day + 1) }, ['/expires_at']],
  ]
  for (const [name, given, pointers] of wrong) test(name, () => assert.deepEqual(faults(given), pointers))

  test('the limits themselves fit', () => {
    assert.deepEqual(faults({ send_at: at(30 * day), expires_at: at(60 * day) }), [])
    assert.deepEqual(faults({ expires_at: at(1) }), [])
  })
})
