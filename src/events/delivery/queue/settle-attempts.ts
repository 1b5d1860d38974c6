import { sentencesOf, type WebhookDisabledCode, webhookDisabledReasons } from '../../../contract/codes.ts'
import type { WebhookDisabledEventData } from '../../../contract/resources/event.ts'
import type { DeliveryStatus } from '../../../contract/statuses.ts'
import { batchStatement, rawSql, statement, valuesOf } from '../../../store/statement.ts'
import type { Transaction } from '../../../store/store.ts'
import { appendEvents } from '../../journal.ts'
import type { DeliveryVerdict } from '../attempt/retry-schedule.ts'
import type { AttemptResult } from '../attempt/webhook-client.ts'
import { isStale } from './batches.ts'
import { isPending } from './delivery-record.ts'
import { countPending } from './pending-count.ts'
import { type AttemptMade, madeColumns, type SettledBatch, settleBatch } from './settle-batch.ts'

/** An attempt that is over, and what follows from it. */
export interface DeliveryAttempted {
  /** The delivery, or the first of a batch. */
  readonly seq: number
  /** The batch that was sent; null if the delivery was sent alone. */
  readonly batch: string | null
  readonly webhook: string
  /** The URL that it was sent to. */
  readonly url: string
  /** Counted from 1. */
  readonly number: number
  /** In milliseconds since the epoch. */
  readonly startedAt: number
  readonly result: AttemptResult
  readonly verdict: DeliveryVerdict
}

/** Milliseconds for which all attempts at a webhook may fail before it is disabled. */
const failingAtMost = 5 * 24 * 60 * 60_000

const selectWebhook = statement<{ webhook: string }>()((sql, argument) =>
  sql
    .selectFrom('webhooks')
    .select(['id', 'organization_id', 'url', 'ordering', 'failing_since', 'batch', 'batches_since'])
    .where('id', '=', argument('webhook')),
)

interface WebhookState {
  readonly id: string
  readonly organization_id: string
  readonly url: string
  readonly ordering: string
  readonly failing_since: number | null
  readonly batch: number
  readonly batches_since: string | null
}

/** Only the next attempt can be settled. So if the result of this call is lost, the attempt is not recorded twice. */
const settleDelivery = statement<{
  seq: number
  number: number
  before: number
  status: DeliveryStatus
  next: number | null
  settled: number | null
}>()((sql, argument) =>
  sql
    .updateTable('deliveries')
    .set({
      attempts: argument('number'),
      status: argument('status'),
      next_attempt_at: argument('next'),
      settled_at: argument('settled'),
    })
    .where('seq', '=', argument('seq'))
    .where('attempts', '=', argument('before'))
    .where('batch_id', 'is', null)
    .where(isPending)
    .returning('instance_name'),
)

const insertAttempt = statement<AttemptMade & { delivery_seq: number }>()((sql, argument) =>
  sql.insertInto('delivery_attempts').values(valuesOf(argument, ['delivery_seq', ...madeColumns])),
)

/** Settles attempts, their deliveries and their webhooks. */
export async function settleAttempts(
  tx: Transaction,
  attempted: readonly DeliveryAttempted[],
  now: number,
): Promise<void> {
  for (const [id, own] of Map.groupBy(attempted, ({ webhook }) => webhook)) {
    const webhook = await tx.first(selectWebhook, { webhook: id })
    if (!webhook) continue
    const recorded: DeliveryAttempted[] = []
    let settled = 0
    for (const attempt of own) {
      const count = await settleAttempt(tx, attempt, webhook, now)
      if (count === null) continue
      recorded.push(attempt)
      settled += count
    }
    await countPending(tx, id, -settled)
    // A response from an earlier URL says nothing about the present one.
    const here = recorded.filter(({ url }) => url === webhook.url)
    await noteHealth(tx, webhook, here, now)
  }
}

/** The number of deliveries that it settled; null if no delivery waits for this attempt: it was settled before. */
async function settleAttempt(
  tx: Transaction,
  attempt: DeliveryAttempted,
  webhook: WebhookState,
  now: number,
): Promise<number | null> {
  const { batch, number, startedAt, result, verdict } = attempt
  const { duration } = result
  const said =
    result.kind === 'responded'
      ? { status_code: result.status, error: null, body: result.body || null }
      : { status_code: null, error: JSON.stringify({ code: result.code, detail: result.detail }), body: null }
  const made = { number, started_at: startedAt, duration, ...said }
  const inOrder = webhook.ordering === 'per_instance'
  const outcome =
    batch === null
      ? await settleAlone(tx, attempt, made, now)
      : await settleBatch(tx, { webhook: webhook.id, batch, ...made }, verdict, {
          inOrder,
          isStale: isStale(webhook, batch),
          now,
        })
  if (!outcome) return null
  await promoteNextDeliveries(tx, webhook, outcome.instances, now)
  return outcome.settled
}

async function settleAlone(
  tx: Transaction,
  { seq, number, verdict }: DeliveryAttempted,
  made: AttemptMade,
  now: number,
): Promise<SettledBatch | null> {
  const next = verdict.kind === 'again' || verdict.kind === 'split' ? verdict.at : null
  const status = next !== null ? 'pending' : verdict.kind === 'delivered' ? 'delivered' : 'failed'
  const settled = next === null ? now : null
  const row = await tx.first(settleDelivery, { seq, number, before: number - 1, status, next, settled })
  if (!row) return null
  await tx.run(insertAttempt, { delivery_seq: seq, ...made })
  return next === null ? { settled: 1, instances: [row.instance_name] } : { settled: 0, instances: [] }
}

const isFirstPending = rawSql<boolean>("first.status = 'pending'")

const giveLead = batchStatement({
  webhook: 'text',
  instance: 'text',
  now: 'bigint',
})((sql, given) =>
  sql
    .updateTable('deliveries')
    .set({ next_attempt_at: given('now') })
    .where('next_attempt_at', 'is', null)
    .where('seq', '=', (eb) =>
      eb
        .selectFrom('deliveries as first')
        .select('first.seq')
        .where('first.webhook_id', '=', given('webhook'))
        .where('first.instance_name', '=', given('instance'))
        .where(isFirstPending)
        .orderBy('first.event_sequence')
        .orderBy('first.seq')
        .limit(1),
    ),
)

/**
 * Makes the first pending delivery of each instance due, so that it is attempted next. Does nothing if the deliveries of the
 * webhook go in no order, or if that delivery has a due time.
 */
export async function promoteNextDeliveries(
  tx: Transaction,
  webhook: { readonly id: string; readonly ordering: string },
  instances: readonly (string | null)[],
  now: number,
): Promise<void> {
  if (webhook.ordering !== 'per_instance') return
  const lanes = [...new Set(instances)].filter((instance) => instance !== null)
  await tx.runForEach(
    giveLead,
    lanes.map((instance) => ({ webhook: webhook.id, instance, now })),
  )
}

const noteFailing = statement<{ webhook: string; since: number | null }>()((sql, argument) =>
  sql
    .updateTable('webhooks')
    .set({ failing_since: argument('since') })
    .where('id', '=', argument('webhook')),
)

/** Records since when the webhook has failed, and disables it if that is too long or the receiver responded with 410. */
async function noteHealth(
  tx: Transaction,
  webhook: WebhookState,
  attempted: readonly DeliveryAttempted[],
  now: number,
): Promise<void> {
  let since = webhook.failing_since
  for (const { verdict, startedAt } of attempted) {
    if (verdict.kind === 'delivered') since = null
    else since ??= startedAt
  }
  if (since !== webhook.failing_since) await tx.run(noteFailing, { webhook: webhook.id, since })
  if (attempted.some(({ verdict }) => verdict.kind === 'gone')) await disable(tx, webhook, 'gone', now)
  else if (attempted.length > 0 && since !== null && now - since >= failingAtMost)
    await disable(tx, webhook, 'failing', now)
}

const disableWebhook = statement<{ webhook: string; reason: string; now: number }>()((sql, argument) =>
  sql
    .updateTable('webhooks')
    .set({ enabled: 0, disabled_reason: argument('reason'), updated_at: argument('now') })
    .where('id', '=', argument('webhook'))
    .where('enabled', '=', 1),
)

async function disable(
  tx: Transaction,
  { id, organization_id: organization }: WebhookState,
  code: WebhookDisabledCode,
  now: number,
): Promise<void> {
  const reason = { code, detail: sentencesOf(webhookDisabledReasons[code]) }
  const disabled = await tx.run(disableWebhook, { webhook: id, reason: JSON.stringify(reason), now })
  if (disabled === 0) return
  const data: WebhookDisabledEventData = { webhook: { id }, reason }
  const events = [{ type: 'webhook.disabled', instance: null, data }] as const
  await appendEvents(tx, [{ organization, now, events }])
}
