import assert from 'node:assert/strict'
import { accepting } from '../../../../test/kit/stores/accepting.ts'
import { testOnBothStores } from '../../../../test/kit/stores/outbox-on-both-stores.ts'
import { inspectOutbox, resetOutbox } from '../../../../test/kit/stores/outbox-store.ts'
import type { Store } from '../../../store/store.ts'
import { acceptMessage } from '../accept/accept.ts'
import { discardQueue, expireMessages } from './sweep.ts'

/* However long messages are, one transaction gives up a megabyte of them, for which others wait some milliseconds. */

const now = 1_700_000_000_000
const later = now + 1_000
const instanceId = 'inst_a'

/** Long texts take 42 KB each, short ones a line. */
async function setUp(store: Store, texts: Readonly<Record<'long' | 'short', number>>): Promise<void> {
  await store.transact(resetOutbox, [{ id: instanceId, network: 'sandbox' }])
  const all = [...Array(texts.long).fill('é'.repeat(21_000)), ...Array(texts.short).fill('A text')]
  await Promise.all(
    all.map((text, index) => {
      const of = { id: `msg_${String(index).padStart(3, '0')}`, recipient: `to-${index % 7}` }
      const times = { created_at: now, expires_at: now + 500 + index }
      return store.transact(acceptMessage, accepting({ ...of, ...times, text }))
    }),
  )
}

/** Repeats a transaction until it says that there is no more; returns how many messages each of them gave up. */
async function inParts(part: () => Promise<{ count: number; more: boolean }>): Promise<number[]> {
  const counts: number[] = []
  for (let more = true; more; ) {
    const done = await part()
    counts.push(done.count)
    more = done.more
  }
  return counts
}

const parts = {
  'the queue of an instance that is removed': (store: Store, limit: number) =>
    inParts(async () => {
      const { ids, more } = await store.transact(discardQueue, { instanceId, now: later, limit })
      return { count: ids.length, more }
    }),
  'what expires': (store: Store, limit: number) =>
    inParts(async () => {
      const { expired, more } = await store.transact(expireMessages, { now: later, limit })
      return { count: expired.length, more }
    }),
}

for (const [what, goThrough] of Object.entries(parts)) {
  testOnBothStores(`${what} goes a megabyte at a time`, async (store) => {
    await setUp(store, { long: 60, short: 0 })
    assert.deepEqual(await goThrough(store, 200), [23, 23, 14])
    const { messages, depths, organizations } = await store.read(inspectOutbox, null)
    assert.ok(messages.every(({ status }) => status === 'canceled' || status === 'expired'))
    assert.equal(depths[0]?.queue_depth, 0)
    assert.equal(Number(organizations[0]?.unsettled_messages), 0)
  })

  testOnBothStores(`${what} goes by number if it is short, and ends with the last`, async (store) => {
    await setUp(store, { long: 0, short: 25 })
    assert.deepEqual(await goThrough(store, 10), [10, 10, 5])
    assert.deepEqual(await goThrough(store, 10), [0])
  })
}
