import type { AuditNote } from '../contract/resources/audit.ts'
import type { WebhookOrdering } from '../contract/resources/webhook.ts'
import { keepAudit } from '../organizations/audit-log.ts'
import { newId } from '../runtime/ids.ts'
import { pageOf } from '../store/page.ts'
import { type Sql, statement } from '../store/statement.ts'
import { type Reader, read, type StoreFunctions, type Transaction, transaction } from '../store/store.ts'
import { countDeliveries, lastHours } from './delivery/queue/delivery-counts.ts'
import {
  addDelivery,
  findDelivery,
  isPending,
  listDeliveries,
  newDelivery,
  renderDeliveries,
} from './delivery/queue/delivery-record.ts'
import { deliverEvent, lastBefore, redeliver, redeliverEvents } from './delivery/queue/redelivery.ts'
import { skipSome } from './delivery/queue/tidy-deliveries.ts'
import { appendEvents } from './journal.ts'
import { namesIn } from './stretches/stretch.ts'
import { type WebhookState, webhookColumns } from './webhook.ts'

/** A webhook to create; lists are JSON text. */
export interface NewWebhook {
  readonly id: string
  readonly organization_id: string
  readonly name?: string | null
  readonly url: string
  readonly event_types: string | null
  readonly instance_names: string | null
  readonly ordering: WebhookOrdering
  readonly batch?: number
  readonly secret: Uint8Array
  readonly created_at: number
}

/** Creates a webhook. It gets the events that happen from now on. */
export const createWebhook = transaction(
  'webhooks.create',
  async (
    tx,
    args: { webhook: NewWebhook; limit: number | null; audit?: AuditNote | undefined },
  ): Promise<WebhookState | 'limit_reached'> => {
    const { webhook, limit } = args
    const { organization_id: organization, created_at } = webhook
    const own = tx.sql.selectFrom('webhooks').where('organization_id', '=', organization)
    const counted = await tx.first(own.select(({ fn }) => fn.countAll<number | string>().as('count')))
    if (limit !== null && Number(counted?.count) >= limit) return 'limit_reached'
    const last = await tx.first(
      tx.sql.selectFrom('organizations').select('last_event').where('id', '=', organization),
    )
    const begins_after = last?.last_event ?? 0
    await tx.run(
      tx.sql.insertInto('webhooks').values({ ...webhook, enabled: 1, begins_after, updated_at: created_at }),
    )
    await keepAudit(tx, args.audit, { target: webhook.id })
    return stored(tx, { organization, id: webhook.id })
  },
)

async function stored(tx: Transaction, name: WebhookName): Promise<WebhookState> {
  const row = await tx.first(selectWebhook, name)
  if (!row) throw new Error('a webhook was not stored')
  return row
}

/** Webhooks, each with the time since which its oldest pending delivery waits, and that of the next: each costs one step into an index. */
const selectStates = (sql: Sql) =>
  sql
    .selectFrom('webhooks')
    .select((eb) => [
      ...webhookColumns,
      eb
        .selectFrom('deliveries')
        .select('deliveries.created_at')
        .whereRef('webhook_id', '=', 'webhooks.id')
        .where(isPending)
        .orderBy('seq')
        .limit(1)
        .as('oldest_at'),
      eb
        .selectFrom('deliveries')
        .select('deliveries.next_attempt_at')
        .whereRef('webhook_id', '=', 'webhooks.id')
        .where('deliveries.next_attempt_at', 'is not', null)
        .orderBy('deliveries.next_attempt_at')
        .limit(1)
        .as('next_attempt_at'),
    ])

const selectWebhook = statement<{ organization: string; id: string }>()((sql, argument) =>
  selectStates(sql).where('id', '=', argument('id')).where('organization_id', '=', argument('organization')),
)

export interface WebhookName {
  /** The entry of the audit log for a change. */
  readonly audit?: AuditNote | undefined
  readonly organization: string
  readonly id: string
}

/** The webhook with this id, if it belongs to the organization. */
export const findWebhook = read('webhooks.find', async (reader: Reader, args: WebhookName) => {
  return (await reader.first(selectWebhook, args)) ?? null
})

/** The secrets of a webhook, still encrypted. */
export const findSecrets = read('webhooks.secrets', async (reader: Reader, args: WebhookName) => {
  const query = reader.sql
    .selectFrom('webhooks')
    .select(['id', 'secret', 'previous_secret', 'previous_secret_until'])
    .where('id', '=', args.id)
    .where('organization_id', '=', args.organization)
  return (await reader.first(query)) ?? null
})

/** Counts of the deliveries of a webhook in its last hours; null if there is no such webhook. */
export const readWebhookHours = read(
  'webhooks.hours',
  async (reader: Reader, { hours, now, ...name }: WebhookName & { hours: number; now: number }) => {
    const row = await reader.first(selectWebhook, name)
    return row ? lastHours(reader, row, { hours, now }) : null
  },
)

/** A page of webhooks, the oldest first, and whether there are more. */
export const listWebhooks = read(
  'webhooks.list',
  async (reader, args: { organization: string; limit: number; after: string | null }) => {
    let query = selectStates(reader.sql).where('organization_id', '=', args.organization).orderBy('id')
    if (args.after !== null) query = query.where('id', '>', args.after)
    const long = { texts: ['name', 'url'], json: ['event_types', 'instance_names', 'disabled_reason'] }
    return pageOf(reader, query, { limit: args.limit, long })
  },
)

/** Changes to a webhook. Fields that are left out stay as they are; lists are JSON text. */
export interface WebhookChange {
  readonly name?: string | null
  readonly url?: string
  readonly event_types?: string | null
  readonly instance_names?: string | null
  readonly ordering?: WebhookOrdering
  readonly enabled?: 0 | 1
  readonly paused?: 0 | 1
  readonly batch?: number
}

/** Changes a webhook, and returns it as it is then. It never gets the events that happened while it was not enabled. */
export const updateWebhook = transaction(
  'webhooks.update',
  async (tx, args: WebhookName & { change: WebhookChange; now: number }): Promise<WebhookState | null> => {
    const before = await tx.first(selectWebhook, args)
    if (!before) return null
    const begins = args.change.enabled === 1 && before.enabled === 0
    const last = begins
      ? await tx.first(
          tx.sql.selectFrom('organizations').select('last_event').where('id', '=', args.organization),
        )
      : undefined
    await keepAudit(tx, args.audit)
    const update = tx.sql
      .updateTable('webhooks')
      .set({
        ...args.change,
        ...(last ? { begins_after: last.last_event } : {}),
        // Batches formed before may hold events of several instances, which must not share a batch when they go in order.
        ...(args.change.ordering === 'per_instance' && before.ordering === 'none'
          ? { batches_since: newId('bat') }
          : {}),
        // A caller who enables it or changes its URL has seen to the failure.
        ...(args.change.enabled === 1 || args.change.url ? { failing_since: null } : {}),
        ...(args.change.enabled === undefined ? {} : { disabled_reason: null }),
        updated_at: args.now,
      })
      .where('id', '=', args.id)
    await tx.run(update)
    return stored(tx, args)
  },
)

/** Removes a webhook and its hours; false if there is none. Its deliveries have no webhook from then on, and are removed with their events. */
export const deleteWebhook = transaction(
  'webhooks.delete',
  async (tx, args: WebhookName): Promise<boolean> => {
    const removed = await tx.run(
      tx.sql
        .deleteFrom('webhooks')
        .where('id', '=', args.id)
        .where('organization_id', '=', args.organization),
    )
    if (removed === 0) return false
    await tx.run(tx.sql.deleteFrom('webhook_hours').where('webhook_id', '=', args.id))
    await keepAudit(tx, args.audit)
    return true
  },
)

/** Replaces the secret of a webhook. The previous one also signs until `previousUntil`. */
export const rotateWebhookSecret = transaction(
  'webhooks.rotate',
  async (
    tx,
    args: WebhookName & { secret: Uint8Array; previousUntil: number; now: number },
  ): Promise<WebhookState | null> => {
    const update = tx.sql
      .updateTable('webhooks')
      .set((eb) => ({
        secret: args.secret,
        previous_secret: eb.ref('secret'),
        previous_secret_until: args.previousUntil,
        updated_at: args.now,
      }))
      .where('id', '=', args.id)
      .where('organization_id', '=', args.organization)
    if ((await tx.run(update)) === 0) return null
    await keepAudit(tx, args.audit)
    return stored(tx, args)
  },
)

/** Gives a test event to this webhook alone; null if there is no such webhook. */
export const testWebhook = transaction(
  'webhooks.test',
  async (tx: Transaction, { now, audit, ...name }: WebhookName & { now: number }) => {
    const row = await tx.first(selectWebhook, name)
    if (!row) return null
    const data = { webhook: { id: row.id } }
    const events = [{ type: 'webhook.test', instance: null, data }] as const
    const [event] = namesIn(await appendEvents(tx, [{ organization: name.organization, now, events }]))
    if (!event) throw new Error('a test was not stored')
    const [delivery] = await renderDeliveries(tx, [await addDelivery(tx, newDelivery(row, event, now))])
    await countDeliveries(tx, row, { pending: 1 }, now)
    await keepAudit(tx, audit)
    return delivery ?? null
  },
)

/** The delivery after which a skip continues, the last event that it covers, and whether the audit log has it. */
export interface SkipPlace {
  readonly after: number
  readonly through: number
  readonly isNoted: boolean
}

/**
 * Skips the pending deliveries of a webhook whose events happened before a moment, some at a time, and makes no new ones for
 * such events. `place` is null at first, and then the `next` of the last call; `next` is null once nothing is left. Returns
 * null if there is no such webhook.
 */
export const skipBacklog = transaction(
  'webhooks.skip',
  async (
    tx,
    {
      until,
      place,
      now,
      audit,
      ...name
    }: WebhookName & { until: number; place: SkipPlace | null; now: number },
  ): Promise<{ skipped: number; next: SkipPlace | null } | null> => {
    const row = await tx.first(selectWebhook, name)
    if (!row) return null
    const through = place?.through ?? (await lastBefore(tx, name.organization, until))
    const moves = !place && through > row.begins_after
    if (moves)
      await tx.run(tx.sql.updateTable('webhooks').set({ begins_after: through }).where('id', '=', row.id))
    const { skipped, next } = await skipSome(tx, row, { after: place?.after ?? 0, through, now })
    const wasNoted = place?.isNoted ?? false
    const isNoted = wasNoted || moves || skipped > 0
    if (isNoted && !wasNoted) await keepAudit(tx, audit)
    return { skipped, next: next === null ? null : { after: next, through, isNoted } }
  },
)

export const webhookFunctions: StoreFunctions = {
  reads: [findWebhook, findSecrets, readWebhookHours, listWebhooks, findDelivery, listDeliveries],
  transactions: [
    createWebhook,
    updateWebhook,
    deleteWebhook,
    rotateWebhookSecret,
    testWebhook,
    skipBacklog,
    redeliver,
    deliverEvent,
    redeliverEvents,
  ],
}
