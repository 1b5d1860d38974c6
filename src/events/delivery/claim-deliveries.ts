import { statement } from '../../store/statement.ts'
import type { Transaction } from '../../store/store.ts'
import { type EventRow, eventColumns, withSubjects } from '../event.ts'
import { dissolveBatch } from './batches.ts'
import { isPending } from './delivery-record.ts'
import type { DueRow, DueUnit, LaneState, StoredWebhook } from './due.ts'
import { findDue, isTest } from './due-deliveries.ts'
import { countPending } from './pending-count.ts'
import { passLeads } from './settle-attempts.ts'
import { tidy } from './tidy-deliveries.ts'

/*
 * Which attempts are made next. A claim writes nothing about the deliveries that it takes, but which of them form a batch: until
 * an attempt is settled its delivery is due, and only the process that makes it knows. So a crash costs no more than an attempt
 * that is made twice.
 *
 * Where deliveries come in order, those behind the first of their instance have no time. They get one when it is settled.
 */

/** How many attempts may begin. */
export interface Capacity {
  /** For webhooks whose receivers are well. */
  readonly healthy: number
  /** For those of which nothing arrived last. */
  readonly failing: number
  /** For all webhooks of the organization, beside the one attempt that each may always make. */
  readonly shared: number
}

/** An attempt that is to begin: at one delivery, or at those of a batch. */
export interface ClaimedDelivery {
  /** Of a batch, the first delivery; so is the instance. */
  readonly seq: number
  readonly instance: string | null
  readonly ids: readonly [string, ...string[]]
  /** Which attempt it is, counted from 1. */
  readonly number: number
  /** How many of them were made before the schedule began anew. */
  readonly scheduleFrom: number
  readonly batch: string | null
  readonly webhook: StoredWebhook
  /** In the order in which they are sent. */
  readonly events: readonly [EventRow, ...EventRow[]]
}

export interface ClaimArgs {
  readonly organization: string
  readonly now: number
  /** Of webhooks that have something under way or may have more than one attempt at a time. */
  readonly lanes: readonly LaneState[]
  readonly capacity: Capacity
  /** One more each time: where there is no capacity for all webhooks of an organization, they take turns. */
  readonly turn: number
}

export interface Claiming {
  readonly claimed: readonly ClaimedDelivery[]
  /** Whether there is more to be looked at now. */
  readonly more: boolean
  /** Whether something due was left for want of capacity. */
  readonly lacks: { readonly healthy: boolean; readonly failing: boolean }
  /** When the next attempt is due after now; null where none has a time. */
  readonly nextAt: number | null
}

const selectWork = statement<{ organization: string; now: number }>()((sql, argument) =>
  sql
    .selectFrom('webhooks')
    .select((eb) => {
      const time = eb
        .selectFrom('deliveries')
        .select('next_attempt_at')
        .whereRef('webhook_id', '=', 'webhooks.id')
        .orderBy('next_attempt_at')
        .limit(1)
      const first = (is: '<=' | '>') => {
        const timed = time.where('next_attempt_at', is, argument('now'))
        const isServed = eb.and([eb('enabled', '=', 1), eb('paused', '=', 0)])
        return eb.case().when(isServed).then(timed).else(timed.where(isTest)).end()
      }
      const held = eb
        .selectFrom('deliveries')
        .select('seq')
        .whereRef('webhook_id', '=', 'webhooks.id')
        .where(isPending)
        .where('next_attempt_at', 'is', null)
        .where('batch_id', 'is', null)
        .limit(1)
      return ['webhooks.id', first('<=').as('due_at'), first('>').as('next_at'), held.as('held_back')]
    })
    .where('organization_id', '=', argument('organization'))
    .orderBy('webhooks.id'),
)

/** Says which attempts are to begin now. `webhooks` are all that the organization has. */
export async function claimDeliveries(
  tx: Transaction,
  webhooks: readonly StoredWebhook[],
  { organization, now, lanes, capacity, turn }: ClaimArgs,
): Promise<Claiming> {
  const work = await tx.all(selectWork, { organization, now })
  const left = new CapacityLeft(capacity)
  const found: Found[] = []
  let more = false
  for (const index of work.keys()) {
    const { id, due_at, held_back } = work[(index + turn) % work.length] as (typeof work)[number]
    const webhook = webhooks.find((one) => one.id === id)
    if (!webhook) continue
    if (await tidy(tx, webhook, held_back !== null, now)) more = true
    if (due_at === null) continue
    const lane = lanes.find((one) => one.webhook === id) ?? { webhook: id, underway: [], width: 1 }
    const { wanted, allowed } = left.allow(webhook, lane)
    const due = await findDue(tx, webhook, lane, allowed, now)
    left.take(webhook, lane, due.units.length)
    if (allowed < wanted && due.units.length === allowed) left.lacks[kindOf(webhook)] = true
    found.push(...due.units.map((unit) => ({ unit, webhook })))
    if (due.more) more = true
  }
  const times = work.flatMap(({ next_at }) => (next_at === null ? [] : [next_at]))
  const nextAt = times.length === 0 ? null : Math.min(...times)
  const claimed = await withEvents(tx, organization, found, now)
  return { claimed, more: more || claimed.length < found.length, lacks: left.lacks, nextAt }
}

/** The capacity that is left while webhooks take of it. */
class CapacityLeft {
  readonly lacks = { healthy: false, failing: false }
  readonly #left: { healthy: number; failing: number; shared: number }

  constructor(capacity: Capacity) {
    this.#left = { ...capacity }
  }

  /** How many attempts could begin for a webhook, and for how many of them there is capacity. */
  allow(webhook: StoredWebhook, { underway, width }: LaneState): { wanted: number; allowed: number } {
    const kind = kindOf(webhook)
    const shared = this.#left.shared + (underway.length === 0 ? 1 : 0)
    const wanted = Math.max(0, Math.min(shared, (kind === 'failing' ? 1 : width) - underway.length))
    return { wanted, allowed: Math.min(wanted, this.#left[kind]) }
  }

  take(webhook: StoredWebhook, { underway }: LaneState, count: number): void {
    this.#left[kindOf(webhook)] -= count
    this.#left.shared -= underway.length === 0 && count > 0 ? count - 1 : count
  }
}

/** Whose capacity an attempt takes: one at a receiver that fails may last until its time is over. */
export function kindOf({ failing_since }: Pick<StoredWebhook, 'failing_since'>): 'failing' | 'healthy' {
  return failing_since === null ? 'healthy' : 'failing'
}

interface Found {
  readonly unit: DueUnit
  readonly webhook: StoredWebhook
}

/** With the events that are to be delivered. Where the journal has one no more, its delivery is given up. */
async function withEvents(
  tx: Transaction,
  organization: string,
  found: readonly Found[],
  now: number,
): Promise<ClaimedDelivery[]> {
  if (found.length === 0) return []
  const sequences = new Set(found.flatMap(({ unit }) => unit.rows.map((row) => row.event_sequence)))
  const stored = await tx.all(
    tx.sql
      .selectFrom('events')
      .select(eventColumns)
      .where('organization_id', '=', organization)
      .where('sequence', 'in', [...sequences]),
  )
  const events = await withSubjects(tx, stored)
  const bySequence = new Map(events.map((event) => [event.sequence, event]))
  const claimed: ClaimedDelivery[] = []
  for (const { unit, webhook } of found) {
    const missing = unit.rows.filter((row) => !bySequence.has(row.event_sequence))
    if (missing.length === 0) claimed.push(claim(unit, webhook, bySequence))
    else await forget(tx, webhook, missing, unit.batch, now)
  }
  return claimed
}

function claim(
  { rows, batch }: DueUnit,
  webhook: StoredWebhook,
  bySequence: ReadonlyMap<number, EventRow>,
): ClaimedDelivery {
  const [first, ...others] = rows
  const { seq, attempts, schedule_from, instance_name: instance } = first
  const eventOf = (row: DueRow) => bySequence.get(row.event_sequence) as EventRow
  return {
    seq,
    instance,
    ids: [first.id, ...others.map(({ id }) => id)],
    number: attempts + 1,
    scheduleFrom: schedule_from,
    batch,
    webhook,
    events: [eventOf(first), ...others.map(eventOf)],
  }
}

async function forget(
  tx: Transaction,
  webhook: StoredWebhook,
  missing: readonly DueRow[],
  batch: string | null,
  now: number,
): Promise<void> {
  const seqs = missing.map(({ seq }) => seq)
  await tx.run(
    tx.sql
      .updateTable('deliveries')
      .set({ status: 'failed', next_attempt_at: null, settled_at: now })
      .where('seq', 'in', seqs),
  )
  await countPending(tx, webhook.id, -missing.length)
  if (batch !== null) await dissolveBatch(tx, { webhook: webhook.id, batch, now })
  const instances = missing.map(({ instance_name }) => instance_name)
  await passLeads(tx, webhook, instances, now)
}
