import type { Selectable } from 'kysely'
import type { MediaKind, Message, SentKind } from '../contract/resources/message.ts'
import type { MessageTemplate } from '../contract/resources/template.ts'
import { mediaKinds } from '../contract/statuses.ts'
import { timestamp } from '../runtime/clock.ts'
import type { MessagesTable } from '../store/tables/messages.ts'
import { type FileFacts, renderFile } from './message-file.ts'
import { networkIdOf } from './network-id.ts'

export type MessageRow = Selectable<MessagesTable>

/** What is fixed about a message when it is accepted. */
export interface NewMessage {
  readonly id: string
  readonly organization_id: string
  readonly instance_id: string
  readonly instance_name: string
  readonly recipient: string
  readonly kind: SentKind
  /** The text, the caption of a file, or JSON of a template (`templateText`). */
  readonly text: string | null
  readonly client_ref: string | null
  /** JSON text, or null if the caller gave none. */
  readonly metadata: string | null
  readonly created_at: number
  readonly send_at: number | null
  readonly expires_at: number
  /** 1 if its network gives messages their ids. */
  readonly id_assigned: 0 | 1
  /** Until when the recipient may be answered, as far as it is known; null if it is not, or if there is no limit. */
  readonly window_ends_at: number | null
}

/** What a message takes besides its words, in bytes: its row, its places in indexes, and its events. */
const sizeWithoutWords = 1024

/** For how many bytes a message counts among those of its organization. */
export function storedSize({
  recipient,
  text,
  client_ref,
  metadata,
}: Pick<NewMessage, 'recipient' | 'text' | 'client_ref' | 'metadata'>): number {
  const words = [recipient, text, client_ref, metadata]
  return words.reduce((size, one) => size + (one === null ? 0 : Buffer.byteLength(one)), sizeWithoutWords)
}

/** A message as callers see it; `file` is that of a media message. */
export function renderMessage(row: MessageRow, file: FileFacts | undefined): Message {
  return {
    id: row.id,
    direction: row.direction,
    origin: row.direction === 'inbound' ? null : row.sent_elsewhere === 1 ? 'elsewhere' : 'posthorn',
    instance: row.instance_name,
    from: row.sender,
    to: row.direction === 'inbound' ? row.account : row.recipient,
    conversation: row.recipient,
    aliases: row.aliases === null ? [] : JSON.parse(row.aliases),
    kind: row.kind,
    status: row.status,
    ...wordsOf(row),
    ...(file ? { media: renderFile(file) } : {}),
    ...(row.kind === 'template' && { template: templateIn(row.text) }),
    subject: row.subject,
    relation: row.relation === null ? null : JSON.parse(row.relation),
    unsupported: row.unsupported === null ? null : JSON.parse(row.unsupported),
    network_message_id: networkIdOf(row),
    client_ref: row.client_ref,
    metadata: row.metadata === null ? {} : JSON.parse(row.metadata),
    error: row.error === null ? null : JSON.parse(row.error),
    notices: row.notices === null ? [] : JSON.parse(row.notices),
    attempts: row.attempts,
    created_at: timestamp(row.created_at),
    send_at: timestamp(row.send_at),
    expires_at: row.direction === 'inbound' || row.sent_elsewhere === 1 ? null : timestamp(row.expires_at),
    sent_at: timestamp(row.sent_at),
    delivered_at: timestamp(row.delivered_at),
    read_at: timestamp(row.read_at),
    window_ends_at: timestamp(row.window_ends_at),
  }
}

function wordsOf({ kind, text }: MessageRow): Pick<Message, 'text' | 'caption'> {
  if (kind === 'text' || kind === 'reaction') return { text: text ?? '' }
  if (kind === 'unsupported') return text === null ? {} : { caption: text }
  return mediaKinds.includes(kind as MediaKind) ? { caption: text } : {}
}

/** A template with its parameters, as it stands in the row of its message. */
export function templateText({ name, language, components }: MessageTemplate): string {
  return JSON.stringify({ name, language, components })
}

/** The template in the row of a message that is made from one. */
export function templateIn(text: string | null): MessageTemplate {
  if (text === null) throw new Error('a message from a template has none')
  return JSON.parse(text)
}

/** False for a message that never has a file. */
export function mayHaveFile({ kind }: Pick<MessageRow, 'kind'>): boolean {
  return kind !== 'text' && kind !== 'template'
}

/** A message as callers see it at the moment of acceptance. */
export function renderNewMessage(message: NewMessage, file?: FileFacts): Message {
  return renderMessage(newRow(message), file)
}

/** The row of a message at the moment of acceptance. */
export function newRow(message: NewMessage): MessageRow {
  return {
    ...message,
    seq: 0,
    direction: 'outbound',
    sent_elsewhere: 0,
    sender: null,
    sender_message_id: null,
    subject: null,
    relation: null,
    unsupported: null,
    aliases: null,
    account: null,
    network_message_id: null,
    stored_bytes: storedSize(message),
    status: 'queued',
    error: null,
    notices: null,
    attempts: 0,
    last_attempt_at: null,
    uncertain: 0,
    sent_at: null,
    delivered_at: null,
    read_at: null,
    last_event_at: 0,
    held: 0,
    awaits_file: 0,
    underway: 0,
    leads_lane: 0,
    queue_position: null,
    due_at: null,
    joins_lane_at: 0,
  }
}
