import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { base32, derivedId, idPattern, newId, newUuid7, randomBase32 } from './ids.ts'

const alphabet = '0123456789abcdefghjkmnpqrstvwxyz'

/** Crockford's base32 read back, independently of the writer: bit by bit. */
function bytesOf(text: string): Uint8Array {
  const bits = [...text].map((letter) => alphabet.indexOf(letter).toString(2).padStart(5, '0')).join('')
  const bytes = bits.match(/.{8}/g) ?? []
  return Uint8Array.from(bytes, (byte) => Number.parseInt(byte, 2))
}

test('base32 can be read back, and takes five bits a character', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 64 }), (bytes) => {
      const text = base32(bytes)
      assert.equal(text.length, Math.ceil((bytes.length * 8) / 5))
      assert.deepEqual(bytesOf(text), bytes)
    }),
  )
})

test('base32 keeps the order of the bytes, so that ids sort by time', () => {
  const sixteen = fc.uint8Array({ minLength: 16, maxLength: 16 })
  fc.assert(
    fc.property(sixteen, sixteen, (left, right) => {
      const order = Math.sign(Buffer.compare(left, right))
      const [a, b] = [base32(left), base32(right)]
      assert.equal(a < b ? -1 : a > b ? 1 : 0, order)
    }),
  )
})

test('ten thousand ids of one moment ascend, differ, and have their documented form', () => {
  const ids = Array.from({ length: 10_000 }, () => newId('msg'))
  assert.deepEqual(ids, [...ids].sort())
  assert.equal(new Set(ids).size, ids.length)
  const form = new RegExp(idPattern('msg'))
  assert.ok(ids.every((id) => form.test(id)))
})

test('an id is a UUIDv7 of now', () => {
  const before = Date.now()
  const bytes = Buffer.from(bytesOf(newId('evt').slice('evt_'.length)))
  const at = bytes.readUIntBE(0, 6)
  assert.ok(at >= before && at <= Date.now() + 1)
  assert.equal(bytes.readUInt8(6) >> 4, 7)
  assert.equal(bytes.readUInt8(8) >> 6, 0b10)
})

test('derived ids ascend with the time and the number, and are the same for the same values alone', () => {
  const now = Date.now()
  const ids = [
    derivedId('evt', now, 1, 'a'),
    derivedId('evt', now, 2, 'a'),
    derivedId('evt', now, 300, 'a'),
    derivedId('evt', now + 1, 301, 'a'),
    derivedId('evt', now + 2, 2 ** 40, 'a'),
  ]
  assert.deepEqual(ids, [...ids].sort())
  assert.equal(new Set([...ids, derivedId('evt', now, 1, 'b')]).size, 6)
  assert.equal(derivedId('evt', now, 1, 'a'), ids[0])
  assert.ok(ids.every((id) => new RegExp(idPattern('evt')).test(id)))
})

test('a pattern takes only ids of its own prefix', () => {
  assert.doesNotMatch(newId('key'), new RegExp(idPattern('msg')))
  assert.doesNotMatch(`${newId('msg')}0`, new RegExp(idPattern('msg')))
})

test('random text has the length of its bytes', () => {
  assert.equal(randomBase32(32).length, 52)
  assert.notEqual(randomBase32(32), randomBase32(32))
})

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
