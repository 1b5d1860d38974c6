import {
  generatePreKeyPair,
  generateRegistrationInfo,
  generateSignedPreKey,
  SenderKeyManager,
  SignalProtocol,
} from 'zapo-js/signal'
import {
  SenderKeyMemoryStore,
  WaIdentityMemoryStore,
  WaPreKeyMemoryStore,
  WaSessionMemoryStore,
  WaSignalMemoryStore,
} from 'zapo-js/store'
import type { DeviceAddress } from '../device-sessions.ts'
import type { ForeignDevice } from './device.ts'

const signal = ({ user, device }: DeviceAddress) => ({ user, device, server: 'lid' })

/** A device as zapo-js has it: its own Signal protocol, with its keys in memory. */
export async function zapoDevice(address: DeviceAddress): Promise<ForeignDevice> {
  const stores = {
    signal: new WaSignalMemoryStore(),
    preKey: new WaPreKeyMemoryStore(),
    session: new WaSessionMemoryStore(),
    identity: new WaIdentityMemoryStore(),
  }
  const registration = await generateRegistrationInfo()
  const signed = await generateSignedPreKey(1, registration.identityKeyPair.privKey)
  await stores.signal.setRegistrationInfo(registration)
  await stores.signal.setSignedPreKey(signed)
  const protocol = new SignalProtocol(stores)
  const identity = registration.identityKeyPair.pubKey
  let nextPreKey = 1
  return {
    address,
    identity,
    async takeBundle() {
      const preKey = await generatePreKeyPair(nextPreKey++)
      await stores.preKey.putPreKey(preKey)
      return {
        registrationId: registration.registrationId,
        identity,
        signedPreKey: { id: signed.keyId, key: signed.keyPair.pubKey, signature: signed.signature },
        preKey: { id: preKey.keyId, key: preKey.keyPair.pubKey },
      }
    },
    async startSession(to, { registrationId, identity, signedPreKey, preKey }) {
      await protocol.establishOutgoingSession(signal(to), {
        regId: registrationId,
        identity,
        signedKey: {
          id: signedPreKey.id,
          publicKey: signedPreKey.key,
          signature: signedPreKey.signature,
        },
        ...(preKey && { oneTimeKey: { id: preKey.id, publicKey: preKey.key } }),
      })
    },
    async encrypt(to, plaintext) {
      const { type, ciphertext } = await protocol.encryptMessage(signal(to), plaintext)
      return { type, body: ciphertext }
    },
    decrypt: (from, { type, body }) => protocol.decryptMessage(signal(from), { type, ciphertext: body }),
    ...groupsOf(address),
  }
}

function groupsOf(
  address: DeviceAddress,
): Pick<ForeignDevice, 'encryptForGroup' | 'takeDistribution' | 'decryptForGroup'> {
  const groups = new SenderKeyManager(new SenderKeyMemoryStore())
  return {
    async encryptForGroup(group, plaintext) {
      const { ciphertext, distributionMessage } = await groups.prepareGroupEncryption(
        group,
        signal(address),
        plaintext,
      )
      const distribution = distributionMessage.axolotlSenderKeyDistributionMessage
      if (!distribution) throw new Error('zapo-js gave no key of its group.')
      return { body: ciphertext.ciphertext, distribution }
    },
    async takeDistribution(group, from, distribution) {
      await groups.processSenderKeyDistributionPayload(group, signal(from), distribution)
    },
    decryptForGroup: (groupId, from, ciphertext) =>
      groups.decryptGroupMessage({ groupId, sender: signal(from), ciphertext }),
  }
}
