import assert from 'node:assert/strict'
import { test } from 'node:test'
import { RecipientLimits } from './recipient-limits.ts'

test('each recipient has a limit of their own', () => {
  const limits = new RecipientLimits({ count: 2, seconds: 1 })
  assert.deepEqual(
    ['ana', 'ana', 'ana', 'bert'].map((recipient) => limits.take(recipient, 100)),
    [0, 0, 1_000, 0],
  )
  assert.equal(limits.take('ana', 600), 500)
  assert.deepEqual(
    [limits.take('ana', 1_100), limits.take('ana', 1_100), limits.take('ana', 1_101)],
    [0, 0, 999],
  )
})

test('without a rate no recipient waits, and none is remembered', () => {
  const limits = new RecipientLimits(null)
  for (let count = 0; count < 100; count++) assert.equal(limits.take('ana', 0), 0)
  assert.equal(limits.size, 0)
})

test('only recipients of a recent message are remembered', () => {
  const limits = new RecipientLimits({ count: 1, seconds: 1 })
  for (let each = 0; each < 10_000; each++) limits.take(`person ${each}`, each * 10)
  assert.ok(limits.size <= 110, `${limits.size} are remembered`)
})
