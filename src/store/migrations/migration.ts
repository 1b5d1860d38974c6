import type { Compilable } from '../statement.ts'
import type { Step } from './step.ts'

/** An index, and how it is made. */
export interface NamedIndex {
  readonly name: string
  readonly create: Compilable<unknown>
}

/**
 * One step of the schema. Once released, its name is for good, and what it did is never edited, only followed by another
 * step.
 */
export interface Migration {
  readonly name: string
  /**
   * `expands` if servers of earlier versions can go on with what it makes, as with a new table, or a column that may be null. `contracts` if
   * they cannot: it is put off until all nodes know it, so its version must work without it.
   */
  readonly kind: 'expands' | 'contracts'
  statements(step: Step): Compilable<unknown>[]
  /** Indexes of tables that may be large. PostgreSQL builds them while others write to the tables. */
  indexes?(step: Step): NamedIndex[]
}
