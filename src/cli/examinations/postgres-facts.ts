import pg from 'pg'
import { type DatabaseRole, readRoles } from '../../store/postgres/database-roles.ts'
import { connectionSettings } from '../../store/postgres/postgres-connection.ts'
import { refuseUnsafe } from '../../store/postgres/postgres-open.ts'
import { factQueries, noFacts, readFacts, type StoreFacts } from './store-facts.ts'

export interface PostgresFacts extends StoreFacts {
  /** The version, as PostgreSQL writes it. */
  readonly version: string
  /** Milliseconds by which its clock is ahead of this machine's. */
  readonly clockAhead: number
  /** The nodes that run on it. */
  readonly nodes: readonly string[]
  /** The standby servers that confirm each commit, as PostgreSQL is told them. */
  readonly standbys: string
  /** The roles in which callers are read for, and all else is done. */
  readonly roles: readonly DatabaseRole[]
}

/**
 * Reads facts about the store in a read-only transaction. Throws an error for the operator if the server cannot be reached,
 * or does not keep what it calls committed.
 */
export async function readPostgresFacts(url: string): Promise<PostgresFacts> {
  const client = new pg.Client({ ...connectionSettings(url), query_timeout: 5_000 })
  client.on('error', () => {})
  try {
    await client.connect()
    await refuseUnsafe(client)
    await client.query('begin transaction read only')
    const facts = await factsOf(client)
    const server = await serverOf(client)
    const nodes = facts.migrations.length === 0 ? [] : await nodesOn(client)
    return { ...facts, ...server, nodes, roles: await readRoles(client) }
  } finally {
    await client.end().catch(() => {})
  }
}

async function serverOf(
  client: pg.Client,
): Promise<Pick<PostgresFacts, 'version' | 'clockAhead' | 'standbys'>> {
  const asked = Date.now()
  const { rows } = await client.query<{ version: string; standbys: string; now: number }>(
    `select current_setting('server_version') as version, current_setting('synchronous_standby_names') as standbys,
      extract(epoch from clock_timestamp()) * 1000 as now`,
  )
  const { version = '', standbys = '', now = 0 } = rows[0] ?? {}
  return { version, standbys, clockAhead: Math.round(Number(now) - (asked + Date.now()) / 2) }
}

async function nodesOn(client: pg.Client): Promise<string[]> {
  return (await client.query<{ id: string }>(factQueries.running)).rows.map(({ id }) => id)
}

async function factsOf(client: pg.Client): Promise<StoreFacts> {
  const { rows: tables } = await client.query<{ there: string | null }>(
    "select to_regclass('migrations')::text as there",
  )
  if (!tables[0]?.there) return noFacts
  return readFacts(async <Row>(sql: string) => (await client.query(sql)).rows as Row[])
}
