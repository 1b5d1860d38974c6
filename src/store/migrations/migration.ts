import type { Compilable, Sql } from '../statement.ts'
import type { Dialect } from '../store.ts'

/**
 * One step of the schema. Once released, its name is for good, and what it did is never edited, only followed by another
 * step.
 */
export interface Migration {
  readonly name: string
  statements(sql: Sql, dialect: Dialect): Compilable<unknown>[]
}
