import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { storeFunctions } from '../../../src/gateway/transactions.ts'
import { tables } from '../../../src/store/schema.ts'
import { type ObservedDatabase, observedPostgres, observedSqlite } from '../../kit/observed-plans.ts'
import { startPostgres } from '../../kit/postgres.ts'
import { transactionsOfAll, transactionsOfOne } from './foreign-arguments.ts'
import { fellowOf, fillWithTwo, ofTheirs } from './two-organizations.ts'

/*
 * Each transaction of the store, about what is ours, once for every place in its arguments with what is theirs in that place: nothing of
 * theirs is returned, and nothing of it changes. Each is undone.
 */

const postgres = await startPostgres()
after(() => (postgres.available ? postgres.server.stop() : undefined))

/** Arguments with what is theirs in one place. */
interface Mutant {
  readonly path: string
  readonly fellow: string
  readonly args: unknown
}

/** Returns the arguments once for each place in which something of ours stands, with its fellow of theirs in it. */
function mutants(args: unknown, path = ''): Mutant[] {
  const fellow = fellowOf(args)
  if (fellow !== undefined) return [{ path, fellow: String(fellow), args: fellow }]
  if (typeof args !== 'object' || args === null || args instanceof Uint8Array) return []
  return Object.entries(args).flatMap(([key, value]) =>
    mutants(value, `${path}.${key}`).map(({ args: changed, ...place }) => ({
      ...place,
      args: Array.isArray(args) ? args.with(Number(key), changed) : { ...args, [key]: changed },
    })),
  )
}

const jsonOf = (value: unknown) => JSON.stringify(value) ?? ''

/** True of a row that names us as its owner: it may have anything else in it, as an entry of our audit log does. */
const isOurs = (row: Partial<Record<'organization_id' | 'instance', unknown>>) =>
  row.organization_id === 'org_ours' || row.instance === 2_000_001

/** All rows of a database: those that belong to them, and all. */
async function rowsIn({ session }: ObservedDatabase): Promise<{ theirs: Set<string>; all: string }> {
  const theirs = new Set<string>()
  let all = ''
  for (const table of Object.keys(tables)) {
    if (table === 'media_chunks' && session.dialect.name === 'sqlite') continue
    for (const row of await session.all(session.sql.selectFrom(table as 'audit').selectAll())) {
      const text = `${table} ${jsonOf(row)}`
      all += text
      if (ofTheirs.test(text) && !isOurs(row)) theirs.add(text)
    }
  }
  return { theirs, all }
}

function transactionNamed(name: string) {
  const found = storeFunctions.transactions.find((one) => one.name === name)
  assert.ok(found, `the store has a transaction ${name}`)
  return found
}

interface Performed {
  readonly result: unknown
  readonly rows: Awaited<ReturnType<typeof rowsIn>>
}

/** Performs a transaction and undoes it; undefined if it failed, and so had done nothing. */
async function undone(
  database: ObservedDatabase,
  name: string,
  args: unknown,
): Promise<Performed | undefined> {
  const { session } = database
  await database.execute('begin')
  try {
    const result = await session.perform(transactionNamed(name).run as never, args)
    await session.sentArrived()
    return { result, rows: await rowsIn(database) }
  } catch {
    await session.sentArrived().catch(() => {})
    return undefined
  } finally {
    await database.execute('rollback')
  }
}

async function play(database: ObservedDatabase): Promise<string[]> {
  await fillWithTwo(database)
  const before = await rowsIn(database)
  const faults: string[] = []
  for (const [name, ways] of Object.entries(transactionsOfOne)) {
    for (const [way, args] of ways.entries()) {
      const { isToldTurn } = transactionNamed(name)
      const asked = isToldTurn ? { ...args, turn: 'org_ours' } : args
      const usual = await undone(database, name, asked)
      if (!usual) faults.push(`${name} ${way} fails`)
      else if (usual.rows.all === before.all)
        faults.push(`${name} ${way} changes nothing: ${jsonOf(usual.result)}`)
      const places = mutants(asked)
      for (const { path, fellow, args: changed } of places) {
        const { result, rows = before } = (await undone(database, name, changed)) ?? {}
        if (ofTheirs.test(jsonOf(result).replaceAll(fellow, '')))
          faults.push(`${name}${path} ${way} returns ${jsonOf(result)}`)
        for (const row of rows.theirs.symmetricDifference(before.theirs))
          faults.push(`${name}${path} ${way} changes ${row.slice(0, 120)}`)
      }
    }
  }
  return faults
}

describe('transactions keep to one organization, with what is of another in every argument', () => {
  test('in SQLite', async () => {
    const database = await observedSqlite()
    const faults = await play(database)
    await database.close()
    assert.deepEqual(faults, [])
  })

  test('in PostgreSQL', { skip: postgres.available ? false : postgres.reason }, async () => {
    assert.ok(postgres.available)
    const database = await observedPostgres(await postgres.server.createDatabase())
    const faults = await play(database)
    await database.close()
    assert.deepEqual(faults, [])
  })

  test('and these are all', () => {
    const listed = [...Object.keys(transactionsOfOne), ...Object.keys(transactionsOfAll)]
    assert.deepEqual(listed.sort(), storeFunctions.transactions.map(({ name }) => name).sort())
  })
})
