import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import fc from 'fast-check'
import { startPostgres } from '../../../../test/kit/postgres.ts'
import {
  idOf,
  keepMessages,
  keepPerson,
  type ListedMessage,
  listedFunctions,
  timeOf,
} from '../../../../test/kit/stores/listed-store.ts'
import { openPostgresStore } from '../../../store/postgres/postgres.ts'
import { openSqliteStore } from '../../../store/sqlite/sqlite.ts'
import type { Store } from '../../../store/store.ts'
import { type ListedConversations, listConversations } from './conversation-list.ts'

const few = (...names: string[]) => fc.constantFrom(...names)
/** One person, as the instance `first` knows. */
const addresses = ['ana', 'bert']

const messages = fc
  .array(
    fc.record({
      gap: fc.oneof(fc.integer({ min: 1, max: 3 }), fc.integer({ min: 100, max: 400 })),
      organization: few('org_a', 'org_a', 'org_b'),
      instance: few('first', 'second'),
      conversation: few('ana', 'bert', 'carla', 'dora'),
      direction: fc.constantFrom('inbound' as const, 'outbound' as const, 'outbound' as const),
    }),
    { maxLength: 40 },
  )
  .map((entries) => {
    let seq = 0
    return entries.map(({ gap, ...message }): ListedMessage => {
      seq += gap
      const fixed = { clientRef: null, status: 'sent', text: 'Hello.' } as const
      return { ...message, ...fixed, seq, createdAt: timeOf({ seq }) }
    })
  })

const filters = fc.record({
  organizationId: few('org_a', 'org_a', 'org_b'),
  instanceName: fc.option(few('first', 'second'), { freq: 1 }),
  seen: fc.option(fc.subarray(['first', 'second', 'third'], { minLength: 1 }), { freq: 1 }),
  search: fc.option(few('A', 'an', 'dora'), { freq: 1 }),
  isUnread: fc.oneof({ weight: 4, arbitrary: fc.constant(false) }, fc.constant(true)),
  limit: fc.integer({ min: 1, max: 5 }),
  byCursor: fc.boolean(),
})

interface Wanted {
  readonly organizationId: string
  readonly instanceName: string | null
  readonly seen: readonly string[] | null
  readonly search: string | null
  readonly isUnread: boolean
  readonly limit: number
  /** True to go on from the last id, as another page does; false to go on from the place where the read ended. */
  readonly byCursor: boolean
}

async function allListed(store: Store, { byCursor, ...wanted }: Wanted): Promise<string[]> {
  const ids: string[] = []
  let [before, below] = [null as string | null, null as number | null]
  for (;;) {
    const { data, goOn }: ListedConversations = await store.read(listConversations, {
      ...wanted,
      before,
      below,
    })
    assert.ok(data.length <= wanted.limit)
    ids.push(...data.map(({ conversation }) => conversation.last_message.id))
    if (!goOn) return ids
    assert.ok(below === null || goOn.below < below, 'every read goes farther back')
    if (byCursor && goOn.id !== null) [before, below] = [goOn.id, null]
    else below = goOn.below
  }
}

/** The last message of each person, the newest first. */
function expected(kept: readonly ListedMessage[], wanted: Wanted): string[] {
  const { organizationId, instanceName, seen, search, isUnread } = wanted
  const last = new Map<string, ListedMessage>()
  const unread = new Set<string>()
  for (const message of kept) {
    const { organization, instance, conversation } = message
    if (organization !== organizationId || (instanceName ?? instance) !== instance) continue
    if (seen && !seen.includes(instance)) continue
    const isKnown = organization === 'org_a' && instance === 'first' && addresses.includes(conversation)
    const person = isKnown ? 'ana' : conversation
    const known = isKnown ? addresses : [conversation]
    if (search !== null && !known.some((one) => one.includes(search.toLowerCase()))) continue
    last.set(`${instance} ${person}`, message)
    if (message.direction === 'inbound') unread.add(`${instance} ${person}`)
  }
  const found = [...last].filter(([person]) => !isUnread || unread.has(person))
  return found
    .map(([, message]) => message)
    .sort((a, b) => b.seq - a.seq)
    .map(idOf)
}

async function listsAll(store: Store): Promise<void> {
  await store.transact(keepPerson, { organization: 'org_a', instance: 'first', addresses })
  const lists = fc.asyncProperty(
    messages,
    fc.array(filters, { minLength: 5, maxLength: 5 }),
    async (kept, all) => {
      await store.transact(keepMessages, kept)
      for (const wanted of all) assert.deepEqual(await allListed(store, wanted), expected(kept, wanted))
    },
  )
  await fc.assert(lists, { numRuns: Number(process.env.POSTHORN_TEST_LIST_RUNS ?? 60), endOnFailure: false })
}

test('conversations in SQLite are listed once, by their last messages, over however many pages', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'posthorn-conversations-'))
  const thread = new URL('../../../../test/kit/stores/listed-store-thread.ts', import.meta.url)
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

test('conversations in PostgreSQL are listed once, by their last messages, over however many pages', {
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
