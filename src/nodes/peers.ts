import type { Clock } from '../runtime/clock.ts'
import type { Log } from '../runtime/log.ts'
import type { Alarms } from '../runtime/timers/alarms.ts'
import type { StoreForAll } from '../store/store.ts'
import { type LeaseTiming, leaseTurn, type NodeLease, usualTiming } from './node-lease.ts'
import { declareGone, isRun, listNodes, type NodeRow } from './node-store.ts'

interface Context {
  readonly store: StoreForAll
  readonly node: NodeLease
  readonly clock: Clock
  readonly alarms: Pick<Alarms, 'in'>
  readonly log: Log
  readonly timing?: LeaseTiming
}

interface Heard {
  readonly boot: string
  readonly beat: number
  /** When the beat was first seen, by the monotonic clock. */
  readonly at: number
}

/** The other nodes, as this one sees them: it watches their beats, and declares gone those that have stopped. */
export class Peers {
  readonly #context: Context
  readonly #timing: LeaseTiming
  readonly #heard = new Map<string, Heard>()
  #rows: readonly NodeRow[] = []
  #ended = false

  constructor(context: Context) {
    this.#context = context
    this.#timing = context.timing ?? usualTiming
  }

  /** All nodes that processes run, this one among them, as they were stored at the last look. */
  get running(): readonly NodeRow[] {
    return this.#rows.filter(isRun)
  }

  /** The ids of the other nodes that take instances. */
  get takers(): readonly string[] {
    const others = this.running.filter(({ id, draining }) => draining === 0 && id !== this.#context.node.id)
    return others.map(({ id }) => id)
  }

  /** True if this node is to give away what it has, and others take it. */
  get isDraining(): boolean {
    if (this.takers.length === 0) return false
    return this.#rows.some(({ id, draining }) => id === this.#context.node.id && draining === 1)
  }

  /** True if other nodes are run. */
  get exist(): boolean {
    return this.running.some(({ id }) => id !== this.#context.node.id)
  }

  /** True if a node runs and trusts its lease, as far as this one knows: what it has stored is still true. */
  isHeard(id: string): boolean {
    const { node, clock } = this.#context
    if (id === node.id) return node.trusted
    const heard = this.#heard.get(id)
    // One that began after the last look is not known yet.
    if (!heard) return !this.#rows.some((row) => row.id === id)
    return clock.monotonic() - heard.at < this.#timing.trusted
  }

  /** Looks once, and then again and again until it ends. */
  async begin(): Promise<void> {
    await this.#look()
    if (!this.#context.node.isAlone) this.#lookLater()
  }

  end(): void {
    this.#ended = true
  }

  #lookLater(): void {
    if (this.#ended) return
    this.#context.alarms.in(this.#timing.watchEvery, () => void this.#look().finally(() => this.#lookLater()))
  }

  /** A process that could not look, or not show that it runs itself, does not know what it has missed: it waits anew. */
  async #look(): Promise<void> {
    const { store, node, clock, log } = this.#context
    try {
      const rows = await store.read(listNodes, null, leaseTurn)
      if (!node.trusted) return this.#heard.clear()
      this.#rows = rows
      const now = clock.monotonic()
      for (const row of rows) if (row.id !== node.id) await this.#hear(row, now)
    } catch (error) {
      this.#heard.clear()
      log.warn({ err: error }, 'could not look at the other nodes')
    }
  }

  async #hear(row: NodeRow, now: number): Promise<void> {
    const { id, boot, beat } = row
    if (!isRun(row)) {
      this.#heard.delete(id)
      return
    }
    const heard = this.#heard.get(id)
    if (heard?.boot !== boot || heard.beat !== beat) this.#heard.set(id, { boot, beat, at: now })
    else if (now - heard.at >= this.#timing.gone) await this.#declare(row)
  }

  async #declare(row: NodeRow): Promise<void> {
    const { store, log } = this.#context
    if (!(await store.transact(declareGone, row, leaseTurn))) return
    this.#heard.delete(row.id)
    log.warn({ node: row.id }, 'a node was not heard of for too long: its instances are free')
  }
}
