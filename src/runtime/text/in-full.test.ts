import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inFull } from './in-full.ts'

test('a number is written in full as English does', () => {
  for (const number of [0, 7, 999, 1_000, 4_096, 32_768, 100_000, 1_234_567, 2 ** 40, -1_000, -100])
    assert.equal(inFull(number), number.toLocaleString('en'))
})
