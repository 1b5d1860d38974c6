import type { Migration } from './migration.ts'

/** No two instances of an organization use one account. */
export const accounts: Migration = {
  name: '0008-accounts',
  statements: ({ schema }) => [
    schema.alterTable('instances').addColumn('account_key', 'text'),
    schema
      .createIndex('instances_by_account')
      .unique()
      .on('instances')
      .columns(['organization_id', 'network', 'account_key']),
  ],
}
