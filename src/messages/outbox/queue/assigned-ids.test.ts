import assert from 'node:assert/strict'
import { accepting } from '../../../../test/kit/stores/accepting.ts'
import { testOnBothStores } from '../../../../test/kit/stores/outbox-on-both-stores.ts'
import { inspectOutbox, resetOutbox } from '../../../../test/kit/stores/outbox-store.ts'
import type { MessageEventData } from '../../../contract/resources/event.ts'
import type { Store } from '../../../store/store.ts'
import { ownNetworkId } from '../../message.ts'
import { acceptMessage } from '../accept/accept.ts'
import { recordAcknowledged, recordReceipt } from '../receipts/receipts.ts'
import { settleAndClaim } from './settle-and-claim.ts'
import type { Verdict } from './verdict.ts'

/* A network that gives messages their ids: when it accepts them, or only later. */

const now = 1_700_000_000_000
const instanceId = 'inst_a'
const call = { instanceId, claimPerRecipient: 1, now, holding: null }
const ids = ['msg_06fdw2p7d8sq1m5v2b9x4hyk6n', 'msg_06fdw2p7d8sq1m5v2b9x4hyk6p'] as const
const [first, second] = ids

/** Two messages whose attempts are under way. */
async function attempting(store: Store) {
  await store.transact(resetOutbox, [{ id: instanceId, network: 'assigning' }])
  for (const id of ids) {
    const message = { id, instance_id: instanceId, recipient: id, created_at: now, id_assigned: 1 } as const
    await store.transact(acceptMessage, accepting(message))
  }
  const { claimed } = await store.transact(settleAndClaim, { ...call, attempted: [], claim: 2 })
  assert.deepEqual(
    claimed.map(({ networkId }) => networkId),
    ids.map(ownNetworkId),
    'attempts carry our id',
  )
  return async (...verdicts: Verdict[]) => {
    const attempted = claimed.slice(0, verdicts.length).map(({ seq, recipient }, index) => {
      return { seq, recipient, attempt: 1, verdict: verdicts[index] ?? assert.fail() }
    })
    await store.transact(settleAndClaim, { ...call, attempted, claim: 0 })
  }
}

/** The messages as they are, and the ids that their events have, in order. */
async function told(store: Store) {
  const { messages, events } = await store.read(inspectOutbox, null)
  const idsOf = (id: string) =>
    events
      .map(({ data }) => (data as MessageEventData).message)
      .filter((message) => message.id === id)
      .map(({ status, network_message_id }) => [status, network_message_id])
  return {
    messages: messages.map(({ status, network_message_id }) => [status, network_message_id]),
    events: ids.map(idsOf),
  }
}

testOnBothStores('a message has no id on its network until the network gives it one', async (store) => {
  const settle = await attempting(store)
  assert.deepEqual((await told(store)).messages, [
    ['sending', null],
    ['sending', null],
  ])
  await settle({ kind: 'sent', networkId: 'n-1' }, { kind: 'sent' })
  const { messages, events } = await told(store)
  assert.deepEqual(messages, [
    ['sent', 'n-1'],
    ['sent', null],
  ])
  assert.deepEqual(events[0], [
    ['queued', null],
    ['sent', 'n-1'],
  ])
})

testOnBothStores('an id that is given twice, or that nobody could store, stops no message', async (store) => {
  const settle = await attempting(store)
  await settle({ kind: 'sent', networkId: 'n-1' }, { kind: 'sent', networkId: 'n-1' })
  assert.deepEqual((await told(store)).messages, [
    ['sent', 'n-1'],
    ['sent', null],
  ])
  for (const odd of ['', 'a\u0000b', '\ud800', 'x'.repeat(10_000)]) {
    const again = await attempting(store)
    await again({ kind: 'sent', networkId: 'n-1' }, { kind: 'sent', networkId: odd })
    assert.deepEqual((await told(store)).messages[1], ['sent', null])
  }
  const later = await attempting(store)
  await later({ kind: 'sent', networkId: 'n-1' })
  await later({ kind: 'sent', networkId: 'n-1' }, { kind: 'sent', networkId: 'n-1' })
  assert.deepEqual((await told(store)).messages, [
    ['sent', 'n-1'],
    ['sent', null],
  ])
})

testOnBothStores('a receipt may come before the answer, and reveal the id', async (store) => {
  const settle = await attempting(store)
  const receipt = { instanceId, from: null, state: 'delivered', at: now } as const
  await store.transact(recordReceipt, {
    ...receipt,
    networkMessageId: ownNetworkId(first),
    assignedId: 'n-1',
  })
  await settle({ kind: 'sent', networkId: 'n-1' }, { kind: 'sent', networkId: 'n-2' })
  await store.transact(recordReceipt, { ...receipt, networkMessageId: 'n-2' })
  const both = [
    ['delivered', 'n-1'],
    ['delivered', 'n-2'],
  ]
  assert.deepEqual((await told(store)).messages, both)
  await store.transact(recordReceipt, { ...receipt, networkMessageId: ownNetworkId(second), state: 'read' })
  assert.deepEqual((await told(store)).messages[1], ['read', 'n-2'], 'our id names it as well')
})

testOnBothStores(
  'a message whose answer was lost is proven by what comes later, with its id',
  async (store) => {
    const settle = await attempting(store)
    await settle({ kind: 'unknown' }, { kind: 'unknown' })
    const observed = { instanceId, from: null, at: now }
    await store.transact(recordAcknowledged, {
      ...observed,
      networkMessageId: ownNetworkId(first),
      assignedId: 'n-1',
    })
    await store.transact(recordReceipt, {
      ...observed,
      networkMessageId: ownNetworkId(second),
      assignedId: 'n-1',
      state: 'read',
    })
    const { messages, events } = await told(store)
    assert.deepEqual(messages, [
      ['sent', 'n-1'],
      ['read', null],
    ])
    assert.deepEqual(events[0], [
      ['queued', null],
      ['unknown', null],
      ['sent', 'n-1'],
    ])
  },
)
