import pg from 'pg'
import { migrations } from '../migrations/index.ts'
import type { Migration, NamedIndex } from '../migrations/migration.ts'
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
      for (const index of step.indexes?.(new Step(postgresSql, dialect)) ?? []) await build(building, index)
      await building.query('update migrations set indexed = 1 where name = $1', [step.name])
    }
  } finally {
    await building.end().catch(() => {})
    await client.query('rollback').catch(() => {})
  }
}

/** Returns the steps whose indexes are not all built, oldest first. Only those that this version knows: it cannot build the indexes of others. */
async function unfinished(client: pg.ClientBase): Promise<Migration[]> {
  const { rows } = await client.query<{ name: string }>('select name from migrations where indexed = 0')
  const names = new Set(rows.map(({ name }) => name))
  return migrations.filter(({ name }) => names.has(name))
}

async function build(client: pg.ClientBase, { name, create }: NamedIndex): Promise<void> {
  await client.query(`drop index concurrently if exists "${name}"`)
  await client.query(create.compile().sql.replace(/^create( unique)? index/, 'create$1 index concurrently'))
}
