import type { Clock } from '../../runtime/clock.ts'
import type { Log } from '../../runtime/log.ts'
import type { Alarms } from '../../runtime/timers/alarms.ts'
import type { Supervisor } from './supervisor.ts'

interface Context {
  readonly node: { readonly isAlone: boolean; readonly trusted: boolean }
  /** The other nodes: `isDraining` if this one is to give all instances to them. */
  readonly peers: { readonly exist: boolean; readonly isDraining: boolean }
  readonly clock: Clock
  readonly alarms: Pick<Alarms, 'in'>
  readonly log: Log
  readonly supervisor: Pick<Supervisor, 'countExcess' | 'releasable' | 'release' | 'networks'>
  readonly otherNodes: { prepareHandOver(networks: Iterable<string>): Promise<void> }
  /** Milliseconds for which a node keeps an instance that it has taken over, and between two that it gives away. */
  readonly keptFor: number
  readonly pause: number
}

/** Milliseconds between two looks. */
const lookEvery = 1_000
/** Instances that a node which drains gives away at a time, and the milliseconds that each may take. */
const drainedAtOnce = 50
const releaseTime = 5_000

/**
 * Gives instances to other nodes: all while this node drains; otherwise, now and then, one beyond its share, so that a node that is
 * new gets some. Each move interrupts a connection, so there are few.
 */
export class Balance {
  readonly #context: Context
  #lastMove: number
  #ended = false

  constructor(context: Context) {
    this.#context = context
    this.#lastMove = context.clock.monotonic()
  }

  begin(): void {
    if (!this.#ended && !this.#context.node.isAlone)
      this.#context.alarms.in(lookEvery, () => void this.#look().finally(() => this.begin()))
  }

  end(): void {
    this.#ended = true
  }

  async #look(): Promise<void> {
    const { peers, node, clock, log } = this.#context
    if (this.#ended || !peers.exist || !node.trusted) return
    try {
      if (peers.isDraining) await this.#drain()
      else if (clock.monotonic() - this.#lastMove >= this.#context.pause) await this.#moveOne()
    } catch (error) {
      log.error({ err: error }, 'could not give an instance to another node')
    }
  }

  async #drain(): Promise<void> {
    const { supervisor } = this.#context
    const next = () => supervisor.releasable().slice(0, drainedAtOnce)
    if (next().length > 0) await this.#context.otherNodes.prepareHandOver(supervisor.networks)
    for (let some = next(); some.length > 0 && !this.#ended; some = next())
      await Promise.all(some.map(({ id }) => this.#release(id)))
  }

  async #moveOne(): Promise<void> {
    const { clock, supervisor, keptFor } = this.#context
    const before = clock.monotonic() - keptFor
    const movable = supervisor.releasable().find(({ takenAt, isIdle }) => isIdle && takenAt <= before)
    if (!movable || (await supervisor.countExcess()) === 0) return
    this.#lastMove = clock.monotonic()
    await this.#context.otherNodes.prepareHandOver([])
    await this.#release(movable.id)
  }

  async #release(id: string): Promise<void> {
    const { supervisor, log } = this.#context
    await supervisor.release(id, AbortSignal.timeout(releaseTime))
    log.info({ instance_id: id }, 'an instance was given to another node')
  }
}
