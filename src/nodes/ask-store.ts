import type { RowOf } from '../store/schema.ts'
import { statement } from '../store/statement.ts'
import { read, type StoreFunctions, touchesNothing, transaction } from '../store/store.ts'

type Ask = RowOf<'asks'>

/** Asks that a node takes up with one look. */
const takenAtOnce = 100

export const insertAsk = transaction(
  'asks.insert',
  async (tx, ask: Omit<Ask, 'answer'>): Promise<void> => {
    await tx.run(tx.sql.insertInto('asks').values({ ...ask, answer: null }))
  },
  { touches: touchesNothing },
)

interface OpenAsks {
  readonly node: string
  readonly now: number
  /** Those that the node has taken and not answered. */
  readonly underway: readonly string[]
}

/** The oldest asks to a node that are not answered, and for which a caller still waits. */
export const listAsks = read('asks.list', (reader, { node, now, underway }: OpenAsks) => {
  const open = reader.sql
    .selectFrom('asks')
    .select(['id', 'instance_id', 'task', 'argument', 'expires_at'])
    .where('node', '=', node)
    .where('expires_at', '>', now)
    .where('answer', 'is', null)
    .orderBy('expires_at')
    .limit(takenAtOnce)
  return reader.all(underway.length > 0 ? open.where('id', 'not in', underway) : open)
})

export const answerAsk = transaction(
  'asks.answer',
  async (tx, { id, answer }: { id: string; answer: Uint8Array }): Promise<void> => {
    await tx.run(tx.sql.updateTable('asks').set({ answer }).where('id', '=', id))
  },
  { touches: touchesNothing },
)

const answerOf = statement<{ id: string }>()((sql, argument) =>
  sql.selectFrom('asks').select('answer').where('id', '=', argument('id')),
)

/** The answer to an ask; null while there is none. */
export const readAnswer = read(
  'asks.answer-of',
  async (reader, args: { id: string }): Promise<Uint8Array | null> =>
    (await reader.first(answerOf, args))?.answer ?? null,
)

/** Forgets an ask whose answer has come, and those that no caller waits for. */
export const forgetAsks = transaction(
  'asks.forget',
  async (tx, { id, now }: { id: string; now: number }): Promise<void> => {
    await tx.run(
      tx.sql.deleteFrom('asks').where((eb) => eb.or([eb('id', '=', id), eb('expires_at', '<', now)])),
    )
  },
  { touches: touchesNothing },
)

const ownerOf = statement<{ id: string }>()((sql, argument) =>
  sql.selectFrom('instances').select('owner').where('id', '=', argument('id')),
)

/** The node that runs an instance; null if none does, undefined if the instance is gone. */
export const readOwner = read(
  'instances.owner',
  async (reader, args: { id: string }): Promise<string | null | undefined> =>
    (await reader.first(ownerOf, args))?.owner,
)

export const askFunctions: StoreFunctions = {
  reads: [listAsks, readAnswer, readOwner],
  transactions: [insertAsk, answerAsk, forgetAsks],
}
