import { batchStatement, statement } from '../../store/statement.ts'
import { briefRead, type StoreFunctions, touchesNothing, transaction } from '../../store/store.ts'

/** Tellings of a node that are kept, so that one who looks late misses none. */
const kept = 20

const selectNewest = statement<{ node: string }>()((sql, argument) =>
  sql
    .selectFrom('rate_use')
    .select('number')
    .where('node', '=', argument('node'))
    .orderBy('number', 'desc')
    .limit(1),
)

interface Telling {
  readonly node: string
  /** Requests by the ids of their keys. */
  readonly taken: Readonly<Record<string, number>>
}

/** Tells what keys have taken of their rate on a node since it told that last. */
export const tellRateUse = transaction(
  'rates.tell',
  async (tx, { node, taken }: Telling): Promise<void> => {
    const number = ((await tx.first(selectNewest, { node }))?.number ?? 0) + 1
    await tx.run(tx.sql.insertInto('rate_use').values({ node, number, taken: JSON.stringify(taken) }))
    await tx.run(
      tx.sql
        .deleteFrom('rate_use')
        .where('node', '=', node)
        .where('number', '<=', number - kept),
    )
  },
  { touches: touchesNothing },
)

const selectAfter = batchStatement({ node: 'text', after: 'bigint' })((sql, given) =>
  sql
    .selectFrom('rate_use')
    .select(['node', 'number', 'taken'])
    .where('node', '=', given('node'))
    .where('number', '>', given('after')),
)

/** Returns the tellings of other nodes, each after the number of the one that was read last. */
export const readRateUse = briefRead(
  'rates.read',
  async (reader, nodes: readonly { readonly node: string; readonly after: number }[]) => {
    const rows = await reader.allForEach(selectAfter, nodes)
    return rows.map(({ taken, ...row }) => ({ ...row, taken: JSON.parse(taken) as Telling['taken'] }))
  },
)

export const rateUseFunctions: StoreFunctions = { reads: [readRateUse], transactions: [tellRateUse] }
