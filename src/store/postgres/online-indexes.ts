import pg from 'pg'
import { migrations } from '../migrations/index.ts'
import type { NamedIndex } from '../migrations/migration.ts'
import { Step } from '../migrations/step.ts'
import type { Dialect } from '../store.ts'
import { connectionSettings, postgresSql } from './postgres-connection.ts'

/** The place of the store, and its lock. */
interface Place {
  readonly url: string
  readonly dialect: Dialect
  /** Takes the lock of migrations on the connection, for the length of a transaction. */
  readonly lock: () => Promise<unknown>
  /** Milliseconds that one index may take. */
  readonly within: number
}

/**
 * Builds the indexes that new steps of the schema want on large tables, while others write to these: one after the other, each outside of a
 * transaction (PostgreSQL: CREATE INDEX CONCURRENTLY). One that was interrupted is there and not valid, and is built anew. The
 * transaction with the lock is on a connection of its own: it has no snapshot for which building would wait.
 */
export async function buildIndexes(
  client: pg.ClientBase,
  { url, dialect, lock, within }: Place,
): Promise<void> {
  if ((await unfinished(client)).length === 0) return
  await client.query('begin')
  await lock()
  const building = new pg.Client({ ...connectionSettings(url), query_timeout: within })
  building.on('error', () => {})
  try {
    await building.connect()
    for (const step of await unfinished(building)) {
      const indexes = migrations.find(({ name }) => name === step)?.indexes
      for (const index of indexes?.(new Step(postgresSql, dialect)) ?? []) await build(building, index)
      await building.query('update migrations set indexed = 1 where name = $1', [step])
    }
  } finally {
    await building.end().catch(() => {})
    await client.query('rollback').catch(() => {})
  }
}

/** Returns the steps whose indexes are not all built, oldest first. */
async function unfinished(client: pg.ClientBase): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    'select name from migrations where indexed = 0 order by name',
  )
  return rows.map(({ name }) => name)
}

async function build(client: pg.ClientBase, { name, create }: NamedIndex): Promise<void> {
  await client.query(`drop index concurrently if exists "${name}"`)
  await client.query(create.compile().sql.replace(/^create( unique)? index/, 'create$1 index concurrently'))
}
