import pg from 'pg'
import { migrations } from '../migrations/index.ts'
import type { Migration, NamedIndex } from '../migrations/migration.ts'
import { Step } from '../migrations/step.ts'
import type { Dialect } from '../store.ts'
import { connectionSettings, postgresSql } from './postgres-connection.ts'

/** The advisory lock of the process that builds indexes: an arbitrary number that must be the same in all versions. */
const buildingLock = 7_067_450_903

/**
 * Builds the indexes that new steps of the schema want on large tables, while others write to these: one after the other, however long
 * that takes, each outside of a transaction (PostgreSQL: CREATE INDEX CONCURRENTLY). One that was interrupted is there and not valid, and
 * is built anew. If another process builds them, this one leaves it to that.
 */
export async function buildIndexes(client: pg.ClientBase, url: string, dialect: Dialect): Promise<void> {
  if ((await unfinished(client)).length === 0) return
  await client.query('begin')
  const building = new pg.Client(connectionSettings(url))
  building.on('error', () => {})
  try {
    // Held by a transaction on a connection of its own, which works behind a pooler. The statement has no parameter: with one, PostgreSQL
    // keeps a snapshot, and building an index waits for that.
    const { rows } = await client.query<{ mine: boolean }>(
      `select pg_try_advisory_xact_lock(${buildingLock}) as mine`,
    )
    if (!rows[0]?.mine) return
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
