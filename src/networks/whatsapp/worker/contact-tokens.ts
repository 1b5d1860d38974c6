import type { SignalKeyStore } from 'baileys'
import type { Keys } from './keys.ts'

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
