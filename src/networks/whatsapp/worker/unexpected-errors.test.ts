import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Troubles } from './unexpected-errors.ts'

test('of each client, ten troubles are told in a minute, and then how many were left out', () => {
  let now = 0
  const troubles = new Troubles(() => now)
  const [one, other] = [{}, {}]
  const told = (party: object, count: number) =>
    Array.from({ length: count }, () => troubles.take(party, 'rejected', new Error('something'))).filter(
      (trouble) => trouble !== null,
    )
  assert.equal(told(one, 10_000).length, 10)
  assert.equal(told(other, 3).length, 3)
  now = 59_999
  assert.equal(told(one, 1).length, 0)
  now = 60_000
  const later = told(one, 20)
  assert.deepEqual(
    later.map(({ left_out }) => left_out),
    [9_991, ...Array(9).fill(undefined)],
  )
})

test('nothing is told of a message, whatever it looks like, and a trace has an end', () => {
  const troubles = new Troubles()
  const shown = (error: unknown) => troubles.take({}, 'thrown', error)?.stack
  const secret = 'the key 0123456789'
  assert.doesNotMatch(shown(new Error(`${secret}\n    at ${secret}\n${secret}`)) ?? '', /key/)
  assert.match(shown(new Error(secret)) ?? '', /unexpected-errors\.test\.ts/)
  const without = new Error(secret)
  without.stack = `Error: ${secret}`
  for (const error of [without, secret, null, undefined]) assert.equal(shown(error), '')
  without.stack = `    at ${'x'.repeat(1_000_000)}:1:1\n`.repeat(20)
  assert.ok((shown(without) ?? '').length <= 4 * 301)
})
