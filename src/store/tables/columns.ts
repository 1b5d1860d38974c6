import type { Generated, Insertable, Selectable } from 'kysely'

/** The type of a column, in words that both databases know. */
export type ColumnType = 'text' | 'integer' | 'bigint' | 'bytes'

/** A column of a table with values of type `T`. */
export interface Column<T> {
  readonly type: ColumnType
  /** Its value in a row that was inserted without one; undefined if each insert names one. */
  readonly absent: string | number | null | undefined
  /** True for an ascending number that the database assigns. */
  readonly isAssigned?: boolean
  readonly values?: T
}

export type Columns = Readonly<Record<string, Column<unknown>>>

/** A table as Kysely knows it, made from its columns. */
export type TableOf<C extends Columns> = {
  -readonly [K in keyof C]: C[K] extends Column<infer T> ? T : never
}

export const textColumn = <T extends string = string>(): Column<T> => ({ type: 'text', absent: undefined })
export const integer = (): Column<number> => ({ type: 'integer', absent: undefined })
export const bigint = (): Column<number> => ({ type: 'bigint', absent: undefined })
export const bytes = (): Column<Uint8Array> => ({ type: 'bytes', absent: undefined })

/** The key of a table whose rows the database numbers. */
export const sequence = (): Column<Generated<number>> => ({ type: 'bigint', absent: 0, isAssigned: true })

export function nullable<T>(column: Column<T>): Column<T | null> {
  return { type: column.type, absent: null }
}

/** A column for which the database has a default. */
export function orElse<T extends string | number>(column: Column<T>, absent: T): Column<Generated<T>> {
  return { type: column.type, absent }
}

/** The types of some columns of a table, for a batch statement. */
export function typesOf<C extends Columns, K extends keyof C & string>(columns: C, names: readonly K[]) {
  const types = names.map((name) => [name, (columns[name] as Column<unknown>).type])
  return Object.fromEntries(types) as Readonly<Record<K, ColumnType>>
}

/** The columns of a table that an insert may leave out, each with the value that it then has. */
export type Absent<Table> = Omit<
  Selectable<Table>,
  {
    [K in keyof Insertable<Table>]-?: object extends Pick<Insertable<Table>, K> ? never : K
  }[keyof Insertable<Table>]
>

/** Makes the values that a row has in columns that its insert leaves out. */
export function absentValues<C extends Columns>(columns: C) {
  const values = Object.entries(columns).map(([name, { absent }]) => [name, absent])
  return Object.fromEntries(values.filter(([, absent]) => absent !== undefined)) as Absent<TableOf<C>>
}
