import assert from 'node:assert/strict'
import { accepting } from '../../../../test/kit/stores/accepting.ts'
import { testOnBothStores } from '../../../../test/kit/stores/outbox-on-both-stores.ts'
import { inspectOutbox, resetOutbox } from '../../../../test/kit/stores/outbox-store.ts'
import type { Store } from '../../../store/store.ts'
import { type AcceptArgs, acceptMessage } from '../accept/accept.ts'
import { settleAndClaim } from './settle-and-claim.ts'

/* Calls of one moment are performed together, as if one had come after the other. */

const now = 1_700_000_000_000

function numbered(number: number, rest: Partial<AcceptArgs> = {}, recipient = 'ana'): AcceptArgs {
  const id = `msg_${String(number).padStart(4, '0')}`
  const instance_id = `inst_${number % 2 === 0 ? 'a' : 'b'}`
  return accepting({ id, instance_id, recipient, created_at: now }, rest)
}

async function setUp(store: Store): Promise<void> {
  await store.transact(resetOutbox, [
    { id: 'inst_a', network: 'sandbox' },
    { id: 'inst_b', network: 'sandbox' },
  ])
}

const kindsOf = (answers: readonly { readonly kind: string }[]) => answers.map(({ kind }) => kind)
const acceptAll = (store: Store, calls: readonly AcceptArgs[]) =>
  Promise.all(calls.map((call) => store.transact(acceptMessage, call)))

testOnBothStores('limits hold for those who ask in one moment', async (store) => {
  await setUp(store)
  const ofQueue = await acceptAll(
    store,
    [0, 1, 2, 3, 4, 5].map((number) => numbered(number, { queueLimit: 2 })),
  )
  const [yes, no] = ['accepted', 'queue_full']
  assert.deepEqual(kindsOf(ofQueue), [yes, yes, yes, yes, no, no])
  const ofQuota = await acceptAll(
    store,
    [6, 7, 8, 9].map((number) => numbered(number, { unsettledLimit: 5 })),
  )
  assert.deepEqual(kindsOf(ofQuota), [yes, ...Array(3).fill('unsettled_quota_exceeded')])
  const { messages, depths, organizations } = await store.read(inspectOutbox, null)
  assert.equal(messages.length, 5)
  assert.deepEqual(
    new Map(depths.map((row) => [row.id, row.queue_depth])),
    new Map([
      ['inst_a', 3],
      ['inst_b', 2],
    ]),
  )
  assert.equal(Number(organizations[0]?.unsettled_messages), 5)
})

testOnBothStores('requests of one key in one moment are one message', async (store) => {
  await setUp(store)
  const keyed = (number: number, fingerprint: string) => {
    const scope = {
      organizationId: 'org_test',
      operation: 'send',
      key: `key of ${store.dialect}`,
      fingerprint,
    }
    return numbered(number, {
      idempotency: { scope, reply: { status: 202, location: null, body: String(number) } },
    })
  }
  const answers = await acceptAll(store, [keyed(0, 'same'), keyed(2, 'same'), keyed(4, 'other')])
  assert.deepEqual(kindsOf(answers), ['accepted', 'replay', 'mismatch'])
  assert.equal(answers[1]?.kind === 'replay' && answers[1].reply.body, '0')
  assert.equal((await store.read(inspectOutbox, null)).messages.length, 1)
})

testOnBothStores('one of a lane leads, and every leader has a place of its own', async (store) => {
  await setUp(store)
  const numbers = Array.from({ length: 40 }, (_, number) => number)
  await acceptAll(
    store,
    numbers.map((number) => numbered(number, {}, `person-${Math.floor(number / 2) % 5}`)),
  )
  const { messages } = await store.read(inspectOutbox, null)
  for (const [lane, own] of Map.groupBy(messages, (row) => `${row.instance_id} ${row.recipient}`)) {
    const leaders = own.filter(({ leads_lane }) => leads_lane === 1)
    assert.deepEqual(leaders, [own[0]], lane)
  }
  for (const [instance, own] of Map.groupBy(messages, (row) => row.instance_id)) {
    const places = own.flatMap(({ queue_position }) => queue_position ?? [])
    assert.deepEqual(
      places.toSorted((a, b) => a - b),
      [1, 2, 3, 4, 5],
      instance,
    )
  }
})

testOnBothStores('two who claim for one instance in one moment never get the same message', async (store) => {
  await setUp(store)
  await acceptAll(
    store,
    [0, 2, 4, 6].map((number) => numbered(number, {}, `person-${number}`)),
  )
  const call = { instanceId: 'inst_a', attempted: [], claimPerRecipient: 1, now, holding: null }
  const answers = await Promise.all(
    [0, 2, 3].map((claim) => store.transact(settleAndClaim, { ...call, claim })),
  )
  const claimed = answers.map((answer) => answer.claimed.map(({ id }) => id))
  const ids = claimed.flat()
  assert.deepEqual(claimed[0], [])
  assert.equal(new Set(ids).size, ids.length)
  const { messages } = await store.read(inspectOutbox, null)
  const underway = messages.filter((row) => row.underway === 1)
  assert.deepEqual(underway.map(({ id }) => id).sort(), ids.sort())
  assert.ok(underway.every(({ attempts }) => attempts === 1))
})

testOnBothStores(
  'of many instances whose messages are due, a moment looks at some, and later ones at the others',
  async (store) => {
    const instances = Array.from({ length: 20 }, (_, number) => `inst_${number}`)
    await store.transact(
      resetOutbox,
      instances.map((id) => ({ id, network: 'sandbox' })),
    )
    const due = now + 1_000
    const scheduled = (instance_id: string, number: number) =>
      accepting({ id: `msg_${instance_id}_${number}`, instance_id, recipient: `r${number}`, send_at: due })
    await acceptAll(
      store,
      instances.flatMap((id) => [0, 1, 2].map((number) => scheduled(id, number))),
    )
    const claimed: string[] = []
    const counts: number[] = []
    while (claimed.length < 3 * instances.length) {
      const found = await Promise.all(
        instances.map((instanceId) => {
          const call = { instanceId, attempted: [], claim: 4, claimPerRecipient: 1, now: due, holding: null }
          return store.transact(settleAndClaim, call)
        }),
      )
      const served = found.filter((one) => one.claimed.length > 0)
      const isLast = claimed.length + served.length * 3 === 3 * instances.length
      // An instance of which nothing was looked at is to ask again at once.
      const asksAgain = found.filter(({ nextDueAt }) => nextDueAt !== null && nextDueAt <= due)
      if (!isLast) assert.ok(asksAgain.length > 0)
      claimed.push(...found.flatMap((one) => one.claimed.map(({ id }) => id)))
      counts.push(served.length)
    }
    assert.equal(new Set(claimed).size, 3 * instances.length)
    // On PostgreSQL, these calls may be of several moments.
    if (store.dialect === 'sqlite') assert.ok(counts.length > 1, 'all were looked at in one moment')
  },
)
