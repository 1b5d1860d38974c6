import type { WebhookLagEventData } from '../../../contract/resources/event.ts'
import { timestamp } from '../../../runtime/clock.ts'
import { statement } from '../../../store/statement.ts'
import {
  briefRead,
  type Reader,
  read,
  type Store,
  type StoreFunctions,
  transaction,
} from '../../../store/store.ts'
import { appendEvents } from '../../journal.ts'
import { isPending } from './delivery-record.ts'

const selectWaiting = statement<{ after: string; limit: number }>()((sql, argument) =>
  sql
    .selectFrom('webhooks')
    .select((eb) => [
      'id',
      'organization_id',
      'pending',
      'lagging_since',
      eb
        .selectFrom('deliveries')
        .select('deliveries.created_at')
        .whereRef('webhook_id', '=', 'webhooks.id')
        .where(isPending)
        .orderBy('seq')
        .limit(1)
        .as('oldest_at'),
    ])
    .where('id', '>', argument('after'))
    .where('enabled', '=', 1)
    .where('paused', '=', 0)
    .where((eb) => eb.or([eb('pending', '>', 0), eb('lagging_since', 'is not', null)]))
    .orderBy('id')
    .limit(argument('limit')),
)

const noteLag = statement<{ id: string; since: number | null }>()((sql, argument) =>
  sql
    .updateTable('webhooks')
    .set({ lagging_since: argument('since') })
    .where('id', '=', argument('id')),
)

/** The webhooks to look at, and what counts as lagging. */
export interface LagArgs {
  /** Only webhooks after this one are looked at. */
  readonly after: string
  readonly limit: number
  readonly now: number
  /** Milliseconds that an event may wait. */
  readonly longest: number
}

/**
 * Finds the webhooks that began to lag, because their oldest pending delivery waits too long, and those that no longer lag,
 * because none waits for half as long. Paused and disabled webhooks are left out.
 */
async function look(reader: Reader, { after, limit, now, longest }: LagArgs) {
  const rows = await reader.all(selectWaiting, { after, limit })
  const changed = rows.filter(({ lagging_since, oldest_at }) => {
    const waits = oldest_at === null ? 0 : now - oldest_at
    return lagging_since === null ? waits >= longest : waits < longest / 2
  })
  return { changed, next: rows.length === limit ? (rows.at(-1)?.id ?? null) : null }
}

/**
 * The result of a scan. `changed`: one of these webhooks began or ceased to lag. `next`: the webhook to continue after; null
 * if that was the last.
 */
export interface LagScan {
  readonly changed: boolean
  readonly next: string | null
}

export const findLagging = briefRead(
  'webhooks.find-lagging',
  async (reader, args: LagArgs): Promise<LagScan> => {
    const { changed, next } = await look(reader, args)
    return { changed: changed.length > 0, next }
  },
)

/** Records which of these webhooks began or ceased to lag, and appends an event for each. */
export const noteLagging = transaction('webhooks.note-lagging', async (tx, args: LagArgs): Promise<void> => {
  const { now } = args
  const { changed } = await look(tx, args)
  for (const { id, organization_id: organization, pending, lagging_since, oldest_at } of changed) {
    const begins = lagging_since === null
    await tx.run(noteLag, { id, since: begins ? now : null })
    const data: WebhookLagEventData = { webhook: { id }, pending, oldest_at: timestamp(oldest_at) }
    const type = begins ? 'webhook.lagging' : 'webhook.caught_up'
    await appendEvents(tx, [{ organization, now, events: [{ type, instance: null, data }] }])
  }
})

/** Number of webhooks that one read of the backlog goes through: a few milliseconds of work. */
const backlogAtOnce = 500

/** The backlog of the next webhooks: how many deliveries are pending, since when the oldest waits, and the webhook to go on after. */
export const readBacklog = read('webhooks.backlog', async (reader, { after }: { after: string }) => {
  const rows = await reader.all(selectWaiting, { after, limit: backlogAtOnce })
  const oldest = rows.flatMap(({ oldest_at }) => (oldest_at === null ? [] : [oldest_at]))
  return {
    pending: rows.reduce((sum, { pending }) => sum + pending, 0),
    oldestAt: oldest.length === 0 ? null : oldest.reduce((least, at) => Math.min(least, at)),
    next: rows.length === backlogAtOnce ? (rows.at(-1)?.id ?? null) : null,
  }
})

/** The backlog of all webhooks, in short reads. */
export async function wholeBacklog(store: Pick<Store, 'read'>) {
  const whole = { pending: 0, oldestAt: null as number | null }
  for (let after: string | null = ''; after !== null; ) {
    const part: { pending: number; oldestAt: number | null; next: string | null } = await store.read(
      readBacklog,
      { after },
    )
    whole.pending += part.pending
    if (part.oldestAt !== null) whole.oldestAt = Math.min(whole.oldestAt ?? part.oldestAt, part.oldestAt)
    after = part.next
  }
  return whole
}

const selectTroubled = statement<{ after: string; limit: number }>()((sql, argument) =>
  sql
    .selectFrom('webhooks')
    .select(['id', 'enabled', 'failing_since'])
    .where('id', '>', argument('after'))
    .where((eb) =>
      eb.or([
        eb.and([eb('enabled', '=', 0), eb('disabled_reason', 'is not', null)]),
        eb.and([eb('enabled', '=', 1), eb('failing_since', 'is not', null)]),
      ]),
    )
    .orderBy('id')
    .limit(argument('limit')),
)

/** The next webhooks that Posthorn disabled, or that fail, in numbers, and the webhook to go on after. */
export const readTroubled = read(
  'webhooks.troubled',
  async (reader, args: { after: string; now: number }) => {
    const rows = await reader.all(selectTroubled, { after: args.after, limit: backlogAtOnce })
    const failing = rows.filter(({ enabled }) => enabled === 1)
    const long = failing.filter(({ failing_since }) => args.now - (failing_since ?? args.now) >= 3_600_000)
    return {
      disabled: rows.length - failing.length,
      failing: failing.length - long.length,
      failingLong: long.length,
      next: rows.length === backlogAtOnce ? (rows.at(-1)?.id ?? null) : null,
    }
  },
)

/** Counts all webhooks that Posthorn disabled, and those that fail, in short reads. */
export async function countTroubled(store: Pick<Store, 'read'>, now: number) {
  const whole = { disabled: 0, failing: 0, failingLong: 0 }
  for (let after: string | null = ''; after !== null; ) {
    const part: typeof whole & { next: string | null } = await store.read(readTroubled, { after, now })
    whole.disabled += part.disabled
    whole.failing += part.failing
    whole.failingLong += part.failingLong
    after = part.next
  }
  return whole
}

export const lagFunctions: StoreFunctions = {
  reads: [readBacklog, readTroubled, findLagging],
  transactions: [noteLagging],
}
