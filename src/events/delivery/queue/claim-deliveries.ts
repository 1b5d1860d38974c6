import { statement } from '../../../store/statement.ts'
import type { Transaction } from '../../../store/store.ts'
import { type EventRow, withSubjects } from '../../event.ts'
import { eventsNumbered } from '../../stretches/read-events.ts'
import { dissolveBatches } from './batches.ts'
import { countDeliveries } from './delivery-counts.ts'
import { isPending } from './delivery-record.ts'
import { type DueRow, type DueUnit, isServed, type LaneState, type StoredWebhook } from './due.ts'
import { type FoundEarly, findDue, findEarly, isTest } from './due-deliveries.ts'
import type { EarlyAttempts } from './recovery.ts'
import { promoteNextDeliveries } from './settle-attempts.ts'
import { movedAtOnce, tidy } from './tidy-deliveries.ts'

/*
 * A claim chooses the attempts to make next. It writes nothing about the deliveries that it takes except which of them form a
 * batch. A delivery stays due until its attempt is settled, and only the process that makes the attempt knows of it. So after a
 * crash, at worst an attempt is made twice.
 *
 * If deliveries go in order, only the first pending one of each instance has a due time. The next gets one when it is settled.
 */

/** Numbers of attempts that may still begin. */
export interface Capacity {
  /** For webhooks whose receivers are healthy. */
  readonly healthy: number
  /** For webhooks whose last attempt failed. */
  readonly failing: number
  /** For all webhooks of the organization, in addition to the one attempt that each may always make. */
  readonly shared: number
}

/** An attempt to begin: of one delivery, or of a batch. */
export interface ClaimedDelivery {
  /** The delivery, or the first of a batch; `instance` is its instance. */
  readonly seq: number
  readonly instance: string | null
  readonly ids: readonly [string, ...string[]]
  /** The number of the attempt, counted from 1. */
  readonly number: number
  /** Number of attempts made before the schedule began anew. */
  readonly scheduleFrom: number
  readonly batch: string | null
  /** True if the attempt is made before its time. If it fails, it is not settled. */
  readonly isEarly: boolean
  readonly webhook: StoredWebhook
  /** In the order in which they are sent. */
  readonly events: readonly [EventRow, ...EventRow[]]
}

export interface ClaimArgs {
  readonly organization: string
  readonly now: number
  /** The lanes of webhooks that have an attempt under way or may have more than one. */
  readonly lanes: readonly LaneState[]
  readonly capacity: Capacity
  /** Attempts that may be made before their time. */
  readonly early: readonly EarlyAttempts[]
  /** One more with each claim: if there is no capacity for all webhooks of an organization, they take turns. */
  readonly turn: number
}

export interface DeliveryClaim {
  readonly claimed: readonly ClaimedDelivery[]
  /** True if another claim is needed now. */
  readonly more: boolean
  /** True if a due delivery was left because this capacity ran out. */
  readonly lacks: { readonly healthy: boolean; readonly failing: boolean }
  /** When the next attempt is due after now; null if none is. */
  readonly nextAt: number | null
  /** Progress of the early attempts that were asked for. */
  readonly early: readonly ({ readonly webhook: string } & Pick<FoundEarly, 'last' | 'isOver'>)[]
  /** Ordered webhooks that fail, and of which nothing is due: all of their lanes wait. */
  readonly asleep: readonly string[]
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

/** Chooses the attempts to begin now. `webhooks` are all that the organization has. */
export async function claimDeliveries(
  tx: Transaction,
  webhooks: readonly StoredWebhook[],
  { organization, now, lanes, capacity, early, turn }: ClaimArgs,
): Promise<DeliveryClaim> {
  const work = await tx.all(selectWork, { organization, now })
  const left = new CapacityLeft(capacity)
  const found: UnitToClaim[] = []
  const begun: DeliveryClaim['early'][number][] = []
  const asleep: string[] = []
  let more = false
  // All webhooks share it: they may all have been disabled at the same moment.
  let movable = movedAtOnce
  for (const index of work.keys()) {
    const { id, due_at, next_at, held_back } = work[(index + turn) % work.length] as (typeof work)[number]
    const webhook = webhooks.find((one) => one.id === id)
    if (!webhook) continue
    if (movable > 0) {
      const moved = await tidy(tx, webhook, { holdsBack: held_back !== null, now, limit: movable })
      movable -= moved
      if (moved > 0) more = true
    }
    const ask = early.find((one) => one.webhook === id)
    if (due_at === null && next_at !== null && mayProbe(webhook)) asleep.push(id)
    if (due_at === null && !ask) continue
    const lane = lanes.find((one) => one.webhook === id) ?? { webhook: id, underway: [], width: 1 }
    const { wanted, allowed } = left.allow(webhook, lane)
    const due = due_at === null ? nothing : await findDue(tx, webhook, lane, allowed, now)
    if (allowed < wanted && due.units.length === allowed) left.lacks[kindOf(webhook)] = true
    found.push(...due.units.map((unit) => ({ unit, webhook, isEarly: false })))
    let count = due.units.length
    if (ask) {
      const { units, last, isOver } = await findEarly(tx, webhook, lane, {
        ...ask,
        wanted: allowed - count,
        now,
      })
      found.push(...units.map((unit) => ({ unit, webhook, isEarly: true })))
      begun.push({ webhook: id, last, isOver })
      count += units.length
    }
    left.take(webhook, lane, count)
    if (due.more) more = true
  }
  const times = work.flatMap(({ next_at }) => (next_at === null ? [] : [next_at]))
  const nextAt = times.length === 0 ? null : Math.min(...times)
  const claimed = await withEvents(tx, organization, found, now)
  more ||= claimed.length < found.length
  // Of a webhook that is gone, nothing waits.
  const gone = early.filter((ask) => !begun.some(({ webhook }) => webhook === ask.webhook))
  begun.push(...gone.map(({ webhook }) => ({ webhook, last: 0, isOver: true })))
  return { claimed, more, lacks: left.lacks, nextAt, early: begun, asleep }
}

const nothing = { units: [], more: false }

function mayProbe(webhook: StoredWebhook): boolean {
  return isServed(webhook) && webhook.ordering === 'per_instance' && webhook.failing_since !== null
}

/** The capacity that is left as webhooks take from it. */
class CapacityLeft {
  readonly lacks = { healthy: false, failing: false }
  readonly #left: { healthy: number; failing: number; shared: number }

  constructor(capacity: Capacity) {
    this.#left = { ...capacity }
  }

  /** Returns the number of attempts that a webhook could begin, and the number of them that the capacity allows. */
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

/**
 * Returns the capacity that an attempt takes. Failing receivers have their own, because their attempts often last until the
 * timeout.
 */
export function kindOf({ failing_since }: Pick<StoredWebhook, 'failing_since'>): 'failing' | 'healthy' {
  return failing_since === null ? 'healthy' : 'failing'
}

interface UnitToClaim {
  readonly unit: DueUnit
  readonly webhook: StoredWebhook
  readonly isEarly: boolean
}

/** Claims with the events to send. If the journal no longer has an event, its delivery is given up. */
async function withEvents(
  tx: Transaction,
  organization: string,
  found: readonly UnitToClaim[],
  now: number,
): Promise<ClaimedDelivery[]> {
  if (found.length === 0) return []
  const sequences = found.flatMap(({ unit }) => unit.rows.map((row) => row.event_sequence))
  const events = await withSubjects(tx, await eventsNumbered(tx, organization, sequences))
  const bySequence = new Map(events.map((event) => [event.sequence, event]))
  const isWhole = ({ unit }: UnitToClaim) => unit.rows.every((row) => bySequence.has(row.event_sequence))
  const broken = found.filter((one) => !isWhole(one))
  for (const [webhook, own] of Map.groupBy(broken, (one) => one.webhook)) {
    const units = own.map(({ unit }) => unit)
    const missing = units.flatMap(({ rows }) => rows.filter((row) => !bySequence.has(row.event_sequence)))
    await forget(tx, webhook, { missing, batches: units.flatMap(({ batch }) => batch ?? []), now })
  }
  return found.filter(isWhole).map((one) => claim(one, bySequence))
}

function claim(
  { unit: { rows, batch }, webhook, isEarly }: UnitToClaim,
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
    isEarly,
    webhook,
    events: [eventOf(first), ...others.map(eventOf)],
  }
}

async function forget(
  tx: Transaction,
  webhook: StoredWebhook,
  {
    missing,
    batches,
    now,
  }: { readonly missing: readonly DueRow[]; readonly batches: readonly string[]; readonly now: number },
): Promise<void> {
  const seqs = missing.map(({ seq }) => seq)
  await tx.run(
    tx.sql
      .updateTable('deliveries')
      .set({ status: 'failed', next_attempt_at: null, settled_at: now })
      .where('seq', 'in', seqs),
  )
  const { length } = missing
  await countDeliveries(tx, webhook, { pending: -length, failed: length }, now)
  await dissolveBatches(
    tx,
    batches.map((batch) => ({ webhook: webhook.id, batch, now })),
  )
  const instances = missing.map(({ instance_name }) => instance_name)
  await promoteNextDeliveries(tx, webhook, instances, now)
}
