import type pg from 'pg'
import { type CallResult, commitTogether, type GroupResult, groupResult } from '../commit.ts'
import { type FunctionsByName, functionsByName, type StoreFunctions, type Transaction } from '../store.ts'
import type { GroupOptions, NamedCall } from '../thread/store-worker.ts'
import { beginWrite, connect, openPool, type PostgresConnection } from './postgres-connection.ts'
import { prepareDatabase, refuseUnsafe } from './postgres-open.ts'
import { PostgresWork, postgresDialect } from './postgres-work.ts'

/** The database to write to. */
export interface PostgresTask {
  /** postgres://user:password@host:port/database, as the driver `pg` takes it. */
  readonly url: string
  /** The steps of the schema to go no further than; all without it. */
  readonly schema?: readonly string[] | undefined
}

/** Performs the transactions of a store on a PostgreSQL database, one group at a time. */
export class PostgresWriter {
  readonly #functions: FunctionsByName
  readonly #fence: StoreFunctions['fence']
  /** A pool of one: the only connection that writes, opened again after it broke. */
  readonly #pool: pg.Pool
  readonly #begin: string
  readonly #work = new PostgresWork()
  /** True if the connection broke, and its transaction may not be over. */
  #isUnfinished = false

  private constructor(url: string, functions: StoreFunctions, synchronousCommit: string) {
    this.#functions = functionsByName(functions)
    this.#fence = functions.fence
    this.#pool = openPool(url, { max: 1, check: refuseUnsafe })
    this.#begin = beginWrite(synchronousCommit)
  }

  /**
   * Brings the schema of the database up to date. Rejects if it cannot be reached or migrated, and if commits on that server are
   * not durable.
   */
  static async open({ url, schema }: PostgresTask, functions: StoreFunctions): Promise<PostgresWriter> {
    return new PostgresWriter(url, functions, await prepareDatabase(url, postgresDialect, schema))
  }

  /** Performs a group; never rejects. */
  perform(group: readonly NamedCall[], { term }: GroupOptions): Promise<GroupResult> {
    return groupResult(group.length, () => this.#work.again(() => this.#performOnce(group, term)))
  }

  end(): Promise<void> {
    return this.#pool.end()
  }

  async #performOnce(group: readonly NamedCall[], term: number | undefined): Promise<(CallResult | null)[]> {
    const client = await connect(this.#pool)
    const connection = this.#work.connection(client, this.#begin)
    const calls = group.map(({ name, args }) => ({ transaction: this.#functions.transaction(name), args }))
    const session = this.#work.session(connection)
    try {
      if (this.#isUnfinished) await this.#waitForUnfinished(connection, term)
      return await commitTogether(connection, session, calls, this.#fenceFor(term, false))
    } finally {
      this.#isUnfinished ||= connection.broken
      client.release(connection.broken)
    }
  }

  #fenceFor(term: number | undefined, alone: boolean): ((tx: Transaction) => Promise<void>) | undefined {
    const fence = this.#fence
    return fence && term !== undefined ? (tx) => fence(tx, term, alone) : undefined
  }

  /** Waits in a transaction of its own, because the next one must see what that one has numbered (docs/decisions/0013). */
  async #waitForUnfinished(connection: PostgresConnection, term: number | undefined): Promise<void> {
    const fence = this.#fenceFor(term, true)
    if (fence) await commitTogether(connection, this.#work.session(connection), [], fence)
    this.#isUnfinished = false
  }
}
