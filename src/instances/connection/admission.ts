import type { Clock } from '../../runtime/clock.ts'
import type { Rate } from '../../runtime/config/setting-values.ts'
import { SlidingWindowLimit } from '../../runtime/limits/sliding-window-limit.ts'
import type { Alarms } from '../../runtime/timers/alarms.ts'

/** An instance that wants a connection. */
export interface Applicant {
  readonly id: string
  readonly organization_id: string
}

interface Waiting {
  readonly weight: number
  readonly go: () => void
}

/**
 * Lets connections be opened no faster than a rate. The organizations that wait take turns, and within each it goes in the
 * order in which its instances asked: nobody waits for all the instances of somebody else.
 */
export class Admission {
  readonly #pace: SlidingWindowLimit
  readonly #clock: Clock
  readonly #alarms: Pick<Alarms, 'in'>
  /** By organization, in the order of their turns; then by instance, which is queued once however often it asks. */
  readonly #waiting = new Map<string, Map<string, Waiting>>()
  #scheduled = false

  constructor(rate: Rate | undefined, { clock, alarms }: { clock: Clock; alarms: Pick<Alarms, 'in'> }) {
    this.#clock = clock
    this.#alarms = alarms
    this.#pace = new SlidingWindowLimit(rate ?? null)
  }

  /**
   * Calls back when the instance may connect. An instance that asks again keeps its position. `weight`: for how many connections it
   * counts.
   */
  ask({ id, organization_id }: Applicant, go: () => void, weight = 1): void {
    const own = this.#waiting.get(organization_id) ?? new Map<string, Waiting>()
    this.#waiting.set(organization_id, own.set(id, { weight, go }))
    if (!this.#scheduled) this.#admit()
  }

  /** The instance no longer wants a connection. */
  withdraw({ id, organization_id }: Applicant): void {
    const own = this.#waiting.get(organization_id)
    if (own?.delete(id) && own.size === 0) this.#waiting.delete(organization_id)
  }

  end(): void {
    this.#waiting.clear()
  }

  #admit(): void {
    this.#scheduled = false
    const now = this.#clock.monotonic()
    while (this.#pace.available(now) > 0) {
      const next = this.#next()
      if (!next) break
      this.#pace.take(next.weight, now)
      next.go()
    }
    if (this.#scheduled || this.#waiting.size === 0) return
    this.#scheduled = true
    this.#alarms.in(this.#pace.untilNext(now), () => this.#admit())
  }

  /** Takes the first of the organization whose turn it is; the organization then queues up again after the others. */
  #next(): Waiting | undefined {
    for (const [organization, own] of this.#waiting) {
      this.#waiting.delete(organization)
      for (const [id, waiting] of own) {
        own.delete(id)
        if (own.size > 0) this.#waiting.set(organization, own)
        return waiting
      }
    }
    return undefined
  }
}
