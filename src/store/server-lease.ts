import type { Clock } from '../runtime/clock.ts'
import { statement } from './statement.ts'
import { type Reader, type Store, type StoreFunctions, transaction } from './store.ts'

/** Held by the one server of a database for as long as it can renew it. */
export interface ServerLease {
  /** Gives the database to whoever asks next. Never rejects: what cannot be given back expires by itself. */
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

const leaseName = 'server_lease'

/** `expires_at` is by the database's clock, which is the same for every server. */
interface LeaseRow {
  readonly node: string
  readonly expires_at: number
}

type Taking = { readonly taken: true } | { readonly taken: false; readonly by: string; readonly left: number }

const keptLease = statement<{ name: string }>()((sql, argument) =>
  sql.selectFrom('service').select('value').where('name', '=', argument('name')),
)

async function currentLease(reader: Reader): Promise<{ lease: LeaseRow | undefined; now: number }> {
  const row = await reader.first(keptLease, { name: leaseName })
  const time = await reader.first(reader.sql.selectNoFrom(reader.dialect.now.as('now')))
  return { lease: row && (JSON.parse(row.value) as LeaseRow), now: Number(time?.now) }
}

/**
 * Takes or renews the lease for a node. A node that holds it already gets it again at once: whoever has the node's name has
 * its data folder, whose lock says that the node's last server is gone.
 */
export const takeServerLease = transaction(
  'take-server-lease',
  async (tx, { node, timeToLive }: { node: string; timeToLive: number }): Promise<Taking> => {
    const { lease, now } = await currentLease(tx)
    if (lease && lease.node !== node && lease.expires_at > now)
      return { taken: false, by: lease.node, left: lease.expires_at - now }
    const value = JSON.stringify({ node, expires_at: now + timeToLive } satisfies LeaseRow)
    await tx.run(
      tx.sql
        .insertInto('service')
        .values({ name: leaseName, value })
        .onConflict((conflict) => conflict.column('name').doUpdateSet({ value })),
    )
    return { taken: true }
  },
)

export const releaseServerLease = transaction(
  'release-server-lease',
  async (tx, { node }: { node: string }) => {
    const { lease } = await currentLease(tx)
    if (lease?.node === node) await tx.run(tx.sql.deleteFrom('service').where('name', '=', leaseName))
  },
)

/** What a store must serve for leases to be held in it. */
export const leaseFunctions: StoreFunctions = {
  reads: [],
  transactions: [takeServerLease, releaseServerLease] as StoreFunctions['transactions'],
}

interface LeaseHolder {
  readonly node: string
  readonly clock: Clock
  /** Called once when the lease could not be renewed in time, or another node has it: this server must stop at once. */
  readonly onLost: () => void
  readonly timing?: LeaseTiming
}

/** Takes the database for this server and renews the lease until it is released. Throws `DatabaseInUse`. */
export async function holdLease(store: Store, holder: LeaseHolder): Promise<ServerLease> {
  const { timeToLive } = holder.timing ?? usualTiming
  const startedAt = holder.clock.monotonic()
  const taking = await store.transact(takeServerLease, { node: holder.node, timeToLive })
  if (!taking.taken) {
    throw new DatabaseInUse(
      `another Posthorn server (${taking.by}) is running on this database; stop it first, or wait ${Math.ceil(taking.left / 1000)} s if it is gone for good`,
    )
  }
  return new HeldLease(store, holder, startedAt)
}

class HeldLease implements ServerLease {
  readonly #store: Store
  readonly #holder: LeaseHolder
  readonly #timing: LeaseTiming
  readonly #heartbeat: NodeJS.Timeout
  #expiry: NodeJS.Timeout | undefined
  #retry: NodeJS.Timeout | undefined
  #over = false

  constructor(store: Store, holder: LeaseHolder, startedAt: number) {
    this.#store = store
    this.#holder = holder
    this.#timing = holder.timing ?? usualTiming
    this.#heartbeat = setInterval(() => this.#renew(), this.#timing.heartbeat)
    this.#trust(startedAt)
  }

  async release(): Promise<void> {
    if (this.#over) return
    this.#end()
    await this.#store.transact(releaseServerLease, { node: this.#holder.node }).catch(() => {})
  }

  /** The lease counts from before it was asked for, because nobody knows when in between the database dated it. */
  #trust(attemptStartedAt: number): void {
    clearTimeout(this.#expiry)
    const left = attemptStartedAt + this.#timing.trusted - this.#holder.clock.monotonic()
    this.#expiry = setTimeout(() => this.#lose(), left)
  }

  /** A renewal whose result is not known is a renewal that failed. */
  async #renew(): Promise<void> {
    const startedAt = this.#holder.clock.monotonic()
    const { node } = this.#holder
    const taking = await this.#store
      .transact(takeServerLease, { node, timeToLive: this.#timing.timeToLive })
      .catch(() => undefined)
    if (this.#over) return
    if (!taking) {
      // One heartbeat that falls into an outage must not cost the lease.
      clearTimeout(this.#retry)
      this.#retry = setTimeout(() => this.#renew(), this.#timing.heartbeat / 10)
    } else if (taking.taken) this.#trust(startedAt)
    else this.#lose()
  }

  #lose(): void {
    this.#end()
    this.#holder.onLost()
  }

  #end(): void {
    this.#over = true
    clearInterval(this.#heartbeat)
    clearTimeout(this.#expiry)
    clearTimeout(this.#retry)
  }
}
