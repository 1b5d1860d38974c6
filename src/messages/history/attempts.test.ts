import assert from 'node:assert/strict'
import { accepting } from '../../../test/kit/stores/accepting.ts'
import { testOnBothStores } from '../../../test/kit/stores/outbox-on-both-stores.ts'
import { inspectOutbox, resetOutbox } from '../../../test/kit/stores/outbox-store.ts'
import { forgetEvents } from '../../events/retention.ts'
import type { Store } from '../../store/store.ts'
import { ownNetworkId } from '../message.ts'
import { acceptMessage } from '../outbox/accept/accept.ts'
import { type MessageVerdict, settleAndClaim } from '../outbox/queue/settle-and-claim.ts'
import type { Verdict } from '../outbox/queue/verdict.ts'
import { recordReceipt } from '../outbox/receipts/receipts.ts'
import { discardQueue } from '../outbox/sweep/sweep.ts'
import { forgetMessages } from '../retention.ts'
import { listAttempts } from './attempts.ts'
import { listSteps } from './steps.ts'

/* The attempts of one message, as the outbox settles them. */

const begin = 1_700_000_000_000
const instanceId = 'inst_a'
const id = 'msg_06fdw2p7d8sq1m5v2b9x4hyk6n'
const place = { organizationId: 'org_test', id, instances: null }
const error = { code: 'recipient_busy', detail: 'Busy.', permanent: false }
const lost: Verdict = { kind: 'again', at: 0, error: null, uncertain: true }

/** A message that was accepted, and who settles its attempts and claims the next ones, each a second after the last. */
async function accepted(store: Store) {
  await store.transact(resetOutbox, [{ id: instanceId, network: 'sandbox' }])
  await store.transact(acceptMessage, accepting({ id, created_at: begin }))
  const { messages } = await store.read(inspectOutbox, null)
  const seq = messages[0]?.seq ?? assert.fail()
  let now = begin
  const step = async (claim: 0 | 1, ...attempted: MessageVerdict[]) => {
    now += 1_000
    const call = { instanceId, claimPerRecipient: 1, now, holding: null, attempted, claim }
    const { claimed } = await store.transact(settleAndClaim, call)
    return claimed.length
  }
  const ended = (attempt: number, verdict: Verdict): MessageVerdict => ({
    ...{ seq, recipient: 'ana', attempt, verdict },
  })
  return {
    claim: () => step(1),
    settle: (...all: MessageVerdict[]) => step(0, ...all),
    ended,
    now: () => now,
  }
}

async function seen(store: Store) {
  const attempts = (await store.read(listAttempts, place)) ?? assert.fail()
  return attempts.map(({ number, outcome }) => `${number} ${outcome}`)
}

const kept = async (store: Store) => (await store.read(inspectOutbox, null)).attempts.length
const stepsIn = async (store: Store) =>
  ((await store.read(listSteps, place)) ?? assert.fail()).map(({ status }) => status)

testOnBothStores('a message that is sent by its first attempt costs no row', async (store) => {
  const { claim, settle, ended } = await accepted(store)
  assert.deepEqual(await seen(store), [])
  await claim()
  assert.deepEqual(await seen(store), ['1 underway'])
  await settle(ended(1, { kind: 'sent' }))
  assert.deepEqual(await seen(store), ['1 accepted'])
  assert.equal(await kept(store), 0)
})

testOnBothStores('of very many attempts, the first ten and the last ninety are kept', async (store) => {
  const { claim, settle, ended } = await accepted(store)
  for (let attempt = 1; attempt <= 130; attempt++) {
    assert.equal(await claim(), 1)
    await settle(ended(attempt, { kind: 'again', at: 0, error, uncertain: false, deferred: true }))
  }
  const numbers = Array.from({ length: 130 }, (_, index) => index + 1).filter((n) => n <= 10 || n > 40)
  assert.deepEqual(
    await seen(store),
    numbers.map((number) => `${number} deferred`),
  )
})

testOnBothStores('an attempt that was acknowledged after it was given up is accepted', async (store) => {
  const { claim, settle, ended } = await accepted(store)
  await claim()
  await settle(ended(1, lost))
  assert.deepEqual(await seen(store), ['1 uncertain'])
  await settle(ended(1, { kind: 'sent', late: true }))
  assert.deepEqual(await seen(store), ['1 accepted'])
})

testOnBothStores('… and the one that was under way meanwhile is uncertain', async (store) => {
  const { claim, settle, ended } = await accepted(store)
  await claim()
  await settle(ended(1, lost))
  await claim()
  await settle(ended(1, { kind: 'sent', late: true }))
  assert.deepEqual(await seen(store), ['1 accepted', '2 uncertain'])
  await settle(ended(2, { kind: 'sent' }))
  assert.deepEqual(await seen(store), ['1 accepted', '2 uncertain'])
})

testOnBothStores('an outcome that is settled twice, or with a later one, counts once', async (store) => {
  const { claim, settle, ended, now } = await accepted(store)
  await claim()
  await settle(ended(1, lost))
  const first = now()
  await settle(ended(1, lost))
  const [attempt] = (await store.read(listAttempts, place)) ?? []
  assert.equal(attempt?.ended_at, new Date(first).toISOString())
  assert.equal(attempt?.started_at, new Date(first - 1_000).toISOString())
  await claim()
  await settle(ended(2, lost), ended(2, { kind: 'unknown', late: true }))
  assert.deepEqual(await seen(store), ['1 uncertain', '2 uncertain'])
  assert.deepEqual(await stepsIn(store), ['queued', 'sending', 'unknown'])
})

testOnBothStores('an attempt that was never begun is none', async (store) => {
  const { claim, settle, ended } = await accepted(store)
  await claim()
  await settle(ended(1, { kind: 'again', at: 0, error: null, uncertain: false, unbegun: true }))
  assert.deepEqual([await seen(store), await stepsIn(store)], [[], ['queued', 'sending']])
  await claim()
  await settle(ended(1, { kind: 'failed', error }))
  assert.deepEqual(await seen(store), ['1 rejected'])
})

testOnBothStores('a receipt proves the message, and not that its attempt was answered', async (store) => {
  const { claim, settle, ended, now } = await accepted(store)
  await claim()
  const receipt = { instanceId, networkMessageId: ownNetworkId(id), from: null, state: 'delivered' } as const
  await store.transact(recordReceipt, { ...receipt, at: now() })
  assert.deepEqual(await stepsIn(store), ['queued', 'sending'])
  await settle(ended(1, lost))
  const attempts = (await store.read(listAttempts, place)) ?? []
  assert.deepEqual(
    attempts.map(({ outcome, next_attempt_at }) => [outcome, next_attempt_at]),
    [['uncertain', null]],
  )
  assert.deepEqual(await stepsIn(store), ['queued', 'sending', 'sent', 'delivered'])
})

testOnBothStores('an attempt that its instance did not outlive is uncertain', async (store) => {
  const { claim, now } = await accepted(store)
  await claim()
  await store.transact(discardQueue, { instanceId, now: now(), limit: 10 })
  assert.deepEqual(await seen(store), ['1 uncertain'])
  assert.deepEqual(await stepsIn(store), ['queued', 'sending', 'unknown'])
})

testOnBothStores('attempts are forgotten with their message', async (store) => {
  const { claim, settle, ended, now } = await accepted(store)
  await claim()
  await settle(ended(1, { kind: 'failed', error }))
  assert.equal(await kept(store), 1)
  const before = now() + 1
  await store.transact(forgetEvents, { before, limit: 100, after: '' })
  await store.transact(forgetMessages, { before, after: 0, limit: 100, now: before })
  assert.equal(await store.read(listAttempts, place), null)
  assert.equal(await kept(store), 0)
})
