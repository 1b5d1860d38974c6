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
import { Keys } from '../keys.ts'
import { Departures } from './departures.ts'
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

function signal(stored: Promise<void> = Promise.resolve()) {
  const creds = initAuthCreds()
  const home = { get: async () => new Map<string, Uint8Array>(), set: () => stored }
  const keys = new Keys(home, creds, (error) => assert.ifError(error))
  const options = { maxCommitRetries: 1, delayBetweenTriesMs: 0 }
  const transacted: SignalKeyStoreWithTransaction = addTransactionCapability(keys, silence, options)
  const decrypted = (_: Uint8Array, plaintext: () => Promise<Uint8Array>) => plaintext()
  const failed = async (_: Uint8Array, error: unknown) => error
  const departures = new Departures()
  const make = durableSignal({ keys, departures, encrypted: () => {}, decrypted, failed })
  return { creds, keys, departures, transacted, repository: make({ creds, keys: transacted }, silence) }
}

type Side = ReturnType<typeof signal>

/** The keys with which others begin their n-th session with this side. */
function opening({ creds, keys }: Side, number: number) {
  const preKey = Curve.generateKeyPair()
  keys.put({ 'pre-key': { [number]: preKey } })
  const { keyId, keyPair, signature } = creds.signedPreKey
  return {
    registrationId: creds.registrationId,
    identityKey: generateSignalPubKey(creds.signedIdentityKey.public),
    signedPreKey: { keyId, publicKey: generateSignalPubKey(keyPair.public), signature },
    preKey: { keyId: number, publicKey: generateSignalPubKey(preKey.public) },
  }
}

const shop = '4915100000001@s.whatsapp.net'

/** Sends from this side; resolves with a function that has the other side decrypt it. */
async function sent(from: Side, words: string): Promise<(to: Side) => Promise<string>> {
  const [jid, author] = words.startsWith('shop') ? [ana, shop] : [shop, ana]
  const sealed = await from.repository.encryptMessage({ jid, data: Buffer.from(words) })
  return async (to) => Buffer.from(await to.repository.decryptMessage({ jid: author, ...sealed })).toString()
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

test('what is encrypted leaves when its session is durable, and the next may be encrypted before that', async () => {
  const stored = Promise.withResolvers<void>()
  const { transacted, repository, departures } = signal(stored.promise)
  await transacted.transaction(() => repository.injectE2ESession({ jid: ana, session: bundle(1) }), 'me')
  let left = 0
  for (let each = 0; each < 3; each++) {
    await transacted.transaction(async () => {
      await repository.encryptMessage({ jid: ana, data: Buffer.from('hello') })
    }, 'me')
    void departures.left().then(() => {
      left += 1
    })
  }
  for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate)
  assert.equal(left, 0)
  stored.resolve()
  await departures.left()
  assert.equal(left, 3)
})

test('a late message of an earlier session does not spoil the present one', async () => {
  const [anas, shops] = [signal(), signal()]
  await anas.repository.injectE2ESession({ jid: shop, session: opening(shops, 1) })
  await (await sent(anas, 'hello'))(shops)
  await (await sent(shops, 'shop: hello'))(anas)
  const late = await sent(anas, 'late')
  await anas.repository.injectE2ESession({ jid: shop, session: opening(shops, 2) })
  const [first, second, third] = [
    await sent(anas, 'first'),
    await sent(anas, 'second'),
    await sent(anas, 'third'),
  ]
  const read = []
  for (const message of [first, late, second, third]) read.push(await message(shops))
  assert.deepEqual(read, ['first', 'late', 'second', 'third'])
  await assert.rejects(late(shops))
  const answer = await sent(shops, 'shop: bye')
  assert.equal(await answer(anas), 'shop: bye')
})

test('there is a session with a device once it was begun, until it is closed or deleted', async () => {
  const { repository, keys } = signal()
  const jid = '90001:3@lid'
  const exists = async () => (await repository.validateSession(jid)).exists
  assert.equal(await exists(), false)
  await repository.injectE2ESession({ jid, session: bundle(7) })
  assert.equal(await exists(), true)
  const address = repository.jidToSignalProtocolAddress(jid)
  const record = (await keys.read('session', [address])).get(address) as ClosableRecord
  for (const { indexInfo } of Object.values(record._sessions)) indexInfo.closed = 1
  keys.put({ session: { [address]: record } })
  assert.equal(await exists(), false)
  await repository.injectE2ESession({ jid, session: bundle(7) })
  assert.equal(await exists(), true)
  await repository.deleteSession([jid])
  assert.equal(await exists(), false)
})

interface ClosableRecord {
  readonly _sessions: Readonly<Record<string, { readonly indexInfo: { closed: number } }>>
}
