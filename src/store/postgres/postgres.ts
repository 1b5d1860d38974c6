import { setTimeout as wait } from 'node:timers/promises'
import { sql as raw } from 'kysely'
import type pg from 'pg'
import { announcedBy, asError, commitTogether, committed } from '../commit.ts'
import { Grouping, type PendingCall } from '../group.ts'
import { Session } from '../session.ts'
import { Statements } from '../statement.ts'
import {
  type Dialect,
  type FunctionsByName,
  functionsByName,
  type OnCommit,
  type ReadFunction,
  type SharedStore,
  type StoreFunctions,
  StoreUnavailable,
  type TransactionFunction,
} from '../store.ts'
import {
  beginRead,
  beginWrite,
  connect,
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
  readonly #grouping = new Grouping((group) => this.#perform(group))
  readonly #reading = new Set<Promise<unknown>>()
  #prepare = true
  /** The connection of a write broke, and nobody knows whether its transaction is over. */
  #isUnfinished = false
  #closed: Promise<void> | undefined

  constructor({ url, functions, readers = 4 }: PostgresStoreOptions, synchronousCommit: string) {
    this.#functions = functionsByName(functions)
    this.#readers = openPool(url, { max: readers, pipeline: true, check: refuseUnsafe })
    this.#writer = openPool(url, { max: 1, pipeline: false, check: refuseUnsafe })
    this.#beginWrite = beginWrite(synchronousCommit)
  }

  async read<A, R>(query: { readonly name: string }, args: A): Promise<R> {
    if (this.#closed) throw new StoreUnavailable('the store is closed')
    const asked = this.#functions.reads.get(query.name)
    if (!asked) throw new Error(`the store has no function ${query.name}`)
    const reading = this.#again(() => this.#readOnce(asked, args))
    this.#reading.add(reading)
    try {
      return (await reading) as R
    } finally {
      this.#reading.delete(reading)
    }
  }

  transact<A, R>(transaction: { readonly name: string }, args: A): Promise<R> {
    if (!this.#functions.transactions.has(transaction.name))
      return Promise.reject(new Error(`the store has no function ${transaction.name}`))
    return this.#grouping.call<R>(transaction.name, args)
  }

  close(): Promise<void> {
    this.#closed ??= this.#close()
    return this.#closed
  }

  async #close(): Promise<void> {
    await this.#grouping.close(new StoreUnavailable('the store is closed'))
    await Promise.allSettled(this.#reading)
    await Promise.all([this.#readers.end(), this.#writer.end()])
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
  async #perform(group: PendingCall[]): Promise<void> {
    try {
      const answers = await this.#again(() => this.#writeOnce(group))
      const count = committed(answers)
      if (count > 0) this.onCommit?.(count, announcedBy(answers))
      for (const [index, call] of group.entries()) {
        const answer = answers[index] as (typeof answers)[number]
        if ('error' in answer) call.reject(answer.error)
        else call.resolve(answer.value)
      }
    } catch (error) {
      for (const call of group) call.reject(asError(error))
      this.#grouping.abandon(asError(error))
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
