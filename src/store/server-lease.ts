import type { Clock } from '../runtime/clock.ts'
import type { Log } from '../runtime/log.ts'
import { writeFact } from './position.ts'
import { statement } from './statement.ts'
import {
  type Fence,
  LeaseTaken,
  type SharedStore,
  type StoreForAll,
  type StoreFunctions,
  StoreUnavailable,
  type Transaction,
  type TransactionFunction,
  type Turn,
  transaction,
} from './store.ts'
import { StoreAround } from './store-around.ts'

/** Held by the one server of a database. */
export interface ServerLease {
  /** The database as its holder may use it: nothing is written while another server may have taken the lease. */
  readonly store: StoreForAll
  /** True if surely no other server has the lease yet. */
  readonly trusted: boolean
  /** Gives the database to the next server that asks. Never rejects: a lease that cannot be given back expires by itself. */
  release(): Promise<void>
}

/** Another server runs on this database. */
export class DatabaseInUse extends Error {
  override readonly name = 'DatabaseInUse'
}

/** Milliseconds. `trusted` ends before `timeToLive` does, so that a server stops before another may start. */
export interface LeaseTiming {
  readonly heartbeat: number
  readonly timeToLive: number
  readonly trusted: number
}

const usualTiming: LeaseTiming = { heartbeat: 5_000, timeToLive: 15_000, trusted: 13_000 }

/** A party of its own: the lease is renewed in time, however much other parties ask of the store. */
const turn: Turn = { party: 'lease' }

export const leaseName = 'server_lease'

/** The lease as it is stored: as JSON, in the table `service`. */
export interface LeaseRow {
  readonly node: string
  /**
   * Number of times that the lease was taken. A holder that finds another number has been replaced, no matter by which node.
   */
  readonly term: number
  /** By the database's clock, which is the same for every server; 0 if the lease was given back. */
  readonly expires_at: number
}

type Taking =
  | { readonly taken: true; readonly term: number }
  | { readonly taken: false; readonly by: string; readonly left: number }

const keptLease = statement<{ name: string }>()((sql, argument) =>
  sql.selectFrom('service').select('value').where('name', '=', argument('name')),
)

const sharedLease = statement<{ name: string }>()((sql, argument) =>
  sql.selectFrom('service').select('value').where('name', '=', argument('name')).forShare(),
)

const lockedLease = statement<{ name: string }>()((sql, argument) =>
  sql.selectFrom('service').select('value').where('name', '=', argument('name')).forUpdate(),
)

async function keep(tx: Transaction, lease: LeaseRow): Promise<void> {
  await tx.run(writeFact, { name: leaseName, value: JSON.stringify(lease) })
}

async function now(tx: Transaction): Promise<number> {
  return Number((await tx.first(tx.sql.selectNoFrom(tx.dialect.now.as('now'))))?.now)
}

/**
 * Takes the lease for a node, for a new term. A node that holds it already gets it at once: a server with the node's name
 * has its data folder, whose lock says that the node's last server is gone.
 */
export const takeServerLease = transaction(
  'take-server-lease',
  async (tx, { node, timeToLive }: { node: string; timeToLive: number }): Promise<Taking> => {
    const row = await tx.first(keptLease, { name: leaseName })
    const lease = row && (JSON.parse(row.value) as LeaseRow)
    const at = await now(tx)
    if (lease && lease.node !== node && lease.expires_at > at)
      return { taken: false, by: lease.node, left: lease.expires_at - at }
    const term = (lease?.term ?? 0) + 1
    await keep(tx, { node, term, expires_at: at + timeToLive })
    return { taken: true, term }
  },
)

type Holding = Pick<LeaseRow, 'node' | 'term'>

/** Only for the holder, whose fence has made sure that the term is still its own. */
export const renewServerLease = transaction(
  'renew-server-lease',
  async (tx, { node, term, timeToLive }: Holding & { timeToLive: number }) =>
    keep(tx, { node, term, expires_at: (await now(tx)) + timeToLive }),
)

/** Only for the holder. The row stays, so that terms go on counting. */
export const releaseServerLease = transaction('release-server-lease', (tx, { node, term }: Holding) =>
  keep(tx, { node, term, expires_at: 0 }),
)

/**
 * Begins every group of the holder's writes. It locks the row until their commit: no other server takes the lease while they
 * are under way, and none of them is committed after another server has.
 */
export const stayInTerm: Fence = async (tx, term, alone) => {
  const row = await tx.first(alone ? lockedLease : sharedLease, { name: leaseName })
  const lease = row && (JSON.parse(row.value) as LeaseRow)
  if (lease?.term !== term) throw new LeaseTaken(`the lease was taken by ${lease?.node ?? 'nobody known'}`)
}

/** The functions that a store must serve to hold leases. */
export const leaseFunctions: StoreFunctions = {
  reads: [],
  transactions: [
    takeServerLease,
    renewServerLease,
    releaseServerLease,
  ] as unknown as StoreFunctions['transactions'],
}

interface LeaseHolder {
  readonly node: string
  readonly clock: Clock
  readonly log: Log
  /** Called once when another server has taken the lease: this one must end at once. */
  readonly onTaken: () => void
  readonly timing?: LeaseTiming
}

/** Takes the database for this server and renews the lease until it is released. Throws `DatabaseInUse`. */
export async function holdLease(store: SharedStore, holder: LeaseHolder): Promise<ServerLease> {
  const { node, clock, timing: { timeToLive } = usualTiming } = holder
  const startedAt = clock.monotonic()
  const taking = await store.transact(takeServerLease, { node, timeToLive }, turn)
  if (!taking.taken) {
    throw new DatabaseInUse(
      `another Posthorn server (${taking.by}) is running on this database; stop it first, or wait ${Math.ceil(taking.left / 1000)} s if it is gone for good`,
    )
  }
  const { term } = taking
  store.term = term
  return new HeldLease(store, holder, term, startedAt)
}

/**
 * A shared store as the holder of its lease may use it. `check` throws `StoreUnavailable` while the lease is not trusted. It
 * is asked before a transaction, so that the database is left alone, and again after its commit: a caller that acts on a
 * commit, such as a claim, must not do so beside a server that took over meanwhile. Reads are true no matter which server
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

class HeldLease implements ServerLease {
  readonly store: StoreForAll
  readonly #store: SharedStore
  readonly #holder: LeaseHolder
  readonly #timing: LeaseTiming
  readonly #term: number
  #trustedUntil = 0
  /** Why the last renewal failed; undefined if it did not. */
  #renewalError: unknown
  /** The log says that the lease is not trusted. */
  #distrustLogged = false
  #next: NodeJS.Timeout | undefined
  #over = false

  constructor(store: SharedStore, holder: LeaseHolder, term: number, startedAt: number) {
    this.#store = store
    this.store = new LeasedStore(store, () => this.#check())
    this.#holder = holder
    this.#timing = holder.timing ?? usualTiming
    this.#term = term
    this.#renewed(startedAt)
  }

  get trusted(): boolean {
    return this.#holder.clock.monotonic() < this.#trustedUntil
  }

  async release(): Promise<void> {
    if (this.#over) return
    this.#end()
    const holding = { node: this.#holder.node, term: this.#term }
    await this.#store.transact(releaseServerLease, holding, turn).catch(() => {})
  }

  #check(): void {
    if (this.trusted) return
    const full = this.#renewalError instanceof StoreUnavailable && this.#renewalError.full
    throw new StoreUnavailable('the lease on the database is uncertain', { cause: this.#renewalError, full })
  }

  /**
   * Counts the lease from the moment before it was asked for, because the holder cannot know when exactly the database dated
   * it.
   */
  #renewed(startedAt: number): void {
    this.#trustedUntil = startedAt + this.#timing.trusted
    this.#renewalError = undefined
    this.#renewIn(this.#timing.heartbeat)
  }

  #renewIn(delay: number): void {
    this.#next = setTimeout(() => this.#renew(), delay)
  }

  /** A renewal whose result is not known is one that failed. It is tried until it succeeds or another server has taken over. */
  async #renew(): Promise<void> {
    this.#notify()
    const startedAt = this.#holder.clock.monotonic()
    const order = { node: this.#holder.node, term: this.#term, timeToLive: this.#timing.timeToLive }
    try {
      await this.#store.transact(renewServerLease, order, turn)
      if (!this.#over) this.#renewed(startedAt)
    } catch (error) {
      if (!this.#over) this.#failed(error)
    }
    if (!this.#over) this.#notify()
  }

  #failed(error: unknown): void {
    if (error instanceof LeaseTaken) {
      this.#end()
      this.#holder.onTaken()
    } else {
      this.#renewalError = error
      this.#renewIn(this.#timing.heartbeat / 10)
    }
  }

  /** Says in the log when trust ends and when it is back. */
  #notify(): void {
    const { trusted } = this
    if (trusted !== this.#distrustLogged) return
    this.#distrustLogged = !trusted
    const { log } = this.#holder
    if (trusted) log.warn('the lease on the database is renewed; resuming')
    else
      log.error(
        { err: this.#renewalError },
        'the lease on the database could not be renewed in time; nothing is accepted or sent until it is',
      )
  }

  #end(): void {
    this.#over = true
    this.#trustedUntil = 0
    clearTimeout(this.#next)
  }
}
