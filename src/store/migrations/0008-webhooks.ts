import { wallOfLater } from './first/walls.ts'
import type { Migration } from './migration.ts'

/** Keeps the names of webhooks, and what happened to their deliveries in each hour. */
export const webhooks: Migration = {
  name: '0008-webhooks',
  kind: 'expands',
  statements: (step) => [
    step.sql.schema.alterTable('webhooks').addColumn('name', 'text'),
    step.table('webhook_hours', { key: ['webhook_id', 'place'], inOneTree: true }),
    ...wallOfLater(step, 'webhook_hours'),
  ],
}
