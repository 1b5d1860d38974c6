import { batchOf, statement } from '../../../store/statement.ts'
import type { Reader, Transaction } from '../../../store/store.ts'

const hour = 3_600_000
/** Hours that are kept of a webhook: a week, and the one that has just begun. */
export const keptHours = 7 * 24 + 1

/** Changes to the deliveries of a webhook. */
export interface DeliveryTally {
  /** Number of deliveries that are pending now and were not, less those that are no longer. */
  readonly pending: number
  /** Number of deliveries that arrived, and of those that did so at the first attempt. */
  readonly delivered?: number
  readonly at_once?: number
  /** Number of deliveries that were given up. */
  readonly failed?: number
  /** Number of requests that failed. */
  readonly failed_attempts?: number
}

const addToPending = statement<{ webhook: string; count: number }>()((sql, argument) =>
  sql
    .updateTable('webhooks')
    .set((eb) => ({ pending: eb('pending', '+', argument('count')) }))
    .where('id', '=', argument('webhook')),
)

const counted = ['pending_change', 'delivered', 'at_once', 'failed', 'failed_attempts'] as const
const naming = ['organization_id', 'webhook_id', 'place', 'starts_at'] as const

/** An hour that is in the row is added to; any other hour makes room for this one. */
const addToHours = batchOf('webhook_hours', [...naming, ...counted])((sql, row) =>
  sql
    .insertInto('webhook_hours')
    .values(row)
    .onConflict((conflict) =>
      conflict.columns(['webhook_id', 'place']).doUpdateSet((eb) => ({
        starts_at: eb.ref('excluded.starts_at'),
        ...Object.fromEntries(
          counted.map((name) => [
            name,
            eb
              .case()
              .when('webhook_hours.starts_at', '=', eb.ref('excluded.starts_at'))
              .then(eb(`webhook_hours.${name}`, '+', eb.ref(`excluded.${name}`)))
              .else(eb.ref(`excluded.${name}`))
              .end(),
          ]),
        ),
      })),
    ),
)

/**
 * Counts changes to the deliveries of a webhook: the number of those that are pending is stored with the webhook, because
 * counting takes longer the longer the backlog is, and the rest with the hour.
 */
export async function countDeliveries(
  tx: Transaction,
  webhook: { readonly id: string; readonly organization_id: string },
  { pending, delivered = 0, at_once = 0, failed = 0, failed_attempts = 0 }: DeliveryTally,
  now: number,
): Promise<void> {
  const { id: webhook_id, organization_id } = webhook
  const starts_at = Math.floor(now / hour) * hour
  const place = (starts_at / hour) % keptHours
  const counts = { pending_change: pending, delivered, at_once, failed, failed_attempts }
  if (Object.values(counts).some((count) => count !== 0))
    tx.sendForEach(addToHours, [{ organization_id, webhook_id, place, starts_at, ...counts }])
  if (pending !== 0) await tx.run(addToPending, { webhook: webhook_id, count: pending })
}

const selectHours = statement<{ webhook: string; organization: string; from: number }>()((sql, argument) =>
  sql
    .selectFrom('webhook_hours')
    .select(['starts_at', ...counted])
    .where('webhook_id', '=', argument('webhook'))
    .where('organization_id', '=', argument('organization'))
    .where('starts_at', '>=', argument('from')),
)

/** An hour of a webhook. */
export interface CountedHour {
  readonly startsAt: number
  readonly delivered: number
  readonly atOnce: number
  readonly failed: number
  readonly failedAttempts: number
  /** Number of deliveries that were pending at its end; for the hour that runs, that are pending now. */
  readonly pending: number
}

/** The last hours of a webhook up to now, oldest first. `pending` is the number of its pending deliveries now. */
export async function lastHours(
  reader: Reader,
  webhook: { readonly id: string; readonly organization_id: string; readonly pending: number },
  { hours, now }: { readonly hours: number; readonly now: number },
): Promise<CountedHour[]> {
  const last = Math.floor(now / hour) * hour
  const starts = Array.from({ length: hours }, (_, index) => last - index * hour)
  const rows = await reader.all(selectHours, {
    webhook: webhook.id,
    organization: webhook.organization_id,
    from: last - (hours - 1) * hour,
  })
  const byStart = new Map(rows.map((row) => [row.starts_at, row]))
  let pending = webhook.pending
  const newestFirst = starts.map((startsAt) => {
    const row = byStart.get(startsAt)
    const shown = {
      startsAt,
      delivered: row?.delivered ?? 0,
      atOnce: row?.at_once ?? 0,
      failed: row?.failed ?? 0,
      failedAttempts: row?.failed_attempts ?? 0,
      pending,
    }
    // The clock may have been set back: what was counted in a later hour is then missing here.
    pending = Math.max(0, pending - (row?.pending_change ?? 0))
    return shown
  })
  return newestFirst.toReversed()
}
