import { randomBytes } from 'node:crypto'
import pg from 'pg'

const databases = new Map<string, Promise<string>>()

/**
 * The settings by which a Posthorn on this data folder keeps everything in PostgreSQL: a fresh database for each folder, on
 * the server that `POSTHORN_TEST_POSTGRES` names. Without it there are none, and the embedded store is tested.
 */
export async function databaseFor(folder: string): Promise<Readonly<Record<string, string>>> {
  const server = process.env.POSTHORN_TEST_POSTGRES
  if (server === undefined) return {}
  const known = databases.get(folder) ?? createDatabase(server)
  databases.set(folder, known)
  return { POSTHORN_DATABASE_URL: await known }
}

async function createDatabase(server: string): Promise<string> {
  const name = `posthorn_${randomBytes(8).toString('hex')}`
  const client = new pg.Client({ connectionString: server })
  await client.connect()
  await client.query(`create database ${name}`)
  await client.end()
  const url = new URL(server)
  url.pathname = `/${name}`
  return url.href
}
