import type { Clock } from '../runtime/clock.ts'
import { ConfigError } from '../runtime/config/config.ts'
import { randomBase32 } from '../runtime/ids.ts'
import type { Log } from '../runtime/log.ts'
import {
  LeaseTaken,
  type NodeBoot,
  type SharedStore,
  type StoreForAll,
  StoreUnavailable,
  type TransactionFunction,
  type Turn,
} from '../store/store.ts'
import { StoreAround } from '../store/store-around.ts'
import { beat, endOthers, joinNode, leaveNode } from './node-store.ts'
import { sinceBoot } from './since-boot.ts'
import type { Watchdog } from './watchdog.ts'

/** Held by the process that runs a node, for as long as it shows the others that it runs. */
export interface NodeLease extends NodeBoot {
  /** The store as this process may use it: it writes nothing while others may have declared the node gone. */
  readonly store: StoreForAll
  /** True if no other node can share the store. */
  readonly isAlone: boolean
  /** True if surely no other node has taken over what this one has. */
  readonly trusted: boolean
  /** Gives up what the node has. Never rejects: others see by themselves that it is gone. */
  release(): Promise<void>
}

/**
 * Milliseconds. `trusted` counts from the beginning of an attempt to beat and ends before `gone`, which the others count from the last
 * beat that they saw: a process stops before another takes over.
 */
export interface LeaseTiming {
  readonly beatEvery: number
  readonly trusted: number
  readonly gone: number
  /** The pause between two looks at the other nodes. */
  readonly watchEvery: number
}

/** The times that go with the time after which a silent node is gone. */
export function timingFor(gone: number): LeaseTiming {
  const part = (of18: number) => Math.round((gone * of18) / 18)
  return { beatEvery: part(5), trusted: part(13), gone, watchEvery: part(1) }
}

export const usualTiming: LeaseTiming = timingFor(18_000)

/** A party of its own: the node beats in time, however much other parties ask of the store. */
export const leaseTurn: Turn = { party: 'lease' }

export interface NodeFacts {
  readonly id: string
  readonly version: string
  readonly media: string
}

interface LeaseHolder extends NodeFacts {
  readonly clock: Clock
  readonly log: Log
  /** Called once, with the reason, when what this process knows is no longer true: it must end at once. */
  readonly onTaken: (why: string) => void
  readonly timing?: LeaseTiming
  /** Told until when the lease is trusted, in milliseconds since the machine was started. */
  readonly watchdog?: Pick<Watchdog, 'trust'>
}

/** Begins to run a node on the store in its data folder, whose lock is its lease. */
export async function ownLease(
  store: StoreForAll,
  { clock, ...facts }: NodeFacts & { readonly clock: Clock },
): Promise<NodeLease> {
  const holding = await join(store, facts, clock)
  await store.transact(endOthers, holding, leaseTurn)
  return { ...holding, store, isAlone: true, trusted: true, release: () => leave(store, holding) }
}

/** Begins to run a node on a store that it may share with others. */
export async function holdLease(store: SharedStore, holder: LeaseHolder): Promise<NodeLease> {
  const startedAt = timesOf(holder.clock)
  const { id, version, media, clock } = holder
  const holding = await join(store, { id, version, media }, clock)
  store.node = holding
  return new HeldLease(store, holder, holding, startedAt)
}

async function join(store: StoreForAll, facts: NodeFacts, clock: Clock): Promise<NodeBoot> {
  const boot = randomBase32(16)
  const unfit = await store.transact(joinNode, { ...facts, boot, started_at: clock.now() }, leaseTurn)
  if (unfit) throw new ConfigError(`the store ${unfit}; start that version`)
  return { id: facts.id, boot }
}

async function leave(store: StoreForAll, { id, boot }: NodeBoot): Promise<void> {
  await store.transact(leaveNode, { id, boot }, leaseTurn).catch(() => {})
}

/**
 * A shared store as the holder of a lease may use it. `check` throws `StoreUnavailable` while the lease is not trusted. It
 * is asked before a transaction, so that the database is left alone, and again after its commit: a caller that acts on a
 * commit, such as a claim, must not do so beside a node that took over meanwhile. Reads are true no matter which node
 * writes.
 */
class LeasedStore extends StoreAround {
  readonly #check: () => void

  constructor(store: SharedStore, check: () => void) {
    super(store)
    this.#check = check
  }

  override async transact<A, R>(transaction: TransactionFunction<A, R>, args: A, turn: Turn): Promise<R> {
    this.#check()
    const result = await this.store.transact(transaction, args, turn)
    this.#check()
    return result
  }
}

/** A moment by the monotonic clock, and in milliseconds since the machine was started. */
interface Times {
  readonly monotonic: number
  readonly sinceBoot: number
}

const neverTimes: Times = { monotonic: 0, sinceBoot: 0 }

const timesOf = (clock: Clock): Times => ({ monotonic: clock.monotonic(), sinceBoot: sinceBoot() })

class HeldLease implements NodeLease {
  readonly id: string
  readonly boot: string
  readonly isAlone = false
  readonly store: StoreForAll
  /** By both clocks: the monotonic one stands still while the machine sleeps. */
  #trustedUntil: Times = neverTimes
  readonly #store: SharedStore
  readonly #holder: LeaseHolder
  readonly #timing: LeaseTiming
  #lastBeat = 0
  /** Why the last beat failed; undefined if it did not. */
  #failure: unknown
  /** The log says that the lease is not trusted. */
  #distrustLogged = false
  #next: NodeJS.Timeout | undefined
  #over = false

  constructor(store: SharedStore, holder: LeaseHolder, { id, boot }: NodeBoot, startedAt: Times) {
    this.id = id
    this.boot = boot
    this.#store = store
    this.store = new LeasedStore(store, () => this.#check())
    this.#holder = holder
    this.#timing = holder.timing ?? usualTiming
    this.#succeeded(startedAt)
  }

  get trusted(): boolean {
    const until = this.#trustedUntil
    return this.#holder.clock.monotonic() < until.monotonic && sinceBoot() < until.sinceBoot
  }

  async release(): Promise<void> {
    if (this.#over) return
    this.#end()
    await leave(this.#store, this)
  }

  #check(): void {
    if (this.trusted) return
    const full = this.#failure instanceof StoreUnavailable && this.#failure.full
    throw new StoreUnavailable('the lease of this node is uncertain', { cause: this.#failure, full })
  }

  /** Counts from the moment before the beat was asked for, because others may have seen it as early as that. */
  #succeeded(startedAt: Times): void {
    const { trusted } = this.#timing
    this.#trustedUntil = {
      monotonic: startedAt.monotonic + trusted,
      sinceBoot: startedAt.sinceBoot + trusted,
    }
    this.#holder.watchdog?.trust(this.#trustedUntil.sinceBoot)
    this.#failure = undefined
    this.#beatIn(this.#timing.beatEvery)
  }

  #beatIn(delay: number): void {
    this.#next = setTimeout(() => this.#beat(), delay)
  }

  /** A beat whose result is not known is one that failed. It is tried until it succeeds or the others have declared the node gone. */
  async #beat(): Promise<void> {
    this.#notify()
    const startedAt = timesOf(this.#holder.clock)
    try {
      const beaten = await this.#store.transact(beat, { id: this.id, boot: this.boot }, leaseTurn)
      if (!this.#over) this.#beaten(beaten, startedAt)
    } catch (error) {
      if (!this.#over) this.#failed(error)
    }
    if (!this.#over) this.#notify()
  }

  /** A database that counts lower than before went back to an older state, as after a fail-over to a standby that was behind. */
  #beaten(beaten: number, startedAt: Times): void {
    if (beaten <= this.#lastBeat)
      this.#take('the database has lost what it had acknowledged, so the next start begins a new epoch')
    else this.#succeeded(startedAt)
    this.#lastBeat = beaten
  }

  #take(why: string): void {
    this.#end()
    this.#holder.onTaken(why)
  }

  #failed(error: unknown): void {
    if (error instanceof LeaseTaken) {
      this.#take('other nodes have declared this one gone, and take its instances over')
    } else {
      this.#failure = error
      this.#beatIn(this.#timing.beatEvery / 10)
    }
  }

  /** Says in the log when trust ends and when it is back. */
  #notify(): void {
    const { trusted } = this
    if (trusted !== this.#distrustLogged) return
    this.#distrustLogged = !trusted
    const { log } = this.#holder
    if (trusted) log.warn('the lease of this node is renewed; resuming')
    else
      log.error(
        { err: this.#failure },
        'the lease of this node could not be renewed in time; nothing is accepted or sent until it is',
      )
  }

  #end(): void {
    this.#over = true
    this.#trustedUntil = neverTimes
    clearTimeout(this.#next)
  }
}
