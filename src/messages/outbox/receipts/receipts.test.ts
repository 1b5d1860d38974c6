import assert from 'node:assert/strict'
import { accepting } from '../../../../test/kit/stores/accepting.ts'
import { testOnBothStores } from '../../../../test/kit/stores/outbox-on-both-stores.ts'
import { inspectOutbox, resetOutbox, selectRows } from '../../../../test/kit/stores/outbox-store.ts'
import { newId } from '../../../runtime/ids.ts'
import type { Store } from '../../../store/store.ts'
import { recordContacts } from '../../contacts/record-contacts.ts'
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

/** Six messages to Ana: two wait to be tried again, two are said to be sent, and of two nothing is known. */
async function sixMessages(store: Store): Promise<readonly string[]> {
  await setUp(store)
  const names = Array.from({ length: 6 }, (_, index) => `msg_${String(index).repeat(26)}`)
  for (const [index, id] of names.entries())
    await store.transact(acceptMessage, accepting({ id, instance_id: instanceId, recipient: `ana${index}` }))
  const call = { instanceId, claimPerRecipient: 1, now, holding: null }
  const { claimed } = await store.transact(settleAndClaim, { ...call, attempted: [], claim: 6 })
  const attempted = claimed.map(({ seq, recipient }, index) => {
    const again = { kind: 'again', at: now + 60_000, error: null, uncertain: true } as const
    const verdict = [again, { kind: 'sent' } as const, { kind: 'unknown' } as const][index >> 1]
    return { seq, recipient, attempt: 1, verdict: verdict ?? again }
  })
  await store.transact(settleAndClaim, { ...call, attempted, claim: 0 })
  return claimed.map(({ networkId }) => networkId)
}

testOnBothStores(
  'receipts of one moment change what they would change one after the other',
  async (store) => {
    const receiptsOf = (ids: readonly string[]) =>
      [
        [0, 'delivered'],
        [1, 'read'],
        [2, 'delivered'],
        [0, 'read'],
        [0, 'delivered'],
        [3, 'delivered'],
        [5, 'read'],
        [5, 'delivered'],
        [4, 'delivered'],
      ].map(([index, state], later) => ({
        ...{ instanceId, networkMessageId: ids[Number(index)] ?? '', from: `ana${index}`, at: now + later },
        state: state as 'delivered' | 'read',
      }))
    const seen = async () => {
      const { messages, waiting, events, depths } = await store.read(inspectOutbox, null)
      const shown = events.map(({ type, data }) => [type, data]).map((event) => JSON.stringify(event))
      return {
        messages: messages.map(({ id, status, sent_at, delivered_at, read_at }) => {
          return { id, status, sent_at, delivered_at, read_at }
        }),
        ...{ waiting: waiting.length, depths, events: shown.toSorted() },
      }
    }
    // First, while the store has not measured how many fit into a moment.
    const receipts = receiptsOf(await sixMessages(store))
    const together = await Promise.all(receipts.map((receipt) => store.transact(recordReceipt, receipt)))
    const changed = await seen()
    assert.equal(changed.waiting, 0)
    const rows = await store.read(selectRows, { table: 'events', columns: ['sequence', 'type', 'count'] })
    const delivered = rows.filter(({ type }) => type === 'message.delivered').map(({ count }) => count)
    assert.deepEqual(delivered, [4, 2], 'a row for those that were settled, and one for those that were not')

    const apart: (ReportedMessage | null)[] = []
    for (const receipt of receiptsOf(await sixMessages(store)))
      apart.push(await store.transact(recordReceipt, receipt))
    assert.deepEqual(together, apart)
    assert.deepEqual(await seen(), changed)
  },
)

testOnBothStores(
  'receipts of one moment count for the messages that they name, from their recipients',
  async (store) => {
    await setUp(store)
    const [first, second, third] = [await attempt(store), await attempt(store), await attempt(store)]
    const told = { addresses: ['ana', 'id:ana'], wroteAt: null }
    const contacts = [{ told, aboutMessage: undefined, at: now }]
    await store.transact(recordContacts, { instanceId, contacts, limit: null })
    const receipt = (networkMessageId: string, from: string | null, of = instanceId) =>
      store.transact(recordReceipt, { instanceId: of, networkMessageId, from, state: 'read', at: now })
    const answers = await Promise.all([
      receipt(first.id, 'ana'),
      receipt(second.networkMessageId, 'ana', 'inst_b'),
      receipt(third.networkMessageId, 'ben'),
      receipt('unknown', 'ana'),
      receipt(first.networkMessageId, 'id:ana'),
      receipt(second.networkMessageId, null),
    ])
    const changed = (id: string) => ({ id, wasUnsettled: false })
    assert.deepEqual(answers, [null, null, null, null, changed(first.id), changed(second.id)])
  },
)
