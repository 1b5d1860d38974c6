import assert from 'node:assert/strict'
import { test } from 'node:test'
import { RecipientPaces } from './recipient-paces.ts'

test('each recipient has a pace of their own', () => {
  const paces = new RecipientPaces({ messages: 2, seconds: 1 })
  assert.deepEqual(
    ['ana', 'ana', 'ana', 'bert'].map((recipient) => paces.take(recipient, 100)),
    [0, 0, 1_000, 0],
  )
  assert.equal(paces.take('ana', 600), 500)
  assert.deepEqual(
    [paces.take('ana', 1_100), paces.take('ana', 1_100), paces.take('ana', 1_101)],
    [0, 0, 999],
  )
})

test('without a pace nobody waits, and nobody is remembered', () => {
  const paces = new RecipientPaces(null)
  for (let count = 0; count < 100; count++) assert.equal(paces.take('ana', 0), 0)
  assert.equal(paces.size, 0)
})

test('only those who got something lately are remembered', () => {
  const paces = new RecipientPaces({ messages: 1, seconds: 1 })
  for (let each = 0; each < 10_000; each++) paces.take(`person ${each}`, each * 10)
  assert.ok(paces.size <= 110, `${paces.size} are remembered`)
})
