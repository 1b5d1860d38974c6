import type { ExpressionBuilder } from 'kysely'
import type { MessageContent } from '../contract/resources/content.ts'
import type { Message } from '../contract/resources/message.ts'
import type { MessageTemplate } from '../contract/resources/template.ts'
import { mediaKinds, type SentKind } from '../contract/statuses.ts'
import { timestamp } from '../runtime/clock.ts'
import { idPattern } from '../runtime/ids.ts'
import { type RowOf, type Schema, tables } from '../store/schema.ts'
import type { Argument, Sql } from '../store/statement.ts'
import { absentValues } from '../store/tables/columns.ts'
import type { SeenOf } from '../store/tables/kept-message.ts'
import { type FileFacts, renderFile } from './message-file.ts'
import { type KeptTime, type MessageTimes, timesOf } from './message-times.ts'

/** The row of a message as code sees it, which names its instance as callers do. */
export interface MessageRow
  extends Omit<SeenOf<RowOf<'messages'>>, 'instance' | KeptTime>,
    MessageTimes,
    Pick<RowOf<'message_instances'>, 'organization_id' | 'instance_id' | 'instance_name'> {}

/** Messages beside their instances, to be selected from. */
export function withInstance(sql: Pick<Sql, 'selectFrom'>) {
  return sql
    .selectFrom('messages')
    .innerJoin('message_instances', 'message_instances.number', 'messages.instance')
}

/** The columns that are fixed when a message is accepted, but for the number of its instance. */
export const newMessageColumns = [
  'id',
  'recipient',
  'kind',
  'text',
  'relation',
  'content',
  'client_ref',
  'metadata',
  'created_at',
  'send_at',
  'expires_at',
  'id_assigned',
  'window_ends_at',
  'trace',
] as const

/** The fixed part of a message that is accepted. */
export interface NewMessage
  extends Readonly<
    Pick<MessageRow, (typeof newMessageColumns)[number] | 'organization_id' | 'instance_id' | 'instance_name'>
  > {
  readonly kind: SentKind
}

/** Bytes that a message takes besides its words: its row, its places in indexes, and its events. */
const sizeWithoutWords = 1024

/** Returns the bytes that a message counts for among those of its organization. */
export function storedSize({
  recipient,
  text,
  relation,
  content,
  client_ref,
  metadata,
  trace,
}: Pick<
  NewMessage,
  'recipient' | 'text' | 'relation' | 'content' | 'client_ref' | 'metadata' | 'trace'
>): number {
  const words = [recipient, text, relation, content, client_ref, metadata, trace]
  return words.reduce((size, one) => size + (one === null ? 0 : Buffer.byteLength(one)), sizeWithoutWords)
}

/** The columns of a message that callers see. */
type ShownMessage = Omit<MessageRow, 'last_attempt_at' | 'last_event_at'>

/** A message as callers see it; `file` is that of a media message. */
export function renderMessage(row: ShownMessage, file: FileFacts | undefined): Message {
  return {
    id: row.id,
    direction: row.incoming === 1 ? 'inbound' : 'outbound',
    origin: row.incoming === 1 ? null : row.sent_elsewhere === 1 ? 'elsewhere' : 'posthorn',
    instance: row.instance_name,
    from: row.sender,
    to: row.incoming === 1 ? row.account : row.recipient,
    conversation: row.recipient,
    aliases: row.aliases === null ? [] : JSON.parse(row.aliases),
    kind: row.kind,
    status: row.status,
    ...wordsOf(row),
    ...(file ? { media: renderFile(file) } : {}),
    ...(row.kind === 'template' && { template: templateIn(row.text) }),
    ...contentIn(row.content),
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
    expires_at: row.incoming === 1 || row.sent_elsewhere === 1 ? null : timestamp(row.expires_at),
    sent_at: timestamp(row.sent_at),
    delivered_at: timestamp(row.delivered_at),
    read_at: timestamp(row.read_at),
    window_ends_at: timestamp(row.window_ends_at),
    ...(row.forgotten === 1 && { forgotten: true }),
  }
}

function wordsOf({ kind, text }: ShownMessage): Pick<Message, 'text' | 'caption'> {
  if (kind === 'template' || kind === 'retraction') return {}
  if (kind === 'unsupported') return text === null ? {} : { caption: text }
  return isMedia(kind) ? { caption: text } : { text: text ?? '' }
}

const isMedia = (kind: string) => mediaKinds.some((each) => each === kind)

/** The fields of its content in the row of a message. */
export function contentIn(content: string | null): MessageContent {
  return content === null ? {} : JSON.parse(content)
}

/** A template with its parameters, as it stands in the row of its message. */
export function templateText({ name, language, components, category }: MessageTemplate): string {
  return JSON.stringify({ name, language, components, category })
}

/** The template in the row of a message that is made from one. */
export function templateIn(text: string | null): MessageTemplate {
  if (text === null) throw new Error('a message from a template has none')
  return JSON.parse(text)
}

/** False for a message that never has a file. */
export function mayHaveFile({ kind }: Pick<MessageRow, 'kind'>): boolean {
  return isMedia(kind)
}

/** A message as callers see it at the moment of acceptance. */
export function renderNewMessage(message: NewMessage, file?: FileFacts): Message {
  return renderMessage(newMessageRow(message), file)
}

const absent = absentValues(tables.messages)

/** The row of a message at the moment of acceptance. */
export function newMessageRow(message: NewMessage): MessageRow {
  const times = timesOf({ ...absent, created_at: message.created_at })
  return { ...absent, ...message, ...times, stored_bytes: storedSize(message), status: 'queued' }
}

/*
 * The network message id of a message: the one that its network assigned, or, if the network assigns none, the message's own id
 * without its prefix, which is stored nowhere a second time (docs/decisions/0037).
 */

const prefix = 'msg_'
const idOfMessage = new RegExp(idPattern('msg'))

/** The id that every attempt for a message carries. */
export function ownNetworkId(id: string): string {
  return id.slice(prefix.length)
}

/** The id under which the network knows a message; null while the network has yet to assign one. */
export function networkIdOf(
  message: Pick<MessageRow, 'id' | 'network_message_id' | 'id_assigned'>,
): string | null {
  if (message.network_message_id !== null) return message.network_message_id
  return message.id_assigned === 1 ? null : ownNetworkId(message.id)
}

/** The id of the message from whose id this network message id is derived, if it exists; null if it can be derived from none. */
export function messageIdFrom(networkId: string): string | null {
  const id = prefix + networkId
  return idOfMessage.test(id) ? id : null
}

/** Both ways in which a network message id can name a message. */
export interface NetworkIds {
  readonly assigned: string
  readonly derivedFrom: string | null
}

/** Returns the arguments of `isNamed`. An unknown sender may choose any text. */
export function networkIdsIn(networkId: string): NetworkIds {
  return { assigned: networkId, derivedFrom: messageIdFrom(networkId) }
}

/**
 * The condition that a message has the network message id that is given by `namesIn`; each way has its unique index. A message
 * that was sent can be named by our id even if its network assigned another.
 */
export const isNamed = (argument: Argument<NetworkIds>) => (eb: ExpressionBuilder<Schema, 'messages'>) =>
  eb.or([
    eb('network_message_id', '=', argument('assigned')),
    eb.and([eb('id', '=', argument('derivedFrom')), eb('incoming', '=', eb.lit(0))]),
  ])
