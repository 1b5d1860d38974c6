import { type Compilable, rawSql, type Sql, unsettled, unsettledByAge } from '../../statement.ts'
import type { Dialect } from '../../store.ts'
import { inOneTree } from './in-one-tree.ts'

/** The table of messages, with its indexes. */
export function messages(sql: Sql, dialect: Dialect): Compilable<unknown>[] {
  return [
    sql.schema
      .createTable('messages')
      .addColumn('seq', dialect.sequence, (column) => column.primaryKey())
      .addColumn('id', 'text', (column) => column.notNull().unique())
      .addColumn('organization_id', 'text', (column) => column.notNull())
      .addColumn('instance_id', 'text', (column) => column.notNull())
      .addColumn('instance_name', 'text', (column) => column.notNull())
      .addColumn('direction', 'text', (column) => column.notNull().defaultTo('outbound'))
      .addColumn('sent_elsewhere', 'integer', (column) => column.notNull().defaultTo(0))
      .addColumn('sender', 'text')
      .addColumn('sender_message_id', 'text')
      .addColumn('aliases', 'text')
      .addColumn('window_ends_at', 'bigint')
      .addColumn('account', 'text')
      .addColumn('recipient', 'text', (column) => column.notNull())
      .addColumn('kind', 'text', (column) => column.notNull())
      .addColumn('status', 'text', (column) => column.notNull())
      .addColumn('text', 'text')
      .addColumn('subject', 'text')
      .addColumn('relation', 'text')
      .addColumn('unsupported', 'text')
      .addColumn('network_message_id', 'text')
      .addColumn('id_assigned', 'integer', (column) => column.notNull().defaultTo(0))
      .addColumn('client_ref', 'text')
      .addColumn('metadata', 'text')
      .addColumn('stored_bytes', 'bigint', (column) => column.notNull().defaultTo(0))
      .addColumn('error', 'text')
      .addColumn('notices', 'text')
      .addColumn('attempts', 'integer', (column) => column.notNull().defaultTo(0))
      .addColumn('last_attempt_at', 'bigint')
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('send_at', 'bigint')
      .addColumn('expires_at', 'bigint', (column) => column.notNull())
      .addColumn('sent_at', 'bigint')
      .addColumn('delivered_at', 'bigint')
      .addColumn('read_at', 'bigint')
      .addColumn('last_event_at', 'bigint', (column) => column.notNull().defaultTo(0))
      .addColumn('uncertain', 'integer', (column) => column.notNull().defaultTo(0))
      .addColumn('underway', 'integer', (column) => column.notNull().defaultTo(0))
      .addColumn('awaits_file', 'integer', (column) => column.notNull().defaultTo(0))
      .addColumn('held', 'integer', (column) => column.notNull().defaultTo(0))
      .addColumn('joins_lane_at', 'bigint', (column) => column.notNull().defaultTo(0))
      .addColumn('leads_lane', 'integer', (column) => column.notNull().defaultTo(0))
      .addColumn('queue_position', 'bigint')
      .addColumn('due_at', 'bigint'),
    attempts(sql, dialect),
    ...lists(sql, dialect),
    ...outbox(sql),
  ]
}

function attempts({ schema }: Sql, dialect: Dialect): Compilable<unknown> {
  return schema
    .createTable('message_attempts')
    .addColumn('message_seq', 'bigint', (column) => column.notNull())
    .addColumn('number', 'integer', (column) => column.notNull())
    .addColumn('outcome', 'text', (column) => column.notNull())
    .addColumn('started_at', 'bigint')
    .addColumn('ended_at', 'bigint', (column) => column.notNull())
    .addColumn('error', 'text')
    .addColumn('next_attempt_at', 'bigint')
    .addPrimaryKeyConstraint('message_attempt', ['message_seq', 'number'])
    .modifyEnd(inOneTree(dialect))
}

/*
 * Every index is paid for by every message, so each one serves a question that is asked often, and those about
 * unsettled messages hold only unsettled messages. What lists are found by is entered in blocks (docs/decisions/0013).
 */

function lists({ schema }: Sql, dialect: Dialect): Compilable<unknown>[] {
  return [
    schema
      .createTable('message_index')
      .addColumn('block', 'bigint', (column) => column.notNull())
      .addColumn('key', 'bigint', (column) => column.notNull())
      .addColumn('seq', 'bigint', (column) => column.notNull())
      .addPrimaryKeyConstraint('message_index_entry', ['block', 'key', 'seq'])
      .modifyEnd(inOneTree(dialect)),
    schema
      .createTable('conversations')
      .addColumn('organization_id', 'text', (column) => column.notNull())
      .addColumn('instance_name', 'text', (column) => column.notNull())
      .addColumn('address', 'text', (column) => column.notNull())
      .addColumn('last_seq', 'bigint', (column) => column.notNull())
      .addPrimaryKeyConstraint('conversation', ['organization_id', 'instance_name', 'address'])
      .modifyEnd(inOneTree(dialect)),
    schema
      .createIndex('conversations_by_last_message')
      .on('conversations')
      .columns(['organization_id', 'last_seq']),
    schema
      .createIndex('messages_on_network')
      .unique()
      .on('messages')
      .columns(['network_message_id', 'instance_id'])
      .where('network_message_id', 'is not', null),
    // The writer chooses these ids: however often one comes, the latest in a conversation is found at once.
    schema
      .createIndex('messages_by_sender_id')
      .on('messages')
      .columns(['instance_id', 'recipient', 'sender_message_id', 'seq'])
      .where(rawSql<boolean>('sender_message_id is not null')),
  ]
}

function outbox({ schema }: Sql): Compilable<unknown>[] {
  return [
    schema
      .createIndex('messages_queued')
      .on('messages')
      .columns(['instance_id', 'queue_position'])
      .where('queue_position', 'is not', null),
    schema
      .createIndex('messages_due')
      .on('messages')
      .columns(['instance_id', 'due_at', 'seq'])
      .where('due_at', 'is not', null),
    schema
      .createIndex('messages_unsettled')
      .on('messages')
      .columns(['instance_id', 'recipient', 'joins_lane_at', 'seq'])
      .where(unsettled),
    // With the oldest of each instance first: an instance is shown with the time since when it waits.
    schema
      .createIndex('messages_oldest')
      .on('messages')
      .columns(['instance_id', 'seq'])
      .where(unsettledByAge),
    schema.createIndex('messages_by_expiry').on('messages').column('expires_at').where(unsettled),
    schema
      .createIndex('messages_held')
      .on('messages')
      .columns(['instance_id', 'seq'])
      .where(rawSql<boolean>('held = 1')),
  ]
}
