import type { RowOf } from '../../../store/schema.ts'
import { statement } from '../../../store/statement.ts'
import type { Transaction } from '../../../store/store.ts'
import { dissolveBatches } from './batches.ts'
import { countDeliveries } from './delivery-counts.ts'
import { isPending } from './delivery-record.ts'
import type { StoredWebhook } from './due.ts'
import { promoteNextDeliveries } from './settle-attempts.ts'

/** Number of deliveries held back, released, given up or skipped at a time, so that other work does not wait long. */
export const movedAtOnce = 200

interface MoveArgs {
  readonly webhook: string
  readonly now: number
  readonly limit: number
}

/**
 * Adjusts deliveries to changes of their webhook, at most `limit` at a time. Returns how many; if any, another look is needed:
 * there may be more, and the rest of a dissolved batch may be due now, although the due times were read before.
 */
export async function tidy(
  tx: Transaction,
  webhook: StoredWebhook,
  { holdsBack, now, limit }: { readonly holdsBack: boolean; readonly now: number; readonly limit: number },
): Promise<number> {
  const args = { webhook: webhook.id, now, limit }
  if (webhook.ordering === 'none' && holdsBack) return await tx.run(release, args)
  const isGivenUp = webhook.enabled === 0 && webhook.disabled_reason !== null
  if (!isGivenUp) return 0
  const given = await tx.all(giveUp, args)
  if (given.length > 0) await settleCut(tx, webhook, given, { end: 'failed', now })
  return given.length
}

/** Makes deliveries due that were held back for the order, once there is none. */
const release = statement<MoveArgs>()((sql, argument) =>
  sql
    .updateTable('deliveries')
    .set({ next_attempt_at: argument('now') })
    .where('seq', 'in', (eb) =>
      eb
        .selectFrom('deliveries')
        .select('seq')
        .where('webhook_id', '=', argument('webhook'))
        .where(isPending)
        .where('next_attempt_at', 'is', null)
        .where('batch_id', 'is', null)
        .orderBy('seq')
        .limit(argument('limit')),
    ),
)

/**
 * Gives up the deliveries of a webhook that Posthorn disabled, except tests. Redelivery can bring them back. The last delivery
 * of an instance goes first, so that the due one is still there if the webhook is enabled before all are given up.
 */
const giveUp = statement<MoveArgs>()((sql, argument) =>
  sql
    .updateTable('deliveries')
    .set({ status: 'failed', next_attempt_at: null, settled_at: argument('now') })
    .where('seq', 'in', (eb) =>
      eb
        .selectFrom('deliveries')
        .select('seq')
        .where('webhook_id', '=', argument('webhook'))
        .where(isPending)
        .where('event_type', '!=', 'webhook.test')
        .orderBy('instance_name', 'desc')
        .orderBy('event_sequence', 'desc')
        .orderBy('seq', 'desc')
        .limit(argument('limit')),
    )
    .returning(['instance_name', 'batch_id']),
)

interface SkipArgs {
  readonly webhook: string
  readonly now: number
  readonly after: number
  readonly until: number
  readonly through: number
}

const skipRange = statement<SkipArgs>()((sql, argument) =>
  sql
    .updateTable('deliveries')
    .set({ status: 'skipped', next_attempt_at: null, settled_at: argument('now') })
    .where('webhook_id', '=', argument('webhook'))
    .where(isPending)
    .where('seq', '>', argument('after'))
    .where('seq', '<=', argument('until'))
    .where('event_sequence', '<=', argument('through'))
    .where('event_type', '!=', 'webhook.test')
    .returning(['instance_name', 'batch_id']),
)

const selectRange = statement<{ webhook: string; after: number; limit: number }>()((sql, argument) =>
  sql
    .selectFrom('deliveries')
    .select('seq')
    .where('webhook_id', '=', argument('webhook'))
    .where(isPending)
    .where('seq', '>', argument('after'))
    .orderBy('seq')
    .limit(argument('limit')),
)

/**
 * Skips the pending deliveries of a webhook whose events have at most the number `through`, some at a time. Looks at deliveries
 * after `after`; `next` is the one to continue after, or null if nothing is left.
 */
export async function skipSome(
  tx: Transaction,
  webhook: Pick<RowOf<'webhooks'>, 'id' | 'organization_id' | 'ordering'>,
  { after, through, now }: { after: number; through: number; now: number },
): Promise<{ skipped: number; next: number | null }> {
  const range = await tx.all(selectRange, { webhook: webhook.id, after, limit: movedAtOnce })
  const until = range.at(-1)?.seq
  if (until === undefined) return { skipped: 0, next: null }
  const skipped = await tx.all(skipRange, { webhook: webhook.id, after, until, through, now })
  await settleCut(tx, webhook, skipped, { end: 'skipped', now })
  return { skipped: skipped.length, next: range.length === movedAtOnce ? until : null }
}

interface Cut {
  readonly instance_name: string | null
  readonly batch_id: string | null
}

/** Cleans up after deliveries that were settled without an attempt: the rest of their batches goes on without them. */
async function settleCut(
  tx: Transaction,
  webhook: Pick<RowOf<'webhooks'>, 'id' | 'organization_id' | 'ordering'>,
  cut: readonly Cut[],
  { end, now }: { readonly end: 'failed' | 'skipped'; readonly now: number },
): Promise<void> {
  const { length } = cut
  await countDeliveries(tx, webhook, { pending: -length, failed: end === 'failed' ? length : 0 }, now)
  const batches = [...new Set(cut.map(({ batch_id }) => batch_id))].filter((batch) => batch !== null)
  await dissolveBatches(
    tx,
    batches.map((batch) => ({ webhook: webhook.id, batch, now })),
  )
  const instances = cut.map(({ instance_name }) => instance_name)
  await promoteNextDeliveries(tx, webhook, instances, now)
}
