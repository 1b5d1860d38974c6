import type { Compilable } from '../statement.ts'
import type { Step } from './step.ts'

/**
 * One step of the schema. Once released, its name is for good, and what it did is never edited, only followed by another
 * step.
 */
export interface Migration {
  readonly name: string
  statements(step: Step): Compilable<unknown>[]
}
