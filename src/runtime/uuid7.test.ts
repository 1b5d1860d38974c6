import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newUuid7 } from './uuid7.ts'

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')

test('ids ascend, also within a millisecond and when the clock is set back', () => {
  const now = Date.now()
  let last = hex(newUuid7(now))
  for (let index = 0; index < 100_000; index++) {
    const next = hex(newUuid7(now - (index % 3)))
    assert.ok(next > last)
    last = next
  }
})

test('an id carries its version, its variant and its time (RFC 9562)', () => {
  const now = Date.now() + 60_000
  const id = hex(newUuid7(now))
  assert.equal(id[12], '7')
  assert.match(id[16] as string, /[89ab]/)
  assert.equal(Number.parseInt(id.slice(0, 12), 16), now)
})

test('ids of different milliseconds have nothing random in common', () => {
  const begin = Date.now() + 120_000
  const tails = new Set(Array.from({ length: 10_000 }, (_, index) => hex(newUuid7(begin + index)).slice(13)))
  assert.equal(tails.size, 10_000)
})
