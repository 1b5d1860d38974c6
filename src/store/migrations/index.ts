import { schema } from './0001-schema.ts'
import type { Migration } from './migration.ts'

/** All steps of the schema, oldest first. */
export const migrations: readonly Migration[] = [schema]

/** The first steps of the stores that versions before the first release made; they are not taken over. */
const firstBeforeRelease = ['0001-first', '0001-tables']

/** Why this version cannot use a store that went through these steps, as the end of a sentence; undefined if it can. */
export function whyUnfit(steps: readonly string[]): string | undefined {
  if (steps.some((name) => firstBeforeRelease.includes(name)))
    return 'was made before the first release of Posthorn'
  const known = new Set(migrations.map(({ name }) => name))
  const newer = steps.find((name) => !known.has(name))
  return newer && `was last used by a newer Posthorn (it has the migration ${newer})`
}
