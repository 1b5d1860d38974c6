import { GraphError } from './graph-error.ts'
import type { World } from './world.ts'

/** Messages that a number may send: to one person, and in all. */
export class Limits {
  readonly #world: World
  /** Per number and recipient: when the burst is paid back, in milliseconds since the epoch. */
  readonly #paidBack = new Map<string, number>()
  /** Per number: when the messages of the last second were sent. */
  readonly #sent = new Map<string, number[]>()

  constructor(world: World) {
    this.#world = world
  }

  /** Counts a message, or refuses it. Throws a GraphError. */
  count(number: string, recipient: string): void {
    const { throughput } = this.#world.settings
    const now = this.#world.now()
    const recent = (this.#sent.get(number) ?? []).filter((at) => at > now - 1000)
    if (recent.length >= throughput)
      throw new GraphError(130429, 'Cloud API message throughput has been reached.')
    this.#countPair(`${number} ${recipient}`, now)
    this.#sent.set(number, [...recent, now])
  }

  #countPair(pair: string, now: number): void {
    const { burst, every_ms } = this.#world.settings.pair
    const paidBack = Math.max(this.#paidBack.get(pair) ?? 0, now) + every_ms
    if (paidBack - now > burst * every_ms)
      throw new GraphError(131056, 'Too many messages sent from the sender to the same recipient.')
    this.#paidBack.set(pair, paidBack)
  }
}
