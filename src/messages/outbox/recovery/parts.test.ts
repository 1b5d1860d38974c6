import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { accepting } from '../../../../test/kit/stores/accepting.ts'
import { bothStores } from '../../../../test/kit/stores/both-stores.ts'
import { inspectOutbox, outboxFunctions, resetOutbox } from '../../../../test/kit/stores/outbox-store.ts'
import { readServiceValue } from '../../../organizations/organization-store.ts'
import { readPosition } from '../../../store/position.ts'
import type { Store, TransactionFunction } from '../../../store/store.ts'
import { firstPlace, type UnsettledPlace } from '../../unsettled-places.ts'
import { acceptMessage } from '../accept/accept.ts'
import { settleAndClaim } from '../queue/settle-and-claim.ts'
import { goingBack, holdMessages, markRestored } from './held.ts'
import { recoverMessages } from './recover.ts'

/*
 * All work on everything that waits is done in parts: each is short, and a process that ends between two of them leaves
 * nothing half done.
 */

const thread = new URL('../../../../test/kit/stores/outbox-store-thread.ts', import.meta.url)
const instance = 'inst_a'
const morning = 1_000_000
const evening = 9_000_000

function claim(store: Store, now: number, attempted: readonly { seq: number; attempt: number }[] = []) {
  return store.transact(settleAndClaim, {
    instanceId: instance,
    attempted: attempted.map((one) => ({ ...one, recipient: 'ana', verdict: { kind: 'sent' } as const })),
    claim: 16,
    claimPerRecipient: 16,
    now,
    holding: null,
  })
}

function send(store: Store, id: string, at: number, more: { send_at?: number; recipient?: string } = {}) {
  const message = { id, instance_id: instance, recipient: 'ana', created_at: at, expires_at: 1e12, ...more }
  return store.transact(acceptMessage, accepting(message))
}

const numbers = (count: number) => Array.from({ length: count }, (_, number) => number)

for (const kind of await bothStores(outboxFunctions, thread)) {
  describe(`parts, ${kind.name}`, { skip: kind.skip }, () => {
    const opened = async () => {
      const store = await (await kind.newPlace())()
      await store.transact(resetOutbox, [{ id: instance, network: 'deduping' }])
      return store
    }

    test('500 texts that were scheduled for one moment join their lane in parts, and those accepted later come after them', async () => {
      const store = await opened()
      const scheduled = numbers(500).map((number) => `scheduled ${String(number).padStart(3, '0')}`)
      await Promise.all(scheduled.map((id) => send(store, id, morning, { send_at: evening })))
      const later = evening + 5
      await Promise.all(['later 1', 'later 2'].map((id) => send(store, id, later)))
      const joined = async () => {
        const { messages } = await store.read(inspectOutbox, null)
        return messages.filter(({ joins_lane_at }) => joins_lane_at === 0).length
      }
      assert.ok((await joined()) <= 202)
      const sent: string[] = []
      let ended: { seq: number; attempt: number }[] = []
      for (let before = await joined(); sent.length < 502; before = await joined()) {
        const { claimed } = await claim(store, later + 1, ended)
        assert.ok((await joined()) - before <= 200, 'one claim lets a part of them join')
        assert.ok(claimed.length > 0, `nothing is claimed after ${sent.length} texts`)
        sent.push(...claimed.map(({ id }) => id))
        ended = claimed.map(({ seq, attempt }) => ({ seq, attempt }))
      }
      assert.deepEqual(sent, [...scheduled, 'later 1', 'later 2'])
    })

    test('attempts under way are taken up in parts, also if the start ends between two of them', async () => {
      const store = await opened()
      await Promise.all(numbers(12).map((number) => send(store, `text ${number}`, morning)))
      const { claimed } = await claim(store, morning)
      assert.equal(claimed.length, 12)
      const part = (after: UnsettledPlace) => {
        const args = { now: evening, dedupingNetworks: ['deduping'], after, limit: 5 }
        return store.transact(recoverMessages, args)
      }
      assert.equal((await part(firstPlace)).interrupted, 5)
      // The next start begins from the first place again.
      let taken = 0
      for (let after: UnsettledPlace | null = firstPlace; after; ) {
        const { interrupted, next }: Awaited<ReturnType<typeof part>> = await part(after)
        taken += interrupted
        after = next
      }
      assert.equal(taken, 7)
      const { messages } = await store.read(inspectOutbox, null)
      assert.ok(messages.every(({ underway, uncertain }) => underway === 0 && uncertain === 1))
      const again = await claim(store, evening)
      assert.deepEqual(
        again.claimed.map(({ id }) => id),
        claimed.map(({ id }) => id),
      )
    })

    test('a store that goes back holds in parts, and begins its new epoch only when all is held', async () => {
      const store = await opened()
      await Promise.all(numbers(700).map((number) => send(store, `text ${number}`, morning)))
      const { epoch: before } = await store.read(readPosition, null)
      let parts = 0
      const ending = {
        async transact<A, R>(transaction: TransactionFunction<A, R>, args: A): Promise<R> {
          if (parts++ === 1) throw new Error('the server ends')
          return store.transact(transaction, args)
        },
      }
      const args = { epoch: 'after', now: evening }
      await assert.rejects(markRestored(ending, args), /the server ends/)
      assert.equal((await store.read(readPosition, null)).epoch, before)
      assert.notEqual(await store.read(readServiceValue, { name: goingBack }), null)
      assert.equal(await markRestored(store, args), 700)
      assert.equal((await store.read(readPosition, null)).epoch, 'after')
      assert.equal(await store.read(readServiceValue, { name: goingBack }), null)
      const { messages } = await store.read(inspectOutbox, null)
      assert.ok(messages.every(({ held, queue_position }) => held === 1 && queue_position === null))
      const one = await store.transact(holdMessages, { after: firstPlace, limit: 300 })
      assert.equal(one.held, 300)
    })
  })
}
