import type { Selectable } from 'kysely'
import type { WebhooksTable } from '../../store/schema.ts'
import { type Argument, type Sql, spelledOut, statement } from '../../store/statement.ts'
import type { Transaction } from '../../store/store.ts'
import type { EventRow } from '../event.ts'
import { isPending } from './delivery-record.ts'
import { passTurn } from './settle-attempts.ts'

/*
 * Which attempts are made next. A claim writes nothing about the deliveries that it takes: until an attempt is settled its
 * delivery is due, and only the process that makes it knows. So a crash costs no more than an attempt that is made twice.
 *
 * Where deliveries come in order, those behind the first of their instance have no time. They get one when it is settled.
 */

export type StoredWebhook = Selectable<WebhooksTable>

/** What is under way for a webhook, and how many attempts may be. */
export interface LaneState {
  readonly webhook: string
  readonly underway: readonly { readonly seq: number; readonly instance: string | null }[]
  /** How many attempts may be under way where its receiver is well; where it is failing, it is one. */
  readonly width: number
}

/** How many attempts may begin. */
export interface Room {
  /** For webhooks whose receivers are well. */
  readonly healthy: number
  /** For those of which nothing arrived last. */
  readonly failing: number
  /** For all webhooks of the organization, beside the one attempt that each may always make. */
  readonly shared: number
}

/** A delivery whose attempt is to begin. */
export interface ClaimedDelivery {
  readonly seq: number
  readonly id: string
  /** Which attempt it is, counted from 1. */
  readonly number: number
  readonly instance: string | null
  readonly webhook: StoredWebhook
  readonly event: EventRow
}

export interface ClaimArgs {
  readonly organization: string
  readonly now: number
  /** Of webhooks that have something under way or may have more than one attempt at a time. */
  readonly lanes: readonly LaneState[]
  readonly room: Room
  /** One more each time: where there is no room for all webhooks of an organization, they take turns. */
  readonly turn: number
}

export interface Claiming {
  readonly claimed: readonly ClaimedDelivery[]
  /** Whether there is more to be looked at now. */
  readonly more: boolean
  /** Whether something due was left for want of room. */
  readonly lacks: { readonly healthy: boolean; readonly failing: boolean }
  /** When the next attempt is due after now; null where none has a time. */
  readonly nextAt: number | null
}

/** How many are held back, released or given up at a time, so that nobody else waits for long. */
const movedAtOnce = 200

interface DueArgs {
  readonly webhook: string
  readonly now: number
  readonly limit: number
}

const due = (sql: Sql, argument: Argument<DueArgs>) =>
  sql
    .selectFrom('deliveries')
    .select(['seq', 'id', 'event_sequence', 'instance_name', 'attempts'])
    .where('webhook_id', '=', argument('webhook'))
    .where('next_attempt_at', '<=', argument('now'))
    .orderBy('next_attempt_at')
    .orderBy('seq')
    .limit(argument('limit'))

const selectDue = statement<DueArgs>()((sql, argument) =>
  due(sql, argument).select((eb) => eb.lit(0).$castTo<number>().as('is_behind')),
)

const isEarlierPending = spelledOut<boolean>("earlier.status = 'pending'")

const selectDueInOrder = statement<DueArgs>()((sql, argument) =>
  due(sql, argument).select((eb) =>
    eb
      .case()
      .when(
        eb.exists(
          eb
            .selectFrom('deliveries as earlier')
            .select('earlier.seq')
            .whereRef('earlier.webhook_id', '=', 'deliveries.webhook_id')
            .whereRef('earlier.instance_name', '=', 'deliveries.instance_name')
            .whereRef('earlier.event_sequence', '<=', 'deliveries.event_sequence')
            .where(isEarlierPending)
            .where((earlier) =>
              earlier.or([
                earlier('earlier.event_sequence', '<', earlier.ref('deliveries.event_sequence')),
                earlier('earlier.seq', '<', earlier.ref('deliveries.seq')),
              ]),
            ),
        ),
      )
      .then(1)
      .else(0)
      .end()
      .$castTo<number>()
      .as('is_behind'),
  ),
)

const isTest = spelledOut<boolean>("event_type = 'webhook.test'")

const selectDueTests = statement<DueArgs>()((sql, argument) =>
  due(sql, argument)
    .where(isTest)
    .select((eb) => eb.lit(0).$castTo<number>().as('is_behind')),
)

type DueRow = NonNullable<Awaited<ReturnType<typeof firstDue>>>[number]

function firstDue(tx: Transaction, webhook: StoredWebhook, args: DueArgs) {
  if (webhook.enabled === 0) return tx.all(selectDueTests, args)
  return tx.all(webhook.ordering === 'per_instance' ? selectDueInOrder : selectDue, args)
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
        return eb.case().when('enabled', '=', 1).then(timed).else(timed.where(isTest)).end()
      }
      const held = eb
        .selectFrom('deliveries')
        .select('seq')
        .whereRef('webhook_id', '=', 'webhooks.id')
        .where(isPending)
        .where('next_attempt_at', 'is', null)
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
  { organization, now, lanes, room, turn }: ClaimArgs,
): Promise<Claiming> {
  const work = await tx.all(selectWork, { organization, now })
  const left = new RoomLeft(room)
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
    left.take(webhook, lane, due.rows.length)
    if (allowed < wanted && due.rows.length === allowed) left.lacks[kindOf(webhook)] = true
    found.push(...due.rows.map((row) => ({ row, webhook })))
    if (due.more) more = true
  }
  const times = work.flatMap(({ next_at }) => (next_at === null ? [] : [next_at]))
  const nextAt = times.length === 0 ? null : Math.min(...times)
  const claimed = await withEvents(tx, organization, found, now)
  return { claimed, more: more || claimed.length < found.length, lacks: left.lacks, nextAt }
}

/** The room that is left while webhooks take of it. */
class RoomLeft {
  readonly lacks = { healthy: false, failing: false }
  readonly #left: { healthy: number; failing: number; shared: number }

  constructor(room: Room) {
    this.#left = { ...room }
  }

  /** How many attempts could begin for a webhook, and for how many of them there is room. */
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

/** Whose room an attempt takes: one at a receiver that fails may last until its time is over. */
export function kindOf({ failing_since }: Pick<StoredWebhook, 'failing_since'>): 'failing' | 'healthy' {
  return failing_since === null ? 'healthy' : 'failing'
}

/** Brings into order what changed with the webhook, some at a time; true where something is to be looked at again. */
async function tidy(
  tx: Transaction,
  webhook: StoredWebhook,
  holdsBack: boolean,
  now: number,
): Promise<boolean> {
  const args = { webhook: webhook.id, now, limit: movedAtOnce }
  if (webhook.ordering === 'none' && holdsBack) return (await tx.run(release, args)) > 0
  const isGivenUp = webhook.enabled === 0 && webhook.disabled_reason !== null
  return isGivenUp && (await tx.run(giveUp, args)) === movedAtOnce
}

/** What was held back for the order may go, now that there is none. */
const release = statement<DueArgs>()((sql, argument) =>
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
        .orderBy('seq')
        .limit(argument('limit')),
    ),
)

/**
 * What waits for a receiver that is gone is given up, but for tests. It can be had again by redelivery. The last of an instance
 * goes first, so that the one which holds the turn is still there if the webhook is enabled before all of them went.
 */
const giveUp = statement<DueArgs>()((sql, argument) =>
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
    ),
)

/** The deliveries of a webhook that may begin, at most `wanted`. Those that are behind others are held back meanwhile. */
async function findDue(
  tx: Transaction,
  webhook: StoredWebhook,
  { underway }: LaneState,
  wanted: number,
  now: number,
): Promise<{ rows: DueRow[]; more: boolean }> {
  if (wanted === 0) return { rows: [], more: false }
  const inOrder = webhook.ordering === 'per_instance'
  // What is under way is due too, and may come first.
  const limit = wanted + underway.length + (inOrder ? underway.length + movedAtOnce : 0)
  const candidates = await firstDue(tx, webhook, { webhook: webhook.id, now, limit })
  const begun = new Set(underway.map(({ seq }) => seq))
  const waiting = candidates.filter(({ seq }) => !begun.has(seq))
  const behind = waiting.filter(({ is_behind }) => is_behind === 1).map(({ seq }) => seq)
  if (behind.length > 0)
    await tx.run(tx.sql.updateTable('deliveries').set({ next_attempt_at: null }).where('seq', 'in', behind))
  const busy = new Set(inOrder ? underway.map(({ instance }) => instance) : [])
  const rows = waiting.filter(
    ({ is_behind, instance_name }) => is_behind === 0 && (instance_name === null || !busy.has(instance_name)),
  )
  return { rows: rows.slice(0, wanted), more: behind.length > 0 && candidates.length === limit }
}

interface Found {
  readonly row: DueRow
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
  const sequences = [...new Set(found.map(({ row }) => row.event_sequence))]
  const events = await tx.all(
    tx.sql
      .selectFrom('events')
      .select(['id', 'type', 'sequence', 'epoch', 'created_at', 'data'])
      .where('organization_id', '=', organization)
      .where('sequence', 'in', sequences),
  )
  const bySequence = new Map(events.map((event) => [event.sequence, event]))
  const claimed: ClaimedDelivery[] = []
  for (const { row, webhook } of found) {
    const event = bySequence.get(row.event_sequence)
    const { seq, id, attempts, instance_name: instance } = row
    if (event) claimed.push({ seq, id, number: attempts + 1, instance, webhook, event })
    else await forget(tx, webhook, row, now)
  }
  return claimed
}

async function forget(
  tx: Transaction,
  webhook: StoredWebhook,
  { seq, instance_name: instance }: DueRow,
  now: number,
): Promise<void> {
  await tx.run(
    tx.sql
      .updateTable('deliveries')
      .set({ status: 'failed', next_attempt_at: null, settled_at: now })
      .where('seq', '=', seq),
  )
  if (webhook.ordering === 'per_instance' && instance !== null)
    await passTurn(tx, { webhook: webhook.id, instance, now })
}
