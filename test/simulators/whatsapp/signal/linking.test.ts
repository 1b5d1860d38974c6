import assert from 'node:assert/strict'
import { createHmac, randomBytes } from 'node:crypto'
import { describe, test } from 'node:test'
import { configureSuccessfulPairing, initAuthCreds } from 'baileys'
import { sealedDeviceIdentityCodec, signedDeviceIdentityCodec } from '../proto/device-identity.ts'
import { baileysDevice } from './foreign/baileys.ts'
import { anna, annasPhone } from './foreign/cast.ts'
import { zapoCompanion } from './foreign/zapo-companion.ts'
import { pad } from './padding.ts'

const lid = anna.user
const jids = ['491511111:2@s.whatsapp.net', `${lid}:2@lid`] as const
const given = { device: 2, keyIndex: 7 }

test('zapo-js shows a QR code, believes the phone that scans it, and signs back', async () => {
  const [phone, companion] = [annasPhone(), await zapoCompanion()]
  const link = phone.scan(await companion.qrFor('2@first'), given)
  assert.equal(link.ref, '2@first')
  assert.deepEqual(link.noiseKey, Buffer.from(companion.credentials.noiseKeyPair.pubKey))

  const signed = await companion.pairSuccess(link.identityHmac, ...jids)
  assert.equal(phone.isSignedBack(signed, link.companionIdentity), true)
  assert.equal(companion.client.getCurrentCredentials()?.meLid, jids[1])
})

test('Baileys shows a QR code, believes the phone that scans it, and signs back', () => {
  const [phone, creds] = [annasPhone(), initAuthCreds()]
  const link = phone.scan(baileysQr(creds), given)
  const { reply, creds: update } = configureSuccessfulPairing(pairSuccess(link.identityHmac), creds)
  const signed = baileysReply(reply)
  assert.equal(phone.isSignedBack(signed, link.companionIdentity), true)
  assert.deepEqual(Buffer.from(update.account?.accountSignatureKey ?? []), phone.identity)
})

describe('zapo-js refuses a phone', () => {
  const link = async (change: (signed: Buffer) => Uint8Array, secret?: Uint8Array) => {
    const [phone, companion] = [annasPhone(), await zapoCompanion()]
    const { identityHmac } = phone.scan(await companion.qrFor('2@first'), given)
    const { details = new Uint8Array(), hmac } = sealedDeviceIdentityCodec.decode(identityHmac)
    const changed = change(Buffer.from(details))
    const seal = secret === undefined ? hmac : createHmac('sha256', secret).update(changed).digest()
    assert.ok(seal)
    return companion.pairSuccess(sealedDeviceIdentityCodec.encode({ details: changed, hmac: seal }), ...jids)
  }

  test('that is not authenticated by the secret of the QR code', async () => {
    await assert.rejects(
      link((signed) => signed, randomBytes(32)),
      /HMAC/,
    )
  })

  test('whose words were changed on their way', async () => {
    await assert.rejects(
      link((signed) => {
        signed[signed.length - 1] = (signed.at(-1) ?? 0) ^ 1
        return signed
      }),
      /HMAC/,
    )
  })
})

test('zapo-js refuses a phone whose signature is of another device', async () => {
  const [phone, companion, other] = [annasPhone(), await zapoCompanion(), await zapoCompanion()]
  const [ref, noise, , secret, platform] = (await companion.qrFor('2@first')).split(',')
  const mixed = [ref, noise, (await other.qrFor('2@other')).split(',')[2], secret, platform].join(',')
  await assert.rejects(companion.pairSuccess(phone.scan(mixed, given).identityHmac, ...jids), /signature/)
})

describe('A phone does not believe', () => {
  const signBack = () => {
    const [phone, creds] = [annasPhone(), initAuthCreds()]
    const link = phone.scan(baileysQr(creds), given)
    const { reply } = configureSuccessfulPairing(pairSuccess(link.identityHmac), creds)
    return { phone, companion: link.companionIdentity, signed: baileysReply(reply) }
  }

  test('a device that did not sign', () => {
    const { phone, companion, signed } = signBack()
    const { deviceSignature: _, ...unsigned } = signedDeviceIdentityCodec.decode(signed)
    assert.equal(phone.isSignedBack(signedDeviceIdentityCodec.encode(unsigned), companion), false)
  })

  test('a signature that was changed', () => {
    const { phone, companion, signed } = signBack()
    const read = signedDeviceIdentityCodec.decode(signed)
    const deviceSignature = Buffer.from(read.deviceSignature ?? [])
    deviceSignature[5] = (deviceSignature[5] ?? 0) ^ 1
    assert.equal(
      phone.isSignedBack(signedDeviceIdentityCodec.encode({ ...read, deviceSignature }), companion),
      false,
    )
  })

  test('that it vouched, if the words for it were changed or are those of an earlier scan', () => {
    const { phone, companion, signed } = signBack()
    const read = signedDeviceIdentityCodec.decode(signed)
    const accountSignature = Buffer.from(read.accountSignature ?? [])
    accountSignature[5] = (accountSignature[5] ?? 0) ^ 1
    const changed = signedDeviceIdentityCodec.encode({ ...read, accountSignature })
    assert.equal(phone.isSignedBack(changed, companion), false)

    const keys = [companion, companion, companion].map((key) => Buffer.from(key).toString('base64'))
    phone.scan(['2@again', ...keys, '1'].join(','), given)
    assert.equal(phone.isSignedBack(signed, companion), false)
  })

  test('a device that another phone linked, or nobody', () => {
    const [one, two] = [signBack(), signBack()]
    assert.equal(one.phone.isSignedBack(two.signed, two.companion), false)
    assert.equal(one.phone.isSignedBack(two.signed, one.companion), false)
    assert.equal(one.phone.isSignedBack(one.signed, two.companion), false)
    assert.equal(one.phone.isSignedBack(Buffer.from('nonsense'), one.companion), false)
    assert.equal(one.phone.isSignedBack(one.signed, one.companion), true)
  })

  test('a code that is not one for linking', () => {
    const key = randomBytes(32).toString('base64')
    for (const qr of ['', 'https://example.org', `ref,${key},${key}`, `ref,${key},${key},AAAA,1`])
      assert.throws(() => annasPhone().scan(qr, given), /not one that links/)
  })
})

test('A linked device can write to its phone under the key that was linked, and no other', async () => {
  const [phone, linked, stranger] = [
    annasPhone(),
    baileysDevice({ user: lid, device: 2 }),
    baileysDevice({ user: lid, device: 2 }),
  ]
  const keys = [randomBytes(32), linked.identity, randomBytes(32)].map((key) =>
    Buffer.from(key).toString('base64'),
  )
  phone.scan(['2@ref', ...keys, '1'].join(','), given)
  const phones = { user: lid, device: 0 }
  for (const device of [stranger, linked]) await device.startSession(phones, phone.takeBundle())
  const words = pad(Buffer.alloc(0))
  await assert.rejects(phone.decrypt(linked.address, await stranger.encrypt(phones, words)), /untrusted/i)
  assert.equal((await phone.decrypt(linked.address, await linked.encrypt(phones, words))).kind, 'read')
})

type Creds = ReturnType<typeof initAuthCreds>

function baileysQr({ noiseKey, signedIdentityKey, advSecretKey }: Creds): string {
  const keys = [noiseKey, signedIdentityKey].map(({ public: key }) => Buffer.from(key).toString('base64'))
  return `https://wa.me/settings/linked_devices#${['2@ref', ...keys, advSecretKey, '1'].join(',')}`
}

function pairSuccess(identityHmac: Uint8Array) {
  const content = [
    { tag: 'device-identity', attrs: {}, content: identityHmac },
    { tag: 'device', attrs: { jid: jids[0], lid: jids[1] } },
  ]
  return { tag: 'iq', attrs: { id: '1' }, content: [{ tag: 'pair-success', attrs: {}, content }] }
}

function baileysReply(reply: ReturnType<typeof configureSuccessfulPairing>['reply']): Uint8Array {
  const [sign] = Array.isArray(reply.content) ? reply.content : []
  const [identity] = Array.isArray(sign?.content) ? sign.content : []
  assert.equal(identity?.attrs['key-index'], '7')
  assert.ok(identity?.content instanceof Uint8Array)
  return identity.content
}
