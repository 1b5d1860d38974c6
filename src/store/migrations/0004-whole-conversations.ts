import type { Migration } from './migration.ts'
import { isSet } from './step.ts'

/** Keeps what messages contain besides texts and files, and which messages they change or reply to. */
export const wholeConversations: Migration = {
  name: '0004-whole-conversations',
  kind: 'expands',
  statements: ({ sql }) => [
    sql.schema.alterTable('messages').addColumn('content', 'text'),
    sql.schema.alterTable('outbox').addColumn('target_seq', 'bigint'),
    ...['awaited', 'included'].map((name) =>
      sql.schema.alterTable('outbox').addColumn(name, 'integer', (column) => column.notNull().defaultTo(0)),
    ),
  ],
  indexes: (step) => [
    {
      name: 'outbox_following',
      create: step.index('outbox_following', 'outbox', ['target_seq'], { where: isSet('target_seq') }),
    },
  ],
}
