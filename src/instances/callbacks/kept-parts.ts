import { batchStatement, statement } from '../../store/statement.ts'
import { read, type StoreFunctions, type Transaction, transaction } from '../../store/store.ts'

/*
 * Parts that are stored although their callback was refused, because another part of it had no room. The network repeats all of it, and
 * these must not be stored again: an instance that is stopped would be full because of its neighbour (docs/decisions/0043).
 */

/** A part of a callback as it was stored for an instance. */
export interface KeptPart {
  readonly instance: string
  /** Of its bytes. */
  readonly digest: string
}

/** Milliseconds for which networks repeat a callback, plus a day. */
export const partsKeptFor = 8 * 24 * 60 * 60_000

const partColumns = { instance: 'text', digest: 'text' } as const

const selectPart = batchStatement<KeptPart>(partColumns)((sql, given) =>
  sql
    .selectFrom('kept_parts')
    .select(['instance_id as instance', 'digest'])
    .where('instance_id', '=', given('instance'))
    .where('digest', '=', given('digest')),
)

/** Those of these parts that are stored already, or were. */
export const findKeptParts = read(
  'callbacks.kept-parts',
  (reader, args: { readonly parts: readonly KeptPart[] }): Promise<KeptPart[]> =>
    reader.allForEach(selectPart, args.parts),
)

const countParts = batchStatement({ instance: 'text' })((sql, given) =>
  sql
    .selectFrom('kept_parts')
    .select(({ fn }) => ['instance_id as instance', fn.countAll<number | string>().as('count')])
    .where('instance_id', '=', given('instance'))
    .groupBy('instance_id'),
)

const insertPart = statement<KeptPart & { at: number }>()((sql, argument) =>
  sql
    .insertInto('kept_parts')
    .values({ instance_id: argument('instance'), digest: argument('digest'), kept_at: argument('at') })
    .onConflict((on) => on.doNothing()),
)

/**
 * Remembers that these parts are stored: of each instance, at most `limit` in all. Those beyond that may be stored once more, and are
 * recognized when they are handled.
 */
export const rememberKeptParts = transaction(
  'callbacks.remember-parts',
  async (tx, args: { readonly parts: readonly KeptPart[]; readonly limit: number; readonly now: number }) => {
    const instances = [...new Set(args.parts.map(({ instance }) => instance))]
    const found = await tx.allForEach(
      countParts,
      instances.map((instance) => ({ instance })),
    )
    const counts = new Map(found.map(({ instance, count }) => [instance, Number(count)]))
    for (const part of args.parts) {
      const count = counts.get(part.instance) ?? 0
      if (count >= args.limit) continue
      counts.set(part.instance, count + (await tx.run(insertPart, { ...part, at: args.now })))
    }
  },
)

/** Forgets what was remembered before a moment, at most `limit`; returns how many. */
export const forgetKeptParts = transaction(
  'callbacks.forget-parts',
  async (tx, args: { readonly before: number; readonly limit: number }) => {
    const old = tx.sql
      .selectFrom('kept_parts')
      .select('seq')
      .where('kept_at', '<', args.before)
      .limit(args.limit)
    return tx.run(tx.sql.deleteFrom('kept_parts').where('seq', 'in', old))
  },
)

const deleteSome = statement<{ instance: string; limit: number }>()((sql, argument) =>
  sql
    .deleteFrom('kept_parts')
    .where('seq', 'in', ({ selectFrom }) =>
      selectFrom('kept_parts')
        .select('seq')
        .where('instance_id', '=', argument('instance'))
        .orderBy('digest')
        .limit(argument('limit')),
    ),
)

/** Forgets the parts of an instance that is removed, at most `limit`; returns how many. */
export function forgetPartsOf(tx: Transaction, instance: string, limit: number): Promise<number> {
  return tx.run(deleteSome, { instance, limit })
}

export const keptPartFunctions: StoreFunctions = {
  reads: [findKeptParts],
  transactions: [rememberKeptParts, forgetKeptParts],
}
