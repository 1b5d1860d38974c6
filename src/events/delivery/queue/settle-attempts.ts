import {
  deliveryFailures,
  sentencesOf,
  type WebhookDisabledCode,
  webhookDisabledReasons,
} from '../../../contract/codes.ts'
import type { WebhookDisabledEventData } from '../../../contract/resources/event.ts'
import type { DeliveryStatus } from '../../../contract/statuses.ts'
import { batchOf, batchStatement, rawSql, statement } from '../../../store/statement.ts'
import type { Transaction } from '../../../store/store.ts'
import { appendEvents } from '../../journal.ts'
import type { DeliveryVerdict } from '../attempt/retry-schedule.ts'
import type { AttemptResult } from '../attempt/webhook-client.ts'
import { isStale } from './batches.ts'
import { countDeliveries, type DeliveryTally } from './delivery-counts.ts'
import { isPending } from './delivery-record.ts'
import { type AttemptMade, madeColumns, settleBatch } from './settle-batch.ts'

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

const selectWebhook = statement<{ webhook: string; organization: string }>()((sql, argument) =>
  sql
    .selectFrom('webhooks')
    .select(['id', 'organization_id', 'url', 'ordering', 'failing_since', 'batch', 'batches_since'])
    .where('id', '=', argument('webhook'))
    .where('organization_id', '=', argument('organization')),
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

interface Settling {
  readonly delivery: number
  readonly webhook: string
  readonly number: number
  /** The number of the attempt before. */
  readonly before: number
  readonly becomes: DeliveryStatus
  readonly next: number | null
  readonly settled: number | null
}

/** Only the next attempt can be settled. So if the result of this call is lost, the attempt is not recorded twice. */
const settleDeliveries = batchStatement<Settling>({
  delivery: 'bigint',
  webhook: 'text',
  number: 'integer',
  before: 'integer',
  becomes: 'text',
  next: 'bigint',
  settled: 'bigint',
})((sql, given) =>
  sql
    .updateTable('deliveries')
    .set({
      attempts: given('number'),
      status: given('becomes'),
      next_attempt_at: given('next'),
      settled_at: given('settled'),
    })
    .where('seq', '=', given('delivery'))
    .where('webhook_id', '=', given('webhook'))
    .where('attempts', '=', given('before'))
    .where('batch_id', 'is', null)
    .where(isPending)
    .returning(['deliveries.seq', 'instance_name']),
)

const insertAttempts = batchOf('delivery_attempts', ['delivery_seq', ...madeColumns])((sql, row) =>
  sql.insertInto('delivery_attempts').values(row),
)

/** Changes that attempts made. */
interface Outcome {
  /** The deliveries, or the firsts of batches, that waited for them. */
  readonly recorded: readonly number[]
  /** Number of deliveries that are no longer pending, by the delivery or the first of the batch; and the instances of these. */
  readonly settled: ReadonlyMap<number, number>
  readonly instances: readonly (string | null)[]
}

/** Settles attempts, their deliveries and their webhooks. */
export async function settleAttempts(
  tx: Transaction,
  attempted: readonly DeliveryAttempted[],
  { organization, now }: { readonly organization: string; readonly now: number },
): Promise<void> {
  for (const [id, own] of Map.groupBy(attempted, ({ webhook }) => webhook)) {
    const webhook = await tx.first(selectWebhook, { webhook: id, organization })
    if (!webhook) continue
    const outcomes = [await settleAlone(tx, own, now)]
    for (const { batch, ...attempt } of own)
      if (batch !== null) outcomes.push(await settleTogether(tx, webhook, { ...attempt, batch }, now))
    const instances = outcomes.flatMap((outcome) => outcome.instances)
    await promoteNextDeliveries(tx, webhook, instances, now)
    const recorded = new Set(outcomes.flatMap((outcome) => outcome.recorded))
    const made = own.filter(({ seq }) => recorded.has(seq))
    await countDeliveries(tx, webhook, tallyOf(made, outcomes), now)
    // A response from an earlier URL says nothing about the present one.
    const here = made.filter(({ url }) => url === webhook.url)
    await noteHealth(tx, webhook, here, now)
  }
}

/** Returns what attempts changed. */
function tallyOf(made: readonly DeliveryAttempted[], outcomes: readonly Outcome[]): DeliveryTally {
  const settled = new Map(outcomes.flatMap((outcome) => [...outcome.settled]))
  const sum = (some: readonly DeliveryAttempted[]) =>
    some.reduce((count, { seq }) => count + (settled.get(seq) ?? 0), 0)
  const [arrived, others] = [true, false].map((is) =>
    made.filter(({ verdict }) => (verdict.kind === 'delivered') === is),
  ) as [DeliveryAttempted[], DeliveryAttempted[]]
  return {
    pending: -sum(made),
    delivered: sum(arrived),
    at_once: sum(arrived.filter(({ number }) => number === 1)),
    failed: sum(others),
    failed_attempts: others.length,
  }
}

function attemptMade({ number, startedAt, result }: DeliveryAttempted): AttemptMade {
  const error = result.kind === 'responded' ? errorOfStatus(result.status) : null
  const said =
    result.kind === 'responded'
      ? { status_code: result.status, error: error && JSON.stringify(error), body: result.body || null }
      : { status_code: null, error: JSON.stringify({ code: result.code, detail: result.detail }), body: null }
  return { number, started_at: startedAt, duration: result.duration, ...said }
}

/** The error of a status whose meaning the receiver's owner may not expect; null for any other. */
export function errorOfStatus(status: number): { readonly code: string; readonly detail: string } | null {
  if (status < 300 || status > 399) return null
  return { code: 'redirected', detail: sentencesOf(deliveryFailures.redirected) }
}

/** Settles the attempts at deliveries that were sent alone. */
async function settleAlone(
  tx: Transaction,
  attempted: readonly DeliveryAttempted[],
  now: number,
): Promise<Outcome> {
  const alone = attempted.filter(({ batch }) => batch === null)
  const settling = alone.map(({ seq, webhook, number, verdict }): Settling => {
    const next = verdict.kind === 'again' || verdict.kind === 'split' ? verdict.at : null
    const becomes = next !== null ? 'pending' : verdict.kind === 'delivered' ? 'delivered' : 'failed'
    const settled = next === null ? now : null
    return { delivery: seq, webhook, number, before: number - 1, becomes, next, settled }
  })
  const waited = await tx.allForEach(settleDeliveries, settling)
  const instances = new Map(waited.map(({ seq, instance_name }) => [seq, instance_name]))
  tx.sendForEach(
    insertAttempts,
    alone
      .filter(({ seq }) => instances.has(seq))
      .map((attempt) => ({ delivery_seq: attempt.seq, ...attemptMade(attempt) })),
  )
  const over = settling.filter(({ delivery, settled }) => settled !== null && instances.has(delivery))
  return {
    recorded: [...instances.keys()],
    settled: new Map(over.map(({ delivery }) => [delivery, 1])),
    instances: over.map(({ delivery }) => instances.get(delivery) ?? null),
  }
}

/** Settles an attempt at a batch. */
async function settleTogether(
  tx: Transaction,
  webhook: WebhookState,
  attempt: DeliveryAttempted & { readonly batch: string },
  now: number,
): Promise<Outcome> {
  const { batch, verdict } = attempt
  const inOrder = webhook.ordering === 'per_instance'
  const made = { webhook: webhook.id, batch, ...attemptMade(attempt) }
  const how = { inOrder, isStale: isStale(webhook, batch), now }
  const outcome = await settleBatch(tx, made, verdict, how)
  const { seq } = attempt
  return outcome
    ? { ...outcome, recorded: [seq], settled: new Map([[seq, outcome.settled]]) }
    : { recorded: [], settled: new Map(), instances: [] }
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
