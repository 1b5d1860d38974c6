import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dropOldest } from './bounds.ts'

test('What was added first goes when there is too much', () => {
  const entries = new Map([1, 2, 3, 4].map((key) => [key, key]))
  dropOldest(entries, 2)
  assert.deepEqual([...entries.keys()], [3, 4])
  dropOldest(entries, 2)
  assert.equal(entries.size, 2)
})
