import assert from 'node:assert/strict'
import { testOnBothStores } from '../../test/kit/stores/outbox-on-both-stores.ts'
import { insertRows, resetOutbox, selectRows } from '../../test/kit/stores/outbox-store.ts'
import type { Schema } from '../store/schema.ts'
import type { Value } from '../store/statement.ts'
import type { Store } from '../store/store.ts'
import {
  type BroughtBack,
  bringBackAttempts,
  bringBackDeliveries,
  bringBackFacts,
  bringBackFiles,
  bringBackMessages,
} from './set-back-times.ts'

/* The clock shows `now` and was set back by `by`: what waits for a moment ahead of it is brought back, in parts, and nothing else is. */

const now = 1_700_000_000_000
const by = 5_000
const organization_id = 'org_test'

type Row = Readonly<Record<string, Value>>

const numbered = (prefix: string, number: number) => `${prefix}_${String(number).padStart(4, '0')}`
const many = <T>(count: number, make: (number: number) => T) =>
  Array.from({ length: count }, (_, n) => make(n))
const insert = (store: Store, table: keyof Schema, rows: readonly Row[]) =>
  store.transact(insertRows, { table, rows })

/** Returns the value of a column in each row, by the key of the row. */
async function shown(store: Store, table: keyof Schema, key: string, column: string) {
  const rows = await store.read(selectRows, { table, columns: [key, column] })
  return new Map(rows.map((row) => [String(row[key]), row[column] === null ? null : Number(row[column])]))
}

/** Brings everything back; returns whom that concerned, and how many parts it took. */
async function bringBack(store: Store, transaction: typeof bringBackMessages, mostParts = 30) {
  const owners = new Set<string>()
  let after: Parameters<typeof transaction.run>[1]['after'] = null
  for (let parts = 1; parts <= mostParts; parts++) {
    const part: BroughtBack = await store.transact(transaction, { by, now, after })
    for (const owner of part.owners) owners.add(owner)
    if (part.next === null) return { owners, parts }
    after = part.next
  }
  return assert.fail(`it did not end within ${mostParts} parts`)
}

const instance = (id: string, fields: Row = {}): Row => ({
  ...{ id, organization_id, name: id, network: 'sandbox', wanted: 'running', status: 'connected' },
  ...{ status_since: 0, settings: '{}', credentials: new Uint8Array(), metadata: '{}' },
  ...{ created_at: 0, updated_at: 0 },
  ...fields,
})

/** Its recipient is its name. */
const waiting = (recipient: string, instance: number, fields: Row = {}): Row => ({
  ...{ instance, recipient, expires_at: 4e12, leads_lane: 1, joins_lane_at: 0, due_at: null },
  ...fields,
})

const insertWaiting = (store: Store, rows: readonly Row[]) =>
  insert(
    store,
    'outbox',
    rows.map((row, index) => ({ seq: index + 1, ...row })),
  )

const webhook = (id: string, fields: Row = {}): Row => ({
  ...{ id, organization_id, url: 'https://example.org/', ordering: 'none', enabled: 1 },
  ...{ secret: new Uint8Array(), begins_after: 0, created_at: 0, updated_at: 0 },
  ...fields,
})

const delivery = (id: string, webhook_id: string, fields: Row = {}): Row => ({
  ...{ id, organization_id, webhook_id, event_sequence: 1, event_id: 'evt_1', event_type: 'message.sent' },
  ...{ instance_name: 'one', status: 'pending', next_attempt_at: 1, created_at: 1 },
  ...fields,
})

const setUp = (store: Store) => store.transact(resetOutbox, [])

/** More rows than one part looks at: ahead by more than the step, and by less. */
const waits = many(700, (number) => (number % 2 === 0 ? now + 60_000 + number : now + 1 + number))
const broughtBack = (at: number) => Math.max(now, at - by)

testOnBothStores(
  'messages that are tried again later are, of one instance and of very many',
  async (store) => {
    const others = many(70, (number) => numbered('inst', number))
    const ids = [...others, 'inst_scheduled', 'inst_due']
    await store.transact(
      resetOutbox,
      ids.map((id) => ({ id, network: 'sandbox' })),
    )
    const numbers = await shown(store, 'message_instances', 'instance_id', 'number')
    const numberOf = (id: string) => numbers.get(id) ?? assert.fail()
    await insertWaiting(store, [
      ...waits.map((due_at, number) => waiting(numbered('msg', number), numberOf('inst_0000'), { due_at })),
      ...others.slice(1).map((id) => waiting(`of_${id}`, numberOf(id), { due_at: now + 60_000 })),
      waiting('scheduled', numberOf('inst_scheduled'), { due_at: now + 60_000, joins_lane_at: now + 60_000 }),
      waiting('due', numberOf('inst_due'), { due_at: now - 10 }),
      waiting('at once', numberOf('inst_due')),
    ])
    const { owners, parts } = await bringBack(store, bringBackMessages)
    assert.ok(parts >= 3, `${parts} parts`)
    assert.deepEqual(owners, new Set(others))
    const due = await shown(store, 'outbox', 'recipient', 'due_at')
    for (const [number, at] of waits.entries())
      assert.equal(due.get(numbered('msg', number)), broughtBack(at))
    for (const id of others.slice(1)) assert.equal(due.get(`of_${id}`), now + 60_000 - by)
    const rest = ['scheduled', 'due', 'at once'].map((id) => due.get(id))
    assert.deepEqual(rest, [now + 60_000, now - 10, null])
  },
)

testOnBothStores(
  'deliveries that are tried again later are, of one webhook and of very many',
  async (store) => {
    await setUp(store)
    const others = many(70, (number) => numbered('wh', number))
    await insert(
      store,
      'webhooks',
      others.map((id) => webhook(id)),
    )
    await insert(store, 'deliveries', [
      ...waits.map((next_attempt_at, number) =>
        delivery(numbered('dlv', number), 'wh_0000', { next_attempt_at }),
      ),
      ...others.slice(1).map((id) => delivery(`of_${id}`, id, { next_attempt_at: now + 60_000 })),
      delivery('due', 'wh_0001', { next_attempt_at: now - 10 }),
      delivery('later in its lane', 'wh_0001', { next_attempt_at: null }),
    ])
    const { owners, parts } = await bringBack(store, bringBackAttempts)
    assert.ok(parts >= 3, `${parts} parts`)
    assert.deepEqual(owners, new Set([organization_id]))
    const next = await shown(store, 'deliveries', 'id', 'next_attempt_at')
    for (const [number, at] of waits.entries())
      assert.equal(next.get(numbered('dlv', number)), broughtBack(at))
    for (const id of others.slice(1)) assert.equal(next.get(`of_${id}`), now + 60_000 - by)
    assert.deepEqual([next.get('due'), next.get('later in its lane')], [now - 10, null])
  },
)

testOnBothStores('deliveries that were made ahead of the clock wait since as much earlier', async (store) => {
  await setUp(store)
  await insert(store, 'webhooks', [webhook('wh_a'), webhook('wh_b')])
  await insert(store, 'deliveries', [
    ...many(700, (number) => delivery(numbered('dlv', number), 'wh_a', { created_at: now + 1 + number })),
    delivery('before', 'wh_b', { created_at: now }),
    delivery('settled', 'wh_b', { created_at: now + 10, status: 'delivered', next_attempt_at: null }),
    delivery('after', 'wh_b', { created_at: now + 10 }),
  ])
  const { owners, parts } = await bringBack(store, bringBackDeliveries)
  assert.ok(parts >= 2, `${parts} parts`)
  assert.equal(owners.size, 0)
  const created = await shown(store, 'deliveries', 'id', 'created_at')
  for (const number of waits.keys()) assert.equal(created.get(numbered('dlv', number)), now + 1 + number - by)
  const rest = ['before', 'settled', 'after'].map((id) => created.get(id))
  assert.deepEqual(rest, [now, now + 10, now + 10 - by])
})

testOnBothStores(
  'files that are fetched again later are, those that were received and those to send',
  async (store) => {
    await setUp(store)
    const file = (message_id: string, direction: string, fetch_at: number | null): Row => ({
      ...{ message_id, organization_id, direction, fetch_at, voice: 0, url: 'https://example.org/file' },
    })
    const toSend = numbered('to-send', 1)
    await insert(store, 'message_files', [
      ...waits.map((at, number) => file(numbered('received', number), 'inbound', at)),
      file(toSend, 'outbound', now + 60_000),
      file('due', 'outbound', now - 10),
      file('fetched', 'outbound', null),
    ])
    const { parts } = await bringBack(store, bringBackFiles)
    assert.ok(parts >= 2, `${parts} parts`)
    const fetch = await shown(store, 'message_files', 'message_id', 'fetch_at')
    for (const [number, at] of waits.entries())
      assert.equal(fetch.get(numbered('received', number)), broughtBack(at))
    const rest = [toSend, 'due', 'fetched'].map((id) => fetch.get(id))
    assert.deepEqual(rest, [now + 60_000 - by, now - 10, null])
  },
)

testOnBothStores(
  'no instance and no webhook has been anything since a moment that is to come',
  async (store) => {
    await setUp(store)
    await insert(store, 'instances', [
      ...many(120, (number) => instance(numbered('inst', number), { status_since: now + 1 + number })),
      instance('verified', { last_verified_at: now + 10, linked_at: now - 10 }),
    ])
    await insert(store, 'webhooks', [
      ...many(120, (number) => webhook(numbered('wh', number), { lagging_since: now + 1 + number })),
      webhook('failing', { failing_since: now + 10, lagging_since: now - 10 }),
      webhook('well'),
    ])
    const { parts } = await bringBack(store, bringBackFacts)
    assert.ok(parts >= 4, `${parts} parts`)
    const since = await shown(store, 'instances', 'id', 'status_since')
    const lagging = await shown(store, 'webhooks', 'id', 'lagging_since')
    for (let number = 0; number < 120; number++) {
      assert.equal(since.get(numbered('inst', number)), now + 1 + number - by)
      assert.equal(lagging.get(numbered('wh', number)), now + 1 + number - by)
    }
    assert.equal((await shown(store, 'instances', 'id', 'last_verified_at')).get('verified'), now + 10 - by)
    assert.equal((await shown(store, 'instances', 'id', 'linked_at')).get('verified'), now - 10)
    assert.equal((await shown(store, 'webhooks', 'id', 'failing_since')).get('failing'), now + 10 - by)
    assert.deepEqual([lagging.get('failing'), lagging.get('well')], [now - 10, null])
  },
)
