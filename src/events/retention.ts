import type { ExpressionBuilder } from 'kysely'
import type { Schema } from '../store/schema.ts'
import { statement } from '../store/statement.ts'
import { type StoreFunctions, transaction } from '../store/store.ts'

/** What to forget, and how much at once, so that nobody waits long for it. */
export interface Forgetting {
  /** What happened before this moment, in milliseconds since the epoch. */
  readonly before: number
  readonly limit: number
}

const oldestEvents = statement<{ limit: number }>()((sql, argument) =>
  sql.selectFrom('events').select(['seq', 'created_at']).orderBy('seq').limit(argument('limit')),
)

const removeEvents = statement<{ until: number }>()((sql, argument) =>
  sql.deleteFrom('events').where('seq', '<=', argument('until')),
)

/**
 * Forgets the oldest events and tells how many they were. The rows stand in the order of time, so they are looked through
 * from the first one; of each organization the lowest numbers go, and no number is given again.
 */
export const forgetEvents = transaction(
  'events.forget',
  async (tx, { before, limit }: Forgetting): Promise<number> => {
    const old = fromBefore(await tx.all(oldestEvents, { limit }), before)
    const last = old.at(-1)
    return last ? tx.run(removeEvents, { until: last.seq }) : 0
  },
)

const oldestDeliveries = statement<{ after: number; limit: number }>()((sql, argument) =>
  sql
    .selectFrom('deliveries')
    .select(['seq', 'created_at'])
    .where('seq', '>', argument('after'))
    .orderBy('seq')
    .limit(argument('limit')),
)

interface DeliveryRange {
  readonly after: number
  readonly until: number
}

/** True where nothing is to come any more: it is settled, or its webhook was removed. */
const isOver = (eb: ExpressionBuilder<Schema, 'deliveries'>) =>
  eb.or([
    eb('status', '!=', 'pending'),
    eb.not(
      eb.exists(
        eb.selectFrom('webhooks').select('webhooks.id').whereRef('webhooks.id', '=', 'deliveries.webhook_id'),
      ),
    ),
  ])

const removeAttempts = statement<DeliveryRange>()((sql, argument) =>
  sql
    .deleteFrom('delivery_attempts')
    .where('delivery_seq', 'in', ({ selectFrom }) =>
      selectFrom('deliveries')
        .select('seq')
        .where('seq', '>', argument('after'))
        .where('seq', '<=', argument('until'))
        .where(isOver),
    ),
)

const removeDeliveries = statement<DeliveryRange>()((sql, argument) =>
  sql
    .deleteFrom('deliveries')
    .where('seq', '>', argument('after'))
    .where('seq', '<=', argument('until'))
    .where(isOver),
)

/**
 * Forgets the oldest deliveries that are over, with their attempts. A delivery is younger than its event, so none is
 * forgotten before that. Those that are not over stay: `after` is behind which delivery to look, and what is returned is
 * where to go on, or null where all that is old was looked at.
 */
export const forgetDeliveries = transaction(
  'events.forget-deliveries',
  async (tx, { before, limit, after }: Forgetting & { readonly after: number }): Promise<number | null> => {
    const old = fromBefore(await tx.all(oldestDeliveries, { after, limit }), before)
    const until = old.at(-1)?.seq
    if (until === undefined) return null
    await tx.run(removeAttempts, { after, until })
    await tx.run(removeDeliveries, { after, until })
    return old.length === limit ? until : null
  },
)

/** The rows up to the first one that is not so old. */
function fromBefore<Row extends { readonly created_at: number }>(
  rows: readonly Row[],
  before: number,
): Row[] {
  const younger = rows.findIndex(({ created_at }) => created_at >= before)
  return rows.slice(0, younger < 0 ? rows.length : younger)
}

export const retentionFunctions: StoreFunctions = {
  reads: [],
  transactions: [forgetEvents, forgetDeliveries],
}
