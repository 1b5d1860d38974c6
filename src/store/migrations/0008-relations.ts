import { sql as raw } from 'kysely'
import type { Migration } from './migration.ts'

/** What messages that were received say beside their text, and which others they refer to. */
export const relations: Migration = {
  name: '0008-relations',
  statements: ({ schema }) => [
    ...['sender_message_id', 'subject', 'relation', 'unsupported'].map((name) =>
      schema.alterTable('messages').addColumn(name, 'text'),
    ),
    // The writer chooses these ids: however often one comes, the latest in a conversation is found at once.
    schema
      .createIndex('messages_by_sender_id')
      .on('messages')
      .columns(['instance_id', 'recipient', 'sender_message_id', 'seq'])
      .where(raw<boolean>`sender_message_id is not null`),
  ],
}
