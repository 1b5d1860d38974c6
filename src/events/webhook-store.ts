import type { AuditNote } from '../contract/resources/audit.ts'
import type { WebhookOrdering } from '../contract/resources/webhook.ts'
import { keepAudit } from '../organizations/audit-log.ts'
import { newId } from '../runtime/ids.ts'
import { type Sql, statement } from '../store/statement.ts'
import { type Reader, read, type StoreFunctions, type Transaction, transaction } from '../store/store.ts'
import {
  addDelivery,
  findDelivery,
  isPending,
  listDeliveries,
  renderDeliveries,
} from './delivery/delivery-record.ts'
import { countPending } from './delivery/pending-count.ts'
import { lastBefore, redeliver, redeliverEvents } from './delivery/redelivery.ts'
import { skipSome } from './delivery/tidy-deliveries.ts'
import { appendEvents } from './journal.ts'
import { type WebhookState, webhookColumns } from './webhook.ts'

/** What is fixed about a webhook when it is created; lists are JSON text. */
export interface NewWebhook {
  readonly id: string
  readonly organization_id: string
  readonly url: string
  readonly event_types: string | null
  readonly instance_names: string | null
  readonly ordering: WebhookOrdering
  readonly batch?: number
  readonly secret: Uint8Array
  readonly created_at: number
}

/** Creates a webhook, which gets the events that happen from now on. */
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
    return kept(tx, { organization, id: webhook.id })
  },
)

async function kept(tx: Transaction, name: WebhookName): Promise<WebhookState> {
  const row = await tx.first(selectWebhook, name)
  if (!row) throw new Error('a webhook was not kept')
  return row
}

/** Webhooks, each with the time since which the oldest of what is pending for it waits: one step into an index. */
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
    ])

const selectWebhook = statement<{ organization: string; id: string }>()((sql, argument) =>
  selectStates(sql).where('id', '=', argument('id')).where('organization_id', '=', argument('organization')),
)

export interface WebhookName {
  /** What the audit log notes of what changes it. */
  readonly audit?: AuditNote | undefined
  readonly organization: string
  readonly id: string
}

/** The webhook with this id, if it is the organization's. */
export const findWebhook = read('webhooks.find', async (reader: Reader, args: WebhookName) => {
  return (await reader.first(selectWebhook, args)) ?? null
})

/** A page of webhooks, the oldest first, and whether there are more. */
export const listWebhooks = read(
  'webhooks.list',
  async (reader, args: { organization: string; limit: number; after: string | null }) => {
    let query = selectStates(reader.sql)
      .where('organization_id', '=', args.organization)
      .orderBy('id')
      .limit(args.limit + 1)
    if (args.after !== null) query = query.where('id', '>', args.after)
    const rows = await reader.all(query)
    return { rows: rows.slice(0, args.limit), more: rows.length > args.limit }
  },
)

/** What is changed about a webhook. What is left out stays as it is; lists are JSON text. */
export interface WebhookChange {
  readonly url?: string
  readonly event_types?: string | null
  readonly instance_names?: string | null
  readonly ordering?: WebhookOrdering
  readonly enabled?: 0 | 1
  readonly paused?: 0 | 1
  readonly batch?: number
}

/** Changes a webhook, and tells it as it is then. Events that happened while it was not enabled are not given to it later. */
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
        // Batches may hold events of several instances, which must not go together in order.
        ...(args.change.ordering === 'per_instance' && before.ordering === 'none'
          ? { batches_since: newId('bat') }
          : {}),
        // Whoever enables it, or sends it elsewhere, has done something about what was wrong.
        ...(args.change.enabled === 1 || args.change.url ? { failing_since: null } : {}),
        ...(args.change.enabled === undefined ? {} : { disabled_reason: null }),
        updated_at: args.now,
      })
      .where('id', '=', args.id)
    await tx.run(update)
    return kept(tx, args)
  },
)

/** Removes a webhook; false where there is none. Its deliveries are nobody's then, and go with their events. */
export const deleteWebhook = transaction(
  'webhooks.delete',
  async (tx, args: WebhookName): Promise<boolean> => {
    const removed = await tx.run(
      tx.sql
        .deleteFrom('webhooks')
        .where('id', '=', args.id)
        .where('organization_id', '=', args.organization),
    )
    if (removed > 0) await keepAudit(tx, args.audit)
    return removed > 0
  },
)

/** Puts a new secret in the place of the present one, which is used beside it for a while. */
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
    return kept(tx, args)
  },
)

/** Gives a test to a webhook, and to no other; null where there is no such webhook. */
export const testWebhook = transaction(
  'webhooks.test',
  async (tx: Transaction, { now, audit, ...name }: WebhookName & { now: number }) => {
    const row = await tx.first(selectWebhook, name)
    if (!row) return null
    const data = { webhook: { id: row.id } }
    const events = [{ type: 'webhook.test', instance: null, data }] as const
    const [event] = await appendEvents(tx, [{ organization: name.organization, now, events }])
    if (!event) throw new Error('a test was not kept')
    const [delivery] = await renderDeliveries(tx, [await addDelivery(tx, row, event, now)])
    await countPending(tx, row.id, 1)
    await keepAudit(tx, audit)
    return delivery ?? null
  },
)

/** Where a skip goes on, through which event it goes, and whether the audit log has it. */
export interface SkipPlace {
  readonly after: number
  readonly through: number
  readonly isNoted: boolean
}

/**
 * Skips what is pending for a webhook of the events that happened before a moment, some at a time, and does not give it such
 * events later. `place` is null to begin with, and what was returned to go on; `next` is null where nothing is left. Null where
 * there is no such webhook.
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
  reads: [findWebhook, listWebhooks, findDelivery, listDeliveries],
  transactions: [
    createWebhook,
    updateWebhook,
    deleteWebhook,
    rotateWebhookSecret,
    testWebhook,
    skipBacklog,
    redeliver,
    redeliverEvents,
  ],
}
