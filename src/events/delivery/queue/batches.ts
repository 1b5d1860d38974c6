import { newId } from '../../../runtime/ids.ts'
import { bytesOfColumn } from '../../../store/page.ts'
import { batchStatement, rawSql, statement } from '../../../store/statement.ts'
import { type Reader, sentTogether, type Transaction } from '../../../store/store.ts'
import { lengthsNumbered } from '../../stretches/event-lengths.ts'
import { isPending } from './delivery-record.ts'
import { type DueRow, type DueUnit, dueColumns, type StoredWebhook } from './due.ts'

/*
 * Several events go in one attempt if the webhook asks for it. The id of a batch is stored in the rows of its deliveries before
 * the first attempt, so each attempt sends the same batch, even after a crash. The first delivery of a batch holds the due time
 * of all; the others have none.
 */

/** The most bytes of all events in a batch. A larger event is sent alone. */
const largestBatch = 256 * 1024
/** The approximate size of an event without its data, in bytes. */
const envelope = 200

interface InBatch {
  readonly webhook: string
  readonly batch: string
}

const selectMembers = statement<InBatch>()((sql, argument) =>
  sql
    .selectFrom('deliveries')
    .select(dueColumns)
    .where('webhook_id', '=', argument('webhook'))
    .where('batch_id', '=', argument('batch'))
    .where(isPending)
    .orderBy('event_sequence')
    .orderBy('seq'),
)

/** The pending deliveries of a batch, in order. */
export function membersOf(tx: Transaction, batch: InBatch): Promise<DueRow[]> {
  return tx.all(selectMembers, batch)
}

const dissolve = batchStatement<InBatch & { now: number }>({ webhook: 'text', batch: 'text', now: 'bigint' })(
  (sql, given) =>
    sql
      .updateTable('deliveries')
      .set({ batch_id: null, next_attempt_at: given('now') })
      .where('webhook_id', '=', given('webhook'))
      .where('batch_id', '=', given('batch'))
      .where(isPending),
)

/** Dissolves a batch: its pending deliveries are due on their own, and it is not sent again. */
export async function dissolveBatch(tx: Transaction, batch: InBatch & { now: number }): Promise<void> {
  await dissolveBatches(tx, [batch])
}

/** The same for different ones, in one statement. */
export async function dissolveBatches(
  tx: Transaction,
  batches: readonly (InBatch & { now: number })[],
): Promise<void> {
  await tx.runForEach(dissolve, batches)
}

/** Makes a batch of deliveries, given in the order of sending. The first one keeps its due time, unless `change` has another. */
export async function formBatch(
  tx: Transaction,
  rows: readonly { readonly seq: number }[],
  change: { readonly next_attempt_at?: number | null; readonly schedule_from?: number } = {},
): Promise<string> {
  const batch_id = newId('bat')
  const [leader, ...others] = rows.map(({ seq }) => seq)
  if (leader === undefined) throw new Error('a batch has no event')
  const update = tx.sql.updateTable('deliveries')
  await tx.run(update.set({ ...change, batch_id }).where('seq', '=', leader))
  if (others.length > 0)
    await tx.run(update.set({ ...change, batch_id, next_attempt_at: null }).where('seq', 'in', others))
  return batch_id
}

/**
 * Groups deliveries that may be sent into at most `wanted` attempts. Batches that were formed before stay as they are. `more`
 * is true if a batch was dissolved: the webhook no longer takes batches, or changed its ordering.
 */
export async function unitsOf(
  tx: Transaction,
  webhook: StoredWebhook,
  rows: readonly DueRow[],
  { wanted, now }: { readonly wanted: number; readonly now: number },
): Promise<{ units: DueUnit[]; more: boolean }> {
  const fresh: DueRow[] = []
  const stale = new Set<string>()
  for (const row of rows) {
    const { batch_id: batch } = row
    if (batch !== null && isStale(webhook, batch)) stale.add(batch)
    else fresh.push(row)
  }
  await dissolveBatches(
    tx,
    [...stale].map((batch) => ({ webhook: webhook.id, batch, now })),
  )
  const units =
    webhook.batch === 1
      ? fresh.slice(0, wanted).map((row): DueUnit => ({ rows: [row], batch: null }))
      : await batchesOf(tx, webhook, fresh, { wanted, now })
  return { units, more: fresh.length < rows.length }
}

/** True if the webhook no longer takes batches, or changed its ordering since: ids are in the order of time. */
export function isStale(
  { batch, batches_since }: Pick<StoredWebhook, 'batch' | 'batches_since'>,
  id: string,
): boolean {
  return batch === 1 || (batches_since !== null && id < batches_since)
}

async function batchesOf(
  tx: Transaction,
  webhook: StoredWebhook,
  rows: readonly DueRow[],
  { wanted, now }: { readonly wanted: number; readonly now: number },
): Promise<DueUnit[]> {
  const inOrder = webhook.ordering === 'per_instance'
  const mayBeBatched = (row: DueRow) => row.batch_id === null && !(inOrder && row.instance_name !== null)
  const fits = await sizer(tx, webhook, rows.filter(mayBeBatched))
  const groups: { rows: DueRow[]; batch: string | null }[] = []
  let open: DueRow[] | undefined
  for (const row of rows) {
    if (mayBeBatched(row) && open && fits(open, row)) {
      open.push(row)
      continue
    }
    if (groups.length === wanted) continue
    const { batch_id: batch, instance_name: instance } = row
    if (batch !== null) groups.push({ rows: await membersOf(tx, { webhook: webhook.id, batch }), batch })
    else if (mayBeBatched(row)) {
      open = [row]
      groups.push({ rows: open, batch })
    } else groups.push({ rows: await consecutive(tx, webhook, instance as string, now), batch })
  }
  const units: DueUnit[] = []
  for (const { rows, batch } of groups) {
    const [first, ...others] = rows.toSorted((a, b) => a.event_sequence - b.event_sequence || a.seq - b.seq)
    if (first)
      units.push({ rows: [first, ...others], batch: batch ?? (await formBatch(tx, [first, ...others])) })
  }
  return units
}

const selectLane = statement<{ webhook: string; instance: string; limit: number }>()((sql, argument) =>
  sql
    .selectFrom('deliveries')
    .select(dueColumns)
    .where('webhook_id', '=', argument('webhook'))
    .where('instance_name', '=', argument('instance'))
    .where(isPending)
    .orderBy('event_sequence')
    .orderBy('seq')
    .limit(argument('limit')),
)

/** The first deliveries of an instance that may share a batch, with no gap between them. */
async function consecutive(
  tx: Transaction,
  webhook: StoredWebhook,
  instance: string,
  now: number,
): Promise<DueRow[]> {
  const lane = await tx.all(selectLane, { webhook: webhook.id, instance, limit: webhook.batch })
  const fits = await sizer(tx, webhook, lane)
  const together: DueRow[] = []
  for (const row of lane) {
    const waits = row.batch_id !== null || (row.next_attempt_at !== null && row.next_attempt_at > now)
    if (together.length > 0 && (waits || !fits(together, row))) break
    together.push(row)
  }
  return together
}

/** The most bytes that a message takes in a body: in JSON, each character of a text may need a backslash. */
const sizeOfMessage = rawSql<number>(
  [
    '1500',
    ...['text', 'subject', 'metadata', 'relation', 'unsupported', 'content'].map(
      (column) => `2 * ${bytesOfColumn(`messages.${column}`)}`,
    ),
  ].join(' + '),
)

const selectMessageSizes = batchStatement({ seq: 'bigint' })((sql, given) =>
  sql
    .selectFrom('messages')
    .select((eb) => ['seq as id', eb.cast<number>(sizeOfMessage, 'integer').as('size')])
    .where('seq', '=', given('seq')),
)

const sizeOfLabels = rawSql<number>(`2 * ${bytesOfColumn('instance_labels.metadata')}`)

const selectLabelSizes = batchStatement({ id: 'bigint' })((sql, given) =>
  sql
    .selectFrom('instance_labels')
    .select((eb) => ['id', eb.cast<number>(sizeOfLabels, 'integer').as('size')])
    .where('id', '=', given('id')),
)

/** The most bytes that events take in a body, by their numbers. */
async function sizesOf(
  reader: Reader,
  organization: string,
  numbers: readonly number[],
): Promise<ReadonlyMap<number, number>> {
  const lengths = await lengthsNumbered(reader, organization, numbers)
  const seqs = new Set(lengths.flatMap(({ message_seq }) => message_seq ?? []))
  const ids = new Set(lengths.flatMap(({ labels_id }) => labels_id ?? []))
  const [messages, labels] = (
    await sentTogether([
      reader.allForEach(
        selectMessageSizes,
        [...seqs].map((seq) => ({ seq })),
      ),
      reader.allForEach(
        selectLabelSizes,
        [...ids].map((id) => ({ id })),
      ),
    ])
  ).map((rows) => new Map(rows.map(({ id, size }) => [id, size])))
  const sizeIn = (sizes: ReadonlyMap<number, number> | undefined, id: number | null) =>
    sizes?.get(id ?? -1) ?? 0
  return new Map(
    lengths.map(({ sequence, bytes, message_seq, labels_id }) => [
      sequence,
      envelope + bytes + sizeIn(messages, message_seq) + sizeIn(labels, labels_id),
    ]),
  )
}

/** Returns a check whether another delivery may join a batch: there is room for it, and it has as many attempts. */
async function sizer(
  tx: Transaction,
  { batch, organization_id }: StoredWebhook,
  rows: readonly DueRow[],
): Promise<(together: readonly DueRow[], row: DueRow) => boolean> {
  const sizes = await sizesOf(
    tx,
    organization_id,
    rows.map(({ event_sequence }) => event_sequence),
  )
  const sizeOf = ({ event_sequence }: DueRow) => sizes.get(event_sequence) ?? 0
  return (together, row) =>
    together.length < batch &&
    together[0]?.attempts === row.attempts &&
    together.reduce((sum, one) => sum + sizeOf(one), sizeOf(row)) <= largestBatch
}
