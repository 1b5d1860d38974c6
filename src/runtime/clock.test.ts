import assert from 'node:assert/strict'
import { test } from 'node:test'
import { timestamp } from './clock.ts'

test('a moment is written in UTC, to the millisecond, whether or not its second was written lately', () => {
  const begin = Date.UTC(2028, 1, 29, 23, 59, 59)
  for (const second of [...Array(300).keys(), 299, 7])
    for (const millisecond of [0, 7, 42, 999]) {
      const at = begin + second * 1000 + millisecond
      assert.equal(timestamp(at), new Date(at).toISOString())
    }
})

test('what RFC 3339 cannot write is the nearest moment that it can, and no moment stays none', () => {
  assert.equal(timestamp(null), null)
  assert.equal(timestamp(1.9), '1970-01-01T00:00:00.001Z')
  for (const at of [0, -1, Number.NaN, Number.NEGATIVE_INFINITY])
    assert.equal(timestamp(at), '1970-01-01T00:00:00.000Z')
  for (const at of [Number.MAX_SAFE_INTEGER, Number.POSITIVE_INFINITY])
    assert.equal(timestamp(at), '9999-12-31T23:59:59.999Z')
})
