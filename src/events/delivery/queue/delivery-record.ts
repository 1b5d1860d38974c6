import type { Delivery } from '../../../contract/resources/webhook.ts'
import { type DeliveryStatus, deliveryStatuses } from '../../../contract/statuses.ts'
import { timestamp } from '../../../runtime/clock.ts'
import { newId } from '../../../runtime/ids.ts'
import { bytesOfColumn, fitIntoPage } from '../../../store/page.ts'
import type { RowOf } from '../../../store/schema.ts'
import { batchOf, batchStatement, rawSql, statement, valuesOf } from '../../../store/statement.ts'
import { type Reader, read, type Transaction } from '../../../store/store.ts'
import { eventId } from '../../event.ts'
import type { NamedEvent } from '../../stretches/stretch.ts'

/** The condition that a delivery is not settled. Like `unsettled` of messages it is spelled out, so that indexes are used. */
export const isPending = rawSql<boolean>("status = 'pending'")

export type DeliveryRow = RowOf<'deliveries'>
type AttemptRow = RowOf<'delivery_attempts'>

const insertedColumns = [
  'id',
  'organization_id',
  'webhook_id',
  'event_sequence',
  'event_id',
  'event_type',
  'instance_name',
  'status',
  'next_attempt_at',
  'created_at',
] as const

type NewDelivery = Pick<DeliveryRow, (typeof insertedColumns)[number]>

const insertDelivery = statement<NewDelivery>()((sql, argument) =>
  sql.insertInto('deliveries').values(valuesOf(argument, insertedColumns)).returningAll(),
)

const insertDeliveries = batchOf(
  'deliveries',
  insertedColumns,
)((sql, row) => sql.insertInto('deliveries').values(row))

/** An event for a webhook that wants it: the first attempt is due at once. */
export function newDelivery(
  webhook: { readonly id: string; readonly organization_id: string },
  event: NamedEvent,
  now: number,
): NewDelivery {
  return {
    id: newId('dlv'),
    organization_id: webhook.organization_id,
    webhook_id: webhook.id,
    event_sequence: event.sequence,
    event_id: eventId(event),
    event_type: event.type,
    instance_name: event.instance_name,
    status: 'pending',
    next_attempt_at: now,
    created_at: now,
  }
}

export async function addDelivery(tx: Transaction, delivery: NewDelivery): Promise<DeliveryRow> {
  const row = await tx.first(insertDelivery, delivery)
  if (!row) throw new Error('a delivery was not stored')
  return row
}

/** Adds deliveries in their order, and waits for none of them. */
export function addDeliveries(tx: Transaction, deliveries: readonly NewDelivery[]): void {
  tx.sendForEach(insertDeliveries, deliveries)
}

/** A delivery as callers see it; `attempts` are in order. */
function renderDelivery(row: DeliveryRow, attempts: readonly AttemptRow[]): Delivery {
  return {
    id: row.id,
    webhook: row.webhook_id,
    event: { id: row.event_id, type: row.event_type, sequence: row.event_sequence },
    status: row.status,
    attempts: attempts.map((attempt) => ({
      number: attempt.number,
      batch: attempt.batch_id,
      started_at: timestamp(attempt.started_at),
      duration_ms: attempt.duration,
      status: attempt.status_code,
      error: attempt.error === null ? null : JSON.parse(attempt.error),
      body: attempt.body,
    })),
    next_attempt_at: timestamp(row.next_attempt_at),
    created_at: timestamp(row.created_at),
    settled_at: timestamp(row.settled_at),
  }
}

/** Deliveries as callers see them, with their attempts. */
export async function renderDeliveries(reader: Reader, rows: readonly DeliveryRow[]): Promise<Delivery[]> {
  if (rows.length === 0) return []
  const seqs = rows.map(({ seq }) => seq)
  const query = reader.sql
    .selectFrom('delivery_attempts')
    .selectAll()
    .where('delivery_seq', 'in', seqs)
    .orderBy('number')
  const attempts = Map.groupBy(await reader.all(query), (attempt) => attempt.delivery_seq)
  return rows.map((row) => renderDelivery(row, attempts.get(row.seq) ?? []))
}

/** The delivery with this id, if it belongs to the webhook and the organization. */
export const findDelivery = read(
  'deliveries.find',
  async (reader, args: { organization: string; webhook: string; id: string }): Promise<Delivery | null> => {
    const query = reader.sql
      .selectFrom('deliveries')
      .selectAll()
      .where('id', '=', args.id)
      .where('webhook_id', '=', args.webhook)
      .where('organization_id', '=', args.organization)
    return (await renderDeliveries(reader, await reader.all(query)))[0] ?? null
  },
)

export interface DeliveryFilter {
  readonly organization: string
  readonly webhook: string
  readonly status: DeliveryStatus | null
  readonly limit: number
  /** Only deliveries before the one with this id; null to begin with the newest. */
  readonly before: string | null
}

/** A page of the deliveries of a webhook, the newest first, and whether there are more. */
export const listDeliveries = read('deliveries.list', async (reader, filter: DeliveryFilter) => {
  const own = reader.sql
    .selectFrom('deliveries')
    .where('webhook_id', '=', filter.webhook)
    .where('organization_id', '=', filter.organization)
  const before = filter.before && (await reader.first(own.select('seq').where('id', '=', filter.before)))
  const rows: DeliveryRow[] = []
  // Each status is a range of the index, with its newest delivery at the end.
  for (const status of filter.status === null ? deliveryStatuses : [filter.status]) {
    let query = own
      .selectAll()
      .where('status', '=', status)
      .orderBy('seq', 'desc')
      .limit(filter.limit + 1)
    if (before) query = query.where('seq', '<', before.seq)
    // The delivery was forgotten meanwhile, but ids are in the order of time too.
    else if (filter.before !== null) query = query.where('id', '<', filter.before)
    rows.push(...(await reader.all(query)))
  }
  const newest = rows.toSorted((left, right) => right.seq - left.seq)
  const measured = await withLengths(reader, newest.slice(0, filter.limit))
  const page = newest.slice(0, fitIntoPage(measured).count)
  return { deliveries: await renderDeliveries(reader, page), more: newest.length > page.length }
})

/** Bytes of a delivery in JSON without its attempts, and of an attempt without its parts that may be long. */
const bytesOfDelivery = 500
const bytesOfAttempt = 250

/** The most bytes of the attempts of a delivery in JSON: each character of a response may need a backslash. */
const selectLength = batchStatement({ seq: 'bigint' })((sql, given) =>
  sql
    .selectFrom('delivery_attempts')
    .select((eb) => ['delivery_seq as seq', eb.cast<number>(attemptLength, 'integer').as('bytes')])
    .where('delivery_seq', '=', given('seq')),
)

const attemptLength = rawSql<number>(
  `${bytesOfAttempt} + 2 * ${bytesOfColumn('body')} + ${bytesOfColumn('error')}`,
)

async function withLengths(reader: Reader, rows: readonly DeliveryRow[]): Promise<{ bytes: number }[]> {
  const lengths = await reader.allForEach(
    selectLength,
    rows.map(({ seq }) => ({ seq })),
  )
  const sums = new Map<number, number>()
  for (const { seq, bytes } of lengths) sums.set(seq, (sums.get(seq) ?? 0) + bytes)
  return rows.map(({ seq }) => ({ bytes: bytesOfDelivery + (sums.get(seq) ?? 0) }))
}
