import { setTimeout as wait } from 'node:timers/promises'
import { sql as raw } from 'kysely'
import type pg from 'pg'
import { type Answer, announcedBy, asError, commitTogether, committed, groupBudget } from '../commit.ts'
import { Grouping, type PendingCall } from '../group.ts'
import { Session } from '../session.ts'
import { Statements } from '../statement.ts'
import {
  type Dialect,
  type FunctionsByName,
  functionsByName,
  type OnCommit,
  type ReadFunction,
  readBudget,
  type SharedStore,
  type StoreFunctions,
  StoreUnavailable,
  serverTurn,
  type TransactionFunction,
  type Turn,
  type WaitingCalls,
} from '../store.ts'
import {
  beginRead,
  beginWrite,
  connect,
  connectWithin,
  openPool,
  PostgresConnection,
  postgresSql,
} from './postgres-connection.ts'
import { Undone } from './postgres-fault.ts'
import { prepareDatabase, refuseUnsafe } from './postgres-open.ts'
import { compileAsOne } from './postgres-set.ts'

export const postgresDialect: Dialect = {
  name: 'postgres',
  sequence: 'bigserial',
  bytes: 'bytea',
  // Not now(), which stands still from the beginning of a transaction.
  now: raw<number>`cast(extract(epoch from clock_timestamp()) * 1000 as bigint)`,
}

type Read = ReadFunction<unknown, unknown>
type Transact = TransactionFunction<unknown, unknown>

interface PostgresStoreOptions {
  /** postgres://user:password@host:port/database, as the driver `pg` takes it. */
  readonly url: string
  readonly functions: StoreFunctions
  /** The steps of the schema to go no further than; all without it. */
  readonly schema?: readonly string[] | undefined
  /** How many reads may be under way at once, each on a connection. */
  readonly readers?: number
  /** How many reads of one party may be under way at once. */
  readonly readsPerParty?: number | undefined
}

/**
 * Opens the shared store: a PostgreSQL database. Rejects if it cannot be reached or migrated, and if commits on that server
 * are not durable. Once open, it needs no attention: calls reject with `StoreUnavailable` while the database is away, and
 * succeed when it is back.
 */
export async function openPostgresStore(options: PostgresStoreOptions): Promise<SharedStore> {
  const synchronousCommit = await prepareDatabase(options.url, postgresDialect, options.schema)
  return new PostgresStore(options, synchronousCommit)
}

/** How often a group is tried if other transactions get in its way: for about half a second in all. */
const attempts = 10

class PostgresStore implements SharedStore {
  readonly dialect = 'postgres'
  onCommit?: OnCommit
  fence?: NonNullable<SharedStore['fence']>
  readonly #functions: FunctionsByName
  readonly #statements = new Statements(postgresSql, compileAsOne)
  readonly #readers: pg.Pool
  /** A pool of one: the writes' only connection, opened again after it broke. */
  readonly #writer: pg.Pool
  readonly #beginWrite: string
  readonly #writing: Grouping
  readonly #reading: Grouping
  #prepare = true
  /** The connection of a write broke, and nobody knows whether its transaction is over. */
  #isUnfinished = false
  #closed: Promise<void> | undefined

  constructor(
    { url, functions, readers = 6, readsPerParty }: PostgresStoreOptions,
    synchronousCommit: string,
  ) {
    this.#functions = functionsByName(functions)
    this.#readers = openPool(url, { max: readers, pipeline: true, check: refuseUnsafe })
    this.#writer = openPool(url, { max: 1, pipeline: false, check: refuseUnsafe })
    this.#beginWrite = beginWrite(synchronousCommit)
    this.#writing = new Grouping((group) => this.#write(group), { budget: groupBudget, largest: 512 })
    this.#reading = new Grouping((group) => this.#read(group), {
      budget: readBudget,
      largest: 1,
      performers: readers,
      longestWait: connectWithin,
      limitPerParty: readsPerParty ?? Number.POSITIVE_INFINITY,
    })
  }

  read<A, R>({ name }: { readonly name: string }, args: A, turn: Turn = serverTurn): Promise<R> {
    if (!this.#functions.reads.has(name)) return Promise.reject(unknownFunction(name))
    return this.#reading.call<R>({ name, args, weight: 1 }, turn)
  }

  transact<A, R>({ name }: { readonly name: string }, args: A, { party }: Turn = serverTurn): Promise<R> {
    const transaction = this.#functions.transactions.get(name)
    if (!transaction) return Promise.reject(unknownFunction(name))
    // What somebody sent is done, even if they have gone.
    return this.#writing.call<R>({ name, args, weight: transaction.weigh?.(args) ?? 1 }, { party })
  }

  waiting(): WaitingCalls {
    return { read: this.#reading.waiting, transaction: this.#writing.waiting }
  }

  close(): Promise<void> {
    this.#closed ??= this.#close()
    return this.#closed
  }

  async #close(): Promise<void> {
    const closed = new StoreUnavailable('the store is closed')
    await Promise.all([this.#writing.close(closed), this.#reading.close(closed)])
    await Promise.all([this.#readers.end(), this.#writer.end()])
  }

  /** Each read has a connection of its own. */
  #read(group: readonly PendingCall[]): Promise<Answer[]> {
    const perform = async ({ name, args }: PendingCall): Promise<Answer> => {
      const asked = this.#functions.reads.get(name) as Read
      const begun = performance.now()
      const cost = () => performance.now() - begun
      return this.#again(() => this.#readOnce(asked, args)).then(
        (value) => ({ value, announced: [], cost: cost() }),
        (error) => ({ error: asError(error), cost: cost() }),
      )
    }
    return Promise.all(group.map(perform))
  }

  /**
   * Neither BEGIN nor COMMIT is waited for, so that a read of one statement takes one round trip: they are sent before
   * and after it on the same connection. Nothing depends on their answers; a connection that broke fails the statement.
   */
  async #readOnce({ run }: Read, args: unknown): Promise<unknown> {
    const client = await connect(this.#readers)
    const connection = new PostgresConnection(client, beginRead, this.#prepare)
    try {
      connection.begin().catch(() => {})
      return await this.#session(connection).perform(run, args)
    } catch (error) {
      throw asError(error)
    } finally {
      if (!connection.broken) connection.word('COMMIT').catch(() => {})
      client.release(connection.broken)
    }
  }

  /** Performs a group of transactions. If the database is away, the transactions that wait for this group fail at once. */
  async #write(group: readonly PendingCall[]): Promise<(Answer | null)[]> {
    try {
      const answers = await this.#again(() => this.#writeOnce(group))
      const count = committed(answers)
      if (count > 0) this.onCommit?.(count, announcedBy(answers))
      return answers
    } catch (error) {
      this.#writing.abandon(asError(error))
      throw asError(error)
    }
  }

  async #writeOnce(group: readonly PendingCall[]) {
    const client = await connect(this.#writer)
    const connection = new PostgresConnection(client, this.#beginWrite, this.#prepare)
    const calls = group.map(({ name, args }) => ({
      transaction: this.#functions.transactions.get(name) as Transact,
      args,
    }))
    try {
      if (this.#isUnfinished) await this.#waitForUnfinished(connection)
      return await commitTogether(connection, this.#session(connection), calls, this.fence)
    } finally {
      this.#isUnfinished ||= connection.broken
      client.release(connection.broken)
    }
  }

  /** Waits in a transaction of its own, because the next one must see what that one has numbered (docs/decisions/0013). */
  async #waitForUnfinished(connection: PostgresConnection): Promise<void> {
    const { fence } = this
    if (fence) await commitTogether(connection, this.#session(connection), [], (tx) => fence(tx, true))
    this.#isUnfinished = false
  }

  #session(connection: PostgresConnection): Session {
    return new Session(postgresSql, postgresDialect, connection, this.#statements)
  }

  /** Does again what PostgreSQL undid for a reason that passes, a few times and with growing pauses. */
  async #again<R>(work: () => Promise<R>, attempt = 1): Promise<R> {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof Undone) || attempt === attempts) throw error
      if (error.preparedStatementsLost) this.#prepare = false
      await wait(Math.random() * 20 * attempt)
      return this.#again(work, attempt + 1)
    }
  }
}

function unknownFunction(name: string): Error {
  return new Error(`the store has no function ${name}`)
}
