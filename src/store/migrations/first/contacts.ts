import type { Compilable, Sql } from '../../statement.ts'
import type { Dialect } from '../../store.ts'
import { inOneTree } from './in-one-tree.ts'

/** The addresses of the people that instances have to do with. */
export function contacts({ schema }: Sql, dialect: Dialect): Compilable<unknown>[] {
  return [
    schema
      .createTable('contact_addresses')
      .addColumn('instance_id', 'text', (column) => column.notNull())
      .addColumn('organization_id', 'text', (column) => column.notNull())
      .addColumn('address', 'text', (column) => column.notNull())
      .addColumn('contact', 'text', (column) => column.notNull())
      .addColumn('wrote_at', 'bigint')
      .addColumn('told_at', 'bigint', (column) => column.notNull())
      .addPrimaryKeyConstraint('contact_address', ['instance_id', 'address'])
      .modifyEnd(inOneTree(dialect)),
    schema.createIndex('addresses_of_contact').on('contact_addresses').columns(['instance_id', 'contact']),
    // Lists ask for a conversation, whichever instance it is with.
    schema
      .createIndex('contacts_of_organization')
      .on('contact_addresses')
      .columns(['organization_id', 'address']),
  ]
}
