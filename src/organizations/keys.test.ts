import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import fc from 'fast-check'
import { digestOf, isToken } from '../runtime/secrets/token.ts'
import { newApiKey } from './keys.ts'

const letters = '0123456789abcdefghijklmnopqrstuvwxyz'

test('a new key is well formed, and only its digest and its first letters are to be kept', () => {
  const { key, digest, hint } = newApiKey()
  assert.match(key, /^phk_[0-9a-z]{59}$/)
  assert.ok(isToken('phk', key))
  assert.equal(digest, createHash('sha256').update(key).digest('hex'))
  assert.equal(digestOf(key), digest)
  assert.equal(hint, key.slice(4, 10))
})

test('no two keys are the same', () => {
  const keys = Array.from({ length: 1_000 }, () => newApiKey().key)
  assert.equal(new Set(keys).size, keys.length)
})

test('a key with any one letter changed, or two neighbours swapped, is not well formed', () => {
  const { key } = newApiKey()
  const place = fc.integer({ min: 4, max: key.length - 1 })
  fc.assert(
    fc.property(place, fc.constantFrom(...letters), (at, letter) => {
      fc.pre(key[at] !== letter)
      assert.equal(isToken('phk', key.slice(0, at) + letter + key.slice(at + 1)), false)
    }),
    { numRuns: 1_000 },
  )
  for (let at = 4; at < key.length - 1; at++) {
    const swapped = key.slice(0, at) + key[at + 1] + key[at] + key.slice(at + 2)
    if (swapped !== key) assert.equal(isToken('phk', swapped), false)
  }
})

test('a key that was cut, lengthened or dressed up is not well formed', () => {
  const { key } = newApiKey()
  for (let length = 0; length < key.length; length++)
    assert.equal(isToken('phk', key.slice(0, length)), false)
  for (const text of [`${key}0`, ` ${key}`, `${key}\n`, key.toUpperCase(), key.replace('phk_', 'pho_')])
    assert.equal(isToken('phk', text), false)
})
