import type { Migration } from './migration.ts'

/** Keys that expire or are limited to some instances, and the audit log. */
export const keysAndAudit: Migration = {
  name: '0009-keys-and-audit',
  statements: ({ schema }, dialect) => [
    ...(['expires_at', 'last_used_at'] as const).map((name) =>
      schema.alterTable('api_keys').addColumn(name, 'bigint'),
    ),
    schema.alterTable('api_keys').addColumn('instance_names', 'text'),
    schema
      .alterTable('organizations')
      .addColumn('last_audit', 'bigint', (column) => column.notNull().defaultTo(0)),
    schema
      .createTable('audit')
      .addColumn('seq', dialect.sequence, (column) => column.primaryKey())
      .addColumn('organization_id', 'text', (column) => column.notNull())
      .addColumn('number', 'bigint', (column) => column.notNull())
      .addColumn('id', 'text', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('key_id', 'text')
      .addColumn('key_hint', 'text')
      .addColumn('action', 'text', (column) => column.notNull())
      .addColumn('target', 'text')
      .addColumn('instance_name', 'text')
      .addColumn('result', 'text', (column) => column.notNull())
      .addColumn('address', 'text')
      .addColumn('request_id', 'text'),
    schema.createIndex('audit_by_number').on('audit').columns(['organization_id', 'number']).unique(),
  ],
}
