import { sql as raw } from 'kysely'
import { type Compilable, oldestFirst, rawSql } from '../../statement.ts'
import { isSet, type Step } from '../step.ts'

/** The tables of messages, what lists of them are made from, and the files that they carry. */
export function messages(step: Step): Compilable<unknown>[] {
  return [
    step.table('message_instances', { key: ['number'], unique: ['instance_id'] }),
    step.index('message_instances_erased', 'message_instances', ['last_seq'], { where: isSet('last_seq') }),
    step.table('messages', { key: ['seq'], unique: ['id'], later: ['trace', 'content', 'forgotten'] }),
    step.table('message_attempts', { key: ['message_seq', 'number'], inOneTree: true }),
    ...lists(step),
    ...outbox(step),
    ...files(step),
  ]
}

/*
 * Every index is paid for by every message, so each one serves a question that is asked often, and those that change with a
 * message are on the outbox. What lists are found by is entered in blocks (docs/decisions/0013).
 */

function lists(step: Step): Compilable<unknown>[] {
  return [
    step.table('message_index', { key: ['block', 'key'], inOneTree: true }),
    step.table('conversations', { key: ['key'], inOneTree: true, later: ['unread', 'read_seq'] }),
    step.index('conversations_by_last_message', 'conversations', ['organization', 'last_seq']),
    step.index('messages_on_network', 'messages', ['network_message_id', 'instance'], {
      isUnique: true,
      where: isSet('network_message_id'),
    }),
    // The writer chooses these ids: however often one comes, the latest in a conversation is found at once.
    step.index('messages_by_sender_id', 'messages', ['instance', 'recipient', 'sender_message_id', 'seq'], {
      where: isSet('sender_message_id'),
    }),
  ]
}

function outbox(step: Step): Compilable<unknown>[] {
  return [
    step.table('outbox', { key: ['seq'], later: ['target_seq', 'awaited', 'included'] }),
    step.index('outbox_queued', 'outbox', ['instance', 'queue_position'], {
      where: isSet('queue_position'),
    }),
    step.index('outbox_due', 'outbox', ['instance', 'due_at', 'seq'], { where: isSet('due_at') }),
    step.index('outbox_lanes', 'outbox', ['instance', 'recipient', 'joins_lane_at', 'seq']),
    // An instance is shown with the time since when its oldest message waits.
    step.index('outbox_oldest', 'outbox', ['instance', 'seq'], { where: oldestFirst }),
    step.index('outbox_by_expiry', 'outbox', ['expires_at']),
    step.index('outbox_held', 'outbox', ['instance', 'seq'], { where: rawSql('held = 1') }),
  ]
}

function files(step: Step): Compilable<unknown>[] {
  return [
    step.table('message_files', { key: ['message_id'] }),
    /*
     * Files that unknown senders send are fetched beside those that callers send, and never before them. With the
     * organization, so that the index can pass over organizations with as many fetches under way as they may have.
     */
    step.index('message_files_by_fetch', 'message_files', ['direction', 'fetch_at', 'organization_id'], {
      where: isSet('fetch_at'),
    }),
    step.table('media', { key: ['id'] }),
    step.index('media_by_digest', 'media', ['organization_id', 'sha256'], { isUnique: true }),
    step.index('media_by_expiry', 'media', ['expires_at'], { where: isSet('expires_at') }),
    step.table('media_uses', { key: ['message_id'], references: { media_id: 'media.id' } }),
    step.index('media_uses_of_media', 'media_uses', ['media_id']),
    step.table('small_files', { key: ['media_id'] }),
    ...(step.dialect.name === 'postgres' ? chunks(step) : []),
  ]
}

/** Files are compressed already as a rule, so PostgreSQL is told not to try. */
function chunks(step: Step): Compilable<unknown>[] {
  return [
    step.table('media_chunks', { key: ['media_id', 'start'] }),
    {
      compile: () => raw`alter table media_chunks alter column bytes set storage external`.compile(step.sql),
    },
  ]
}
