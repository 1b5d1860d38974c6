import type { Migration } from './migration.ts'

/** Keeps the words to stop marketing that the operator sets for a whole organization. */
export const marketingDefaults: Migration = {
  name: '0007-marketing-defaults',
  kind: 'expands',
  statements: (step) => [step.sql.schema.alterTable('organizations').addColumn('marketing_defaults', 'text')],
}
