import type pg from 'pg'
import { asError, type CallResult } from '../commit.ts'
import type { PendingCall } from '../group.ts'
import { type FunctionsByName, isOrganization } from '../store.ts'
import { roleNames } from './database-roles.ts'
import { beginRead, beginReadOf, connect, inRole, openPool } from './postgres-connection.ts'
import { refuseUnsafe } from './postgres-open.ts'
import { PostgresWork } from './postgres-work.ts'

/** Performs the reads of a store on a PostgreSQL database, each on a connection of its own. */
export class PostgresReader {
  readonly #functions: FunctionsByName
  readonly #pool: pg.Pool
  readonly #work = new PostgresWork()
  /** Known with the first connection. */
  #roles = { callers: '', writers: '' }

  constructor(url: string, functions: FunctionsByName, connections: number) {
    this.#functions = functions
    const check = async (client: pg.ClientBase) => {
      await refuseUnsafe(client)
      this.#roles = await roleNames(client)
    }
    this.#pool = openPool(url, { max: connections, check })
  }

  /** Performs a read; never rejects. */
  async read(call: Pick<PendingCall, 'name' | 'args' | 'party'>): Promise<CallResult> {
    const begun = performance.now()
    const cost = () => performance.now() - begun
    return this.#work
      .again(() => this.#readOnce(call))
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
   * and after it on the same connection. The answer of BEGIN has come before those of the statements; if it failed, they were read with
   * no wall. In the turn of an organization, a read sees that one's rows alone; a part of
   * the server reads in the role in which it writes.
   */
  async #readOnce({ name, args, party }: Pick<PendingCall, 'name' | 'args' | 'party'>): Promise<unknown> {
    const { run } = this.#functions.read(name)
    const client = await connect(this.#pool)
    const isWalled = isOrganization(party)
    const connection = this.#work.connection(
      client,
      isWalled ? beginReadOf(party, this.#roles.callers) : inRole(beginRead, this.#roles.writers),
      isWalled,
    )
    try {
      connection.begin()
      const value = await this.#work.session(connection).perform(run, args)
      await connection.begun()
      return value
    } catch (error) {
      // Behind a BEGIN that failed, every statement fails, and says only that.
      await connection.begun()
      throw asError(error)
    } finally {
      if (!connection.broken) connection.word('COMMIT').catch(() => {})
      client.release(connection.broken)
    }
  }
}
