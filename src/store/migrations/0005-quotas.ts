import { sql as raw } from 'kysely'
import { type Sql, unsettled } from '../statement.ts'
import type { Migration } from './migration.ts'

/** What each organization uses of its quotas, counted once from what is there, and what retention needs to know. */
export const quotas: Migration = {
  name: '0005-quotas',
  statements: (sql) => [
    ...['file_bytes', 'unsettled_messages', 'incoming_messages'].map((name) =>
      sql.schema
        .alterTable('organizations')
        .addColumn(name, 'bigint', (column) => column.notNull().defaultTo(0)),
    ),
    sql.schema.alterTable('messages').addColumn('changed_at', 'bigint'),
    ...['kept_until', 'held_until'].map((name) =>
      sql.schema.alterTable('media').addColumn(name, 'bigint', (column) => column.notNull().defaultTo(0)),
    ),
    count(sql),
  ],
}

function count(sql: Sql) {
  return sql.updateTable('organizations').set(({ selectFrom }) => ({
    file_bytes: selectFrom('media')
      .select(raw<number>`coalesce(sum(size), 0)`.as('bytes'))
      .whereRef('organization_id', '=', 'organizations.id'),
    unsettled_messages: selectFrom('messages')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .where(unsettled)
      .whereRef('organization_id', '=', 'organizations.id'),
    incoming_messages: selectFrom('messages')
      .select(raw<number>`coalesce(sum(1 + coalesce(length(text), 0) / 4096), 0)`.as('count'))
      .where('direction', '=', 'inbound')
      .whereRef('organization_id', '=', 'organizations.id'),
  }))
}
