import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, test } from 'node:test'
import { tables } from '../schema.ts'
import { openSqliteStore } from '../sqlite/sqlite.ts'
import type { Columns } from './columns.ts'

const folder = mkdtempSync(join(tmpdir(), 'posthorn-columns-'))
after(() => rmSync(folder, { recursive: true }))

/** Only PostgreSQL has chunks of files. */
const { media_chunks: _, ...inSqlite } = tables

/** A column as the migrations made it, in the words of `columns.ts`. */
function described({ type, notnull, pk, dflt_value }: Record<string, unknown>) {
  const byDefault = dflt_value === null ? undefined : JSON.parse(String(dflt_value).replaceAll("'", '"'))
  const name = String(type).toLowerCase().replace('blob', 'bytes')
  // The number of a row is its key: the database gives it.
  if (pk === 1 && name === 'integer') return { type: 'bigint', absent: 0 }
  return { type: name, absent: notnull === 0 && pk === 0 ? null : byDefault }
}

test('the columns of tables are those that the migrations make, with their types and defaults', async () => {
  const file = join(folder, 'test.db')
  const thread = new URL('../../../test/kit/stores/listed-store-thread.ts', import.meta.url)
  await (await openSqliteStore({ file, thread })).close()
  const database = new DatabaseSync(file)
  for (const [table, columns] of Object.entries<Columns>(inSqlite)) {
    const made = database.prepare(`select * from pragma_table_info('${table}')`).all()
    const stated = Object.entries(columns).map(([name, { type, absent }]) => [name, { type, absent }])
    assert.deepEqual(
      Object.fromEntries(stated),
      Object.fromEntries(made.map((one) => [one.name, described(one)])),
      table,
    )
  }
  database.close()
})
