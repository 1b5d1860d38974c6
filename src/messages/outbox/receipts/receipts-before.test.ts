import assert from 'node:assert/strict'
import { accepting } from '../../../../test/kit/stores/accepting.ts'
import { testOnBothStores } from '../../../../test/kit/stores/outbox-on-both-stores.ts'
import { inspectOutbox, resetOutbox } from '../../../../test/kit/stores/outbox-store.ts'
import { newId } from '../../../runtime/ids.ts'
import type { Store } from '../../../store/store.ts'
import { ownNetworkId } from '../../message.ts'
import { acceptMessage } from '../accept/accept.ts'
import { settleAndClaim } from '../queue/settle-and-claim.ts'
import { recordReceiptUpTo } from './receipts-before.ts'

const now = 1_700_000_000_000

/** Sends messages to these recipients through these instances, and returns their ids. */
async function send(store: Store, messages: readonly (readonly [instance: string, recipient: string])[]) {
  await store.transact(
    resetOutbox,
    ['inst_a', 'inst_b'].map((id) => ({ id, network: 'deduping' })),
  )
  const ids: string[] = []
  for (const [instanceId, recipient] of messages) {
    const id = newId('msg')
    ids.push(id)
    await store.transact(
      acceptMessage,
      accepting({ id, instance_id: instanceId, recipient, created_at: now }),
    )
    const call = { instanceId, claimPerRecipient: 1, now, holding: null }
    const { claimed } = await store.transact(settleAndClaim, { ...call, attempted: [], claim: 1 })
    const attempted = claimed.map(({ seq }) => ({
      seq,
      recipient,
      attempt: 1,
      verdict: { kind: 'sent' } as const,
    }))
    await store.transact(settleAndClaim, { ...call, attempted, claim: 0 })
  }
  return ids
}

const idsOf = (messages: readonly { readonly id: string }[]) => messages.map(({ id }) => id)

testOnBothStores(
  'a receipt up to a message confirms what came before it, and nothing else',
  async (store) => {
    const ids = await send(store, [
      ['inst_a', 'ana'],
      ['inst_a', 'bert'],
      ['inst_b', 'ana'],
      ['inst_a', 'ana'],
      ['inst_a', 'ana'],
      ['inst_a', 'ana'],
    ])
    const confirm = async (index: number, state: 'delivered' | 'read', from: string | null = 'ana') => {
      const networkMessageId = ownNetworkId(ids[index] ?? '')
      const receipt = { instanceId: 'inst_a', networkMessageId, from, state, at: now }
      return idsOf(await store.transact(recordReceiptUpTo, receipt))
    }
    const statuses = async () =>
      (await store.read(inspectOutbox, null)).messages.map(({ status }) => status).join(' ')
    const named = (...indices: number[]) => indices.map((index) => ids[index])
    assert.deepEqual(await confirm(3, 'delivered', 'bert'), [], 'a stranger')
    assert.deepEqual(await confirm(3, 'delivered'), named(0, 3), 'the oldest first')
    assert.equal(await statuses(), 'delivered sent sent delivered sent sent')
    assert.deepEqual(await confirm(4, 'read', null), named(0, 3, 4))
    assert.equal(await statuses(), 'read sent sent read read sent')
    assert.deepEqual(await confirm(4, 'read'), [], 'again')
    assert.deepEqual(await confirm(5, 'read'), named(5))
  },
)

testOnBothStores('it looks back over a limited number of messages', async (store) => {
  const ids = await send(store, Array<['inst_a', 'ana']>(270).fill(['inst_a', 'ana']))
  const networkMessageId = ownNetworkId(ids.at(-1) ?? '')
  const receipt = {
    instanceId: 'inst_a',
    networkMessageId,
    from: 'ana',
    state: 'delivered',
    at: now,
  } as const
  const changed = await store.transact(recordReceiptUpTo, receipt)
  assert.deepEqual(idsOf(changed), ids.slice(-201))
})
