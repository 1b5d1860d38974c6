import { deliveryFailures, sentencesOf } from '../../../contract/codes.ts'
import { SealBroken } from '../../../runtime/secrets/seal.ts'
import type { Store } from '../../../store/store.ts'
import { WakeUp } from '../../../store/wake-up.ts'
import type { EventContext } from '../../context.ts'
import { type DeliveryVerdict, judgeAttempt } from '../attempt/retry-schedule.ts'
import type { AttemptResult, WebhookClient } from '../attempt/webhook-client.ts'
import {
  organizationsToDeliver,
  type SettledAndClaimedDeliveries,
  settleAndClaimDeliveries,
} from '../delivery.ts'
import { type ClaimedDelivery, kindOf } from '../queue/claim-deliveries.ts'
import { findLagging, type LagArgs, type LagScan, noteLagging } from '../queue/lag.ts'
import { ArrivalRates } from './arrival-rates.ts'
import { makeAttempt } from './attempt.ts'
import { ConcurrencyLimit } from './concurrency-limit.ts'
import { type FinishedAttempt, Lanes } from './lanes.ts'

type Context = Pick<
  EventContext,
  'clock' | 'alarms' | 'log' | 'webhookSecrets' | 'renderMessage' | 'deliveryChanges'
> & {
  readonly store: Store
  readonly random: () => number
  readonly client: WebhookClient
  readonly metrics: {
    /** Counts the verdict of each attempt after its commit. */
    attemptedDelivery(verdict: DeliveryVerdict): void
  }
  /** The most attempts that may be under way for one webhook. */
  readonly concurrency: number
  /** Milliseconds that an event may wait before its webhook counts as lagging; null for any time. */
  readonly longestWait: number | null
  /** True if this node delivers the events of an organization; only one does at a time. */
  readonly isOurs: (organization: string) => boolean
  /** Has the node that delivers the events of an organization look for what is due. */
  readonly tellNode: (organization: string) => void
}

/** Capacity that was taken to serve an organization. */
interface Capacity {
  healthy: number
  failing: number
}

/** The most attempts that may be under way in all: to healthy receivers, and to failing ones. */
const concurrencyLimits = { healthy: 512, failing: 128 }
/**
 * Number of organizations served under one commit, and the most events and attempts that each may fan out and claim in it.
 */
const organizationsAtOnce = 16
const eventsAtOnce = 100
const claimedAtOnce = 64
/** Number of attempts that begin in one turn of the event loop, so that requests do not wait for a burst of them. */
const begunAtOnce = 2
/**
 * Milliseconds between searches of the store for work that no call announced; and the number of organizations per search.
 */
const lookEvery = 60_000
const lookedAtOnce = 500
/** Milliseconds for which attempts under way may continue when the server stops. */
const grace = 3_000
/** Milliseconds between two looks whether attempts for another node's organizations are under way. */
const leavePause = 20

/**
 * Delivers events to webhooks. The store has everything that must last: which events are to be fanned out, and which deliveries
 * are due. This class only knows which attempts are under way and which organizations to serve next, so after a crash some
 * attempts are made twice.
 */
export class Deliverer {
  readonly #context: Context
  readonly #rates: ArrivalRates
  readonly #limits = {
    healthy: new ConcurrencyLimit(concurrencyLimits.healthy),
    failing: new ConcurrencyLimit(concurrencyLimits.failing),
  }
  /** The organizations that are known to have webhooks. Events of others need no delivery. */
  readonly #withWebhooks = new Set<string>()
  /** By organization, if it has an attempt under way or a due time to wait for. */
  readonly #lanes = new Map<string, Lanes>()
  /** The organizations to serve, in this order. */
  readonly #queue = new Set<string>()
  #working: Promise<void> | undefined
  #looking: Promise<void> | undefined
  readonly #nextLook: WakeUp
  readonly #abandoning = new AbortController()
  readonly #attempts = new Set<Promise<void>>()
  readonly #toBegin: (() => void)[] = []
  #ending = false

  constructor(context: Context) {
    this.#context = context
    this.#rates = new ArrivalRates(context.clock)
    this.#nextLook = new WakeUp(context, () => this.begin())
  }

  /** The number of attempts under way. */
  get underway(): number {
    return this.#attempts.size + this.#toBegin.length
  }

  /** The number of events that arrived at a webhook per second over the last minute. */
  rateOf(webhook: string): number {
    return this.#rates.of(webhook)
  }

  /** Searches the store for work, now and from then on regularly. */
  begin(): void {
    this.#looking ??= this.#look()
  }

  /** Call this when events of an organization were appended. It is cheap, and may be called at any time. */
  wake(organization: string): void {
    if (this.#withWebhooks.has(organization)) this.#enqueue(organization)
  }

  /** Call this when a webhook or a delivery of an organization was changed other than by an event. */
  deliver(organization: string): void {
    if (this.#context.isOurs(organization)) {
      this.#withWebhooks.add(organization)
      this.#enqueue(organization)
    } else this.#context.tellNode(organization)
  }

  /** Ends the work for organizations that another node is to serve; resolves when nothing of it is under way. */
  async leave(isLeft: (organization: string) => boolean): Promise<void> {
    for (const organization of this.#withWebhooks)
      if (isLeft(organization)) this.#withWebhooks.delete(organization)
    const isBusy = () =>
      [...this.#lanes].some(([organization, lanes]) => isLeft(organization) && lanes.isBusy)
    while (isBusy()) await new Promise<void>((resolve) => void this.#context.alarms.in(leavePause, resolve))
  }

  /**
   * Begins nothing more. Attempts under way have a short time to end; then they are abandoned, and the next server makes them
   * again. Resolves when nothing is under way and the outcomes are stored.
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

  /** Serves an organization, one of `round` that are served together. */
  async #serve(organization: string, round: number): Promise<void> {
    const lanes = this.#lanesOf(organization)
    const attempted = lanes.finished
    const isOurs = this.#context.isOurs(organization)
    if ((this.#ending || !isOurs) && attempted.length === 0) {
      if (lanes.isIdle) this.#lanes.delete(organization)
      return
    }
    lanes.finished = []
    lanes.isClaiming = true
    const capacity = isOurs ? this.#takeCapacity(lanes, round) : { healthy: 0, failing: 0 }
    const claiming = await this.#settleAndClaim(lanes, attempted, capacity)
    lanes.isClaiming = false
    if (claiming) {
      for (const attempt of attempted) this.#settled(lanes, attempt)
      this.#carryOut(lanes, claiming, capacity)
    } else {
      lanes.finished = [...attempted, ...lanes.finished]
      this.#release(capacity)
      if (!this.#ending) lanes.wakeUp.afterFailure()
    }
  }

  /** The claim; undefined if the transaction failed, or its result was lost. */
  async #settleAndClaim(
    lanes: Lanes,
    attempted: readonly FinishedAttempt[],
    capacity: Capacity,
  ): Promise<SettledAndClaimedDeliveries | undefined> {
    const { store, clock, log } = this.#context
    const { organization } = lanes
    const { lanes: states, shared } = lanes.statesExcept(attempted)
    try {
      return await store.transact(settleAndClaimDeliveries, {
        organization,
        now: clock.now(),
        attempted: attempted.map(({ ids: _, ...attempt }) => attempt),
        fanOut: this.#context.isOurs(organization) ? eventsAtOnce : 0,
        lanes: states,
        capacity: { ...capacity, shared },
        early: lanes.early(clock.monotonic()),
        turn: lanes.turns++,
      })
    } catch (error) {
      log.error({ err: error, organization_id: organization }, 'the deliveries transaction failed; retrying')
      return undefined
    }
  }

  /**
   * Takes capacity for one organization of a round, and leaves some for the others. For healthy receivers, an organization never
   * holds more than stays free. So a newcomer finds some even when many receivers begin to hang at once.
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

  /** The outcome of an attempt is stored, or need not be. */
  #forget(lanes: Lanes, attempt: FinishedAttempt): void {
    const kind = lanes.end(attempt)
    this.#release({ healthy: 0, failing: 0, [kind]: 1 })
  }

  #settled(lanes: Lanes, { ids, ...attempt }: FinishedAttempt): void {
    this.#forget(lanes, { ids, ...attempt })
    for (const id of ids) this.#context.deliveryChanges.notify(id)
    if (attempt.verdict.kind === 'delivered') this.#rates.note(attempt.webhook, ids.length)
    this.#context.metrics.attemptedDelivery(attempt.verdict)
  }

  #carryOut(lanes: Lanes, claiming: SettledAndClaimedDeliveries, capacity: Capacity): void {
    const { organization } = lanes
    // The next server claims these deliveries again.
    if (this.#ending) return
    // The node to which the organization went meanwhile claims them, too.
    const claimed = this.#context.isOurs(organization) ? claiming.claimed : []
    for (const delivery of claimed) {
      capacity[kindOf(delivery.webhook)]--
      lanes.begin(delivery)
      this.#beginSoon(() => this.#attempt(lanes, delivery))
    }
    for (const kind of ['healthy', 'failing'] as const) {
      const served = claimed.some(({ webhook }) => kindOf(webhook) === kind)
      this.#limits[kind].note(organization, { served, lacks: claiming.lacks[kind] })
    }
    this.#release(capacity)
    if (!claiming.hasWebhooks && !this.#queue.has(organization)) this.#withWebhooks.delete(organization)
    if (claiming.more) this.#enqueue(organization)
    lanes.wakeUp.cancel()
    if (claiming.nextAt !== null) lanes.wakeUp.at(claiming.nextAt)
    this.#recover(lanes, claiming)
    if (lanes.isIdle) this.#lanes.delete(organization)
  }

  /** Looks after receivers that fail: the early attempts that began, and when to make the next. */
  #recover(lanes: Lanes, { early, asleep }: SettledAndClaimedDeliveries): void {
    const now = this.#context.clock.monotonic()
    for (const { webhook, last, isOver } of early) lanes.recoveryOf(webhook).begun(last, isOver, now)
    for (const webhook of asleep) lanes.sleeps(webhook, now)
    if (lanes.earlyAt < Number.POSITIVE_INFINITY) lanes.wakeUp.in(lanes.earlyAt - now)
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

  /** Never rejects. An abandoned attempt is not recorded, because its outcome is unknown. */
  async #attemptOnce(lanes: Lanes, delivery: ClaimedDelivery): Promise<void> {
    const { clock, random } = this.#context
    const startedAt = clock.now()
    const result = await this.#resultOf(lanes.organization, delivery, startedAt)
    if (this.#abandoning.signal.aborted && result.kind === 'failed') return
    const { seq, ids, number, scheduleFrom, batch, webhook } = delivery
    const attempt = number - scheduleFrom
    const facts = { attempt, events: ids.length, now: clock.now(), random: random() }
    const verdict = judgeAttempt(result, facts)
    const place = { webhook: webhook.id, url: webhook.url, number, startedAt }
    const finished = { seq, ids, batch, ...place, result, verdict }
    if (!lanes.finish(finished, delivery, clock.monotonic())) this.#forget(lanes, finished)
    this.#enqueue(lanes.organization)
  }

  async #resultOf(
    organization: string,
    delivery: ClaimedDelivery,
    startedAt: number,
  ): Promise<AttemptResult> {
    try {
      return await makeAttempt(this.#context, organization, delivery, this.#abandoning.signal)
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

  /** Of all organizations, whichever node serves them: it only writes what has changed. */
  async #noteLagging(): Promise<void> {
    const { store, clock, longestWait: longest } = this.#context
    let after: string | null = ''
    while (after !== null && longest !== null && !this.#ending) {
      const part: LagArgs = { after, limit: lookedAtOnce, now: clock.now(), longest }
      const found: LagScan = await store.read(findLagging, part)
      if (found.changed) await store.transact(noteLagging, part)
      after = found.next
    }
  }

  /** Looks at some organizations; returns the one to continue after, or undefined after the last. */
  async #lookAt(after: string): Promise<string | undefined> {
    const found = await this.#context.store.read(organizationsToDeliver, { after, limit: lookedAtOnce })
    for (const { id, waits } of found) {
      if (!this.#context.isOurs(id)) continue
      this.#withWebhooks.add(id)
      if (waits) this.#enqueue(id)
    }
    return found.length === lookedAtOnce ? found.at(-1)?.id : undefined
  }
}
