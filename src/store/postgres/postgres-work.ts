import { setTimeout as wait } from 'node:timers/promises'
import { sql as raw } from 'kysely'
import type pg from 'pg'
import { StoreSession } from '../session.ts'
import { Statements } from '../statement.ts'
import type { Dialect } from '../store.ts'
import { PostgresConnection, postgresSql } from './postgres-connection.ts'
import { Undone } from './postgres-fault.ts'
import { compileAsOne } from './postgres-set.ts'

export const postgresDialect: Dialect = {
  name: 'postgres',
  sequence: 'bigserial',
  bytes: 'bytea',
  // Not now(), which stands still from the beginning of a transaction.
  now: raw<number>`cast(extract(epoch from clock_timestamp()) * 1000 as bigint)`,
}

/** Number of times that work is tried if other transactions get in its way: for about half a second in all. */
const attempts = 10

/** The common part of reads and transactions: prepares statements, and does again what PostgreSQL undid. */
export class PostgresWork {
  readonly #statements = new Statements(postgresSql, compileAsOne)
  #prepare = true

  connection(client: pg.ClientBase, begin: string, isWalled = false): PostgresConnection {
    return new PostgresConnection(client, begin, this.#prepare, isWalled)
  }

  session(connection: PostgresConnection): StoreSession {
    return new StoreSession(postgresSql, postgresDialect, connection, this.#statements)
  }

  /** Does work, and does again what PostgreSQL undid for a reason that passes, a few times and with growing pauses. */
  async again<R>(work: () => Promise<R>, attempt = 1): Promise<R> {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof Undone) || attempt === attempts) throw error
      if (error.preparedStatementsLost) this.#prepare = false
      await wait(Math.random() * 20 * attempt)
      return this.again(work, attempt + 1)
    }
  }
}
