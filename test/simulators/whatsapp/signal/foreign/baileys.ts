import {
  addTransactionCapability,
  DEFAULT_CONNECTION_CONFIG,
  getNextPreKeys,
  initAuthCreds,
  type SignalDataSet,
  type SignalDataTypeMap,
  type SignalKeyStore,
} from 'baileys'
import { pino } from 'pino'
import type { Bundle, DeviceAddress } from '../device-sessions.ts'
import type { ForeignDevice } from './device.ts'

const typed = (key: Uint8Array) => Buffer.concat([Buffer.from([5]), key])
const jid = ({ user, device }: DeviceAddress) => `${user}:${device}@lid`

/**
 * A device as Baileys has it: its Signal repository, with its keys in memory. `rememberState` gives a function that
 * brings the keys back, as when a process dies before they are stored.
 */
export function baileysDevice(address: DeviceAddress): ForeignDevice & { rememberState(): () => void } {
  const logger = pino({ level: 'silent' })
  const creds = initAuthCreds()
  const values = new Map<string, unknown>()
  const keys = addTransactionCapability(keysInMemory(values), logger, {
    maxCommitRetries: 1,
    delayBetweenTriesMs: 1,
  })
  const repository = DEFAULT_CONNECTION_CONFIG.makeSignalRepository({ creds, keys }, logger)
  const { signedPreKey: signed } = creds
  return {
    address,
    identity: creds.signedIdentityKey.public,
    rememberState() {
      const before = new Map(values)
      return () => {
        values.clear()
        for (const [name, value] of before) values.set(name, value)
      }
    },
    async takeBundle() {
      const { update, preKeys } = await getNextPreKeys({ creds, keys }, 1)
      Object.assign(creds, update, { firstUnuploadedPreKeyId: update.nextPreKeyId })
      const [[id, key] = []] = Object.entries(preKeys)
      if (!key) throw new Error('Baileys made no one-time key.')
      return {
        registrationId: creds.registrationId,
        identity: creds.signedIdentityKey.public,
        signedPreKey: { id: signed.keyId, key: signed.keyPair.public, signature: signed.signature },
        preKey: { id: Number(id), key: key.public },
      }
    },
    startSession: (to, bundle) => repository.injectE2ESession({ jid: jid(to), session: toSession(bundle) }),
    async encrypt(to, plaintext) {
      const { type, ciphertext } = await repository.encryptMessage({ jid: jid(to), data: plaintext })
      return { type, body: ciphertext }
    },
    decrypt: (from, { type, body }) =>
      repository.decryptMessage({ jid: jid(from), type, ciphertext: Buffer.from(body) }),
    async encryptForGroup(group, data) {
      const sent = await repository.encryptGroupMessage({ group, meId: jid(address), data })
      return { body: sent.ciphertext, distribution: sent.senderKeyDistributionMessage }
    },
    takeDistribution: (groupId, from, axolotlSenderKeyDistributionMessage) =>
      repository.processSenderKeyDistributionMessage({
        item: { groupId, axolotlSenderKeyDistributionMessage },
        authorJid: jid(from),
      }),
    decryptForGroup: (group, from, msg) =>
      repository.decryptGroupMessage({ group, authorJid: jid(from), msg: Buffer.from(msg) }),
  }
}

function toSession({ registrationId, identity, signedPreKey, preKey }: Bundle) {
  return {
    registrationId,
    identityKey: typed(identity),
    signedPreKey: {
      keyId: signedPreKey.id,
      publicKey: typed(signedPreKey.key),
      signature: signedPreKey.signature,
    },
    ...(preKey && { preKey: { keyId: preKey.id, publicKey: typed(preKey.key) } }),
  }
}

function keysInMemory(values: Map<string, unknown>): SignalKeyStore {
  return {
    get<T extends keyof SignalDataTypeMap>(type: T, ids: string[]) {
      const found: Record<string, SignalDataTypeMap[T]> = {}
      for (const id of ids) {
        const value = values.get(`${type} ${id}`)
        if (value) found[id] = value as SignalDataTypeMap[T]
      }
      return found
    },
    set(data: SignalDataSet) {
      for (const [type, entries] of Object.entries(data))
        for (const [id, value] of Object.entries(entries)) {
          if (value === null) values.delete(`${type} ${id}`)
          else values.set(`${type} ${id}`, value)
        }
    },
  }
}
