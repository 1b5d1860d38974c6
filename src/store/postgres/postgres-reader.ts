import type pg from 'pg'
import { asError, type CallResult } from '../commit.ts'
import type { FunctionsByName } from '../store.ts'
import type { NamedCall } from '../thread/store-worker.ts'
import { beginRead, connect, openPool } from './postgres-connection.ts'
import { refuseUnsafe } from './postgres-open.ts'
import { PostgresWork } from './postgres-work.ts'

/** Performs the reads of a store on a PostgreSQL database, each on a connection of its own. */
export class PostgresReader {
  readonly #functions: FunctionsByName
  readonly #pool: pg.Pool
  readonly #work = new PostgresWork()

  constructor(url: string, functions: FunctionsByName, connections: number) {
    this.#functions = functions
    this.#pool = openPool(url, { max: connections, check: refuseUnsafe })
  }

  /** Performs a read; never rejects. */
  async read({ name, args }: NamedCall): Promise<CallResult> {
    const begun = performance.now()
    const cost = () => performance.now() - begun
    return this.#work
      .again(() => this.#readOnce(name, args))
      .then(
        (value) => ({ value, announced: [], cost: cost() }),
        (error) => ({ error: asError(error), cost: cost() }),
      )
  }

  end(): Promise<void> {
    return this.#pool.end()
  }

  /**
   * Neither BEGIN nor COMMIT is waited for, so that a read of one statement takes one round trip: they are sent before
   * and after it on the same connection. Nothing depends on their answers; a connection that broke fails the statement.
   */
  async #readOnce(name: string, args: unknown): Promise<unknown> {
    const { run } = this.#functions.read(name)
    const client = await connect(this.#pool)
    const connection = this.#work.connection(client, beginRead)
    try {
      connection.begin()
      return await this.#work.session(connection).perform(run, args)
    } catch (error) {
      throw asError(error)
    } finally {
      if (!connection.broken) connection.word('COMMIT').catch(() => {})
      client.release(connection.broken)
    }
  }
}
