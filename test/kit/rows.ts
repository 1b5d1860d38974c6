import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import pg from 'pg'
import { connectionSettings } from '../../src/store/postgres/postgres-connection.ts'
import { databaseFor } from './database.ts'

/** Runs a query in the store of the Posthorn on this data folder, which may be running. */
export async function rowsIn<Row>(data: string, query: string): Promise<Row[]> {
  const { POSTHORN_DATABASE_URL: url } = await databaseFor(data)
  return (
    url === undefined ? fromSqlite(join(data, 'posthorn.db'), query) : fromPostgres(url, query)
  ) as Promise<Row[]>
}

/** Changes that store, as a person with a shell on the machine would. */
export async function tamper(data: string, how: { sqlite: string; postgres: string }): Promise<void> {
  const { POSTHORN_DATABASE_URL: url } = await databaseFor(data)
  if (url === undefined) await fromSqlite(join(data, 'posthorn.db'), how.sqlite, false)
  else await fromPostgres(url, how.postgres)
}

async function fromSqlite(file: string, query: string, readOnly = true): Promise<unknown[]> {
  // The server may be writing.
  const database = new DatabaseSync(file, { readOnly, timeout: 10_000 })
  try {
    if (readOnly) return database.prepare(query).all()
    database.exec(query)
    return []
  } finally {
    database.close()
  }
}

async function fromPostgres(url: string, query: string): Promise<unknown[]> {
  const client = new pg.Client(connectionSettings(url))
  await client.connect()
  try {
    return (await client.query(query)).rows
  } finally {
    await client.end()
  }
}
