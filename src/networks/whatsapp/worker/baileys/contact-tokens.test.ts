import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addTransactionCapability, initAuthCreds } from 'baileys'
import type { KeyChange } from '../../../driver/keys.ts'
import { Keys } from '../keys.ts'
import { keepContactTokens } from './contact-tokens.ts'
import { silence } from './silence.ts'

const ana = '100000000000002@lid'

test('a token that is set after its transaction is kept, and expires; the list of all tokens is not kept', async () => {
  const stored: KeyChange[] = []
  const home = {
    get: async () => new Map<string, Uint8Array>(),
    set: async (changes: readonly KeyChange[]) => void stored.push(...changes),
  }
  const keys = new Keys(home, initAuthCreds(), (error) => assert.ifError(error))
  const store = addTransactionCapability(keys, silence, { maxCommitRetries: 1, delayBetweenTriesMs: 0 })
  keepContactTokens(store, keys)
  const over = Promise.withResolvers<void>()
  const given = { token: Buffer.alloc(0), senderTimestamp: 1 }
  const afterwards = await store.transaction(async () => {
    await store.get('tctoken', [ana])
    const set = over.promise.then(() => store.set({ tctoken: { [ana]: given, __index: given } }))
    return { set }
  }, 'me')
  over.resolve()
  await afterwards.set
  assert.deepEqual(
    stored.map(({ type, id }) => [type, id]),
    [['tctoken', ana]],
  )
  assert.ok((stored[0]?.expires_at ?? 0) > Date.now())
  assert.deepEqual(await store.get('tctoken', [ana, '__index']), { [ana]: given })
})
