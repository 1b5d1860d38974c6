import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FarEnd } from './far-end.ts'

function message(id: string, to = 'ana@delivers.sandbox') {
  return { id, to, kind: 'text', text: 'hello' } as const
}

test('a message is a repetition where its recipient has one of this id', () => {
  const farEnd = new FarEnd()
  assert.equal(farEnd.take(message('1'), 0, undefined), false)
  assert.equal(farEnd.take(message('1'), 0, undefined), true)
  assert.equal(farEnd.take(message('1', 'bob@delivers.sandbox'), 0, undefined), false)
  assert.equal(farEnd.take(message('2'), 0, undefined), false)
})

test('the last 20,000 messages are remembered', () => {
  const farEnd = new FarEnd()
  for (let id = 0; id < 100_000; id++) farEnd.take(message(String(id)), 0, undefined)
  for (let id = 80_000; id < 100_000; id++) assert.equal(farEnd.take(message(String(id)), 0, undefined), true)
})
