import assert from 'node:assert/strict'
import type { EventType } from '../../../src/contract/resources/event.ts'
import type { WebhookOrdering } from '../../../src/contract/resources/webhook.ts'
import type { DeliveryVerdict } from '../../../src/events/delivery/attempt/retry-schedule.ts'
import {
  type SettledAndClaimedDeliveries,
  settleAndClaimDeliveries,
} from '../../../src/events/delivery/delivery.ts'
import type { Capacity, ClaimedDelivery } from '../../../src/events/delivery/queue/claim-deliveries.ts'
import type { LaneState } from '../../../src/events/delivery/queue/due.ts'
import type { DeliveryAttempted } from '../../../src/events/delivery/queue/settle-attempts.ts'
import {
  createWebhook,
  deleteWebhook,
  updateWebhook,
  type WebhookChange,
} from '../../../src/events/webhook-store.ts'
import type { Store } from '../../../src/store/store.ts'
import { appendTestEvents, type DeliveryRows, inspectDeliveries } from './delivery-store.ts'

type DeliveryRow = DeliveryRows['deliveries'][number]
type WebhookRow = DeliveryRows['webhooks'][number]

export interface TestWebhook {
  readonly organization: string
  readonly events: readonly EventType[] | null
  readonly instances: readonly string[] | null
  readonly ordering: WebhookOrdering
  readonly batch?: number
}

/** Attempts that a call may begin if nothing is to be scarce. */
const ample: Capacity = { healthy: 1_000, failing: 1_000, shared: 1_000 }

/**
 * Settles and claims deliveries by hand, knows naively what each call has to do, and finds out whether it did.
 */
export class DeliveryModel {
  now = 1_000_000
  /** By id, what is under way. */
  readonly underway = new Map<number, ClaimedDelivery>()
  /** Deliveries that were sent under the id of each batch. */
  readonly #batches = new Map<string, readonly string[]>()
  readonly #store: Store
  #calls = 0
  #webhooks = 0

  constructor(store: Store) {
    this.#store = store
  }

  rows(): Promise<DeliveryRows> {
    return this.#store.read(inspectDeliveries, null)
  }

  async create({ organization, events, instances, ordering, batch = 1 }: TestWebhook): Promise<string> {
    const id = `wh_${String(++this.#webhooks).padStart(4, '0')}`
    const webhook = {
      id,
      organization_id: organization,
      url: `https://example.org/${id}`,
      event_types: events && JSON.stringify(events),
      instance_names: instances && JSON.stringify(instances),
      ordering,
      batch,
      secret: new Uint8Array([1, 2, 3]),
      created_at: this.now,
    }
    assert.notEqual(await this.#store.transact(createWebhook, { webhook, limit: null }), 'limit_reached')
    return id
  }

  async change(organization: string, id: string, change: WebhookChange): Promise<void> {
    await this.#store.transact(updateWebhook, { organization, id, change, now: this.now })
  }

  async remove(organization: string, id: string): Promise<void> {
    await this.#store.transact(deleteWebhook, { organization, id })
  }

  async append(organization: string, type: EventType, instance: string | null, count = 1): Promise<void> {
    const events = Array.from({ length: count }, () => ({ type, instance, data: {} }))
    await this.#store.transact(appendTestEvents, { organization, now: this.now, events })
  }

  /** Returns the attempts under way for an organization, as passed to the store. */
  lanes(organization: string, width: number, rows: readonly WebhookRow[]): LaneState[] {
    const own = rows.filter(({ organization_id }) => organization_id === organization)
    return own.map(({ id }) => ({
      webhook: id,
      width,
      underway: [...this.underway.values()]
        .filter(({ webhook }) => webhook.id === id)
        .map(({ seq, instance }) => ({ seq, instance })),
    }))
  }

  /**
   * Settles these attempts of an organization and claims what is due. With `lost` it does so twice: as if the first answer had
   * been lost.
   */
  async settleAndClaim(
    organization: string,
    {
      ended = [],
      width = 3,
      capacity = ample,
      limit = 4,
      lost = false,
    }: {
      ended?: [number, DeliveryVerdict][]
      width?: number
      capacity?: Capacity
      limit?: number
      lost?: boolean
    } = {},
  ): Promise<SettledAndClaimedDeliveries> {
    const before = await this.rows()
    const attempted = ended.map(([seq, verdict]) => this.#over(seq, verdict))
    const lanes = this.lanes(organization, width, before.webhooks)
    const claim = { organization, now: this.now, lanes, capacity, turn: this.#calls++ }
    const args = { ...claim, attempted, early: [], fanOut: limit }
    if (lost) await this.#store.transact(settleAndClaimDeliveries, args)
    const claiming = await this.#store.transact(settleAndClaimDeliveries, args)
    const after = await this.rows()
    this.#checkSettled(before, after, attempted)
    this.#checkFannedOut(before, after, organization)
    this.#checkClaimed(after, claiming, { organization, lanes, capacity, width })
    for (const delivery of claiming.claimed) this.#checkBatch(after, delivery)
    this.#noteBatches(after)
    checkCounts(after)
    checkTimes(after)
    for (const delivery of claiming.claimed) this.underway.set(delivery.seq, delivery)
    return claiming
  }

  /** Settles and claims until nothing more is to be done now; every attempt arrives. Then lets time pass until nothing has a time. */
  async drain(organizations: readonly string[]): Promise<void> {
    for (let calls = 0; ; calls++) {
      assert.ok(calls < 500, 'it comes to an end')
      let isQuiet = true
      for (const organization of organizations) {
        const ended = [...this.underway.values()]
          .filter(({ webhook }) => webhook.organization_id === organization)
          .map(({ seq }): [number, DeliveryVerdict] => [seq, { kind: 'delivered' }])
        const { more, nextAt, claimed } = await this.settleAndClaim(organization, {
          ended,
          limit: 50,
          width: 40,
        })
        if (more || claimed.length > 0 || nextAt !== null) isQuiet = false
        if (nextAt !== null && claimed.length === 0) this.now = Math.max(this.now, nextAt)
      }
      if (isQuiet) return
    }
  }

  #over(seq: number, verdict: DeliveryVerdict): DeliveryAttempted {
    const delivery = this.underway.get(seq)
    assert.ok(delivery)
    this.underway.delete(seq)
    const { webhook, number, batch } = delivery
    const status = { delivered: 200, gone: 410, again: 500, split: 413, failed: 500 }[verdict.kind]
    const result = { kind: 'responded', status, retryAfter: null, body: 'Well.', duration: 7 } as const
    return { seq, batch, webhook: webhook.id, url: webhook.url, number, startedAt: this.now, result, verdict }
  }

  #checkSettled(before: DeliveryRows, after: DeliveryRows, attempted: readonly DeliveryAttempted[]): void {
    const isThere = (id: string) => before.webhooks.some((webhook) => webhook.id === id)
    for (const { seq: first, batch, webhook, number, verdict } of attempted) {
      const sent = before.deliveries.filter((row) => batch !== null && row.batch_id === batch)
      const seqs = batch === null ? [first] : sent.filter(isPending).map(({ seq }) => seq)
      for (const seq of seqs) {
        const [was, is] = [before, after].map(({ deliveries }) => deliveries.find((row) => row.seq === seq))
        assert.ok(was && is)
        const attempts = after.attempts.filter(({ delivery_seq }) => delivery_seq === seq)
        assert.deepEqual(
          attempts.map(({ number }) => number),
          Array.from({ length: is.attempts }, (_, index) => index + 1),
        )
        if (was.status !== 'pending' || !isThere(webhook)) {
          assert.deepEqual(is, was)
          continue
        }
        assert.equal(is.attempts, number)
        if (verdict.kind === 'delivered') assert.equal(is.status, 'delivered')
        if (verdict.kind === 'failed' || verdict.kind === 'gone') assert.equal(is.status, 'failed')
        assert.ok(attempts.every(({ number: made, batch_id }) => made !== number || batch_id === batch))
        if (verdict.kind === 'split' && is.status === 'pending') assert.notEqual(is.batch_id, batch)
      }
    }
    for (const { status, next_attempt_at, settled_at } of after.deliveries)
      if (status !== 'pending') assert.equal(next_attempt_at, null)
      else assert.equal(settled_at, null)
  }

  /** Every event that was passed is in `deliveries` once for each webhook that wants it, and no other is. */
  #checkFannedOut(before: DeliveryRows, after: DeliveryRows, organization: string): void {
    const counters = (rows: DeliveryRows) => rows.organizations.find(({ id }) => id === organization)
    const [from, to] = [counters(before)?.last_fanned_out ?? 0, counters(after)?.last_fanned_out ?? 0]
    assert.ok(to >= from)
    const known = new Set(before.deliveries.map(({ seq }) => seq))
    const made = after.deliveries.filter(({ seq }) => !known.has(seq))
    // Also one that this very call appended, as it disabled a webhook.
    const passed = after.events.filter(
      (event) => event.organization_id === organization && event.sequence > from && event.sequence <= to,
    )
    const own = after.webhooks.filter((webhook) => webhook.organization_id === organization)
    const wanted = passed.flatMap((event) =>
      own.filter((webhook) => wants(webhook, event)).map(({ id }) => `${event.sequence} ${id}`),
    )
    assert.deepEqual(
      made.map((row) => `${row.event_sequence} ${row.webhook_id}`).toSorted(),
      wanted.toSorted(),
    )
  }

  #checkClaimed(
    after: DeliveryRows,
    { claimed, more, nextAt }: SettledAndClaimedDeliveries,
    asked: { organization: string; lanes: readonly LaneState[]; capacity: Capacity; width: number },
  ): void {
    const own = after.webhooks.filter((webhook) => webhook.organization_id === asked.organization)
    const pending = after.deliveries.filter(({ status }) => status === 'pending')
    for (const webhook of own) {
      const begun = asked.lanes.find((lane) => lane.webhook === webhook.id)?.underway ?? []
      const mine = claimed.filter((delivery) => delivery.webhook.id === webhook.id)
      const rows = pending.filter(({ webhook_id }) => webhook_id === webhook.id)
      const may = mayBegin(webhook, rows, begun, this.now)
      for (const { seq, number } of mine) {
        const row = may.find((candidate) => candidate.seq === seq)
        assert.ok(row, `${seq} may not begin`)
        assert.equal(number, row.attempts + 1)
      }
      const width = webhook.failing_since === null ? asked.width : 1
      const places = Math.max(0, width - begun.length)
      assert.ok(mine.length <= places)
      if (asked.capacity === ample && !more) assert.equal(mine.length, Math.min(places, may.length))
      const isServed = webhook.enabled === 1 && webhook.paused === 0
      const later = rows.flatMap(({ next_attempt_at: at, event_type }) =>
        at !== null && at > this.now && (isServed || event_type === 'webhook.test') ? [at] : [],
      )
      if (later.length > 0) assert.ok(nextAt !== null && nextAt <= Math.min(...later))
    }
  }

  /** A batch has the same events each time; a new one is no larger than the webhook wants, and leaves none out in order. */
  #checkBatch(
    { deliveries }: DeliveryRows,
    { webhook, batch, ids, instance, events }: ClaimedDelivery,
  ): void {
    assert.equal(batch === null, webhook.batch === 1)
    assert.equal(ids.length, events.length)
    if (batch === null) return
    const pending = deliveries
      .filter((row) => row.webhook_id === webhook.id && isPending(row))
      .toSorted(inOrder)
    const idsOf = (rows: readonly DeliveryRow[]) => rows.map(({ id }) => id)
    assert.deepEqual(idsOf(pending.filter(({ batch_id }) => batch_id === batch)), ids)
    if (webhook.ordering === 'per_instance')
      for (const row of pending.filter(({ batch_id }) => batch_id === batch))
        assert.equal(row.instance_name, instance, `${batch} was formed for another order`)
    const known = this.#batches.get(batch)
    this.#batches.set(batch, ids)
    if (known) assert.deepEqual(ids, known)
    if (known) return
    assert.ok(ids.length <= webhook.batch || this.#splits(ids))
    if (webhook.ordering === 'none' || instance === null) return
    const lane = pending.filter(({ instance_name }) => instance_name === instance)
    // An event that is delivered again is there twice, and part of a batch that is split may be sent between.
    const numbers = (rows: readonly DeliveryRow[]) => [...new Set(rows.map((row) => row.event_sequence))]
    const sent = numbers(lane.filter(({ id }) => ids.includes(id)))
    assert.deepEqual(numbers(lane).slice(0, sent.length), sent, 'none is left out')
  }

  /** A batch is fixed when it is formed, also if the answer of the call that formed it is lost and the webhook wants less then. */
  #noteBatches({ deliveries, webhooks }: DeliveryRows): void {
    const pending = deliveries.filter((row) => isPending(row) && row.batch_id !== null).toSorted(inOrder)
    for (const [batch, rows] of Map.groupBy(pending, (row) => String(row.batch_id))) {
      if (this.#batches.has(batch)) continue
      const ids = rows.map(({ id }) => id)
      const webhook = webhooks.find(({ id }) => id === rows[0]?.webhook_id)
      if (webhook) assert.ok(ids.length <= webhook.batch || this.#splits(ids), `${batch} is too large`)
      this.#batches.set(batch, ids)
    }
  }

  /** True if they are one of the two parts of a batch that was larger. */
  #splits(ids: readonly string[]): boolean {
    return this.#batches
      .values()
      .some((whole) => ids.length < whole.length && ids.every((id) => whole.includes(id)))
  }
}

/**
 * Only the first of a batch has a time: the others go with it, and would be sent twice if they had one. In a batch that was
 * formed for another order, and is taken apart at the next look, others may get their turn as well.
 */
function checkTimes({ webhooks, deliveries }: DeliveryRows): void {
  for (const { id: webhook, batches_since } of webhooks) {
    const pending = deliveries
      .filter((row) => row.webhook_id === webhook && isPending(row) && row.batch_id !== null)
      .toSorted(inOrder)
    for (const [batch, [first, ...others]] of Map.groupBy(pending, ({ batch_id }) => String(batch_id))) {
      assert.notEqual(first?.next_attempt_at, null, `${batch} has no time`)
      for (const { id, next_attempt_at } of others)
        if (batches_since === null || batch >= batches_since)
          assert.equal(next_attempt_at, null, `${id} has a time of its own in ${batch}`)
    }
  }
}

/** The pending count of a webhook is that of its pending deliveries. */
function checkCounts({ webhooks, deliveries }: DeliveryRows): void {
  for (const { id, pending } of webhooks)
    assert.equal(pending, deliveries.filter((row) => row.webhook_id === id && isPending(row)).length)
}

const isPending = ({ status }: Pick<DeliveryRow, 'status'>) => status === 'pending'
const inOrder = (a: DeliveryRow, b: DeliveryRow) => a.event_sequence - b.event_sequence || a.seq - b.seq

function wants(webhook: WebhookRow, event: DeliveryRows['events'][number]): boolean {
  const types: string[] | null = webhook.event_types && JSON.parse(webhook.event_types)
  const instances: string[] | null = webhook.instance_names && JSON.parse(webhook.instance_names)
  if (webhook.enabled === 0 || event.sequence <= webhook.begins_after) return false
  if (event.type === 'webhook.test' || (types && !types.includes(event.type))) return false
  return event.instance_name === null || instances === null || instances.includes(event.instance_name)
}

/** The deliveries of a webhook that may begin beside those that have. */
function mayBegin(
  webhook: WebhookRow,
  pending: readonly DeliveryRow[],
  begun: LaneState['underway'],
  now: number,
): DeliveryRow[] {
  const isBegun = (seq: number) => begun.some((one) => one.seq === seq)
  const due = pending.filter(
    (row) => !isBegun(row.seq) && row.next_attempt_at !== null && row.next_attempt_at <= now,
  )
  if (webhook.enabled === 0 || webhook.paused === 1)
    return due.filter(({ event_type }) => event_type === 'webhook.test')
  if (webhook.ordering === 'none') return due
  const ordered = pending.toSorted(inOrder)
  return due.filter(
    (row) =>
      row.instance_name === null ||
      (!begun.some(({ instance }) => instance === row.instance_name) &&
        ordered.find(({ instance_name }) => instance_name === row.instance_name)?.seq === row.seq),
  )
}
