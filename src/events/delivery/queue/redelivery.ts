import type { AuditNote } from '../../../contract/resources/audit.ts'
import type { Delivery } from '../../../contract/resources/webhook.ts'
import { keepAudit } from '../../../organizations/audit-log.ts'
import { batchStatement, statement } from '../../../store/statement.ts'
import { type Reader, type Transaction, transaction } from '../../../store/store.ts'
import { nameOfEvent } from '../../find-event.ts'
import { nameNumbered, nextNames, oldestKept } from '../../stretches/read-events.ts'
import type { NamedEvent } from '../../stretches/stretch.ts'
import { wantedBy, webhookColumns } from '../../webhook.ts'
import { countDeliveries } from './delivery-counts.ts'
import { addDeliveries, addDelivery, newDelivery, renderDeliveries } from './delivery-record.ts'

type Redelivered =
  | { readonly kind: 'redelivered'; readonly delivery: Delivery }
  | { readonly kind: 'not_found' }
  | { readonly kind: 'event_forgotten' }
  | { readonly kind: 'not_enabled' }

/** Delivers the event of a delivery again, as a delivery of its own. */
export const redeliver = transaction(
  'deliveries.redeliver',
  async (
    tx,
    args: { organization: string; webhook: string; id: string; now: number; audit?: AuditNote | undefined },
  ): Promise<Redelivered> => {
    const row = await tx.first(
      tx.sql
        .selectFrom('deliveries')
        .innerJoin('webhooks', 'webhooks.id', 'deliveries.webhook_id')
        .select(['deliveries.event_sequence', 'webhooks.enabled'])
        .where('deliveries.id', '=', args.id)
        .where('deliveries.webhook_id', '=', args.webhook)
        .where('deliveries.organization_id', '=', args.organization),
    )
    if (!row) return { kind: 'not_found' }
    if (row.enabled === 0) return { kind: 'not_enabled' }
    const { organization } = args
    const event = await nameNumbered(tx, organization, row.event_sequence)
    if (!event) return { kind: 'event_forgotten' }
    const webhook = { id: args.webhook, organization_id: organization }
    return addAgain(tx, webhook, event, { now: args.now, audit: args.audit })
  },
)

/** Delivers any event that is kept to a webhook, whether it has a delivery of it or not. */
export const deliverEvent = transaction(
  'deliveries.create',
  async (
    tx,
    args: {
      organization: string
      webhook: string
      event: string
      now: number
      audit?: AuditNote | undefined
    },
  ): Promise<Redelivered> => {
    const { organization, webhook: id, now } = args
    const webhook = await tx.first(selectWebhook, { organization, id })
    if (!webhook) return { kind: 'not_found' }
    if (webhook.enabled === 0) return { kind: 'not_enabled' }
    const event = await nameOfEvent(tx, organization, args.event)
    if (!event) return { kind: 'event_forgotten' }
    return addAgain(tx, webhook, event, { now, audit: args.audit })
  },
)

const selectWebhook = statement<{ organization: string; id: string }>()((sql, argument) =>
  sql
    .selectFrom('webhooks')
    .select(webhookColumns)
    .where('id', '=', argument('id'))
    .where('organization_id', '=', argument('organization')),
)

/** Makes one more delivery of an event. */
async function addAgain(
  tx: Transaction,
  webhook: { readonly id: string; readonly organization_id: string },
  event: NamedEvent,
  { now, audit }: { readonly now: number; readonly audit: AuditNote | undefined },
): Promise<Redelivered> {
  const [delivery] = await renderDeliveries(tx, [await addDelivery(tx, newDelivery(webhook, event, now))])
  if (!delivery) throw new Error('a delivery was not stored')
  await countDeliveries(tx, webhook, { pending: 1 }, now)
  await keepAudit(tx, audit)
  tx.announce(webhook.organization_id)
  return { kind: 'redelivered', delivery }
}

/** The events of a time range to deliver again. */
export interface RedeliveryArgs {
  readonly organization: string
  readonly webhook: string
  readonly since: number
  readonly until: number
  /** Only events of which the webhook has no delivery that is pending or delivered. */
  readonly missing: boolean
  /** Only events after this one; null to find the first of the time range. */
  readonly after: number | null
  /** The most events that one call looks at. */
  readonly limit: number
  readonly now: number
  /** The audit entry to write when an event is delivered again; absent if an earlier call wrote it. */
  readonly audit?: AuditNote | undefined
}

/** The position from which a redelivery continues: the event to continue after, and the time of the one that follows. */
export interface NextEvents {
  readonly after: number
  readonly since: number
}

export interface RedeliveryBegun {
  readonly deliveries: number
  /** Null if nothing is left. */
  readonly next: NextEvents | null
}

/** Delivers events of a time range again, looking at `limit` at most. */
export const redeliverEvents = transaction(
  'webhooks.redeliver',
  async (tx, args: RedeliveryArgs): Promise<RedeliveryBegun | 'not_found' | 'not_enabled'> => {
    const { organization, webhook: id, now, until, limit } = args
    const webhook = await tx.first(selectWebhook, { organization, id })
    if (!webhook) return 'not_found'
    if (webhook.enabled === 0) return 'not_enabled'
    const after = args.after ?? (await lastBefore(tx, organization, args.since))
    const events = await nextNames(tx, {
      organization,
      after,
      until: Number.MAX_SAFE_INTEGER,
      limit: limit + 1,
    })
    const inTime = events.slice(0, limit).filter(({ created_at }) => created_at < until)
    const isWanted = wantedBy(webhook)
    const has = args.missing ? await present(tx, id, inTime) : new Set<number>()
    const wanted = inTime.filter((event) => isWanted(event) && !has.has(event.sequence))
    addDeliveries(
      tx,
      wanted.map((event) => newDelivery(webhook, event, now)),
    )
    const deliveries = wanted.length
    await countDeliveries(tx, webhook, { pending: deliveries }, now)
    if (deliveries > 0) {
      await keepAudit(tx, args.audit)
      tx.announce(organization)
    }
    const next = inTime.length === limit ? events[limit] : undefined
    const goesOn = next && next.created_at < until
    return { deliveries, next: goesOn ? { after: next.sequence - 1, since: next.created_at } : null }
  },
)

const selectPresent = batchStatement({ webhook: 'text', sequence: 'bigint' })((sql, given) =>
  sql
    .selectFrom('deliveries')
    .select('event_sequence')
    .where('webhook_id', '=', given('webhook'))
    .where('event_sequence', '=', given('sequence'))
    .where('status', 'in', ['pending', 'delivered'])
    .limit(1),
)

/** The numbers of the events of which a webhook has a delivery that is pending or delivered, however many it has of each. */
async function present(
  tx: Transaction,
  webhook: string,
  events: readonly Pick<NamedEvent, 'sequence'>[],
): Promise<Set<number>> {
  const rows = await tx.allForEach(
    selectPresent,
    events.map(({ sequence }) => ({ webhook, sequence })),
  )
  return new Set(rows.map(({ event_sequence }) => event_sequence))
}

const selectLast = statement<{ organization: string }>()((sql, argument) =>
  sql.selectFrom('organizations').select('last_event').where('id', '=', argument('organization')),
)

/** The number of the last event before a time, found by bisection: events are in the order of time. */
export async function lastBefore(reader: Reader, organization: string, time: number): Promise<number> {
  const oldest = await oldestKept(reader, organization)
  const last = await reader.first(selectLast, { organization })
  let [before, from] = [(oldest ?? 1) - 1, (last?.last_event ?? 0) + 1]
  while (from - before > 1) {
    const sequence = Math.floor((before + from) / 2)
    const event = await nameNumbered(reader, organization, sequence)
    if (event && event.created_at >= time) from = sequence
    else before = sequence
  }
  return before
}
