import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { retryAfter } from './retry-after.ts'

const now = Date.UTC(2026, 10, 21, 12, 0, 0)
const day = 86_400

test('seconds are what they say, up to a day', () => {
  for (const [header, seconds] of [
    ['0', 0],
    ['7', 7],
    ['007', 7],
    ['86400', day],
    ['86401', day],
    ['9'.repeat(400), day],
  ] as const)
    assert.equal(retryAfter(header, now), seconds, header)
})

test('a date is as far away as it is, in each of the three forms, up to a day', () => {
  process.env.TZ = 'Asia/Tokyo'
  for (const [header, seconds] of [
    ['Sat, 21 Nov 2026 12:00:09 GMT', 9],
    ['Saturday, 21-Nov-26 12:01:00 GMT', 60],
    ['Sat Nov 21 13:00:00 2026', 3_600],
    ['Tue Dec  1 12:00:00 2026', day],
    ['Sun, 22 Nov 2026 12:00:00 GMT', day],
    ['Fri, 31 Dec 9999 23:59:59 GMT', day],
    ['Sat, 21 Nov 2026 11:59:59 GMT', 0],
    ['Sun, 06 Nov 1994 08:49:37 GMT', 0],
  ] as const)
    assert.equal(retryAfter(header, now), seconds, header)
  assert.equal(retryAfter('Sat, 21 Nov 2026 12:00:09 GMT', now + 100), 9, 'part of a second is waited for')
})

test('anything else says nothing', () => {
  for (const header of [
    undefined,
    '',
    ' ',
    'soon',
    '-1',
    '1.5',
    '1e3',
    '0x10',
    '+5',
    'Infinity',
    '٣',
    '5, 6',
    '2026-11-21T12:00:09Z',
    'Sat, 21 Nov 2026 12:00:09 +0100',
    'Sat, 99 Foo 2026 12:00:09 GMT',
    'Sat, 21 Nov 2026 99:00:09 GMT',
  ])
    assert.equal(retryAfter(header, now), null, `“${header}”`)
})

test('whatever is said, the wait is whole seconds of at most a day, or none is asked for', () => {
  const anything = fc.oneof(
    fc.string(),
    fc.integer().map(String),
    fc.date({ noInvalidDate: true }).map((date) => date.toUTCString()),
  )
  fc.assert(
    fc.property(anything, fc.maxSafeNat(), (header, at) => {
      const seconds = retryAfter(header, at)
      assert.ok(
        seconds === null || (Number.isInteger(seconds) && seconds >= 0 && seconds <= day),
        `${seconds}`,
      )
    }),
  )
})
