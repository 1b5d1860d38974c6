import type { AddressPair, HistoryContents, KnownChat } from '../baileys/bounds/history-contents.ts'
import { addContactTokens, moveContactTokens } from '../baileys/contact-tokens.ts'
import { userOf } from '../baileys/signal.ts'
import type { Keys } from '../keys.ts'
import type { Expirations } from '../outgoing/expirations.ts'

/** For how long addresses are kept that are not used, in milliseconds: WhatsApp tells them again to who writes there. */
const addressesKeptFor = 90 * 24 * 60 * 60 * 1000

/** People that are stored at once: other writes of the same client wait for that. */
const atOnce = 250

/** The kept content of a part of the history. */
export interface KeptHistory {
  /** For how many people a privacy token came. */
  readonly tokens: number
  /** For how many people both addresses came. */
  readonly addresses: number
}

/** Destinations of the useful parts of the history. */
export interface KeepingOptions {
  readonly keys: Keys
  readonly expirations: Expirations
}

/**
 * Keeps what a part of the history says of people. All of it is kept for a time only, so it makes room for other keys of the client and
 * never reaches the limit of keys. What WhatsApp itself has said stays.
 *
 * `pause` is called after every few people.
 */
export async function keepHistory(
  { keys, expirations }: KeepingOptions,
  { chats, pairs }: HistoryContents,
  pause: () => Promise<unknown>,
): Promise<KeptHistory> {
  const lids = new Map(pairs.map(({ number, lid }) => [number, lid]))
  for (const some of inParts([...lids].map(([number, lid]) => ({ number, lid })))) {
    await keepAddresses(keys, some)
    await moveContactTokens(keys, some)
    await pause()
  }
  let tokens = 0
  for (const some of inParts(chats)) {
    tokens += await keepTokens(keys, some, lids)
    for (const { jid, expiration, expirationSince } of some)
      if (expiration > 0) await expirations.remember(lids.get(jid) ?? jid, expiration, expirationSince)
    await pause()
  }
  return { tokens, addresses: lids.size }
}

/** As the library stores them (`LIDMappingStore`). */
async function keepAddresses(keys: Keys, pairs: readonly AddressPair[]): Promise<void> {
  const users = pairs.map(({ number, lid }) => ({ number: userOf(number), lid: userOf(lid) }))
  const reverse = (lid: string): string => `${lid}_reverse`
  const known = await keys.read('lid-mapping', [
    ...users.map(({ number }) => number),
    ...users.map(({ lid }) => reverse(lid)),
  ])
  for (const { number, lid } of users)
    if (!known.has(number) && !known.has(reverse(lid)))
      keys.put({ 'lid-mapping': { [number]: lid, [reverse(lid)]: number } }, Date.now() + addressesKeptFor)
}

/** Tokens are found by LID. One whose LID is not known yet is kept by phone number until it is. */
async function keepTokens(
  keys: Keys,
  chats: readonly KnownChat[],
  lids: ReadonlyMap<string, string>,
): Promise<number> {
  const unknown = chats.filter(({ jid, token }) => token && !jid.endsWith('@lid') && !lids.has(jid))
  const stored = await keys.read(
    'lid-mapping',
    unknown.map(({ jid }) => userOf(jid)),
  )
  const addressOf = (jid: string): string => {
    const user = stored.get(userOf(jid))
    return lids.get(jid) ?? (typeof user === 'string' ? `${user}@lid` : jid)
  }
  const tokens = chats.flatMap(({ jid, token }) => (token ? [{ ...token, jid: addressOf(jid) }] : []))
  await addContactTokens(keys, tokens)
  return tokens.length
}

function* inParts<Item>(items: readonly Item[]): Generator<readonly Item[]> {
  for (let at = 0; at < items.length; at += atOnce) yield items.slice(at, at + atOnce)
}
