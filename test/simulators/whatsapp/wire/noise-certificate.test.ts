import assert from 'node:assert/strict'
import { test } from 'node:test'
import { verifyNoiseCertificateChain } from 'zapo-js/transport'
import { certChains, certDetails, type SignedDetails } from '../proto/handshake.ts'
import { type ChainFlaw, issueChain, type NoiseCertificate } from './noise-certificate.ts'

/** Checks a chain as a strict client does: zapo-js the signatures, the serials and the key; this the time. */
async function check({ chain, keys, rootPublic, serial }: NoiseCertificate): Promise<void> {
  await verifyNoiseCertificateChain(chain, keys.public, { publicKey: rootPublic, serial })
  const { leaf, intermediate } = certChains.decode(chain)
  for (const each of [leaf, intermediate]) checkTime(each)
}

function checkTime(certificate: SignedDetails | undefined): void {
  const { notBefore, notAfter } = certDetails.decode(certificate?.details ?? new Uint8Array())
  const now = Date.now() / 1000
  assert.ok(notBefore !== undefined && notAfter !== undefined)
  if (now < notBefore || now > notAfter) throw new Error('the certificate is not valid at this time')
}

test('a chain is right', async () => {
  const certificate = issueChain()
  await check(certificate)
  assert.equal(certificate.serial, 0)
  const { intermediate } = certChains.decode(certificate.chain)
  // Baileys accepts no other; zero must be on the wire, and not merely left out.
  assert.equal(certDetails.decode(intermediate?.details ?? new Uint8Array()).issuerSerial, 0)
})

test('a chain of another root is refused', async () => {
  await assert.rejects(
    check({ ...issueChain(), rootPublic: issueChain().rootPublic }),
    /signature is invalid/,
  )
})

const refusals: Readonly<Record<ChainFlaw, RegExp>> = {
  wrong_signature: /leaf certificate signature is invalid/,
  other_key: /leaf certificate key mismatch/,
  expired: /not valid at this time/,
}
for (const [flaw, says] of Object.entries(refusals))
  test(`a chain with the flaw ${flaw} is refused for that`, async () => {
    await assert.rejects(check(issueChain(flaw as ChainFlaw)), says)
  })
