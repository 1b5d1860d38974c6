import { randomBytes } from 'node:crypto'
import { cpSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
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

/** Keeps a copy of the store of this data folder, for `putBack`. No server may run on it. */
export async function keepCopy(folder: string): Promise<void> {
  const database = await nameOf(folder)
  if (database === undefined) cpSync(join(folder, 'posthorn.db'), `${folder}.copy`)
  else await executed(`create database ${database}_copy template ${database}`)
}

/** Restores the store of this data folder from the copy, and leaves the rest of the folder as it is. */
export async function putBack(folder: string): Promise<void> {
  const database = await nameOf(folder)
  if (database !== undefined) return renew(database, `template ${database}_copy`)
  removeFiles(folder)
  cpSync(`${folder}.copy`, join(folder, 'posthorn.db'))
}

/** Lets the store of this data folder be there and hold nothing, not even a table. */
export async function emptyDatabase(folder: string): Promise<void> {
  const database = await nameOf(folder)
  if (database !== undefined) return renew(database)
  removeFiles(folder)
  writeFileSync(join(folder, 'posthorn.db'), '')
}

async function renew(database: string, as = ''): Promise<void> {
  await executed(`drop database ${database} with (force)`)
  await executed(`create database ${database} ${as}`)
}

function removeFiles(folder: string): void {
  for (const suffix of ['', '-wal', '-shm']) rmSync(join(folder, `posthorn.db${suffix}`), { force: true })
}

async function nameOf(folder: string): Promise<string | undefined> {
  const { POSTHORN_DATABASE_URL: url } = await databaseFor(folder)
  return url && new URL(url).pathname.slice(1)
}

/** Carries out statements in the store of a data folder on which no server runs. */
export async function executeIn(folder: string, statements: string): Promise<void> {
  const { POSTHORN_DATABASE_URL: url } = await databaseFor(folder)
  if (url !== undefined) return executed(statements, url)
  const database = new DatabaseSync(join(folder, 'posthorn.db'))
  database.exec(statements)
  database.close()
}

async function executed(statements: string, url = process.env.POSTHORN_TEST_POSTGRES): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query(statements).finally(() => client.end())
}

async function createDatabase(server: string): Promise<string> {
  const name = `posthorn_${randomBytes(8).toString('hex')}`
  await executed(`create database ${name}`)
  const url = new URL(server)
  url.pathname = `/${name}`
  return url.href
}
