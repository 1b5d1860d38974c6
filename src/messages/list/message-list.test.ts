import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import fc from 'fast-check'
import { startPostgres } from '../../../test/kit/postgres.ts'
import {
  idOf,
  keepMessages,
  keepPerson,
  type ListedMessage,
  listedFunctions,
  timeOf,
} from '../../../test/kit/stores/listed-store.ts'
import { openPostgresStore } from '../../store/postgres/postgres.ts'
import { openSqliteStore } from '../../store/sqlite/sqlite.ts'
import type { Store } from '../../store/store.ts'
import type { MessageFilter } from './message-filter.ts'
import { type Listed, listMessages } from './message-list.ts'

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

/** Searches of callers, and the text that each of them finds. */
const searches = new Map([
  ['straSSe', 'In the Stra\u00dfe'],
  ['Istanbul', 'in \u0130stanbul'],
  ['caf\u00e9', 'CAFE\u0301'],
  ['office', 'in the Office'],
])

/** Of which one read compares a few only. */
const longText = 'cafe '.repeat(50_000)

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
    text: few(...searches.values(), 'cafe', longText),
    /** Milliseconds between the creation of a message and that of its id. */
    earlier: fc.integer({ min: 0, max: 59_999 }),
  }),
  { maxLength: 40 },
)

const messages = fc.tuple(entries, fc.option(fc.nat(39))).map(([entries, wideAt]) => {
  let seq = 0
  return entries.map(({ gap, earlier, ...message }, index): ListedMessage => {
    seq += index === wideAt ? wideGap : gap
    return { ...message, seq, createdAt: Math.max(0, timeOf({ seq }) - earlier) }
  })
})

/** Filters add up, so each is there only now and then: otherwise hardly a list would find anything. */
const sometimes = <T>(given: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 3, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: given })

const filters = fc.record({
  organizationId: few('org_a', 'org_a', 'org_a', 'org_b', 'org_c'),
  instanceName: sometimes(few('first', 'second')),
  seen: sometimes(fc.subarray(['first', 'second', 'third'], { minLength: 1 })),
  direction: sometimes(direction),
  /** Every message here is a text. */
  kind: sometimes(few('text', 'text', 'image') as fc.Arbitrary<'text' | 'image'>),
  conversation: sometimes(few(...people)),
  to: sometimes(few(...people)),
  clientRef: sometimes(few('one', 'two')),
  status: sometimes(few('sent', 'failed') as fc.Arbitrary<ListedMessage['status']>),
  createdAfter: sometimes(fc.nat(39)),
  createdBefore: sometimes(fc.nat(39)),
  text: sometimes(few(...searches.keys())),
  limit: fc.integer({ min: 1, max: 7 }),
  readsOfPage: fc.integer({ min: 0, max: 3 }),
})
interface Wanted extends MessageFilter {
  readonly conversation: string | null
  readonly to: string | null
  readonly limit: number
  /** Reads before one that goes on from the last id, as that of another page does; 0 for only such. */
  readonly readsOfPage: number
}

/** Reads to the end, as callers do: from the place where the last read ended, or from the id that it named. */
async function allListed(store: Store, { readsOfPage, ...wanted }: Wanted): Promise<string[]> {
  const ids: string[] = []
  let before = null as string | null
  let place: Listed['goOn'] = null
  for (let read = 1; ; read++) {
    const listed: Listed = await store.read(listMessages, { ...wanted, before, place })
    const { data, goOn }: Listed = listed
    assert.ok(data.length <= wanted.limit)
    ids.push(...data.map(({ id }) => id))
    if (goOn === null) return ids
    assert.ok(place === null || goOn.below < place.below, 'every read goes farther back')
    place = goOn
    if (read <= readsOfPage || goOn.id === null) continue
    assert.ok(before === null || goOn.id < before, 'every page goes farther back')
    before = goOn.id
    place = null
    read = 0
  }
}

function fits(message: ListedMessage, wanted: Wanted): boolean {
  if (wanted.seen && !wanted.seen.includes(message.instance)) return false
  const asked = [
    [wanted.organizationId, message.organization],
    [wanted.instanceName, message.instance],
    [wanted.direction, message.direction],
    [wanted.kind ?? null, 'text'],
    [wanted.clientRef, message.clientRef],
    [wanted.status, message.status],
  ]
  if (!asked.every(([value, own]) => value === null || value === own)) return false
  const { createdAt } = message
  if (createdAt < (wanted.createdAfter ?? 0)) return false
  if (createdAt >= (wanted.createdBefore ?? Number.POSITIVE_INFINITY)) return false
  if (wanted.text === 'cafe')
    return message.text.startsWith('cafe') && fits(message, { ...wanted, text: null })
  if (wanted.text !== null && searches.get(wanted.text) !== message.text) return false
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
  const message = (seq: number) => ({ seq, text: 'cafe', createdAt: timeOf({ seq }) })
  const times = { createdAfter: null, createdBefore: null, text: null, readsOfPage: 0 }
  const wanted = { organizationId: 'org_a', instanceName: null, seen: ['second'], direction: null, ...times }
  return [
    [
      { ...kept, ...message(1), instance: 'second', clientRef: 'one', status: 'sent' },
      { ...kept, ...message(wideGap + 600), instance: 'first', clientRef: 'one', status: 'sent' },
      { ...kept, ...message(wideGap + 601), instance: 'second', clientRef: 'one', status: 'sent' },
      { ...kept, ...message(wideGap + 1_200), instance: 'second', clientRef: null, status: 'sent' },
    ],
    [{ ...wanted, conversation: null, to: null, clientRef: 'one', status: 'failed', limit: 1 }],
  ]
})()

/** More than one read looks at: many in a few blocks, behind many with a block each; and few of them match. */
const manyReads: [ListedMessage[], Wanted[]] = (() => {
  const seqs = [
    ...Array.from({ length: 400 }, (_, index) => index * 1_100 + 1),
    ...Array.from({ length: 2_000 }, (_, index) => 500_000 + index),
  ]
  const kept = seqs.map((seq, index): ListedMessage => {
    const status = index % 70 === 0 ? 'failed' : 'sent'
    const instance = index % 3 === 0 ? 'first' : 'second'
    const text = index % 90 === 0 ? 'in the Office' : index > 500 && index < 510 ? longText : 'cafe'
    const fixed = {
      organization: 'org_a',
      direction: 'outbound',
      conversation: 'ana',
      clientRef: null,
    } as const
    return { ...fixed, seq, instance, status, text, createdAt: timeOf({ seq }) }
  })
  const all = { organizationId: 'org_a', instanceName: null, seen: null, direction: null, conversation: null }
  const wanted = { ...all, to: null, clientRef: null, createdAfter: null, createdBefore: null, status: null }
  return [
    kept,
    [
      { ...wanted, status: 'failed', text: null, limit: 3, readsOfPage: 1 },
      { ...wanted, text: 'office', limit: 200, readsOfPage: 9 },
      { ...wanted, text: 'office', seen: ['first'], createdAfter: 100, limit: 2, readsOfPage: 3 },
      {
        ...wanted,
        text: 'cafe',
        status: 'failed',
        createdAfter: 40,
        createdBefore: 1_900,
        limit: 7,
        readsOfPage: 0,
      },
    ],
  ]
})()

/** Checks that the pages hold every match once, the newest first, for any content of the store and any filter. */
async function listsAll(store: Store): Promise<void> {
  await store.transact(keepPerson, onePerson)
  const lists = fc.asyncProperty(
    messages,
    fc.array(filters, { minLength: 5, maxLength: 5 }),
    async (kept, all) => {
      await store.transact(keepMessages, kept)
      // A moment is given as the number of a message that was created then.
      const momentOf = (index: number | null) => index && (kept[index % kept.length]?.createdAt ?? 0)
      for (const { createdAfter, createdBefore, ...others } of all) {
        const wanted = {
          ...others,
          createdAfter: momentOf(createdAfter),
          createdBefore: momentOf(createdBefore),
        }
        const matches = kept.filter((message) => fits(message, wanted)).toReversed()
        assert.deepEqual(await allListed(store, wanted), matches.map(idOf))
      }
    },
  )
  await fc.assert(lists, {
    numRuns: Number(process.env.POSTHORN_TEST_LIST_RUNS ?? 60),
    endOnFailure: false,
    examples: [endsBehindUnseen, manyReads],
  })
}

test('pages of messages in SQLite hold every match once, the newest first', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'posthorn-list-'))
  const thread = new URL('../../../test/kit/stores/listed-store-thread.ts', import.meta.url)
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
