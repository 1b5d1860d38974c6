import { wallOfLater } from './first/walls.ts'
import type { Migration } from './migration.ts'

/** Keeps who wants no marketing, the words that say so, and what networks tell of templates. */
export const marketing: Migration = {
  name: '0006-marketing',
  kind: 'expands',
  statements: (step) => [
    step.sql.schema
      .alterTable('instances')
      .addColumn('marketing_choices', 'bigint', (column) => column.notNull().defaultTo(0)),
    step.sql.schema.alterTable('instances').addColumn('marketing_words', 'text'),
    step.table('marketing_choices', { key: ['instance_id', 'digest'], inOneTree: true }),
    step.table('known_templates', { key: ['instance_id', 'name', 'language'], inOneTree: true }),
    ...wallOfLater(step, 'marketing_choices'),
    ...wallOfLater(step, 'known_templates'),
  ],
}
