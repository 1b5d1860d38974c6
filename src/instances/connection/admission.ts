import type { Clock } from '../../runtime/clock.ts'
import type { Rate } from '../../runtime/config/setting-values.ts'
import { RoundRobin } from '../../runtime/limits/round-robin.ts'
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

interface AdmissionContext {
  readonly clock: Clock
  readonly alarms: Pick<Alarms, 'in'>
  /** Returns the number of nodes that share the rate. */
  readonly nodes?: () => number
}

/**
 * Lets connections be opened no faster than a rate. The organizations that wait take turns, and within each it goes in the
 * order in which its instances asked: none waits for all the instances of another. Nodes that share a store share the rate.
 */
export class Admission {
  readonly #limit: SlidingWindowLimit
  readonly #nodes: () => number
  readonly #clock: Clock
  readonly #alarms: Pick<Alarms, 'in'>
  /** By instance, which is queued once however often it asks. */
  readonly #waiting = new Map<string, Waiting>()
  readonly #queue = new RoundRobin<string>()
  #scheduled = false

  constructor(rate: Rate | undefined, { clock, alarms, nodes = () => 1 }: AdmissionContext) {
    this.#nodes = nodes
    this.#clock = clock
    this.#alarms = alarms
    this.#limit = new SlidingWindowLimit(rate ?? null)
  }

  /**
   * Calls back when the instance may connect. An instance that asks again keeps its position. `weight`: for how many connections it
   * counts.
   */
  ask({ id, organization_id }: Applicant, go: () => void, weight = 1): void {
    this.#waiting.set(id, { weight, go })
    this.#queue.push(organization_id, id)
    if (!this.#scheduled) this.#admit()
  }

  /** The instance no longer wants a connection. */
  withdraw({ id, organization_id }: Applicant): void {
    if (this.#queue.remove(organization_id, id)) this.#waiting.delete(id)
  }

  end(): void {
    this.#waiting.clear()
    this.#queue.clear()
  }

  #admit(): void {
    this.#scheduled = false
    const now = this.#clock.monotonic()
    while (this.#limit.available(now) > 0) {
      const next = this.#next()
      if (!next) break
      this.#limit.takeAhead(next.weight * this.#nodes(), now)
      next.go()
    }
    if (this.#scheduled || this.#waiting.size === 0) return
    this.#scheduled = true
    this.#alarms.in(this.#limit.untilNext(now), () => this.#admit())
  }

  #next(): Waiting | undefined {
    const id = this.#queue.take()
    if (id === undefined) return undefined
    const next = this.#waiting.get(id)
    this.#waiting.delete(id)
    return next
  }
}
