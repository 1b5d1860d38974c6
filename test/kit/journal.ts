import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import pg from 'pg'
import type { MessageEventData } from '../../src/contract/event.ts'
import { databaseFor } from './database.ts'

/** An event as it stands in the journal. */
export interface JournalEvent {
  readonly organization: string
  readonly sequence: number
  readonly type: string
  readonly instance: string | null
  readonly data: MessageEventData
}

const query =
  'select organizations.name as organization, sequence, type, instance_name as instance, data from events ' +
  'join organizations on organizations.id = events.organization_id order by seq'

/** Everything that the Posthorn on this data folder has told, in order, as it stands in its store. */
export async function journalOf(data: string): Promise<JournalEvent[]> {
  const { POSTHORN_DATABASE_URL: url } = await databaseFor(data)
  const rows = url === undefined ? fromSqlite(join(data, 'posthorn.db')) : await fromPostgres(url)
  return rows.map((row) => ({ ...row, sequence: Number(row.sequence), data: JSON.parse(String(row.data)) }))
}

type Row = Omit<JournalEvent, 'data'> & { readonly data: unknown }

function fromSqlite(file: string): Row[] {
  const database = new DatabaseSync(file, { readOnly: true })
  try {
    return database.prepare(query).all() as unknown as Row[]
  } finally {
    database.close()
  }
}

async function fromPostgres(connectionString: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString })
  await client.connect()
  try {
    return (await client.query<Row>(query)).rows
  } finally {
    await client.end()
  }
}
