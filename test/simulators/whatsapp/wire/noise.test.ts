import assert from 'node:assert/strict'
import { createPrivateKey, createPublicKey } from 'node:crypto'
import { test } from 'node:test'
import { agree, type KeyPair } from './key-pair.ts'
import { Transcript } from './noise.ts'

/** Noise_XX_25519_AESGCM_SHA256 of the vectors of cacophony, which many libraries test themselves with. */
const vector = {
  prologue: '4a6f686e2047616c74',
  initiator: {
    static: 'e61ef9919cde45dd5f82166404bd08e38bceb5dfdfded0a34c8df7ed542214d1',
    ephemeral: '893e28b9dc6ca8d611ab664754b8ceb7bac5117349a4439a6b0569da977c464a',
  },
  responder: {
    static: '4a3acbfdb163dec651dfa3194dece676d437029c62a408b4c5ea9114246e4893',
    ephemeral: 'bbdb4cdbd309f1a1f2e1456967fe288cadd6f712d65dc7b7793d5e63da6b375b',
  },
  messages: [
    [
      '4c756477696720766f6e204d69736573',
      'ca35def5ae56cec33dc2036731ab14896bc4c75dbb07a61f879f8e3afa4c79444c756477696720766f6e204d69736573',
    ],
    [
      '4d757272617920526f746862617264',
      '95ebc60d2b1fa672c1f46a8aa265ef51bfe38e7ccb39ec5be34069f144808843757117acceb05bd7a45733bc22015c97a9d0cbaf41b80446d5988ff5127235d76b79eade70f473d6a4ef521fdcbeda5340d01e028ba793fc059f2724a83af05f12dda0448a7621a926b379a92477fd',
    ],
    [
      '462e20412e20486179656b',
      'c90f1cf77eba4e50edb038991565e36c9758943a989229b6051244dc4fbecb6946744b401af2ee1a5881b65fbb87fd07cb6a328ececc9ce6ce84c399dc332d4fd521fa4bb7f467ce909395',
    ],
    ['4361726c204d656e676572', 'bc3fa77f6aca3e8466d7dc6bea10013e88a6a29add5132b461806c'],
    [
      '4a65616e2d426170746973746520536179',
      '250b01074cdfe0df2ecf8ccbf1737b15a2ddb5b52fd9a396604e9c793cee3b3bb9',
    ],
    [
      '457567656e2042f6686d20766f6e2042617765726b',
      '449d4d433b3cdc3d02bf6fc881774b9df54366ebcffb9689bb13f14709822cd7ef42bcdb4d',
    ],
  ],
} as const

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')

function keyPair(privateHex: string): KeyPair {
  const raw = Buffer.from(privateHex, 'hex')
  const der = Buffer.concat([Buffer.from('302e020100300506032b656e04220420', 'hex'), raw])
  const key = createPublicKey(createPrivateKey({ key: der, format: 'der', type: 'pkcs8' }))
  return { private: raw, public: key.export({ format: 'der', type: 'spki' }).subarray(-32) }
}

/** Message `index`: what is in it, and how it is sent. */
function message(index: 0 | 1 | 2 | 3 | 4 | 5): { payload: Buffer; sent: Buffer } {
  const [payload, sent] = vector.messages[index]
  return { payload: Buffer.from(payload, 'hex'), sent: Buffer.from(sent, 'hex') }
}

test('a responder says and understands what the published vector has', () => {
  const own = keyPair(vector.responder.static)
  const ephemeral = keyPair(vector.responder.ephemeral)
  const transcript = new Transcript('Noise_XX_25519_AESGCM_SHA256', Buffer.from(vector.prologue, 'hex'))

  const first = message(0)
  const theirs = first.sent.subarray(0, 32)
  transcript.mix(theirs)
  transcript.mix(first.payload)

  const second = message(1)
  transcript.mix(ephemeral.public)
  transcript.agree(agree(ephemeral, theirs))
  const sealed = transcript.encrypt(own.public)
  transcript.agree(agree(own, theirs))
  const said = Buffer.concat([ephemeral.public, sealed, transcript.encrypt(second.payload)])
  assert.equal(hex(said), hex(second.sent))

  const third = message(2)
  const initiator = transcript.decrypt(third.sent.subarray(0, 48))
  assert.equal(hex(initiator), hex(keyPair(vector.initiator.static).public))
  transcript.agree(agree(ephemeral, initiator))
  assert.equal(hex(transcript.decrypt(third.sent.subarray(48))), hex(third.payload))

  const [incoming, outgoing] = transcript.split()
  assert.equal(hex(outgoing.encrypt(message(3).payload)), hex(message(3).sent))
  assert.equal(hex(incoming.decrypt(message(4).sent)), hex(message(4).payload))
  assert.equal(hex(outgoing.encrypt(message(5).payload)), hex(message(5).sent))
})

test('a message that was changed, repeated or cut is refused', () => {
  const pair = () => new Transcript('Noise_XX_25519_AESGCM_SHA256', Buffer.from('x')).split()
  const [ours] = pair()
  const [theirs] = pair()
  const sent = ours.encrypt(Buffer.from('hello'))
  const changed = Buffer.from(sent)
  changed[0] = (changed[0] ?? 0) ^ 1
  assert.throws(() => pair()[0].decrypt(changed), /can not be decrypted/)
  assert.throws(() => pair()[0].decrypt(sent.subarray(1)), /can not be decrypted/)
  assert.throws(() => pair()[0].decrypt(sent.subarray(0, 15)), /too short/)
  assert.equal(Buffer.from(theirs.decrypt(sent)).toString(), 'hello')
  assert.throws(() => theirs.decrypt(sent), /can not be decrypted/)
})

test('a key that leads to a secret of zeros is refused', () => {
  const own = keyPair(vector.responder.static)
  assert.throws(() => agree(own, new Uint8Array(32)), Error)
  assert.throws(() => agree(own, new Uint8Array(31)), /has 32 bytes, and not 31/)
})
