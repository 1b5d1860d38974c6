import type { SignalDataTypeMap, SignalKeyStore } from 'baileys'
import type { Keys } from '../keys.ts'
import type { GivenToken } from './bounds/history-contents.ts'

/** Under this id, the library keeps a list of those who have tokens, to find the ones that are too old. */
const listId = '__index'

/** For how long WhatsApp takes a token, in milliseconds. */
const keptFor = 28 * 24 * 60 * 60 * 1000

/**
 * Keeps the tokens by which people who write to each other know each other (`tctoken`). The library stores a token that it gives in the
 * transaction of the message, which is over by then: so it would lose every one, and give another with each message. Here tokens take no part in
 * transactions. They expire by themselves, so they need no list.
 */
export function keepContactTokens(store: SignalKeyStore, keys: Keys): void {
  const { get, set } = store
  store.get = async (type, ids) =>
    type === 'tctoken'
      ? await keys.get(
          type,
          ids.filter((id) => id !== listId),
        )
      : await get(type, ids)
  store.set = async ({ tctoken, ...others }) => {
    if (tctoken) {
      const { [listId]: _, ...tokens } = tctoken
      keys.put({ tctoken: tokens }, Date.now() + keptFor)
      await keys.flush()
    }
    await set(others)
  }
}

/** A token, and who gave it: by LID, or by the phone number as long as the LID is not known. */
export interface ContactToken extends GivenToken {
  readonly jid: string
}

type Stored = SignalDataTypeMap['tctoken']

/**
 * Adds tokens that were given before the account was linked. One that is known already stays if it is as new, and one that WhatsApp would
 * not take any longer is left out.
 */
export async function addContactTokens(keys: Keys, tokens: readonly ContactToken[]): Promise<void> {
  const now = Date.now()
  const valid = tokens.filter(
    ({ timestamp }) => expiryOf(timestamp) > now && timestamp * 1000 < now + longestAhead,
  )
  const known = await keys.read(
    'tctoken',
    valid.map(({ jid }) => jid),
  )
  for (const { jid, token, timestamp, senderTimestamp } of valid) {
    const before = known.get(jid) as Stored | undefined
    if (timeOf(before) >= timestamp) continue
    const sender = Math.max(senderTimestamp ?? 0, before?.senderTimestamp ?? 0)
    const stored = { token, timestamp: String(timestamp), ...(sender > 0 && { senderTimestamp: sender }) }
    known.set(jid, stored)
    keys.put({ tctoken: { [jid]: stored } }, expiryOf(timestamp))
  }
}

/** Tokens that were kept by phone number are from now on found by LID, by which messages are addressed. */
export async function moveContactTokens(
  keys: Keys,
  pairs: readonly { readonly number: string; readonly lid: string }[],
): Promise<void> {
  const found = await keys.read(
    'tctoken',
    pairs.map(({ number }) => number),
  )
  const moved: ContactToken[] = []
  for (const { number, lid } of pairs) {
    const { token, timestamp, senderTimestamp = null } = (found.get(number) as Stored | undefined) ?? {}
    if (!token) continue
    moved.push({ jid: lid, token, timestamp: Number(timestamp), senderTimestamp })
    keys.put({ tctoken: { [number]: null } })
  }
  if (moved.length > 0) await addContactTokens(keys, moved)
}

/** Milliseconds by which the clock of a token's giver may be ahead. A later time would keep newer tokens out. */
const longestAhead = 24 * 60 * 60 * 1000

const expiryOf = (timestamp: number): number => timestamp * 1000 + keptFor

/** When a token that is known was given, in seconds since the epoch; 0 if there is none. */
function timeOf(stored: Stored | undefined): number {
  return stored && stored.token.length > 0 ? Number(stored.timestamp ?? 0) : 0
}
