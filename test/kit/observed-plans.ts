import { DatabaseSync } from 'node:sqlite'
import pg from 'pg'
import { migrate } from '../../src/store/migrations/migrate.ts'
import {
  grantToRoles,
  letWritersPass,
  makeRoles,
  roleNames,
} from '../../src/store/postgres/database-roles.ts'
import {
  beginRead,
  beginReadOf,
  connectionSettings,
  inRole,
  postgresSql,
} from '../../src/store/postgres/postgres-connection.ts'
import { compileAsOne } from '../../src/store/postgres/postgres-set.ts'
import { postgresDialect } from '../../src/store/postgres/postgres-work.ts'
import { type Executor, StoreSession } from '../../src/store/session.ts'
import { sqliteDialect, sqliteSql } from '../../src/store/sqlite/sqlite-thread.ts'
import { Statements } from '../../src/store/statement.ts'

/** A statement that was executed, and what the database did for it. */
export interface Observed {
  readonly sql: string
  /** The tables that it read from the first row to the last. */
  readonly wholeTables: readonly string[]
  /** The indexes that it read. */
  readonly indexes: readonly string[]
  /** Rows that it read in vain, and pages that it touched; 0 in SQLite, which does not report that. */
  readonly inVain: number
  readonly pages: number
}

/** A database on which functions of the store are performed, while every statement is explained. */
export interface ObservedDatabase {
  readonly session: StoreSession
  readonly observed: Observed[]
  execute(sql: string): Promise<void>
  /** Observes what is performed meanwhile; in PostgreSQL as in a read in the turn of an organization, if one is named. */
  observe(perform: () => Promise<unknown>, organization?: string): Promise<void>
  close(): Promise<void>
}

/** SQLite in memory. */
export async function observedSqlite(): Promise<ObservedDatabase> {
  const database = new DatabaseSync(':memory:')
  const observed: Observed[] = []
  let isObserving = false
  const ask = (sql: string, parameters: readonly unknown[]) => {
    const values = parameters as never[]
    if (isObserving) observed.push(explained(database, sql, values))
    return database.prepare(sql)
  }
  const executor: Executor = {
    all: (sql, parameters) => ask(sql, parameters).all(...(parameters as never[])),
    run: (sql, parameters) => Number(ask(sql, parameters).run(...(parameters as never[])).changes),
  }
  const session = new StoreSession(sqliteSql, sqliteDialect, executor)
  await migrate(session)
  return {
    session,
    observed,
    execute: async (sql) => database.exec(sql),
    async observe(perform) {
      isObserving = true
      await perform()
      await session.sentArrived()
      isObserving = false
    },
    close: async () => database.close(),
  }
}

function explained(database: DatabaseSync, sql: string, values: never[]): Observed {
  const rows = database.prepare(`explain query plan ${sql}`).all(...values) as { detail: string }[]
  const scans = rows.flatMap(({ detail }) => /^SCAN (\w+)$/.exec(detail)?.[1] ?? [])
  // A temporary table is what the statement itself made; a walk along the key that ends after some rows has its limit.
  const isLimited = /order by "seq"(?: asc| desc)? limit/i.test(sql)
  const indexes = rows.flatMap(({ detail }) => /USING (?:COVERING )?INDEX (\w+)/.exec(detail)?.[1] ?? [])
  return { sql, wholeTables: isLimited ? [] : scans, indexes, inVain: 0, pages: 0 }
}

interface PlanNode {
  readonly 'Node Type': string
  readonly 'Relation Name'?: string
  readonly 'Index Name'?: string
  readonly 'Rows Removed by Filter'?: number
  readonly 'Rows Removed by Join Filter'?: number
  readonly 'Actual Loops'?: number
  readonly 'Shared Hit Blocks'?: number
  readonly 'Shared Read Blocks'?: number
  readonly Plans?: readonly PlanNode[]
}

/** Autovacuum would gather other statistics in the middle of a test, on a server that has run for a minute. */
const withoutAutovacuum = `do $$ declare one text; begin
  for one in select tablename from pg_tables where schemaname = current_schema() loop
    execute format('alter table %I set (autovacuum_enabled = off)', one);
  end loop; end $$`

/** A database of PostgreSQL, with the limits that the store sets for each transaction. */
export async function observedPostgres(url: string): Promise<ObservedDatabase> {
  const client = new pg.Client(connectionSettings(url))
  await client.connect()
  const observed: Observed[] = []
  let isObserving = false
  const observe = async (sql: string, values: unknown[]) => {
    if (isObserving) observed.push(await observedBy(client, sql, values))
    return client.query(sql, values)
  }
  // One statement at a time: functions send several at once, and to observe one takes a few.
  let last: Promise<unknown> = Promise.resolve()
  const ask = (sql: string, parameters: readonly unknown[]) => {
    const answer = last.then(() => observe(sql, parameters as unknown[]))
    last = answer.catch(() => {})
    return answer
  }
  const executor: Executor = {
    all: async (sql, parameters) => (await ask(sql, parameters)).rows,
    run: async (sql, parameters) => (await ask(sql, parameters)).rowCount ?? 0,
  }
  const session = new StoreSession(
    postgresSql,
    postgresDialect,
    executor,
    new Statements(postgresSql, compileAsOne),
  )
  await makeRoles(client)
  await migrate(session)
  await letWritersPass(client, false)
  await grantToRoles(client)
  await client.query(withoutAutovacuum)
  const { callers, writers } = await roleNames(client)
  return {
    session,
    observed,
    execute: async (sql) => void (await client.query(sql)),
    async observe(perform, organization) {
      const begin =
        organization === undefined ? inRole(beginRead, writers) : beginReadOf(organization, callers)
      await client.query(begin.replace('READ ONLY', 'READ WRITE'))
      isObserving = true
      await perform()
      await session.sentArrived()
      isObserving = false
      await client.query('COMMIT')
    },
    close: () => client.end(),
  }
}

/** Executes it to see what it does, and takes that back. */
async function observedBy(client: pg.Client, sql: string, values: unknown[]): Promise<Observed> {
  await client.query('SAVEPOINT explained')
  const { rows } = await client.query(`EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${sql}`, values)
  await client.query('ROLLBACK TO explained')
  const [{ Plan: plan }] = rows[0]['QUERY PLAN'] as [{ Plan: PlanNode }]
  const nodes = flat(plan)
  const sum = (of: (node: PlanNode) => number) => nodes.reduce((total, node) => total + of(node), 0)
  return {
    sql,
    wholeTables: nodes.flatMap((node) =>
      node['Node Type'] === 'Seq Scan' ? [node['Relation Name'] ?? '?'] : [],
    ),
    indexes: nodes.flatMap((node) => node['Index Name'] ?? []),
    inVain: sum((node) => {
      const removed = (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Join Filter'] ?? 0)
      return removed * (node['Actual Loops'] ?? 1)
    }),
    pages: (plan['Shared Hit Blocks'] ?? 0) + (plan['Shared Read Blocks'] ?? 0),
  }
}

function flat(node: PlanNode): PlanNode[] {
  return [node, ...(node.Plans ?? []).flatMap(flat)]
}
