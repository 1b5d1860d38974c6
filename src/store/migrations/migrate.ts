import { sql as raw } from 'kysely'
import type { Compilable } from '../statement.ts'
import type { Transaction } from '../store.ts'
import { migrations, whyUnfit } from './index.ts'
import { Step } from './step.ts'

/**
 * Brings the schema up to date, inside the caller's transaction. A store that is newer than this code is refused, since an
 * older server would not know what it writes over; so is one from before the first release. With `only` it goes no further
 * than those steps.
 */
export async function migrate(tx: Transaction, only?: readonly string[]): Promise<void> {
  await tx.run(
    tx.sql.schema
      .createTable('migrations')
      .ifNotExists()
      .addColumn('name', 'text', (column) => column.primaryKey()),
  )
  const done = new Set((await tx.all(appliedNames(tx))).map(({ name }) => name))
  const unfit = whyUnfit([...done])
  if (unfit) throw new Error(`the store ${unfit}; start that version, or begin with an empty store`)
  for (const migration of migrations) {
    if (done.has(migration.name) || (only && !only.includes(migration.name))) continue
    for (const statement of migration.statements(new Step(tx.sql, tx.dialect))) await tx.run(statement)
    await tx.run(compilable(tx, raw`insert into migrations (name) values (${migration.name})`))
  }
}

function appliedNames(tx: Transaction): Compilable<{ name: string }> {
  return compilable(tx, raw<{ name: string }>`select name from migrations`)
}

function compilable<Row>(tx: Transaction, query: ReturnType<typeof raw<Row>>): Compilable<Row> {
  return { compile: () => query.compile(tx.sql) }
}
