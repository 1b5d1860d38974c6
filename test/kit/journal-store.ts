import { appendEvents, type NewEvent } from '../../src/events/journal.ts'
import { read, type StoreFunctions, transaction } from '../../src/store/store.ts'
import { storeFunctions } from '../../src/transactions.ts'

/** Creates organizations with these ids. */
export const createOrganizations = transaction('test.create-organizations', async (tx, ids: string[]) => {
  for (const id of ids)
    await tx.run(tx.sql.insertInto('organizations').values({ id, name: id, created_at: 0 }))
})

/** Writes events as a feature does; then fails, where it is told to. */
export const writeEvents = transaction(
  'test.write-events',
  async (tx, args: { organization: string; now: number; events: NewEvent[]; fault?: string }) => {
    await appendEvents(tx, args.organization, args.now, args.events)
    if (args.fault !== undefined) throw new Error(args.fault)
  },
)

/** The whole journal in the order of its rows, and the number of the last event of each organization. */
export const readJournal = read('test.read-journal', async (reader, _: null) => {
  const { sql } = reader
  const organizations = await reader.all(sql.selectFrom('organizations').select(['id', 'last_event']))
  return {
    events: await reader.all(sql.selectFrom('events').selectAll().orderBy('seq')),
    last: new Map(organizations.map(({ id, last_event }) => [id, last_event])),
  }
})

/** What Posthorn asks of its store, and what these tests ask beside it. */
export const journalFunctions: StoreFunctions = {
  reads: [...storeFunctions.reads, readJournal],
  transactions: [...storeFunctions.transactions, createOrganizations, writeEvents],
}
