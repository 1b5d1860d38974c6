import type { Clock } from '../../runtime/clock.ts'

/** The last minute is counted in parts of ten seconds. */
const part = 10_000
const parts = 6

interface Counted {
  /** Which part of all time was counted last. */
  last: number
  readonly counts: number[]
}

/** How many events arrived at each webhook over the last minute, as far as this process brought them there. */
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

  /** A second, rounded to a hundredth. */
  of(webhook: string): number {
    const sum = this.#at(webhook)?.counts.reduce((total, count) => total + count, 0) ?? 0
    return Math.round((sum / ((part * parts) / 1_000)) * 100) / 100
  }

  /** Forgets those at which nothing arrived lately. */
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
