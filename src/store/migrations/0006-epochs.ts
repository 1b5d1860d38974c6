import { sql as raw } from 'kysely'
import { newId, randomBase32 } from '../../runtime/ids.ts'
import { type Sql, spelledOut } from '../statement.ts'
import type { Migration } from './migration.ts'

/** Which history of the store is the present one, since a store can go back to a backup; and messages that are held after it did. */
export const epochs: Migration = {
  name: '0006-epochs',
  statements: (sql) => [...epochsOf(sql), ...held(sql)],
}

function epochsOf(sql: Sql) {
  const epoch = randomBase32(5)
  const fact = (name: string, value: string) => ({
    compile: () => raw`insert into service (name, value) values (${name}, ${value})`.compile(sql),
  })
  return [
    fact('store_id', newId('node')),
    fact('epoch', epoch),
    sql.schema
      .alterTable('organizations')
      .addColumn('epoch', 'text', (column) => column.notNull().defaultTo('')),
    sql.schema.alterTable('events').addColumn('epoch', 'text', (column) => column.notNull().defaultTo('')),
    sql.updateTable('organizations').set({ epoch }),
    sql.updateTable('events').set({ epoch }),
    sql.schema
      .createTable('epoch_starts')
      .addColumn('organization_id', 'text', (column) => column.notNull())
      .addColumn('epoch', 'text', (column) => column.notNull())
      .addColumn('previous', 'text', (column) => column.notNull())
      .addColumn('began_after', 'bigint', (column) => column.notNull())
      .addColumn('began_at', 'bigint', (column) => column.notNull())
      .addPrimaryKeyConstraint('epoch_start', ['organization_id', 'epoch']),
  ]
}

function held({ schema }: Sql) {
  return [
    schema.alterTable('messages').addColumn('held', 'integer', (column) => column.notNull().defaultTo(0)),
    schema
      .createIndex('messages_held')
      .on('messages')
      .columns(['instance_id', 'seq'])
      .where(spelledOut<boolean>('held = 1')),
  ]
}
