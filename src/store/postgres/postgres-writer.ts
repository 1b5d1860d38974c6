import type pg from 'pg'
import { type CallResult, commitTogether, type GroupResult, groupResult } from '../commit.ts'
import {
  type FunctionsByName,
  functionsByName,
  type StoreFunctions,
  sentTogether,
  type Transaction,
} from '../store.ts'
import type { GroupOptions, NamedCall } from '../thread/store-worker.ts'
import { lockTouched } from './group-locks.ts'
import { beginWrite, connect, inRole, openPool } from './postgres-connection.ts'
import { type PreparedDatabase, prepareDatabase, refuseUnsafe } from './postgres-open.ts'
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

  private constructor(
    url: string,
    functions: StoreFunctions,
    { synchronousCommit, writers }: PreparedDatabase,
  ) {
    this.#functions = functionsByName(functions)
    this.#fence = functions.fence
    this.#pool = openPool(url, { max: 1, check: refuseUnsafe })
    this.#begin = inRole(beginWrite(synchronousCommit), writers)
  }

  /**
   * Brings the schema of the database up to date. Rejects if it cannot be reached or migrated, and if commits on that server are
   * not durable.
   */
  static async open({ url, schema }: PostgresTask, functions: StoreFunctions): Promise<PostgresWriter> {
    return new PostgresWriter(url, functions, await prepareDatabase(url, postgresDialect, schema))
  }

  /** Performs a group; never rejects. */
  perform(group: readonly NamedCall[], options: GroupOptions): Promise<GroupResult> {
    return groupResult(group.length, () => this.#work.again(() => this.#performOnce(group, options)))
  }

  end(): Promise<void> {
    return this.#pool.end()
  }

  async #performOnce(
    group: readonly NamedCall[],
    { node, touched = 'all' }: GroupOptions,
  ): Promise<(CallResult | null)[]> {
    const client = await connect(this.#pool)
    const connection = this.#work.connection(client, this.#begin)
    const calls = group.map(({ name, args }) => ({ transaction: this.#functions.transaction(name), args }))
    const fence = this.#fence
    const opening = async (tx: Transaction) => {
      const stillOurs = node && fence?.(tx, node)
      // First the reason why nothing could be begun: behind that every statement fails, and says only that.
      await sentTogether([
        connection.begun(),
        stillOurs ?? Promise.resolve(),
        lockTouched(connection, touched),
      ])
    }
    try {
      return await commitTogether(connection, this.#work.session(connection), calls, opening)
    } finally {
      client.release(connection.broken)
    }
  }
}
