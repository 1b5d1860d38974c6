import type { WakeUp } from '../../../store/wake-up.ts'
import { type ClaimedDelivery, kindOf } from '../queue/claim-deliveries.ts'
import type { LaneState } from '../queue/due.ts'
import { type EarlyAttempts, Recovery } from '../queue/recovery.ts'
import type { DeliveryAttempted } from '../queue/settle-attempts.ts'

/** The most attempts that may be under way for one organization, in addition to one for each of its webhooks. */
const sharedAtMost = 192

/** An attempt that is over but not settled. */
export type FinishedAttempt = DeliveryAttempted & { readonly ids: readonly string[] }

/**
 * Bounds the attempts under way for one webhook. The width begins with one, grows by one with each attempt that arrives,
 * and is halved by each that does not. Above half of the width at the last failure, it grows by one only when as many arrived as
 * are under way, as the congestion window of TCP does (RFC 5681). So a receiver that hangs from the beginning holds one
 * connection, and an overloaded one gets attempts at the pace that it can take.
 */
class CongestionWindow {
  #width = 1
  #threshold = Number.POSITIVE_INFINITY

  get value(): number {
    return Math.floor(this.#width)
  }

  note(arrived: boolean, widest: number): void {
    if (arrived) {
      const step = this.#width < this.#threshold ? 1 : 1 / this.#width
      this.#width = Math.min(widest, this.#width + step)
    } else {
      this.#threshold = this.#width / 2
      this.#width = Math.max(1, this.#threshold)
    }
  }
}

/** A batch takes more memory than an event, and fewer attempts are needed: lanes of batches are narrower by this factor. */
const forOneBatch = 8

interface Lane {
  readonly underway: Map<number, ClaimedDelivery>
  readonly width: CongestionWindow
  readonly recovery: Recovery
}

/** The lanes of an organization, one for each webhook, while attempts are under way for it. */
export class Lanes {
  readonly organization: string
  /** Attempts that are over but not settled. They count as under way until then. */
  finished: FinishedAttempt[] = []
  /** True while a claim is under way, which may bring attempts to begin. */
  isClaiming = false
  /** Number of turns that the organization has had, so that each turn begins with another webhook. */
  turns = 0
  /** Fires when the next attempt is due. */
  readonly wakeUp: WakeUp
  /** The amount of each capacity that the organization holds. */
  readonly holds = { healthy: 0, failing: 0 }
  readonly #lanes = new Map<string, Lane>()
  readonly #widest: number

  /** `widest` is the most attempts that may be under way for one webhook. */
  constructor(organization: string, widest: number, wakeUp: WakeUp) {
    this.organization = organization
    this.wakeUp = wakeUp
    this.#widest = widest
  }

  /**
   * The attempts under way, except these, which are being settled; and how many may begin in addition to the one that each
   * webhook may always make.
   */
  statesExcept(settling: readonly FinishedAttempt[]): { lanes: LaneState[]; shared: number } {
    const over = new Set(settling.map(({ seq }) => seq))
    const lanes = [...this.#lanes].map(([webhook, { underway, width }]) => ({
      webhook,
      width: width.value,
      underway: [...underway.values()]
        .filter(({ seq }) => !over.has(seq))
        .map(({ seq, instance }) => ({ seq, instance })),
    }))
    const used = lanes.reduce((sum, { underway }) => sum + Math.max(0, underway.length - 1), 0)
    return { lanes, shared: Math.max(0, sharedAtMost - used) }
  }

  get isIdle(): boolean {
    return !this.isBusy && !this.wakeUp.isSet
  }

  /** True if attempts are under way, may begin at any moment, or are to be settled. */
  get isBusy(): boolean {
    if (this.finished.length > 0 || this.isClaiming) return true
    return this.#lanes.values().some(({ underway }) => underway.size > 0)
  }

  begin(delivery: ClaimedDelivery): void {
    this.#laneOf(delivery.webhook.id).underway.set(delivery.seq, delivery)
    this.holds[kindOf(delivery.webhook)]++
  }

  #laneOf(webhook: string): Lane {
    const known = this.#lanes.get(webhook)
    if (known) return known
    const lane = { underway: new Map(), width: new CongestionWindow(), recovery: new Recovery() }
    this.#lanes.set(webhook, lane)
    return lane
  }

  /** Returns the object that finds out when the receiver of this webhook is back. */
  recoveryOf(webhook: string): Recovery {
    return this.#laneOf(webhook).recovery
  }

  /** All lanes of this webhook wait, and its receiver failed. */
  sleeps(webhook: string, now: number): void {
    const { underway, recovery } = this.#laneOf(webhook)
    if (underway.size === 0) recovery.sleeps(now)
  }

  /** Returns the attempts that may be made before their time, at `now` on the monotonic clock. */
  early(now: number): EarlyAttempts[] {
    return [...this.#lanes].flatMap(([webhook, { recovery }]) => recovery.early(webhook, now))
  }

  /** When to look for more of that; infinity if there is no need. */
  get earlyAt(): number {
    return Math.min(...this.#lanes.values().map(({ recovery }) => recovery.nextAt))
  }

  /**
   * Takes an attempt that is over, at `now` on the monotonic clock. It is to be settled, unless it was made before its time and
   * did not arrive; then this returns false.
   */
  finish(attempt: FinishedAttempt, { webhook, isEarly }: ClaimedDelivery, now: number): boolean {
    const { result, verdict } = attempt
    const wasFailing = webhook.failing_since !== null
    if (webhook.ordering === 'per_instance') {
      const asked = result.kind === 'responded' ? (result.retryAfter ?? 0) * 1_000 : 0
      const recovery = this.recoveryOf(webhook.id)
      if (verdict.kind === 'delivered') recovery.arrived(wasFailing || isEarly)
      else recovery.failed(now, { asked, isFailing: wasFailing || !isEarly })
    }
    this.#note(attempt)
    const isSettled = !isEarly || verdict.kind === 'delivered' || verdict.kind === 'gone'
    if (isSettled) this.finished.push(attempt)
    return isSettled
  }

  #note({ webhook, batch, result, verdict }: FinishedAttempt): void {
    // A batch that is too large says nothing about how many attempts the receiver can take.
    if (result.kind === 'responded' && result.status === 413) return
    const widest = batch === null ? this.#widest : Math.ceil(this.#widest / forOneBatch)
    this.#lanes.get(webhook)?.width.note(verdict.kind === 'delivered', widest)
  }

  /** Removes an attempt that is settled, or need not be, and returns which capacity it took. */
  end({ webhook, seq }: DeliveryAttempted): 'healthy' | 'failing' {
    const underway = this.#lanes.get(webhook)?.underway
    const delivery = underway?.get(seq)
    if (!underway || !delivery) throw new Error('an attempt was settled that was not under way')
    underway.delete(seq)
    const kind = kindOf(delivery.webhook)
    this.holds[kind]--
    return kind
  }
}
