import pg from 'pg'
import { migrate } from '../migrations/migrate.ts'
import { StoreSession } from '../session.ts'
import type { Dialect } from '../store.ts'
import { grantToRoles, letWritersPass, makeRoles, roleNames } from './database-roles.ts'
import { databaseUnusable } from './database-unusable.ts'
import { buildIndexes } from './online-indexes.ts'
import { connectionSettings, PostgresConnection, postgresSql } from './postgres-connection.ts'

/**
 * The values with which a commit is durable on this server, and on the standby servers that the operator named, before it
 * returns.
 */
const durable = new Set(['on', 'remote_apply'])

/** The oldest major version that was still maintained when this was written. */
const oldest = 14

interface ServerFacts {
  synchronous_commit: string
  fsync: string
  encoding: string
  recovering: number
  version: number
}

/**
 * Makes sure that commits on this server are durable, and returns its `synchronous_commit`. Otherwise throws an error that
 * says what to change. `remote_write` is refused like `off` and `local`: a standby that takes over might lack a commit.
 */
export async function refuseUnsafe(client: pg.ClientBase): Promise<string> {
  const { rows } = await client.query<ServerFacts>(
    `select current_setting('synchronous_commit') as synchronous_commit, current_setting('fsync') as fsync,
      current_setting('server_encoding') as encoding, pg_is_in_recovery() as recovering,
      current_setting('server_version_num')::int as version`,
  )
  const { synchronous_commit, fsync, encoding, recovering, version } = rows[0] as ServerFacts
  const refuse = (reason: string) => new Error(`Posthorn cannot use this PostgreSQL server: ${reason}`)
  if (version < oldest * 10_000)
    throw refuse(
      `it is PostgreSQL ${Math.floor(version / 10_000)}, but Posthorn needs ${oldest} or later; upgrade it`,
    )
  if (recovering) throw refuse('it is a standby in recovery; set POSTHORN_DATABASE_URL to the primary')
  if (fsync !== 'on') throw refuse('fsync is off, so a crash would lose accepted messages; set fsync = on')
  if (!durable.has(synchronous_commit))
    throw refuse(
      `synchronous_commit is ${synchronous_commit}, so a crash would lose accepted messages; set it to on or remote_apply`,
    )
  if (encoding !== 'UTF8')
    throw refuse(`the database's encoding is ${encoding}; create it with ENCODING 'UTF8'`)
  return synchronous_commit
}

/** The advisory lock of Posthorn's migrations: an arbitrary number that must be the same in all versions. */
const migrationLock = 7_067_450_901

/** Milliseconds that a migration may take: building an index on millions of rows is slow. */
const migrateWithin = 600_000

/** The beginning of transactions on a database that is ready. */
export interface PreparedDatabase {
  readonly synchronousCommit: string
  /** The role that they take. */
  readonly writers: string
}

/**
 * Checks the server and brings the schema up to date, on a connection of its own with a longer timeout for statements.
 * If several servers start at once, one migrates; the others wait, and find nothing left to do. The lock ends with its
 * transaction, so it also works behind a connection pooler.
 */
export async function prepareDatabase(
  url: string,
  dialect: Dialect,
  schema?: readonly string[],
): Promise<PreparedDatabase> {
  const client = new pg.Client({ ...connectionSettings(url), query_timeout: migrateWithin })
  client.on('error', () => {})
  try {
    await client.connect()
    const synchronousCommit = await refuseUnsafe(client)
    await makeRoles(client)
    const begin = `BEGIN; SET LOCAL lock_timeout = 60000; SET LOCAL statement_timeout = ${migrateWithin}`
    const connection = new PostgresConnection(client, begin, false)
    await connection.begin()
    await connection.all('select pg_advisory_xact_lock($1)', [migrationLock])
    const [{ known }] = (await connection.all(
      "select to_regclass('migrations') is not null as known",
      [],
    )) as [{ known: 0 | 1 }]
    await migrate(new StoreSession(postgresSql, dialect, connection), schema)
    if (!known) await letWritersPass(client, false)
    await grantToRoles(client)
    await connection.commit()
    if (known) {
      await letWritersPass(client, true)
      await grantToRoles(client)
    }
    await buildIndexes(client, url, dialect)
    return { synchronousCommit, writers: (await roleNames(client)).writers }
  } catch (error) {
    throw databaseUnusable(error, url)
  } finally {
    // Closing rolls back what was not committed.
    await client.end().catch(() => {})
  }
}
