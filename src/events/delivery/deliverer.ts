import { deliveryFailures, sentencesOf } from '../../contract/codes.ts'
import type { Alarms } from '../../runtime/alarms.ts'
import type { Changes } from '../../runtime/changes.ts'
import type { Log } from '../../runtime/log.ts'
import { SealBroken } from '../../runtime/seal.ts'
import type { Store } from '../../store/store.ts'
import { WakeUp } from '../../store/wake-up.ts'
import { ArrivalRates } from './arrival-rates.ts'
import { type AttemptContext, makeAttempt } from './attempt.ts'
import { type ClaimedDelivery, kindOf } from './claim-deliveries.ts'
import { ConcurrencyLimit } from './concurrency-limit.ts'
import {
  organizationsToDeliver,
  type SettledAndClaimedDeliveries,
  settleAndClaimDeliveries,
} from './delivery.ts'
import { findLagging, type LagArgs, type LagFound, noteLagging } from './lag.ts'
import { type Answered, Lanes } from './lanes.ts'
import { type DeliveryVerdict, judgeAttempt } from './retry-schedule.ts'
import type { AttemptResult } from './webhook-client.ts'

export interface DelivererContext extends AttemptContext {
  readonly store: Store
  readonly alarms: Pick<Alarms, 'in'>
  readonly random: () => number
  readonly log: Log
  /** Told, after the commit, of each delivery of which an attempt was kept. */
  readonly deliveryChanges: Changes
  /** Told, after the commit, what followed from each attempt. */
  readonly onAttempt: (verdict: DeliveryVerdict) => void
  /** How many attempts may be under way at a time for one webhook, at most. */
  readonly concurrency: number
  /** How long an event may wait before its webhook counts as lagging, in milliseconds; null for any time. */
  readonly longestWait: number | null
}

/** Capacity that was taken to serve an organization. */
interface Capacity {
  healthy: number
  failing: number
}

/** How many attempts may be under way in all: at receivers that are well, and at those that fail. */
const concurrencyLimits = { healthy: 512, failing: 128 }
/** How many organizations are served under one commit, and how many events are fanned out and attempts claimed in each. */
const organizationsAtOnce = 16
const eventsAtOnce = 100
const claimedAtOnce = 64
/** How many attempts begin in one turn of the event loop, so that requests need not wait behind a burst of them. */
const begunAtOnce = 2
/** How often the store is looked through for what nobody was told of, in milliseconds; and how many organizations at a time. */
const lookEvery = 60_000
const lookedAtOnce = 500
/** How long attempts that are under way may go on when the server stops, in milliseconds. */
const grace = 3_000

/**
 * Delivers events to webhooks. Everything that must last is in the store: which events are to be fanned out, which deliveries
 * are due. This keeps what is under way, and who is to be looked at; a crash costs attempts that are made twice.
 */
export class Deliverer {
  readonly #context: DelivererContext
  readonly #rates: ArrivalRates
  readonly #limits = {
    healthy: new ConcurrencyLimit(concurrencyLimits.healthy),
    failing: new ConcurrencyLimit(concurrencyLimits.failing),
  }
  /** The organizations that have webhooks, as far as is known. Events of others are nothing to look at. */
  readonly #withWebhooks = new Set<string>()
  /** By organization: those for which something is under way, or has a time. */
  readonly #lanes = new Map<string, Lanes>()
  /** The organizations that are to be served, in that order. */
  readonly #queue = new Set<string>()
  #working: Promise<void> | undefined
  #looking: Promise<void> | undefined
  readonly #nextLook: WakeUp
  readonly #abandoning = new AbortController()
  readonly #attempts = new Set<Promise<void>>()
  readonly #toBegin: (() => void)[] = []
  #ending = false

  constructor(context: DelivererContext) {
    this.#context = context
    this.#rates = new ArrivalRates(context.clock)
    this.#nextLook = new WakeUp(context, () => this.begin())
  }

  /** How many attempts are under way. */
  get underway(): number {
    return this.#attempts.size + this.#toBegin.length
  }

  /** How many events a second arrived at a webhook over the last minute. */
  rateOf(webhook: string): number {
    return this.#rates.of(webhook)
  }

  /** Looks through the store for what is to be done, now and again and again. */
  begin(): void {
    this.#looking ??= this.#look()
  }

  /** Events of an organization were appended. Cheap, and may be called at any time. */
  wake(organization: string): void {
    if (this.#withWebhooks.has(organization)) this.#enqueue(organization)
  }

  /** A webhook of an organization, or what it is to get, was changed by something else than an event. */
  deliver(organization: string): void {
    this.#withWebhooks.add(organization)
    this.#enqueue(organization)
  }

  /**
   * Begins nothing more. Attempts that are under way have a short time; those that are not over then are abandoned, for the
   * next server to make them again. Resolves when nothing is under way and what came of it is kept.
   */
  async end(deadline: AbortSignal): Promise<void> {
    this.#ending = true
    this.#nextLook.cancel()
    this.#toBegin.length = 0
    for (const lanes of this.#lanes.values()) lanes.wakeUp.cancel()
    const over = Promise.withResolvers<void>()
    const alarm = this.#context.alarms.in(grace, over.resolve)
    deadline.addEventListener('abort', () => over.resolve(), { once: true })
    if (deadline.aborted) over.resolve()
    await Promise.race([this.#quiet(), over.promise])
    alarm.cancel()
    this.#abandoning.abort()
    await this.#quiet()
    await Promise.all([this.#looking, this.#working])
    this.#context.client.close()
  }

  async #quiet(): Promise<void> {
    while (this.underway > 0) {
      await Promise.all(this.#attempts)
      await new Promise(setImmediate)
    }
  }

  #enqueue(organization: string): void {
    this.#queue.add(organization)
    this.#working ??= this.#work()
  }

  async #work(): Promise<void> {
    while (this.#queue.size > 0) {
      const next = [...this.#queue.values().take(organizationsAtOnce)]
      for (const organization of next) this.#queue.delete(organization)
      await Promise.all(next.map((organization) => this.#serve(organization, next.length)))
    }
    this.#working = undefined
  }

  #lanesOf(organization: string): Lanes {
    const known = this.#lanes.get(organization)
    if (known) return known
    const wakeUp = new WakeUp(this.#context, () => this.#enqueue(organization))
    const lanes = new Lanes(organization, this.#context.concurrency, wakeUp)
    this.#lanes.set(organization, lanes)
    return lanes
  }

  /** Serves an organization, beside the others of the same round. */
  async #serve(organization: string, round: number): Promise<void> {
    const lanes = this.#lanesOf(organization)
    const attempted = lanes.answered
    if (this.#ending && attempted.length === 0) return
    lanes.answered = []
    const capacity = this.#takeCapacity(lanes, round)
    const claiming = await this.#settleAndClaim(lanes, attempted, capacity)
    if (claiming) {
      for (const attempt of attempted) this.#kept(lanes, attempt)
      this.#goOn(lanes, claiming, capacity)
    } else {
      lanes.answered = [...attempted, ...lanes.answered]
      this.#release(capacity)
      if (!this.#ending) lanes.wakeUp.afterFailure()
    }
  }

  /** What the store claimed; undefined if it failed, or its answer was lost. */
  async #settleAndClaim(
    lanes: Lanes,
    attempted: readonly Answered[],
    capacity: Capacity,
  ): Promise<SettledAndClaimedDeliveries | undefined> {
    const { store, clock, log } = this.#context
    const { organization } = lanes
    const { lanes: states, shared } = lanes.statesBeside(attempted)
    try {
      return await store.transact(settleAndClaimDeliveries, {
        organization,
        now: clock.now(),
        attempted: attempted.map(({ ids: _, ...attempt }) => attempt),
        fanOut: eventsAtOnce,
        lanes: states,
        capacity: { ...capacity, shared },
        turn: lanes.turns++,
      })
    } catch (error) {
      log.error({ err: error, organization_id: organization }, 'the deliveries transaction failed; retrying')
      return undefined
    }
  }

  /**
   * Capacity for one of the organizations of a round: nobody takes so much that the others of it find none. At receivers that are
   * well, nobody holds more of it than is free: so whoever comes finds some, though receivers that were well hang together.
   */
  #takeCapacity({ holds }: Lanes, round: number): Capacity {
    const take = (limit: ConcurrencyLimit, most: number) =>
      limit.take(Math.min(claimedAtOnce, Math.ceil(limit.free / round), Math.max(0, most)))
    const { healthy, failing } = this.#limits
    return { healthy: take(healthy, healthy.free - holds.healthy), failing: take(failing, failing.free) }
  }

  #release({ healthy, failing }: Capacity): void {
    this.#limits.healthy.release(healthy)
    this.#limits.failing.release(failing)
    const { healthy: well, failing: hanging } = this.#limits
    const holdsFew = (organization: string) => (this.#lanes.get(organization)?.holds.healthy ?? 0) < well.free
    for (const organization of well.next(holdsFew)) this.#enqueue(organization)
    for (const organization of hanging.next(() => true)) this.#enqueue(organization)
  }

  /** What came of an attempt is on disk. */
  #kept(lanes: Lanes, { ids, ...attempt }: Answered): void {
    const kind = lanes.end(attempt)
    this.#release({ healthy: 0, failing: 0, [kind]: 1 })
    for (const id of ids) this.#context.deliveryChanges.notify(id)
    if (attempt.verdict.kind === 'delivered') this.#rates.note(attempt.webhook, ids.length)
    this.#context.onAttempt(attempt.verdict)
  }

  #goOn(lanes: Lanes, claiming: SettledAndClaimedDeliveries, capacity: Capacity): void {
    const { organization } = lanes
    // What was claimed is begun by the next server.
    if (this.#ending) return
    for (const delivery of claiming.claimed) {
      capacity[kindOf(delivery.webhook)]--
      lanes.begin(delivery)
      this.#beginSoon(() => this.#attempt(lanes, delivery))
    }
    for (const kind of ['healthy', 'failing'] as const) {
      const served = claiming.claimed.some(({ webhook }) => kindOf(webhook) === kind)
      this.#limits[kind].note(organization, { served, lacks: claiming.lacks[kind] })
    }
    this.#release(capacity)
    if (!claiming.hasWebhooks && !this.#queue.has(organization)) this.#withWebhooks.delete(organization)
    if (claiming.more) this.#enqueue(organization)
    lanes.wakeUp.cancel()
    if (claiming.nextAt !== null) lanes.wakeUp.in(claiming.nextAt - this.#context.clock.now())
    if (lanes.isIdle) this.#lanes.delete(organization)
  }

  #beginSoon(begin: () => void): void {
    this.#toBegin.push(begin)
    if (this.#toBegin.length === 1) setImmediate(() => this.#beginSome())
  }

  #beginSome(): void {
    if (this.#ending) return
    for (const begin of this.#toBegin.splice(0, begunAtOnce)) begin()
    if (this.#toBegin.length > 0) setImmediate(() => this.#beginSome())
  }

  #attempt(lanes: Lanes, delivery: ClaimedDelivery): void {
    const attempt = this.#attemptOnce(lanes, delivery)
    this.#attempts.add(attempt)
    void attempt.finally(() => this.#attempts.delete(attempt))
  }

  /** Never rejects. An attempt that was abandoned leaves no trace: nobody can tell what came of it. */
  async #attemptOnce(lanes: Lanes, delivery: ClaimedDelivery): Promise<void> {
    const { clock, random } = this.#context
    const startedAt = clock.now()
    const result = await this.#resultOf(delivery, startedAt)
    if (this.#abandoning.signal.aborted && result.kind === 'failed') return
    const { seq, ids, number, scheduleFrom, batch, webhook } = delivery
    const attempt = number - scheduleFrom
    const facts = { attempt, events: ids.length, now: clock.now(), random: random() }
    const verdict = judgeAttempt(result, facts)
    const place = { webhook: webhook.id, url: webhook.url, number, startedAt }
    lanes.answer({ seq, ids, batch, ...place, result, verdict })
    this.#enqueue(lanes.organization)
  }

  async #resultOf(delivery: ClaimedDelivery, startedAt: number): Promise<AttemptResult> {
    try {
      return await makeAttempt(this.#context, delivery, this.#abandoning.signal)
    } catch (error) {
      const { ids, webhook } = delivery
      this.#context.log.error(
        { err: error, delivery_id: ids[0], webhook_id: webhook.id },
        'a delivery attempt failed internally',
      )
      const duration = this.#context.clock.now() - startedAt
      const code = error instanceof SealBroken ? 'secret_unreadable' : 'interrupted'
      return { kind: 'failed', code, detail: sentencesOf(deliveryFailures[code]), duration }
    }
  }

  async #look(): Promise<void> {
    this.#rates.tidy()
    try {
      for (let after: string | undefined = ''; after !== undefined && !this.#ending; )
        after = await this.#lookAt(after)
      await this.#noteLagging()
      this.#nextLook.in(lookEvery)
    } catch (error) {
      this.#context.log.error({ err: error }, 'could not read the deliveries that are due')
      this.#nextLook.afterFailure()
    }
    this.#looking = undefined
    if (this.#ending) this.#nextLook.cancel()
  }

  async #noteLagging(): Promise<void> {
    const { store, clock, longestWait: longest } = this.#context
    let after: string | null = ''
    while (after !== null && longest !== null && !this.#ending) {
      const part: LagArgs = { after, limit: lookedAtOnce, now: clock.now(), longest }
      const found: LagFound = await store.read(findLagging, part)
      if (found.changed) await store.transact(noteLagging, part)
      after = found.next
    }
  }

  /** Looks at some organizations; tells behind which one to go on. */
  async #lookAt(after: string): Promise<string | undefined> {
    const found = await this.#context.store.read(organizationsToDeliver, { after, limit: lookedAtOnce })
    for (const { id, waits } of found) {
      this.#withWebhooks.add(id)
      if (waits) this.#enqueue(id)
    }
    return found.length === lookedAtOnce ? found.at(-1)?.id : undefined
  }
}
