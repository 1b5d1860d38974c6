import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import pg from 'pg'
import { databaseFor } from './database.ts'

/** What a query finds in the store of the Posthorn on this data folder, which may be running. */
export async function rowsIn<Row>(data: string, query: string): Promise<Row[]> {
  const { POSTHORN_DATABASE_URL: url } = await databaseFor(data)
  return (
    url === undefined ? fromSqlite(join(data, 'posthorn.db'), query) : fromPostgres(url, query)
  ) as Promise<Row[]>
}

async function fromSqlite(file: string, query: string): Promise<unknown[]> {
  const database = new DatabaseSync(file, { readOnly: true })
  try {
    return database.prepare(query).all()
  } finally {
    database.close()
  }
}

async function fromPostgres(connectionString: string, query: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString })
  await client.connect()
  try {
    return (await client.query(query)).rows
  } finally {
    await client.end()
  }
}
