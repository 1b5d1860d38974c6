import pg from 'pg'
import { connectionSettings } from './postgres-connection.ts'

/** A connection that sees one moment of the database, for as long as it is open, and writes nothing. */
export async function openSnapshot(url: string): Promise<pg.Client> {
  const client = await openAlone(url)
  await client.query('begin isolation level repeatable read read only')
  return client
}

/** A connection of its own, whose statements take as long as they take. */
export async function openAlone(url: string): Promise<pg.Client> {
  const client = new pg.Client(connectionSettings(url))
  client.on('error', () => {})
  await client.connect()
  await client.query('set statement_timeout = 0; set idle_in_transaction_session_timeout = 0')
  return client
}
