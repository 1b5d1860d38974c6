import type { Compilable, SetStatement, Sql, Statement } from './statement.ts'
import { Statements } from './statement.ts'
import { type Dialect, sentTogether, type Transaction } from './store.ts'

/** Executes SQL: one database connection, behind the interface of its library. */
export interface Executor {
  /** `name` is given if the statement is worth preparing, and is the same only for the same text. */
  all(sql: string, parameters: readonly unknown[], name?: string): unknown[] | Promise<unknown[]>
  /** Returns how many rows changed. */
  run(sql: string, parameters: readonly unknown[], name?: string): number | Promise<number>
}

/** The result of a call: what it returned, and what to announce once it is committed. */
export interface Performed {
  readonly value: unknown
  readonly announced: readonly string[]
}

interface Ready {
  readonly sql: string
  readonly parameters: readonly unknown[]
  readonly name?: string
}

/** Reads and writes over one connection. One session performs one function at a time. */
export class StoreSession implements Transaction {
  readonly sql: Sql
  readonly dialect: Dialect
  readonly #executor: Executor
  readonly #statements: Statements
  #failure: unknown
  #announced: string[] = []
  #sent: Promise<unknown>[] = []

  constructor(sql: Sql, dialect: Dialect, executor: Executor, statements: Statements = new Statements(sql)) {
    this.sql = sql
    this.dialect = dialect
    this.#executor = executor
    this.#statements = statements
  }

  /**
   * Performs a function. If one of its statements failed, the function failed, even if it caught the error: PostgreSQL
   * commits nothing of such a transaction, and both databases must behave alike.
   */
  async perform<A, R>(run: (context: Transaction, args: A) => Promise<R>, args: A): Promise<R> {
    this.#failure = undefined
    this.#announced = []
    const value = await run(this, args).catch((error) => {
      // Statements that were sent together fail for the first of them.
      throw this.#failure ?? error
    })
    if (this.#failure) throw this.#failure
    return value
  }

  /** The same, and returns what the function announced, which counts only if the function is committed. */
  async transact<A, R>(run: (context: Transaction, args: A) => Promise<R>, args: A): Promise<Performed> {
    const value = await this.perform(run, args)
    return { value, announced: this.#announced }
  }

  async all<Row>(query: Compilable<Row> | Statement<never, Row>, args?: unknown): Promise<Row[]> {
    const { sql, parameters, name } = this.#ready(query, args)
    try {
      return (await this.#executor.all(sql, parameters, name)) as Row[]
    } catch (error) {
      throw this.#failed(error)
    }
  }

  async first<Row>(query: Compilable<Row> | Statement<never, Row>, args?: unknown): Promise<Row | undefined> {
    return (await this.all(query as Compilable<Row>, args as never))[0]
  }

  async run(query: Compilable<unknown> | Statement<never, unknown>, args?: unknown): Promise<number> {
    const { sql, parameters, name } = this.#ready(query, args)
    try {
      return await this.#executor.run(sql, parameters, name)
    } catch (error) {
      throw this.#failed(error)
    }
  }

  async allForEach<A, Row>(statement: SetStatement<A, Row>, rows: readonly A[]): Promise<Row[]> {
    const found: Row[] = []
    try {
      for (const { sql, parameters, name } of this.#executionsOf(statement, rows)) {
        const rows = this.#executor.all(sql, parameters, name)
        for (const row of rows instanceof Promise ? await rows : rows) found.push(row as Row)
      }
    } catch (error) {
      throw this.#failed(error)
    }
    return found
  }

  /** Without a pause on SQLite, so that what `sendForEach` sends is executed before anything else. */
  async runForEach<A>(statement: SetStatement<A, unknown>, rows: readonly A[]): Promise<number> {
    let changed = 0
    try {
      for (const { sql, parameters, name } of this.#executionsOf(statement, rows)) {
        const count = this.#executor.run(sql, parameters, name)
        changed += count instanceof Promise ? await count : count
      }
    } catch (error) {
      throw this.#failed(error)
    }
    return changed
  }

  sendForEach<A>(statement: SetStatement<A, unknown>, rows: readonly A[]): void {
    const sent = this.runForEach(statement, rows)
    sent.catch(() => {})
    this.#sent.push(sent)
  }

  /** Waits for what was sent and not waited for; rejects if any of it failed. */
  async sentArrived(): Promise<void> {
    await sentTogether(this.#sent.splice(0))
  }

  #executionsOf<A>(statement: SetStatement<A, unknown>, rows: readonly A[]): Ready[] {
    if (rows.length === 0) return []
    const { sql, name, executions } = this.#statements.prepareSet(statement)
    return executions(rows as readonly Readonly<Record<string, unknown>>[]).map((parameters) => ({
      sql,
      name,
      parameters,
    }))
  }

  announce(topic: string): void {
    this.#announced.push(topic)
  }

  #failed(error: unknown): unknown {
    this.#failure ??= error
    return error
  }

  #ready(query: Compilable<unknown> | Statement<never, unknown>, args: unknown): Ready {
    if ('compile' in query) return query.compile()
    const { sql, name, parameters } = this.#statements.prepare(query)
    return { sql, name, parameters: parameters(args as Readonly<Record<string, unknown>>) }
  }
}
