import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  addTransactionCapability,
  Curve,
  generateSignalPubKey,
  initAuthCreds,
  type SignalKeyStoreWithTransaction,
  signedKeyPair,
} from 'baileys'
import { Keys } from './keys.ts'
import { durableSignal } from './signal.ts'
import { silence } from './silence.ts'

const ana = '4915100000002@s.whatsapp.net'

/** The keys of a device with which a session can be begun. */
function bundle(registrationId: number) {
  const identity = Curve.generateKeyPair()
  const { keyId, keyPair, signature } = signedKeyPair(identity, 1)
  const publicKey = generateSignalPubKey(keyPair.public)
  const signedPreKey = { keyId, publicKey, signature }
  const preKey = { keyId: 1, publicKey: generateSignalPubKey(Curve.generateKeyPair().public) }
  return { registrationId, identityKey: generateSignalPubKey(identity.public), signedPreKey, preKey }
}

function signal() {
  const creds = initAuthCreds()
  const home = { get: async () => new Map<string, Uint8Array>(), set: async () => {} }
  const keys = new Keys(home, creds, (error) => assert.ifError(error))
  const options = { maxCommitRetries: 1, delayBetweenTriesMs: 0 }
  const transacted: SignalKeyStoreWithTransaction = addTransactionCapability(keys, silence, options)
  const decrypted = (_: Uint8Array, plaintext: () => Promise<Uint8Array>) => plaintext()
  const make = durableSignal({ keys, encrypted: () => {}, decrypted })
  return { transacted, repository: make({ creds, keys: transacted }, silence) }
}

test('while a message is being sent, its transaction sees a session as others have moved it on', async () => {
  const { transacted, repository } = signal()
  await repository.injectE2ESession({ jid: ana, session: bundle(1) })
  const moved = Promise.withResolvers<void>()
  const looked = Promise.withResolvers<void>()
  const sending = transacted.transaction(async () => {
    const before = await repository.getSessionInfo(ana)
    looked.resolve()
    await moved.promise
    return [before?.registrationId, (await repository.getSessionInfo(ana))?.registrationId]
  }, 'me')
  await looked.promise
  await repository.injectE2ESession({ jid: ana, session: bundle(2) })
  moved.resolve()
  assert.deepEqual(await sending, [1, 2])
})
