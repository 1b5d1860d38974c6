import type { Migration } from './migration.ts'
import { isSet } from './step.ts'

/** Keeps the names of people, how far conversations were read, and who is being forgotten. */
export const people: Migration = {
  name: '0005-people',
  kind: 'expands',
  statements: ({ sql }) => {
    const count = (type: 'integer' | 'bigint', table: string, column: string) =>
      sql.schema.alterTable(table).addColumn(column, type, (added) => added.notNull().defaultTo(0))
    return [
      sql.schema.alterTable('contact_addresses').addColumn('name', 'text'),
      sql.schema.alterTable('contact_addresses').addColumn('username', 'text'),
      sql.schema.alterTable('contact_addresses').addColumn('forget_below', 'bigint'),
      count('integer', 'conversations', 'unread'),
      count('bigint', 'conversations', 'read_seq'),
      count('integer', 'messages', 'forgotten'),
    ]
  },
  indexes: (step) => [
    {
      name: 'contacts_to_forget',
      create: step.index('contacts_to_forget', 'contact_addresses', ['instance_id', 'address'], {
        where: isSet('forget_below'),
      }),
    },
  ],
}
