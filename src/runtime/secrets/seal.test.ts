import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import fc from 'fast-check'
import { Seal, SealBroken, type SealedPlace } from './seal.ts'

const seal = new Seal(randomBytes(32))
const place: SealedPlace = { table: 'instances', column: 'credentials', row: 'inst_1' }
const anyPlace = fc.record({ table: fc.string(), column: fc.string(), row: fc.string() })
const anyValue = fc.jsonValue()

test('what was sealed opens at its place', () => {
  fc.assert(
    fc.property(anyValue, anyPlace, (value, at) => {
      // Compared as JSON, which knows no -0.
      assert.equal(JSON.stringify(seal.open(seal.close(value, at), at)), JSON.stringify(value))
    }),
  )
})

test('what was sealed does not open at any other place', () => {
  fc.assert(
    fc.property(anyPlace, anyPlace, (here, there) => {
      fc.pre(JSON.stringify(here) !== JSON.stringify(there))
      const sealed = seal.close('a secret', here)
      assert.throws(() => seal.open(sealed, there), SealBroken)
    }),
  )
})

test('moving letters from one part of a place to the next is another place', () => {
  const sealed = seal.close('a secret', { table: 'ab', column: 'c', row: '1' })
  assert.throws(() => seal.open(sealed, { table: 'a', column: 'bc', row: '1' }), SealBroken)
})

test('what was sealed does not open with any bit flipped', () => {
  const sealed = seal.close({ password: 'a secret' }, place)
  for (let bit = 0; bit < sealed.length * 8; bit++) {
    const altered = Uint8Array.from(sealed)
    altered[bit >> 3] = (altered[bit >> 3] ?? 0) ^ (1 << (bit & 7))
    assert.throws(() => seal.open(altered, place), SealBroken, `bit ${bit}`)
  }
})

test('what was sealed does not open cut or lengthened, however much', () => {
  const sealed = seal.close('a secret', place)
  for (let length = 0; length < sealed.length; length++)
    assert.throws(() => seal.open(sealed.subarray(0, length), place), SealBroken, `${length} bytes`)
  assert.throws(() => seal.open(Uint8Array.of(...sealed, 0), place), SealBroken)
})

test('what was sealed does not open under another key', () => {
  const sealed = seal.close('a secret', place)
  assert.throws(() => new Seal(randomBytes(32)).open(sealed, place), SealBroken)
})

test('the same value is never sealed to the same bytes, and stands in none of them', () => {
  const first = Buffer.from(seal.close('a secret', place))
  assert.notDeepEqual(first, Buffer.from(seal.close('a secret', place)))
  assert.ok(!first.includes('a secret'))
})

test('a key of another length is refused', () => {
  for (const length of [0, 16, 31, 33, 64]) assert.throws(() => new Seal(randomBytes(length)))
})
