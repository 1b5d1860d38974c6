import { statement } from './statement.ts'
import {
  briefRead,
  type Reader,
  type StoreFunctions,
  type Transaction,
  touchesNothing,
  transaction,
} from './store.ts'

/** The identity of the store, and how far it has come. */
export interface StorePosition {
  /** Names the store and every copy of it. */
  readonly store: string
  /** Names its present history; renewed whenever the store goes back to a backup. */
  readonly epoch: string
  /** The epochs before. */
  readonly past: readonly string[]
  /** Grows while a server works on it. */
  readonly count: number
  /** When a restore began that has not ended; null otherwise. */
  readonly restoring: string | null
}

const names = ['store_id', 'epoch', 'past_epochs', 'progress', 'restoring'] as const
type Name = (typeof names)[number]

async function facts(reader: Reader): Promise<ReadonlyMap<string, string>> {
  const rows = await reader.all(
    reader.sql.selectFrom('service').select(['name', 'value']).where('name', 'in', names),
  )
  return new Map(rows.map(({ name, value }) => [name, value]))
}

async function positionOf(reader: Reader): Promise<StorePosition> {
  const known = await facts(reader)
  return {
    store: known.get('store_id') ?? '',
    epoch: known.get('epoch') ?? '',
    past: JSON.parse(known.get('past_epochs') ?? '[]') as string[],
    count: Number(known.get('progress') ?? 0),
    restoring: known.get('restoring') ?? null,
  }
}

export const readPosition = briefRead('store.position', (reader, _: null) => positionOf(reader))

/** Stores a fact about the service in place of the one before, if any. */
export const writeFact = statement<{ name: string; value: string }>()((sql, argument) =>
  sql
    .insertInto('service')
    .values({ name: argument('name'), value: argument('value') })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ value: argument('value') })),
)

/** The same for one of the facts about its position. */
async function keepFact(tx: Transaction, name: Name, value: string): Promise<void> {
  await tx.run(writeFact, { name, value })
}

/** Counts on, so that an older copy can be distinguished from the store as it is now. */
export const advancePosition = transaction(
  'store.advance-position',
  async (tx, _: null): Promise<StorePosition> => {
    const position = await positionOf(tx)
    const count = position.count + 1
    await keepFact(tx, 'progress', String(count))
    return { ...position, count }
  },
  // It grows whichever of two nodes comes last.
  { touches: touchesNothing },
)

/** Begins a new history, here and in every organization. */
export async function beginEpoch(
  tx: Transaction,
  { epoch, now }: { epoch: string; now: number },
): Promise<void> {
  const { epoch: previous, past } = await positionOf(tx)
  await keepFact(tx, 'epoch', epoch)
  await keepFact(tx, 'past_epochs', JSON.stringify([...past, previous]))
  await tx.run(tx.sql.deleteFrom('service').where('name', '=', 'restoring'))
  // The nodes that ran them then are not those of now.
  await tx.run(tx.sql.updateTable('instances').set({ owner: null }))
  const organizations = await tx.all(tx.sql.selectFrom('organizations').select(['id', 'epoch', 'last_event']))
  for (const { id, epoch: before, last_event } of organizations) {
    await tx.run(
      tx.sql.insertInto('epoch_starts').values({
        organization_id: id,
        epoch,
        previous: before,
        began_after: last_event,
        began_at: now,
      }),
    )
  }
  await tx.run(tx.sql.updateTable('organizations').set({ epoch }))
}

export const positionFunctions: StoreFunctions = { reads: [readPosition], transactions: [advancePosition] }
