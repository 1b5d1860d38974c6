import { sql as raw } from 'kysely'
import type { Compilable } from '../statement.ts'
import type { Reader, Transaction } from '../store.ts'
import { type AppliedStep, migrations, whyUnfit } from './index.ts'
import type { Migration } from './migration.ts'
import { Step } from './step.ts'

/**
 * Brings the schema up to date, inside the caller's transaction. A store that a newer version has contracted is refused, since an
 * older server would not know what it writes over; so is one from before the first release. With `only` it goes no further
 * than those steps.
 */
export async function migrate(tx: Transaction, only?: readonly string[]): Promise<void> {
  await tx.run(
    tx.sql.schema
      .createTable('migrations')
      .ifNotExists()
      .addColumn('name', 'text', (column) => column.primaryKey())
      .addColumn('expands', 'integer', (column) => column.notNull())
      // 0 until the indexes of large tables that the step wants are built.
      .addColumn('indexed', 'integer', (column) => column.notNull()),
  )
  const applied = await appliedSteps(tx)
  const unfit = whyUnfit(applied)
  if (unfit) throw new Error(`the store ${unfit}; start that version, or begin with an empty store`)
  const done = new Set(applied.map(({ name }) => name))
  const isNew = applied.length === 0
  for (const migration of migrations) {
    if (done.has(migration.name) || (only && !only.includes(migration.name))) continue
    if (migration.kind === 'contracts' && !(await isKnownByAll(tx, migration))) continue
    await apply(tx, migration, isNew || tx.dialect.name === 'sqlite')
  }
}

/** Returns the steps that the store went through. */
export function appliedSteps(reader: Reader): Promise<AppliedStep[]> {
  return reader.all(compilable(reader, raw<AppliedStep>`select name, expands from migrations`))
}

/**
 * True if all nodes that run know this step, and all before it are done. No node can join from then on before this transaction has
 * ended.
 */
async function isKnownByAll(tx: Transaction, { name }: Migration): Promise<boolean> {
  if (tx.dialect.name === 'postgres')
    await tx.run(compilable(tx, raw`lock table nodes in share row exclusive mode`))
  const older = tx.sql.selectFrom('nodes').select('id').where('boot', '!=', '').where('schema', '<', name)
  const unfinished = compilable(tx, raw`select name from migrations where indexed = 0`)
  return (await tx.first(older.limit(1))) === undefined && (await tx.first(unfinished)) === undefined
}

async function apply(tx: Transaction, migration: Migration, withIndexes: boolean): Promise<void> {
  const step = new Step(tx.sql, tx.dialect)
  for (const statement of migration.statements(step)) await tx.run(statement)
  const indexes = migration.indexes?.(step) ?? []
  if (withIndexes) for (const { create } of indexes) await tx.run(create)
  const expands = Number(migration.kind === 'expands')
  const indexed = Number(withIndexes || indexes.length === 0)
  const note = raw`insert into migrations (name, expands, indexed) values (${migration.name}, ${expands}, ${indexed})`
  await tx.run(compilable(tx, note))
}

function compilable<Row>({ sql }: Pick<Reader, 'sql'>, query: ReturnType<typeof raw<Row>>): Compilable<Row> {
  return { compile: () => query.compile(sql) }
}
