import { statement } from '../../../store/statement.ts'
import type { Transaction } from '../../../store/store.ts'
import { nextNames } from '../../stretches/read-events.ts'
import { type WebhookRow, wantedBy } from '../../webhook.ts'
import { countDeliveries } from './delivery-counts.ts'
import { addDeliveries, newDelivery } from './delivery-record.ts'

const selectCounters = statement<{ organization: string }>()((sql, argument) =>
  sql
    .selectFrom('organizations')
    .select(['last_event', 'last_fanned_out'])
    .where('id', '=', argument('organization')),
)

const moveOn = statement<{ organization: string; through: number }>()((sql, argument) =>
  sql
    .updateTable('organizations')
    .set({ last_fanned_out: argument('through') })
    .where('id', '=', argument('organization')),
)

/** A webhook with the filter for the events that it asks for, parsed once. */
interface Wanting {
  readonly webhook: WebhookRow
  readonly wants: ReturnType<typeof wantedBy>
}

export interface FanOutArgs {
  readonly organization: string
  readonly now: number
  /** The most events that are read, and about the most deliveries that are made of them. */
  readonly limit: number
}

/**
 * Gives the events appended since the last call to the webhooks of their organization that want them, and records how far it
 * came. Both happen in one transaction, so a crash neither loses nor repeats an event. True if there are more. `webhooks` are
 * all that the organization has.
 *
 * Events from before the first of these webhooks began are passed over unread.
 */
export async function fanOut(
  tx: Transaction,
  webhooks: readonly WebhookRow[],
  { organization, now, limit }: FanOutArgs,
): Promise<boolean> {
  const counters = await tx.first(selectCounters, { organization })
  if (!counters || webhooks.length === 0) return false
  const begins = Math.min(...webhooks.map(({ begins_after }) => begins_after))
  const after = Math.max(counters.last_fanned_out, begins)
  const events = await nextNames(tx, { organization, after, until: counters.last_event, limit })
  const enabled = webhooks.filter(({ enabled }) => enabled === 1)
  const wanting = enabled.map((webhook): Wanting => ({ webhook, wants: wantedBy(webhook) }))
  let through = after
  const deliveries: ReturnType<typeof newDelivery>[] = []
  for (const event of events) {
    for (const { webhook, wants } of wanting)
      if (webhook.begins_after < event.sequence && wants(event))
        deliveries.push(newDelivery(webhook, event, now))
    through = event.sequence
    if (deliveries.length >= limit) break
  }
  addDeliveries(tx, deliveries)
  for (const [webhook, { length }] of Map.groupBy(deliveries, ({ webhook_id }) => webhook_id))
    await countDeliveries(tx, { id: webhook, organization_id: organization }, { pending: length }, now)
  const isAll = events.length < limit && through === (events.at(-1)?.sequence ?? after)
  if (isAll) through = Math.max(through, counters.last_event)
  if (through > counters.last_fanned_out) await tx.run(moveOn, { organization, through })
  return through < counters.last_event
}
