import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { PrivateKey } from '@signalapp/libsignal-client'
import { Curve, generateSignalPubKey } from 'baileys'
import { isSigned, verifySignatures } from './signatures.ts'

test("what Signal's own library and that of WhatsApp sign is signed, and nothing else", () => {
  for (let each = 0; each < 20; each++) {
    const message = randomBytes(each)
    const phone = PrivateKey.generate()
    const key = phone.getPublicKey().serialize()
    const signature = phone.sign(message)
    assert.ok(isSigned(key, message, signature))
    assert.ok(isSigned(key.subarray(1), message, signature))
    const client = Curve.generateKeyPair()
    assert.ok(isSigned(client.public, message, Curve.sign(client.private, message)))
    assert.ok(isSigned(generateSignalPubKey(client.public), message, Curve.sign(client.private, message)))

    const other = Buffer.from(signature)
    const place = (each * 7) % 64
    other[place] = (other[place] ?? 0) ^ (1 << (each % 8))
    assert.equal(isSigned(key, message, other), false)
    assert.equal(isSigned(key, Buffer.concat([message, Buffer.of(1)]), signature), false)
    assert.equal(isSigned(client.public, message, signature), false)
    assert.equal(isSigned(key, message, randomBytes(64)), false)
  }
})

test('what is no key, or no signature, signs nothing', () => {
  const key = PrivateKey.generate().getPublicKey().serialize()
  for (const length of [0, 31, 34, 64])
    assert.equal(isSigned(randomBytes(length), key, randomBytes(64)), false)
  for (const length of [0, 63, 65]) assert.equal(isSigned(key, key, randomBytes(length)), false)
  // The inverse of zero is zero.
  const low = Buffer.alloc(32, 0xff)
  assert.equal(isSigned(low, key, randomBytes(64)), false)
})

test('the library verifies with it', () => {
  const { public: key } = Curve.generateKeyPair()
  assert.equal(Curve.verify(key, randomBytes(8), randomBytes(64)), true, 'by itself, it says yes to anything')
  verifySignatures()
  assert.equal(Curve.verify(key, randomBytes(8), randomBytes(64)), false)
})
