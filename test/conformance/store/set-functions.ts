import { batchStatement } from '../../../src/store/statement.ts'
import { read, type StoreFunctions, transaction, transactionOfMany } from '../../../src/store/store.ts'
import { type Thing, things } from './things.ts'

type Row = Omit<Thing, 'data'>

const insertThings = batchStatement<Row>({ name: 'text', amount: 'integer', at: 'bigint', note: 'text' })(
  (sql, given) =>
    things(sql)
      .insertInto('things')
      .values({
        name: given('name'),
        amount: given('amount'),
        at: given('at'),
        note: given('note'),
      })
      .returning(['seq', 'name']),
)

const addAmounts = batchStatement({ name: 'text', amount: 'integer' })((sql, given) =>
  things(sql)
    .updateTable('things')
    .set((eb) => ({ amount: eb('amount', '+', given('amount')) }))
    .where('name', '=', given('name'))
    .returning(['name', 'amount']),
)

const removeThings = batchStatement({ name: 'text' })((sql, given) =>
  things(sql).deleteFrom('things').where('name', '=', given('name')),
)

const highest = batchStatement({ above: 'integer', limit: 'integer' })((sql, given) =>
  things(sql)
    .selectFrom('things')
    .select(['name', 'amount'])
    .where('amount', '>', given('above'))
    .orderBy('amount', 'desc')
    .limit(given('limit')),
)

export const putThings = transaction('put-things', (tx, rows: readonly Row[]) =>
  tx.allForEach(insertThings, rows),
)
export const addToAmounts = transaction(
  'add-to-amounts',
  (tx, rows: readonly { name: string; amount: number }[]) => tx.allForEach(addAmounts, rows),
)
export const countAdded = transaction(
  'count-added',
  (tx, rows: readonly { name: string; amount: number }[]) => tx.runForEach(addAmounts, rows),
)
export const dropThings = transaction('drop-things', (tx, names: readonly string[]) =>
  tx.runForEach(
    removeThings,
    names.map((name) => ({ name })),
  ),
)
export const highestAbove = read(
  'highest-above',
  (reader, rows: readonly { above: number; limit: number }[]) => reader.allForEach(highest, rows),
)

/** Puts a thing for each call, all at once, and tells each caller how many calls there were; throws for one with this name. */
export const putTogether = transactionOfMany(
  'put-together',
  async (tx, calls: readonly { name: string }[]) => {
    if (calls.some(({ name }) => name === 'fault')) throw new Error('the sky fell')
    await tx.runForEach(
      insertThings,
      calls.map(({ name }) => ({ name, amount: null, at: null, note: null })),
    )
    return calls.map(({ name }) => ({ name, together: calls.length }))
  },
)

/** The same in the order of all calls; tells each caller which things were there before. */
export const putInOrder = transactionOfMany(
  'put-in-order',
  async (tx, calls: readonly { name: string }[]) => {
    const there = await tx.all(things(tx.sql).selectFrom('things').select('name'))
    await tx.runForEach(
      insertThings,
      calls.map(({ name }) => ({ name, amount: null, at: null, note: null })),
    )
    return calls.map(() => ({ before: there.map(({ name }) => name), together: calls.length }))
  },
  { keepsOrder: true },
)

/** Puts things without waiting for that, adds to some, and returns which have most then. */
export const putAndRank = transaction(
  'put-and-rank',
  (tx, { put, add }: { put: readonly Row[]; add: readonly { name: string; amount: number }[] }) => {
    tx.sendForEach(insertThings, put)
    tx.sendForEach(addAmounts, add)
    return tx.allForEach(highest, [{ above: 0, limit: 2 }])
  },
)

/** Puts things without waiting for that, last of all. */
export const putLast = transaction('put-last', async (tx, rows: readonly Row[]) => {
  tx.sendForEach(insertThings, rows)
})

export const setFunctions = {
  reads: [highestAbove],
  transactions: [
    putThings,
    addToAmounts,
    countAdded,
    dropThings,
    putTogether,
    putInOrder,
    putAndRank,
    putLast,
  ],
} as unknown as StoreFunctions
