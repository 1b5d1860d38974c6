import { DummyDriver, Kysely, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler } from 'kysely'
import pg from 'pg'
import type { Boundary } from '../commit.ts'
import type { Schema } from '../schema.ts'
import type { Executor } from '../session.ts'
import { StoreUnavailable } from '../store.ts'
import { classified, Undone } from './postgres-fault.ts'

/**
 * Milliseconds that a connection may take to open, and a statement to be answered, before the database counts as
 * unreachable.
 */
export const connectWithin = 2_000
export const answerWithin = 3_000

export const postgresSql = new Kysely<Schema>({
  dialect: {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  },
})

const int8 = 20
const numeric = 1700
const bytea = 17
const bool = 16

/** Values as SQLite gives them: numbers that are exact or refused, bytes as such, flags as 0 and 1. */
const parsers = new Map<number, (text: string) => unknown>([
  [int8, exactNumber],
  [numeric, Number],
  [bytea, (text) => new Uint8Array(Buffer.from(text.slice(2), 'hex'))],
  [bool, (text) => (text === 't' ? 1 : 0)],
])

function exactNumber(text: string): number {
  const value = Number(text)
  if (!Number.isSafeInteger(value))
    throw new RangeError(`the value ${text} is too large to be represented as a number`)
  return value
}

const types: pg.CustomTypesConfig = {
  getTypeParser: (oid, format) => parsers.get(oid) ?? pg.types.getTypeParser(oid, format),
}

/** Returns the settings of every connection. The keepalive finds peers that vanished while nothing was asked. */
export function connectionSettings(url: string): pg.ClientConfig {
  return {
    connectionString: url,
    fallback_application_name: 'posthorn',
    connectionTimeoutMillis: connectWithin,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    types,
  }
}

/**
 * Opens connections as they are needed and replaces those that broke. `check` is asked about each new one. Statements may be sent
 * before the ones ahead of them were answered.
 */
export function openPool(
  url: string,
  options: { max: number; check: (client: pg.ClientBase) => Promise<unknown> },
): pg.Pool {
  const pool = new pg.Pool({
    ...connectionSettings(url),
    query_timeout: answerWithin,
    idleTimeoutMillis: 60_000,
    max: options.max,
    pipeline: true,
    onConnect: (client) => options.check(client) as unknown as undefined,
  })
  // A connection that breaks is noticed by the statement that waits on it; without listeners it would end the process.
  pool.on('error', () => {})
  pool.on('connect', (client) => client.on('error', () => {}))
  return pool
}

/** Resolves with a connection of the pool. If there is none, for any reason, the store is unavailable. */
export async function connect(pool: pg.Pool): Promise<pg.PoolClient> {
  try {
    return await pool.connect()
  } catch (error) {
    const { message } = classified(error)
    throw new StoreUnavailable(message, { cause: error })
  }
}

/*
 * The limits are set in each transaction and not when connecting, because a pooler in transaction mode (PgBouncer) refuses
 * them there, or gives the transaction a connection on which they were never set. They travel with BEGIN in one message.
 *
 * A plan that was made and kept while a table was small reads all of it, and still does when the table has grown to a
 * backlog. So a table is read as a whole only if no index leads to the rows; compiling such a plan (jit) would take longer
 * than it lasts.
 */
const limits = [
  'SET LOCAL statement_timeout = 5000',
  'SET LOCAL lock_timeout = 2500',
  // Less than others wait for its locks: a node that is frozen in a transaction fails none of theirs.
  'SET LOCAL idle_in_transaction_session_timeout = 1500',
  'SET LOCAL enable_seqscan = off',
  'SET LOCAL jit = off',
].join('; ')

/** A read sees one moment, however many statements it has. */
export const beginRead = `BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; ${limits}`

/**
 * The same in the turn of an organization: as the role of callers, which owns no table, so that PostgreSQL lets it see the rows of that
 * organization and no others, also if the read asks for others. What an index has in order is not sorted: a wall costs something for each
 * row, and a list needs few.
 */
export const beginReadOf = (organization: string, role: string): string =>
  inRole(
    [
      beginRead,
      'SET LOCAL enable_sort = off',
      `SET LOCAL posthorn.organization = ${pg.escapeLiteral(organization)}`,
    ].join('; '),
    role,
  )

/**
 * Read committed: a group waits for what others change until it has locked what it touches, and then every statement has to see
 * that. `synchronous_commit` is repeated here so that no later setting takes it back.
 */
export const beginWrite = (synchronousCommit: string): string =>
  `BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE; ${limits}; SET LOCAL synchronous_commit = ${synchronousCommit}`

/** The same beginning in another role than that of the user, who owns the tables. */
export const inRole = (begin: string, role: string): string =>
  `${begin}; SET LOCAL ROLE ${pg.escapeIdentifier(role)}`

/** The code of a notice that is no warning. */
const successful = '00000'

/** One connection, for the length of a transaction. */
export class PostgresConnection implements Executor, Boundary {
  readonly #client: pg.ClientBase
  readonly #begin: string
  readonly #prepare: boolean
  readonly #isWalled: boolean
  #begun: Promise<void> | undefined
  #hasWritten = false
  #broken = false

  /** `isWalled` if `begin` takes the role of callers. */
  constructor(client: pg.ClientBase, begin: string, prepare: boolean, isWalled = false) {
    this.#client = client
    this.#begin = begin
    this.#prepare = prepare
    this.#isWalled = isWalled
  }

  /** True if it must not be used again. */
  get broken(): boolean {
    return this.#broken
  }

  async all(sql: string, parameters: readonly unknown[], name?: string): Promise<unknown[]> {
    return (await this.#ask(sql, parameters, name)).rows
  }

  async run(sql: string, parameters: readonly unknown[], name?: string): Promise<number> {
    return (await this.#ask(sql, parameters, name)).rowCount ?? 0
  }

  async word(text: string): Promise<void> {
    await this.#ask(text, [])
  }

  /**
   * It is not waited for here: what only reads is sent behind it; the first statement that writes waits until it was answered, and
   * so does all that is asked after that.
   */
  begin(): void {
    this.#hasWritten = false
    this.#begun = this.#send(this.#begin, []).then(() => {})
    // It may be in a transaction that failed, or in none.
    this.#begun.catch(() => {
      this.#broken = true
    })
  }

  /**
   * Resolves when BEGIN was answered; rejects with `StoreUnavailable` if it failed, so that what came behind it was read in no transaction:
   * another try on this connection would fail, too.
   */
  async begun(): Promise<void> {
    try {
      await this.#begun
    } catch (error) {
      throw error instanceof StoreUnavailable
        ? error
        : new StoreUnavailable((error as Error).message, { cause: error })
    }
  }

  /**
   * Commits the transaction. If the connection is lost here, it is not known whether the commit took place: the error says
   * no more than that. A warning here says that PostgreSQL did not wait for the standby servers that were to confirm it.
   */
  async commit(): Promise<void> {
    let warning: string | undefined
    const hear = (notice: { code?: string | undefined; message?: string | undefined }) => {
      if (notice.code !== successful) warning = notice.message
    }
    this.#client.on('notice', hear)
    try {
      const { command } = await this.#ask('COMMIT', [])
      if (command !== 'COMMIT') throw new StoreUnavailable(`PostgreSQL answered COMMIT with ${command}`)
      if (warning) throw new StoreUnavailable(`PostgreSQL: ${warning}`)
    } finally {
      this.#client.off('notice', hear)
    }
  }

  /** Nothing is sent on a broken connection, since its caller would wait once more; closing it undoes everything. */
  async rollback(): Promise<void> {
    if (!this.#broken) await this.word('ROLLBACK').catch(() => {})
  }

  /** Outside of its transaction, a statement that writes would be committed at once. */
  async #ask(text: string, values: readonly unknown[], name?: string): Promise<pg.QueryResult> {
    if (!text.startsWith('select')) this.#hasWritten = true
    if (this.#hasWritten) await this.#begun
    return this.#send(text, values, name)
  }

  async #send(text: string, values: readonly unknown[], name?: string): Promise<pg.QueryResult> {
    try {
      return await this.#client.query({
        text,
        values: values as unknown[],
        // The plan of a role has its walls in it, and PostgreSQL would make it anew for each change of the role.
        ...(name && this.#prepare ? { name: this.#isWalled ? `${name}_walled` : name } : {}),
      })
    } catch (error) {
      const meaning = classified(error)
      if (meaning instanceof StoreUnavailable && !(meaning instanceof Undone)) this.#broken = true
      throw meaning
    }
  }
}
