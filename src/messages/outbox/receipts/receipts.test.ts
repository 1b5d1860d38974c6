import assert from 'node:assert/strict'
import { accepting } from '../../../../test/kit/stores/accepting.ts'
import { testOnBothStores } from '../../../../test/kit/stores/outbox-on-both-stores.ts'
import { inspectOutbox, resetOutbox } from '../../../../test/kit/stores/outbox-store.ts'
import { newId } from '../../../runtime/ids.ts'
import type { Store } from '../../../store/store.ts'
import { receiveMessages } from '../../inbox/inbox.ts'
import { incomingMessage } from '../../inbox/incoming-message.ts'
import { acceptMessage } from '../accept/accept.ts'
import { settleAndClaim } from '../queue/settle-and-claim.ts'
import { type ReportedMessage, recordAcknowledged, recordReceipt, recordReturn } from './receipts.ts'

/* A confirmation, or a return, names its message by the network message id. */

const now = 1_700_000_000_000
const instanceId = 'inst_a'
const error = { code: 'recipient_gone', detail: 'Gone.', permanent: true }

async function setUp(store: Store): Promise<void> {
  const network = 'sandbox'
  await store.transact(resetOutbox, [
    { id: instanceId, network },
    { id: 'inst_b', network },
  ])
}

/** Accepts a message to Ana and begins an attempt; tells under which id it leaves. */
async function attempt(store: Store, id = newId('msg')): Promise<{ id: string; networkMessageId: string }> {
  await store.transact(acceptMessage, accepting({ id, instance_id: instanceId, created_at: now }))
  const call = { instanceId, attempted: [], claim: 1, claimPerRecipient: 1, now, holding: null }
  const { claimed } = await store.transact(settleAndClaim, call)
  const { seq, recipient, networkId: networkMessageId } = claimed[0] ?? assert.fail('nothing is due')
  // The outcome of the attempt is uncertain, so every report about it says something new.
  const verdict = { kind: 'unknown' } as const
  const attempted = [{ seq, attempt: 1, recipient, verdict }]
  await store.transact(settleAndClaim, { ...call, attempted, claim: 0 })
  return { id, networkMessageId }
}

/** Everything that can be told of a message under this id: the messages that it changes. */
async function tell(
  store: Store,
  networkMessageId: string,
  of = instanceId,
): Promise<(ReportedMessage | null)[]> {
  const named = { instanceId: of, networkMessageId, from: 'ana', at: now }
  return [
    await store.transact(recordAcknowledged, named),
    await store.transact(recordReceipt, { ...named, state: 'delivered' }),
    await store.transact(recordReceipt, { ...named, state: 'read' }),
  ]
}

const nothing = [null, null, null]

/** Each report changed the message, which was settled already. */
const allOf = (id: string) => Array<ReportedMessage>(3).fill({ id, wasUnsettled: false })

testOnBothStores('a message is found by the id under which it left, at its instance alone', async (store) => {
  await setUp(store)
  const { id, networkMessageId } = await attempt(store)
  assert.equal(`msg_${networkMessageId}`, id)
  for (const odd of ['', id, `${networkMessageId}0`, networkMessageId.toUpperCase(), `${networkMessageId}%`])
    assert.deepEqual(await tell(store, odd), nothing, odd)
  assert.deepEqual(await tell(store, networkMessageId, 'inst_b'), nothing)
  assert.deepEqual(await tell(store, networkMessageId), allOf(id))
  const next = await attempt(store)
  const returned = { instanceId, networkMessageId: next.networkMessageId, from: 'ana', error, at: now }
  assert.equal((await store.transact(recordReturn, returned))?.id, next.id)
  const { messages } = await store.read(inspectOutbox, null)
  assert.deepEqual(
    messages.map(({ status }) => status),
    ['read', 'failed'],
  )
})

testOnBothStores(
  'a message that came in with the id of one that is sent later stands in for neither',
  async (store) => {
    await setUp(store)
    const id = newId('msg')
    const said = { network_message_id: id.slice('msg_'.length), from: 'ana', conversation: 'ana', at: now }
    const received = incomingMessage({ kind: 'message-received', ...said, text: 'Hello', file: null }, now)
    const messages = [received ?? assert.fail('nothing is kept')]
    await store.transact(receiveMessages, { instanceId, messages, mark: null, limit: null, now })
    assert.deepEqual(await tell(store, said.network_message_id), nothing)
    const { networkMessageId } = await attempt(store, id)
    assert.deepEqual(await tell(store, networkMessageId), allOf(id))
  },
)

testOnBothStores(
  'a receipt of a message that waits for another attempt says so, and only that one',
  async (store) => {
    await setUp(store)
    const id = newId('msg')
    await store.transact(acceptMessage, accepting({ id, instance_id: instanceId, created_at: now }))
    const call = { instanceId, claimPerRecipient: 1, now, holding: null }
    const { claimed } = await store.transact(settleAndClaim, { ...call, attempted: [], claim: 1 })
    const again = { kind: 'again', at: now + 60_000, error: null, uncertain: true } as const
    const attempted = claimed.map(({ seq, recipient }) => ({ seq, recipient, attempt: 1, verdict: again }))
    await store.transact(settleAndClaim, { ...call, attempted, claim: 0 })
    const named = { instanceId, networkMessageId: claimed[0]?.networkId ?? '', from: 'ana', at: now }
    const told = [
      await store.transact(recordReceipt, { ...named, state: 'delivered' }),
      await store.transact(recordReceipt, { ...named, state: 'read' }),
    ]
    assert.deepEqual(told, [
      { id, wasUnsettled: true },
      { id, wasUnsettled: false },
    ])
  },
)
