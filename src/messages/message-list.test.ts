import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import fc from 'fast-check'
import { startPostgres } from '../../test/kit/postgres.ts'
import {
  idOf,
  keepMessages,
  keepPerson,
  type ListedMessage,
  listedFunctions,
} from '../../test/kit/stores/listed-store.ts'
import { readCursor } from '../runtime/cursor.ts'
import { openPostgresStore } from '../store/postgres/postgres.ts'
import { openSqliteStore } from '../store/sqlite/sqlite.ts'
import type { Store } from '../store/store.ts'
import { type Listed, listMessages, type MessageFilter, type MessagePage } from './message-list.ts'

/** Numbers close together, and a few blocks apart. */
const gap = fc.oneof(
  { weight: 20, arbitrary: fc.integer({ min: 1, max: 3 }) },
  { weight: 10, arbitrary: fc.integer({ min: 500, max: 5_000 }) },
  { weight: 5, arbitrary: fc.integer({ min: 60_000, max: 70_000 }) },
)

/** Farther apart than what is looked through at once. A list walks through such a gap, so each store has at most one. */
const wideGap = 20_000_000
const few = (...names: string[]) => fc.constantFrom(...names)

/** Two addresses of one person, as one instance knows. */
const people = ['ana', 'bert', 'carla']
const onePerson = { organization: 'org_a', instance: 'first', addresses: ['ana', 'bert'] }

const direction = few('outbound', 'outbound', 'inbound') as fc.Arbitrary<ListedMessage['direction']>

const entries = fc.array(
  fc.record({
    gap,
    organization: few('org_a', 'org_a', 'org_b'),
    instance: few('first', 'second'),
    direction,
    conversation: few(...people),
    clientRef: fc.option(few('one', 'two')),
    status: few('sent', 'sent', 'failed') as fc.Arbitrary<ListedMessage['status']>,
  }),
  { maxLength: 40 },
)

const messages = fc.tuple(entries, fc.option(fc.nat(39))).map(([entries, wideAt]) => {
  let seq = 0
  return entries.map(({ gap, ...message }, index): ListedMessage => {
    seq += index === wideAt ? wideGap : gap
    return { ...message, seq }
  })
})

const filters = fc.record({
  organizationId: few('org_a', 'org_b', 'org_c'),
  instanceName: fc.option(few('first', 'second')),
  seen: fc.option(fc.subarray(['first', 'second', 'third'], { minLength: 1 })),
  direction: fc.option(direction),
  conversation: fc.option(few(...people)),
  to: fc.option(few(...people), { freq: 2 }),
  clientRef: fc.option(few('one', 'two')),
  status: fc.option(few('sent', 'failed') as fc.Arbitrary<ListedMessage['status']>),
  limit: fc.integer({ min: 1, max: 7 }),
})
type Wanted = Omit<MessageFilter, 'before' | 'below'>

/** Follows the pages to the end, as a caller does. */
async function allListed(store: Store, wanted: Wanted): Promise<string[]> {
  const ids: string[] = []
  for (let before: string | null = null, below: number | null = null; ; ) {
    const listed: Listed = await store.read(listMessages, { ...wanted, before, below })
    if ('goOnBelow' in listed) {
      assert.ok(below === null || listed.goOnBelow < below, 'every look goes farther back')
      below = listed.goOnBelow
      continue
    }
    const { data, next_cursor }: MessagePage = listed.page
    assert.ok(data.length <= wanted.limit)
    ids.push(...data.map(({ id }) => id))
    if (next_cursor === null) return ids
    const last: string = readCursor(next_cursor, 'string') ?? assert.fail('the cursor is an id')
    assert.ok(before === null || seqOf(last) < seqOf(before), 'every page goes farther back')
    before = last
    below = null
  }
}

function seqOf(id: string): number {
  return Number(id.slice('msg_'.length))
}

function fits(message: ListedMessage, wanted: Wanted): boolean {
  if (wanted.seen && !wanted.seen.includes(message.instance)) return false
  const asked = [
    [wanted.organizationId, message.organization],
    [wanted.instanceName, message.instance],
    [wanted.direction, message.direction],
    [wanted.clientRef, message.clientRef],
    [wanted.status, message.status],
  ]
  if (!asked.every(([value, own]) => value === null || value === own)) return false
  if (wanted.to !== null && message.direction !== 'outbound') return false
  return [wanted.conversation, wanted.to].every(
    (address) => address === null || aliases(address, wanted).includes(message.conversation),
  )
}

/** The addresses of a person, as far as the caller may know of them. */
function aliases(address: string, { organizationId, instanceName, seen }: Wanted): readonly string[] {
  const { organization, instance, addresses } = onePerson
  const names = instanceName === null ? seen : [instanceName]
  const isKnown = organization === organizationId && (names === null || names.includes(instance))
  return isKnown && addresses.includes(address) ? addresses : [address]
}

/**
 * A page ends with a message that is not wanted, but that its caller may know of; before it, in the same block, is one that
 * its caller may not know of.
 */
const endsBehindUnseen: [ListedMessage[], Wanted[]] = (() => {
  const kept = { organization: 'org_a', direction: 'outbound', conversation: 'ana' } as const
  const wanted = { organizationId: 'org_a', instanceName: null, seen: ['second'], direction: null }
  return [
    [
      { ...kept, seq: 1, instance: 'second', clientRef: 'one', status: 'sent' },
      { ...kept, seq: wideGap + 600, instance: 'first', clientRef: 'one', status: 'sent' },
      { ...kept, seq: wideGap + 601, instance: 'second', clientRef: 'one', status: 'sent' },
      { ...kept, seq: wideGap + 1_200, instance: 'second', clientRef: null, status: 'sent' },
    ],
    [{ ...wanted, conversation: null, to: null, clientRef: 'one', status: 'failed', limit: 1 }],
  ]
})()

/** Whatever is in the store and whatever is asked for, the pages hold every match once, the newest first. */
async function listsAll(store: Store): Promise<void> {
  await store.transact(keepPerson, onePerson)
  const lists = fc.asyncProperty(
    messages,
    fc.array(filters, { minLength: 5, maxLength: 5 }),
    async (kept, all) => {
      await store.transact(keepMessages, kept)
      for (const wanted of all) {
        const matches = kept.filter((message) => fits(message, wanted)).toReversed()
        assert.deepEqual(await allListed(store, wanted), matches.map(idOf))
      }
    },
  )
  await fc.assert(lists, {
    numRuns: Number(process.env.POSTHORN_TEST_LIST_RUNS ?? 60),
    endOnFailure: false,
    examples: [endsBehindUnseen],
  })
}

test('pages of messages in SQLite hold every match once, the newest first', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'posthorn-list-'))
  const thread = new URL('../../test/kit/stores/listed-store-thread.ts', import.meta.url)
  const store = await openSqliteStore({ file: join(folder, 'test.db'), thread })
  try {
    await listsAll(store)
  } finally {
    await store.close()
    rmSync(folder, { recursive: true })
  }
})

const postgres = await startPostgres()
after(() => (postgres.available ? postgres.server.stop() : undefined))

test('pages of messages in PostgreSQL hold every match once, the newest first', {
  skip: postgres.available ? false : postgres.reason,
}, async () => {
  assert.ok(postgres.available)
  const url = await postgres.server.createDatabase()
  const store = await openPostgresStore({ url, functions: listedFunctions })
  try {
    await listsAll(store)
  } finally {
    await store.close()
  }
})
