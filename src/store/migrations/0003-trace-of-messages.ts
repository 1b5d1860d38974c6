import type { Migration } from './migration.ts'

/** Keeps the trace context of the requests that messages came with. */
export const traceOfMessages: Migration = {
  name: '0003-trace-of-messages',
  kind: 'expands',
  statements: ({ sql }) => [sql.schema.alterTable('messages').addColumn('trace', 'text')],
}
