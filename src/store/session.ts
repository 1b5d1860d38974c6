import type { Compilable, Sql, Statement } from './statement.ts'
import { Statements } from './statement.ts'
import type { Dialect, Transaction } from './store.ts'

/** What executes SQL: one database connection, in whatever way its library wants it. */
export interface Executor {
  all(sql: string, parameters: readonly unknown[]): unknown[] | Promise<unknown[]>
  /** Returns how many rows changed. */
  run(sql: string, parameters: readonly unknown[]): number | Promise<number>
}

/** Reads and writes over one connection. One session serves one group of transactions at a time. */
export class Session implements Transaction {
  readonly sql: Sql
  readonly dialect: Dialect
  readonly #executor: Executor
  readonly #statements: Statements

  constructor(sql: Sql, dialect: Dialect, executor: Executor, statements: Statements = new Statements(sql)) {
    this.sql = sql
    this.dialect = dialect
    this.#executor = executor
    this.#statements = statements
  }

  async all<Row>(query: Compilable<Row> | Statement<never, Row>, args?: unknown): Promise<Row[]> {
    const { sql, parameters } = this.#ready(query, args)
    return (await this.#executor.all(sql, parameters)) as Row[]
  }

  async first<Row>(query: Compilable<Row> | Statement<never, Row>, args?: unknown): Promise<Row | undefined> {
    const { sql, parameters } = this.#ready(query, args)
    return (await this.#executor.all(sql, parameters))[0] as Row | undefined
  }

  async run(query: Compilable<unknown> | Statement<never, unknown>, args?: unknown): Promise<number> {
    const { sql, parameters } = this.#ready(query, args)
    return this.#executor.run(sql, parameters)
  }

  #ready(
    query: Compilable<unknown> | Statement<never, unknown>,
    args: unknown,
  ): { sql: string; parameters: readonly unknown[] } {
    if ('compile' in query) return query.compile()
    const prepared = this.#statements.prepare(query)
    return { sql: prepared.sql, parameters: prepared.parameters(args as Readonly<Record<string, unknown>>) }
  }
}
