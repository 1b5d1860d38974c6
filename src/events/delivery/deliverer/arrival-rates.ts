import type { Clock } from '../../../runtime/clock.ts'

/** The last minute is counted in parts of ten seconds. */
const part = 10_000
const parts = 6

interface Counted {
  /** The number of the part that was counted last. */
  last: number
  readonly counts: number[]
}

/** Counts the events that this process delivered to each webhook over the last minute. */
export class ArrivalRates {
  readonly #clock: Pick<Clock, 'monotonic'>
  readonly #webhooks = new Map<string, Counted>()

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock
  }

  note(webhook: string, count: number): void {
    const counted = this.#at(webhook) ?? { last: this.#now, counts: new Array<number>(parts).fill(0) }
    counted.counts[this.#now % parts] = (counted.counts[this.#now % parts] ?? 0) + count
    this.#webhooks.set(webhook, counted)
  }

  /** The number of events per second, rounded to a hundredth. */
  of(webhook: string): number {
    const sum = this.#at(webhook)?.counts.reduce((total, count) => total + count, 0) ?? 0
    return Math.round((sum / ((part * parts) / 1_000)) * 100) / 100
  }

  /** Forgets the webhooks at which nothing arrived over the last minute. */
  tidy(): void {
    for (const webhook of this.#webhooks.keys()) if (this.of(webhook) === 0) this.#webhooks.delete(webhook)
  }

  get #now(): number {
    return Math.floor(this.#clock.monotonic() / part)
  }

  #at(webhook: string): Counted | undefined {
    const counted = this.#webhooks.get(webhook)
    if (!counted) return undefined
    const passed = Math.min(this.#now - counted.last, parts)
    for (let step = 0; step < passed; step++) counted.counts[(this.#now - step) % parts] = 0
    counted.last = this.#now
    return counted
  }
}
