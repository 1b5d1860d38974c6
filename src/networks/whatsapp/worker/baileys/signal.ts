import {
  BufferJSON,
  DEFAULT_CONNECTION_CONFIG,
  isLidUser,
  jidDecode,
  type SignalDataSet,
  type SignalKeyStoreWithTransaction,
  type SocketConfig,
} from 'baileys'
import type { Keys } from '../keys.ts'
import { keepContactTokens } from './contact-tokens.ts'
import type { Departures } from './departures.ts'
import { hasOpenSession, OneSession } from './one-session.ts'
import { isSigned } from './signatures.ts'

type MakeRepository = SocketConfig['makeSignalRepository']
type Repository = ReturnType<MakeRepository>

/** Hooks around the cryptography of a client. */
export interface SignalHooks {
  readonly keys: Keys
  readonly departures: Departures
  /** Something was encrypted for this user or group. Throws if it must not leave. */
  encrypted(user: string): void
  /** Something was decrypted: what is returned is given to the library, which confirms the message once this resolves. */
  decrypted(ciphertext: Uint8Array, plaintext: () => Promise<Uint8Array>): Promise<Uint8Array>
  /** Decrypting failed, and nothing of it is kept. What this resolves to is thrown at the library. */
  failed(ciphertext: Uint8Array, error: unknown): Promise<unknown>
}

/**
 * The Signal protocol of the library, with two promises more: what a message changes in a session is durable before the message
 * leaves, and an incoming message is stored before the library confirms it. (The library keeps the changes of a transaction in memory until
 * its end, which is after the message was written to the socket.)
 */
export function durableSignal(hooks: SignalHooks): MakeRepository {
  const { keys } = hooks
  return (auth, logger, lookUpLids) => {
    // The library passes keys with transactions, though its type does not say so.
    const transacted = auth.keys as SignalKeyStoreWithTransaction
    keepContactTokens(transacted, keys)
    const oneSession = new OneSession()
    const seenAtOnce: typeof transacted = {
      ...transacted,
      // A transaction sees a session as it was when it first looked. Meanwhile, a message of the same person may have moved it on.
      get: async (type, ids) => {
        if (type !== 'session') return await transacted.get(type, ids)
        // The library builds a session of its own from what it is given, and does not change that.
        const found = await keys.readUncopied(type, ids)
        for (const [id, record] of found) found.set(id, oneSession.shown(record))
        return Object.fromEntries(found) as Awaited<ReturnType<typeof keys.get<typeof type>>>
      },
      set: async (asked) => {
        const data = await completed(legible(asked), keys, oneSession)
        await transacted.set(data)
        if (transacted.isInTransaction()) keys.putEarly(data)
      },
    }
    const inner = DEFAULT_CONNECTION_CONFIG.makeSignalRepository(
      { creds: auth.creds, keys: seenAtOnce },
      logger,
      lookUpLids,
    )
    return Object.assign<Repository, Partial<Repository>>(inner, around(inner, transacted, oneSession, hooks))
  }
}

/**
 * The library writes the keys that it skipped, for messages that were overtaken, as arrays of numbers, and reads only base64
 * (`BufferJSON.reviver`): here they are written as it reads them.
 */
function legible(data: SignalDataSet): SignalDataSet {
  const rows = data['sender-key']
  if (!rows) return data
  const written = Object.entries(rows).map(([id, row]) => [id, row && rewritten(row)] as const)
  return { ...data, 'sender-key': Object.fromEntries(written) }
}

/** With the sessions that were not shown to the library. */
async function completed(data: SignalDataSet, keys: Keys, oneSession: OneSession): Promise<SignalDataSet> {
  const { session: records } = data
  if (!records || !oneSession.isTrying) return data
  const before = await keys.read('session', Object.keys(records))
  const whole = Object.entries(records).map(
    ([id, record]) => [id, oneSession.completed(record, before.get(id))] as const,
  )
  return { ...data, session: Object.fromEntries(whole) }
}

function rewritten(row: Uint8Array): Uint8Array {
  return Buffer.from(JSON.stringify(JSON.parse(Buffer.from(row).toString()), BufferJSON.replacer))
}

function around(
  inner: Repository,
  transacted: SignalKeyStoreWithTransaction,
  oneSession: OneSession,
  { keys, departures, encrypted, decrypted, failed }: SignalHooks,
): Partial<Repository> {
  const {
    encryptMessage,
    encryptGroupMessage,
    decryptMessage,
    decryptGroupMessage,
    injectE2ESession,
    processSenderKeyDistributionMessage,
  } = inner
  const transaction = async (
    ciphertext: Uint8Array,
    decrypt: () => Promise<Uint8Array>,
    author: string,
  ): Promise<Uint8Array> => {
    try {
      const plaintext = await transacted.transaction(() => decrypted(ciphertext, decrypt), author)
      await keys.flush()
      return plaintext
    } catch (error) {
      throw await failed(ciphertext, error)
    }
  }
  return {
    injectE2ESession: signedOnly(injectE2ESession),
    encryptMessage: async (asked) => {
      const { result, durable } = await keys.encrypt(() => encryptMessage(asked))
      departures.onlyAfter(durable)
      encrypted(userOf(asked.jid))
      return result
    },
    encryptGroupMessage: async (asked) => {
      const { result, durable } = await keys.encrypt(() => encryptGroupMessage(asked))
      // A member may leave meanwhile.
      await durable
      encrypted(userOf(asked.group))
      return result
    },
    // The end of a transaction stores the keys, and the message comes before them.
    decryptMessage: (asked) => {
      // One that begins a session, or repeats its beginning, names the session.
      const decrypt = () =>
        asked.type === 'msg' ? oneSession.decrypt(() => decryptMessage(asked)) : decryptMessage(asked)
      return transaction(asked.ciphertext, decrypt, asked.jid)
    },
    decryptGroupMessage: (asked) => transaction(asked.msg, () => decryptGroupMessage(asked), asked.group),
    processSenderKeyDistributionMessage: onceEach(processSenderKeyDistributionMessage),
    validateSession: fromMemory(inner, keys),
  }
}

/** The library does not look at the signature. */
function signedOnly(inject: Repository['injectE2ESession']): Repository['injectE2ESession'] {
  return async (asked) => {
    const { identityKey, signedPreKey } = asked.session
    if (!isSigned(identityKey, signedPreKey.publicKey, signedPreKey.signature))
      throw new Error('The keys of the device are not signed by it.')
    await inject(asked)
  }
}

/** The library builds the whole session to say whether there is one, which it asks for each device of each message. */
function fromMemory(
  { validateSession, jidToSignalProtocolAddress }: Repository,
  keys: Keys,
): Repository['validateSession'] {
  return async (jid) =>
    isLidUser(jid) && hasOpenSession(keys.inMemory('session', jidToSignalProtocolAddress(jid)))
      ? { exists: true }
      : await validateSession(jid)
}

type TakesKey = Repository['processSenderKeyDistributionMessage']

/** A key to a group is taken when its message is decrypted. The library takes it once more, which would push an older one out. */
function onceEach(take: TakesKey): TakesKey {
  let last = ''
  return async (asked) => {
    const { groupId, axolotlSenderKeyDistributionMessage: key } = asked.item
    const name = `${asked.authorJid} ${groupId} ${Buffer.from(key ?? []).toString('base64')}`
    if (name === last) return
    await take(asked)
    last = name
  }
}

/** Returns the user of an address, for any of the devices. */
export function userOf(jid: string): string {
  return jidDecode(jid)?.user ?? jid
}
