import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import pg from 'pg'
import { startPostgres } from '../../kit/postgres.ts'
import { looks, type Neighbours, startNeighbours } from './looks.ts'

/*
 * The second wall: PostgreSQL refuses the rows of others to a read, even if our own condition on the organization is missing. So that it is
 * missing everywhere, statements are changed on their way to PostgreSQL. Without the second wall these plays see what is ours.
 */

const postgres = await startPostgres()
const server = postgres.available ? postgres.server : undefined
after(() => server?.stop())
const skip = postgres.available ? false : postgres.reason

/** Our own condition, as statements have it. */
const condition = /((?:"\w+"\.)?"organization_id"|"organizations"\."id") (?:= (\$\d+)|in \((\$\d+)\))/g

/** Lets every read in the turn of an organization forget that condition; returns what ends that, and how often it was forgotten. */
function forgetOurFilter(): { readonly forgotten: () => number; readonly end: () => void } {
  const { query } = pg.Client.prototype
  const walled = new WeakSet<object>()
  let forgotten = 0
  const changed = (text: string) =>
    text.replace(condition, (_, column, one, among) => {
      forgotten++
      return `(${column} is not null and ${one ?? among}::text is not null)`
    })
  pg.Client.prototype.query = function (this: object, asked: unknown, ...others: unknown[]) {
    const { text = '' } = asked as { text?: string }
    if (text.startsWith('BEGIN'))
      text.includes('posthorn.organization') ? walled.add(this) : walled.delete(this)
    const given =
      walled.has(this) && text.startsWith('select') ? { ...(asked as object), text: changed(text) } : asked
    return Reflect.apply(query, this, [given, ...others])
  } as typeof query
  const end = () => {
    pg.Client.prototype.query = query
  }
  return { forgotten: () => forgotten, end }
}

describe('with our own filter off', { skip }, () => {
  let neighbours: Neighbours
  let url: string
  const filter = forgetOurFilter()

  before(async () => {
    url = (await server?.createDatabase()) ?? ''
    neighbours = await startNeighbours({ POSTHORN_DATABASE_URL: url })
  })

  after(async () => {
    filter.end()
    await neighbours?.posthorn.stop()
  })

  for (const { title, play } of looks) test(title, () => play(neighbours))

  test('the filter was off in these plays', () => {
    assert.ok(filter.forgotten() > looks.length, `${filter.forgotten()}`)
  })

  test('and the second wall off as well, what is ours is seen: the plays can tell', async () => {
    const tables = await server?.query<{ name: string }>(
      "select tablename as name from pg_tables where schemaname = 'public' and rowsecurity",
      [],
      url,
    )
    for (const { name } of tables ?? [])
      await server?.query(`alter table ${name} disable row level security`, [], url)
    const seen: string[] = []
    for (const { title, play } of looks) await play(neighbours).catch(() => seen.push(title))
    assert.ok(seen.length > looks.length / 3, seen.join('\n'))
  })
})
