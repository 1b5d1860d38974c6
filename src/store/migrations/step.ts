import type { CreateTableBuilder, Expression } from 'kysely'
import { type Schema, tables } from '../schema.ts'
import { type Compilable, rawSql, type Sql } from '../statement.ts'
import type { Dialect } from '../store.ts'
import type { Column } from '../tables/columns.ts'

type Table = keyof Schema
type ColumnOf<T extends Table> = keyof Schema[T] & string

interface Constraints<T extends Table> {
  readonly key: readonly ColumnOf<T>[]
  readonly unique?: readonly ColumnOf<T>[]
  /** For some columns the column of another table that has the same value, as `table.column`. */
  readonly references?: { readonly [C in ColumnOf<T>]?: string }
  /** Columns that a later step adds. */
  readonly later?: readonly ColumnOf<T>[]
  /** True to let SQLite keep the rows in the tree of the key, so that a row is written once. PostgreSQL has no such tables. */
  readonly inOneTree?: boolean
}

interface Index {
  readonly isUnique?: boolean
  readonly where?: Expression<boolean>
}

/** The condition of an index of the rows that have a value in a column. */
export const isSet = (column: string) => rawSql<boolean>(`${column} is not null`)

/** Makes the statements of a step of the schema, for one database. */
export class Step {
  readonly sql: Sql
  readonly dialect: Dialect

  constructor(sql: Sql, dialect: Dialect) {
    this.sql = sql
    this.dialect = dialect
  }

  /** Creates a table with its columns, as `tables` states them, but for those of later steps. */
  table<T extends Table>(name: T, { key, inOneTree = false, ...own }: Constraints<T>): Compilable<unknown> {
    let table: CreateTableBuilder<string, string> = this.sql.schema.createTable(name)
    for (const [column, stated] of Object.entries<Column<unknown>>(tables[name])) {
      if (own.later?.includes(column as ColumnOf<T>)) continue
      table = this.#column(table, column, stated, {
        isKey: key.length === 1 && key[0] === column,
        isUnique: own.unique?.includes(column as ColumnOf<T>) ?? false,
        reference: own.references?.[column as ColumnOf<T>],
      })
    }
    if (key.length > 1) table = table.addPrimaryKeyConstraint(`${name}_key`, [...key])
    return inOneTree && this.dialect.name === 'sqlite' ? table.modifyEnd(rawSql('without rowid')) : table
  }

  #column(
    table: CreateTableBuilder<string, string>,
    name: string,
    { type, absent, isAssigned = false }: Column<unknown>,
    { isKey, isUnique, reference }: { isKey: boolean; isUnique: boolean; reference: string | undefined },
  ): CreateTableBuilder<string, string> {
    const { sequence, bytes } = this.dialect
    return table.addColumn(name, isAssigned ? sequence : type === 'bytes' ? bytes : type, (built) => {
      if (isKey) return built.primaryKey()
      let column = absent === null ? built : built.notNull()
      if (absent !== null && absent !== undefined) column = column.defaultTo(absent)
      if (isUnique) column = column.unique()
      return reference ? column.references(reference) : column
    })
  }

  index<T extends Table>(
    name: string,
    table: T,
    columns: readonly ColumnOf<T>[],
    { isUnique = false, where }: Index = {},
  ): Compilable<unknown> {
    const index = this.sql.schema
      .createIndex(name)
      .on(table)
      .columns([...columns] as string[])
    const restricted = where ? index.where(where) : index
    return isUnique ? restricted.unique() : restricted
  }
}
