import type { ExpressionBuilder } from 'kysely'
import type { RowOf, Schema } from '../store/schema.ts'
import { batchStatement, statement } from '../store/statement.ts'
import {
  type Reader,
  read,
  type StoreFunctions,
  type Transaction,
  touchesNothing,
  transaction,
} from '../store/store.ts'
import { countEvents } from './statistics/count-events.ts'

/** The extent of one transaction that forgets old rows, few at a time so that other work does not wait long for it. */
export interface Forgetting {
  /** Forget what is older than this moment, in milliseconds since the epoch. */
  readonly before: number
  readonly limit: number
}

export interface ForgettingEvents extends Forgetting {
  /** Only organizations after this one are looked at. */
  readonly after: string
  /** The only ones that are looked at, and the only ones that are locked meanwhile; all without them. */
  readonly organizations?: readonly string[]
}

const organizationsAtOnce = 200

const selectOrganizations = statement<{ after: string; limit: number }>()((sql, argument) =>
  sql
    .selectFrom('organizations')
    .select('id')
    .where('id', '>', argument('after'))
    .orderBy('id')
    .limit(argument('limit')),
)

const selectOldest = batchStatement({ organization: 'text' })((sql, given) =>
  sql
    .selectFrom('events')
    .select(['organization_id', 'created_at'])
    .where('organization_id', '=', given('organization'))
    .orderBy('sequence')
    .limit(1),
)

/** The times of the oldest events of organizations. */
export async function oldestEvents(
  reader: Reader,
  organizations: ReadonlySet<string>,
): Promise<ReadonlyMap<string, number>> {
  const rows = await reader.allForEach(
    selectOldest,
    [...organizations].map((organization) => ({ organization })),
  )
  return new Map(rows.map((row) => [row.organization_id, row.created_at]))
}

/** The organizations after one, a part of them, that have events from before a moment; and the one to continue after, or null. */
export const ownersOfOldEvents = read(
  'events.owners-of-old',
  async (reader, { after, before }: Pick<ForgettingEvents, 'after' | 'before'>) => {
    const part = { after, limit: organizationsAtOnce }
    const found = await reader.all(selectOrganizations, part)
    const oldest = await oldestEvents(reader, new Set(found.map(({ id }) => id)))
    const old = found.map(({ id }) => id).filter((id) => (oldest.get(id) ?? before) < before)
    return { old, next: found.length === organizationsAtOnce ? (found.at(-1)?.id ?? null) : null }
  },
)

const selectFirstStretches = statement<{ organization: string; limit: number }>()((sql, argument) =>
  sql
    .selectFrom('events')
    .select(['sequence', 'count', 'created_at'])
    .where('organization_id', '=', argument('organization'))
    .orderBy('sequence')
    .limit(argument('limit')),
)

const removeStretches = statement<{ organization: string; through: number }>()((sql, argument) =>
  sql
    .deleteFrom('events')
    .where('organization_id', '=', argument('organization'))
    .where('sequence', '<=', argument('through')),
)

const removeLabels = statement<{ before: number; limit: number }>()((sql, argument) =>
  sql
    .deleteFrom('instance_labels')
    .where('id', 'in', ({ selectFrom }) =>
      selectFrom('instance_labels')
        .select('id')
        .where('retired_at', '<', argument('before'))
        .orderBy('retired_at')
        .limit(argument('limit')),
    ),
)

/**
 * Forgets the oldest events, `limit` and the rest of their stretch at most, and the labels that only they referred to. They are
 * counted before, if they are not yet. The oldest events of an organization have its lowest numbers, and no number is used again. Returns how many events were forgotten, and as `next` the organization
 * to continue after, or null once everything that is old enough is forgotten.
 */
export const forgetEvents = transaction(
  'events.forget',
  async (tx, { before, limit, after, organizations: some }: ForgettingEvents) => {
    const organizations = some ? [] : await tx.all(selectOrganizations, { after, limit: organizationsAtOnce })
    const oldest = await oldestEvents(tx, new Set(some ?? organizations.map(({ id }) => id)))
    let forgotten = 0
    for (const [organization, time] of oldest) {
      if (time >= before) continue
      forgotten += await forgetEventsOf(tx, organization, { before, limit: limit - forgotten })
      if (forgotten >= limit) return { forgotten, next: after }
    }
    if (some) return { forgotten, next: after }
    const last = organizations.length === organizationsAtOnce ? organizations.at(-1) : undefined
    if (last) return { forgotten, next: last.id }
    // If there are more labels, the last organizations are looked at again, which costs little.
    const labels = await tx.run(removeLabels, { before, limit })
    return { forgotten, next: labels === limit ? after : null }
  },
  { touches: ({ organizations }) => organizations ?? 'all' },
)

async function forgetEventsOf(
  tx: Transaction,
  organization: string,
  { before, limit }: Forgetting,
): Promise<number> {
  const old = firstOf(fromBefore(await tx.all(selectFirstStretches, { organization, limit }), before), limit)
  const last = old.at(-1)?.sequence
  if (last === undefined) return 0
  // Events must be counted first: once they are removed, they no longer can be.
  const counted = await countEvents(tx, { organization, until: last, limit: countIn(old) })
  const through = Math.min(last, counted.through)
  await tx.run(removeStretches, { organization, through })
  return countIn(old.filter(({ sequence }) => sequence <= through))
}

type StretchToForget = Pick<RowOf<'events'>, 'sequence' | 'count'>

/** Returns the number of the events in stretches. */
function countIn(stretches: readonly StretchToForget[]): number {
  return stretches.reduce((sum, { count }) => sum + count, 0)
}

/** The first stretches: as few as hold so many events, or all. */
function firstOf<S extends StretchToForget>(stretches: readonly S[], events: number): readonly S[] {
  let sum = 0
  for (const [index, { count }] of stretches.entries()) {
    sum += count
    if (sum >= events) return stretches.slice(0, index + 1)
  }
  return stretches
}

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

/** True if no attempt follows: the delivery is settled, or its webhook was removed. */
const isOver = (eb: ExpressionBuilder<Schema, 'deliveries'>) =>
  eb.or([
    eb('status', '!=', 'pending'),
    eb.not(
      eb.exists(
        eb.selectFrom('webhooks').select('webhooks.id').whereRef('webhooks.id', '=', 'deliveries.webhook_id'),
      ),
    ),
  ])

const removeAttempts = batchStatement({ seq: 'bigint' })((sql, given) =>
  sql.deleteFrom('delivery_attempts').where('delivery_seq', '=', given('seq')),
)

const removeDeliveries = statement<DeliveryRange>()((sql, argument) =>
  sql
    .deleteFrom('deliveries')
    .where('seq', '>', argument('after'))
    .where('seq', '<=', argument('until'))
    .where(isOver)
    .returning('seq'),
)

/**
 * Forgets the oldest deliveries that are over, with their attempts. A delivery is younger than its event, so its event is
 * forgotten first. Deliveries that are not over stay. Looks at deliveries after `after`, and returns the one to continue after,
 * or null once all that are old enough were looked at. It locks no organization: what is over stays so, and goes before its attempts.
 */
export const forgetDeliveries = transaction(
  'events.forget-deliveries',
  async (tx, { before, limit, after }: Forgetting & { readonly after: number }): Promise<number | null> => {
    const old = fromBefore(await tx.all(oldestDeliveries, { after, limit }), before)
    const until = old.at(-1)?.seq
    if (until === undefined) return null
    const removed = await tx.all(removeDeliveries, { after, until })
    await tx.runForEach(
      removeAttempts,
      removed.map(({ seq }) => ({ seq })),
    )
    return old.length === limit ? until : null
  },
  { touches: touchesNothing },
)

/** The rows before the first one that is not old enough. */
function fromBefore<Row extends { readonly created_at: number }>(
  rows: readonly Row[],
  before: number,
): Row[] {
  const younger = rows.findIndex(({ created_at }) => created_at >= before)
  return rows.slice(0, younger < 0 ? rows.length : younger)
}

export const eventRetentionFunctions: StoreFunctions = {
  reads: [ownersOfOldEvents],
  transactions: [forgetEvents, forgetDeliveries],
}
