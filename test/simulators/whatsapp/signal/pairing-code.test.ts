import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import {
  aesDecryptCTR,
  aesEncryptCTR,
  aesEncryptGCM,
  Curve,
  configureSuccessfulPairing,
  derivePairingCodeKey,
  hkdf,
  initAuthCreds,
} from 'baileys'
import { anna, annasPhone } from './foreign/cast.ts'
import { descend, leaf, zapoCompanion } from './foreign/zapo-companion.ts'
import { type Phone, WrongCode } from './phone.ts'

const lid = anna.user
const jids = ['491511111:2@s.whatsapp.net', `${lid}:2@lid`] as const
const given = { device: 2, keyIndex: 1 }

test('zapo-js is linked by the code that it shows', async () => {
  const { companion, code, hello, finish } = await askForCode()
  const phone = annasPhone()
  const link = phone.finishCode(await finish(await phone.enterCode(dashed(code), hello)), given)
  assert.deepEqual(link.noiseKey, hello.companionNoise)
  const signed = await companion.pairSuccess(link.identityHmac, ...jids)
  assert.equal(phone.isSignedBack(signed, link.companionIdentity), true)
})

test('A phone notices that its person typed another code, and does not try it twice', async () => {
  const { hello, finish } = await askForCode()
  const phone = annasPhone()
  const finished = await finish(await phone.enterCode('ABCD1234', hello))
  assert.throws(() => phone.finishCode(finished, given), WrongCode)
  assert.throws(() => phone.finishCode(finished, given), /finished before/)
})

test('A phone notices that the companion finishes for another identity', async () => {
  const { code, hello, finish } = await askForCode()
  const phone = annasPhone()
  const finished = await finish(await phone.enterCode(code, hello))
  const { identity } = annasPhone()
  assert.throws(() => phone.finishCode({ ...finished, companionIdentity: identity }, given), WrongCode)
})

test('A companion that follows the formulas of Baileys is linked by its code', async () => {
  const [phone, creds] = [annasPhone(), initAuthCreds()]
  const code = 'K7M2PQ9X'
  const [salt, counter] = [randomBytes(32), randomBytes(16)]
  const ephemeral = Curve.generateKeyPair()
  const wrapped = aesEncryptCTR(ephemeral.public, await derivePairingCodeKey(code, salt), counter)
  const answer = await phone.enterCode(code.toLowerCase(), {
    ref: 'ref',
    wrappedCompanionEphemeral: Buffer.concat([salt, counter, wrapped]),
    companionNoise: creds.noiseKey.public,
  })

  const primary = Buffer.from(answer.wrappedPrimaryEphemeral)
  const key = await derivePairingCodeKey(code, primary.subarray(0, 32))
  const shared = Curve.sharedKey(
    ephemeral.private,
    aesDecryptCTR(primary.subarray(48, 80), key, primary.subarray(32, 48)),
  )
  const [secret, bundleSalt, nonce] = [randomBytes(32), randomBytes(32), randomBytes(12)]
  const bundleKey = hkdf(shared, 32, {
    salt: bundleSalt,
    info: 'link_code_pairing_key_bundle_encryption_key',
  })
  const bundle = Buffer.concat([creds.signedIdentityKey.public, answer.primaryIdentity, secret])
  const sealed = aesEncryptGCM(bundle, bundleKey, nonce, Buffer.alloc(0))
  const identities = Curve.sharedKey(creds.signedIdentityKey.private, answer.primaryIdentity)
  const advSecret = hkdf(Buffer.concat([shared, identities, secret]), 32, { info: 'adv_secret' })

  const { identityHmac } = phone.finishCode(
    {
      ref: 'ref',
      wrappedKeyBundle: Buffer.concat([bundleSalt, nonce, sealed]),
      companionIdentity: creds.signedIdentityKey.public,
    },
    given,
  )
  const content = [
    { tag: 'device-identity', attrs: {}, content: identityHmac },
    { tag: 'device', attrs: { jid: jids[0], lid: jids[1] } },
  ]
  const stanza = { tag: 'iq', attrs: { id: '1' }, content: [{ tag: 'pair-success', attrs: {}, content }] }
  const advSecretKey = Buffer.from(advSecret).toString('base64')
  assert.equal(configureSuccessfulPairing(stanza, { ...creds, advSecretKey }).creds.me?.lid, jids[1])
})

const dashed = (code: string) => `${code.slice(0, 4)}-${code.slice(4)}`

/** zapo-js asks for a code; the test is the server between it and the phone. */
async function askForCode() {
  const requests: Parameters<typeof descend>[0][] = []
  const companion = await zapoCompanion((request) => {
    requests.push(request)
    const answer = {
      tag: 'link_code_companion_reg',
      attrs: {},
      content: [leaf('link_code_pairing_ref', 'ref-1')],
    }
    return { tag: 'iq', attrs: { type: 'result' }, content: [answer] }
  })
  const field = (name: string) => {
    const bytes = descend(requests.at(-1), 'link_code_companion_reg', name)
    assert.ok(bytes instanceof Uint8Array, name)
    return bytes
  }
  const code = await companion.client.requestPairingCode('491511111')
  const hello = {
    ref: 'ref-1',
    wrappedCompanionEphemeral: field('link_code_pairing_wrapped_companion_ephemeral_pub'),
    companionNoise: field('companion_server_auth_key_pub'),
  }
  const finish = async (answer: Awaited<ReturnType<Phone['enterCode']>>) => {
    const content = [
      leaf('link_code_pairing_ref', answer.ref),
      leaf('link_code_pairing_wrapped_primary_ephemeral_pub', answer.wrappedPrimaryEphemeral),
      leaf('primary_identity_pub', answer.primaryIdentity),
    ]
    const stage = { tag: 'link_code_companion_reg', attrs: { stage: 'primary_hello' }, content }
    const attrs = { id: '2', from: 's.whatsapp.net', type: 'link_code_companion_reg' }
    await companion.client.handleLinkCodeNotification({ tag: 'notification', attrs, content: [stage] })
    return {
      ref: 'ref-1',
      wrappedKeyBundle: field('link_code_pairing_wrapped_key_bundle'),
      companionIdentity: field('companion_identity_public'),
    }
  }
  return { companion, code, hello, finish }
}
