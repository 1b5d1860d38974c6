import assert from 'node:assert/strict'
import { accepting } from '../../../../test/kit/stores/accepting.ts'
import { testOnBothStores } from '../../../../test/kit/stores/outbox-on-both-stores.ts'
import { inspectOutbox, resetOutbox } from '../../../../test/kit/stores/outbox-store.ts'
import type { Store } from '../../../store/store.ts'
import { acceptMessage } from '../accept/accept.ts'
import { cancelQueued } from '../sweep/cancel-many.ts'
import { cancelMessage, expireMessages } from '../sweep/sweep.ts'
import { settleAndClaim } from './settle-and-claim.ts'
import { targetRecheck } from './targets.ts'
import type { Verdict } from './verdict.ts'

/* Messages that change others, or reply to them, by hand: with the network's answers in any order. */

const now = 1_700_000_000_000
const about = (type: string) => JSON.stringify({ type, message_id: 'msg_1', network_message_id: '1' })

async function setUp(store: Store): Promise<void> {
  await store.transact(resetOutbox, [{ id: 'inst_a', network: 'sandbox' }])
}

/** Accepts the n-th message; returns its number in the store. */
async function accept(
  store: Store,
  number: number,
  follows?: { target: number; type: string; text?: string },
) {
  const id = `msg_${number}`
  const relation = follows ? about(follows.type) : null
  const kind = follows?.type === 'reaction' ? 'reaction' : 'text'
  const message = { id, kind, text: follows?.text ?? `Text ${number}`, relation, created_at: now } as const
  const target = follows ? { target: follows.target } : {}
  const { kind: answer } = await store.transact(acceptMessage, accepting(message, target))
  const { messages } = await store.read(inspectOutbox, null)
  return { answer, seq: messages.find((row) => row.id === id)?.seq ?? 0 }
}

const call = { instanceId: 'inst_a', claimPerRecipient: 8, now, holding: null }

async function claim(store: Store, at = now) {
  const { claimed } = await store.transact(settleAndClaim, { ...call, now: at, claim: 10, attempted: [] })
  return claimed.map(({ id, text, relation }) =>
    `${id} ${text} ${relation?.target.network_message_id ?? ''}`.trim(),
  )
}

async function settle(store: Store, seq: number, attempt: number, verdict: Verdict, at = now) {
  const attempted = [{ seq, attempt, recipient: 'ana', verdict }]
  await store.transact(settleAndClaim, { ...call, now: at, claim: 0, attempted })
}

const statuses = async (store: Store) =>
  (await store.read(inspectOutbox, null)).messages.map(({ id, status }) => `${id} ${status}`)

testOnBothStores(
  'a message leaves with the newest correction, and its corrections are sent with it',
  async (store) => {
    await setUp(store)
    const { seq } = await accept(store, 1)
    await accept(store, 2, { target: seq, type: 'correction', text: 'Second' })
    await accept(store, 3, { target: seq, type: 'correction', text: 'Third' })
    assert.deepEqual(await claim(store), ['msg_1 Third'])
    await settle(store, seq, 1, { kind: 'sent' })
    assert.deepEqual(await claim(store), [])
    assert.deepEqual(await claim(store), [])
    assert.deepEqual(await statuses(store), ['msg_1 sent', 'msg_2 sent', 'msg_3 sent'])
  },
)

testOnBothStores('an attempt that may have arrived is repeated with the text that it had', async (store) => {
  await setUp(store)
  const { seq } = await accept(store, 1)
  await accept(store, 2, { target: seq, type: 'correction', text: 'Second' })
  assert.deepEqual(await claim(store), ['msg_1 Second'])
  await accept(store, 3, { target: seq, type: 'correction', text: 'Too late' })
  await settle(store, seq, 1, { kind: 'again', at: now, error: null, uncertain: true })
  assert.deepEqual(await claim(store), ['msg_1 Second'])
  await settle(store, seq, 2, { kind: 'sent' })
  assert.deepEqual(await statuses(store), ['msg_1 sent', 'msg_2 sent', 'msg_3 queued'])
  assert.deepEqual(await claim(store), ['msg_3 Too late 1'])
})

testOnBothStores(
  'a correction that may have left in its message ends unknown, not expired or canceled',
  async (store) => {
    await setUp(store)
    const { seq } = await accept(store, 1)
    await accept(store, 2, { target: seq, type: 'correction', text: 'Second' })
    await accept(store, 3, { target: seq, type: 'correction', text: 'Third' })
    assert.deepEqual(await claim(store), ['msg_1 Third'])
    await accept(store, 4, { target: seq, type: 'correction', text: 'Too late' })
    await settle(store, seq, 1, { kind: 'unknown' })
    const canceled = { organizationId: 'org_test', id: 'msg_3', instances: null, now }
    await store.transact(cancelMessage, canceled)
    await store.transact(expireMessages, { now: 4e12, limit: 10 })
    assert.deepEqual(await statuses(store), [
      'msg_1 unknown',
      'msg_2 unknown',
      'msg_3 unknown',
      'msg_4 expired',
    ])
  },
)

const cancel = (store: Store, id: string) =>
  store.transact(cancelMessage, { organizationId: 'org_test', id, instances: null, now })

testOnBothStores(
  'a correction is sent in the commit of its message, whatever waits between',
  async (store) => {
    await setUp(store)
    const { seq } = await accept(store, 1)
    await accept(store, 2, { target: seq, type: 'reaction', text: '👍' })
    await accept(store, 3, { target: seq, type: 'correction', text: 'Better' })
    assert.deepEqual(await claim(store), ['msg_1 Better'])
    await settle(store, seq, 1, { kind: 'sent' })
    assert.deepEqual(await statuses(store), ['msg_1 sent', 'msg_2 queued', 'msg_3 sent'])
    assert.deepEqual(await cancel(store, 'msg_3'), { kind: 'not_cancelable' })
  },
)

testOnBothStores('a correction neither ends nor is canceled while its text is on its way', async (store) => {
  await setUp(store)
  const { seq } = await accept(store, 1)
  await accept(store, 2, { target: seq, type: 'reaction', text: '👍' })
  const third = await accept(store, 3, { target: seq, type: 'correction', text: 'Better' })
  assert.deepEqual(await claim(store), ['msg_1 Better'])
  const tryAll = async () => {
    assert.deepEqual(await cancel(store, 'msg_3'), { kind: 'not_cancelable' })
    const many = { organizationId: 'org_test', seqs: [third.seq], instanceName: null, audit: undefined }
    assert.deepEqual((await store.transact(cancelQueued, { ...many, now })).canceled, [])
  }
  await tryAll()
  assert.equal((await store.transact(expireMessages, { now: 4e12, limit: 10 })).more, false)
  assert.deepEqual(await statuses(store), ['msg_1 sending', 'msg_2 expired', 'msg_3 queued'])
  await settle(store, seq, 1, { kind: 'again', at: now, error: null, uncertain: true })
  await tryAll()
  assert.deepEqual(await claim(store), ['msg_1 Better'])
  await settle(store, seq, 2, { kind: 'sent' })
  assert.deepEqual(await statuses(store), ['msg_1 sent', 'msg_2 expired', 'msg_3 sent'])
})

testOnBothStores('a correction whose message certainly did not arrive can be canceled', async (store) => {
  await setUp(store)
  const { seq } = await accept(store, 1)
  await accept(store, 2, { target: seq, type: 'correction', text: 'Better' })
  assert.deepEqual(await claim(store), ['msg_1 Better'])
  await settle(store, seq, 1, { kind: 'again', at: now, error: null, uncertain: false })
  assert.equal((await cancel(store, 'msg_2')).kind, 'canceled')
  assert.deepEqual(await claim(store), ['msg_1 Text 1'])
  assert.deepEqual(await statuses(store), ['msg_1 sending', 'msg_2 canceled'])
})

testOnBothStores('of many corrections, none is sent after the newest', async (store) => {
  await setUp(store)
  const { seq } = await accept(store, 1)
  for (let number = 2; number <= 32; number++)
    await accept(store, number, { target: seq, type: 'correction', text: `Text ${number}` })
  assert.deepEqual(await claim(store), ['msg_1 Text 32'])
  await settle(store, seq, 1, { kind: 'sent' })
  assert.deepEqual(await claim(store), [])
  assert.ok((await statuses(store)).every((one) => one.endsWith(' sent')))
})

testOnBothStores('an attempt that certainly did not arrive is repeated with a newer text', async (store) => {
  await setUp(store)
  const { seq } = await accept(store, 1)
  assert.deepEqual(await claim(store), ['msg_1 Text 1'])
  await accept(store, 2, { target: seq, type: 'correction', text: 'Better' })
  await settle(store, seq, 1, { kind: 'again', at: now, error: null, uncertain: false })
  assert.deepEqual(await claim(store), ['msg_1 Better'])
})

testOnBothStores(
  'what follows a message of unknown fate steps aside, and leaves once that is known',
  async (store) => {
    await setUp(store)
    const { seq } = await accept(store, 1)
    await accept(store, 2, { target: seq, type: 'reaction', text: '👍' })
    const third = await accept(store, 3)
    await claim(store)
    await settle(store, seq, 1, { kind: 'unknown' })
    assert.deepEqual(await claim(store), [])
    assert.deepEqual(await claim(store), ['msg_3 Text 3'])
    await settle(store, third.seq, 1, { kind: 'sent' })
    assert.equal((await accept(store, 4, { target: seq, type: 'reaction', text: '🎉' })).answer, 'accepted')
    assert.deepEqual(await claim(store, now + targetRecheck - 1), [])
    for (const minutes of [1, 2, 4]) {
      // Both look, and wait twice as long.
      assert.deepEqual(await claim(store, now + minutes * targetRecheck), [])
      const { messages } = await store.read(inspectOutbox, null)
      assert.equal(messages.find(({ id }) => id === 'msg_2')?.due_at, now + 2 * minutes * targetRecheck)
    }
  },
)

testOnBothStores('many that follow a message of unknown fate take the claims of one', async (store) => {
  await setUp(store)
  const { seq } = await accept(store, 1)
  await claim(store)
  const followers = Array.from({ length: 60 }, (_, index) => index + 2)
  for (const number of followers) await accept(store, number, { target: seq, type: 'reply' })
  await accept(store, 99)
  await settle(store, seq, 1, { kind: 'unknown' })
  // All step aside with the first, so the message behind them leads the lane at once.
  assert.deepEqual(await claim(store), [])
  assert.deepEqual(await claim(store), ['msg_99 Text 99'])
  // A minute later all look again, and none takes the lead of the lane for it.
  assert.deepEqual(await claim(store, now + targetRecheck), [])
  const { messages } = await store.read(inspectOutbox, null)
  const waiting = messages.filter(({ status }) => status === 'queued')
  assert.equal(waiting.length, followers.length)
  for (const { due_at, leads_lane } of waiting)
    assert.deepEqual([due_at, leads_lane], [now + 2 * targetRecheck, 0])
})

testOnBothStores('what follows a message that failed fails, and so does what follows that', async (store) => {
  await setUp(store)
  const { seq } = await accept(store, 1)
  const second = await accept(store, 2, { target: seq, type: 'reply' })
  await accept(store, 3, { target: second.seq, type: 'reaction' })
  await claim(store)
  const error = { code: 'refused', detail: 'No.', permanent: true }
  await settle(store, seq, 1, { kind: 'failed', error })
  assert.deepEqual(await claim(store), [])
  assert.deepEqual(await claim(store), [])
  assert.deepEqual(await statuses(store), ['msg_1 failed', 'msg_2 failed', 'msg_3 failed'])
  assert.equal((await accept(store, 4, { target: seq, type: 'reply' })).answer, 'target_not_sent')
})
