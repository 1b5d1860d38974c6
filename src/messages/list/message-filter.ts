import type { ExpressionBuilder } from 'kysely'
import type { MessageDirection, MessageKind, MessageStatus } from '../../contract/resources/message.ts'
import { folded } from '../../runtime/text/folded-text.ts'
import type { Schema } from '../../store/schema.ts'
import type { Reader } from '../../store/store.ts'
import { keptKind, keptStatus } from '../../store/tables/kept-message.ts'
import { aliasesInOrganization } from '../contacts/contact-store.ts'
import { isSettled } from '../life.ts'
import { withInstance } from '../message.ts'
import { keyOf, messagesAt } from './message-index.ts'

/** The criteria of callers for lists of messages. Null accepts every value. */
export interface MessageFilter {
  readonly organizationId: string
  readonly instanceName: string | null
  /** The names of the only instances that the caller may know of; null for all. */
  readonly seen: readonly string[] | null
  readonly status: MessageStatus | null
  readonly direction: MessageDirection | null
  /** Absent means null. */
  readonly kind?: MessageKind | null
  /** An address of the person, perhaps in several spellings; messages with any of their addresses are found. */
  readonly conversation: string | readonly string[] | null
  /** The same, and only messages that were sent to the person. */
  readonly to: string | readonly string[] | null
  readonly clientRef: string | null
  /** From this moment on, and before that one; milliseconds since the epoch. */
  readonly createdAfter: number | null
  readonly createdBefore: number | null
  /** The words that the text or caption contains. */
  readonly text: string | null
}

/** A filter with every address of the people that it names, and its text folded. */
export interface Search extends Omit<MessageFilter, 'conversation' | 'to'> {
  readonly conversations: readonly string[] | null
}

export async function searchFor(
  reader: Reader,
  { conversation, to, ...filter }: MessageFilter,
): Promise<Search> {
  const { organizationId: organization, instanceName, seen } = filter
  const text = filter.text === null ? null : folded(filter.text)
  const names = instanceName === null ? seen : [instanceName]
  const find = (asked: string | readonly string[]) =>
    aliasesInOrganization(reader, { organization, addresses: [asked].flat(), names })
  const conversations = conversation === null ? null : await find(conversation)
  if (to === null) return { ...filter, text, conversations }
  // A message sent to a person is outbound, in the conversation with them and in no other.
  const recipients = filter.direction === 'inbound' ? [] : await find(to)
  const both = conversations?.filter((address) => recipients.includes(address)) ?? recipients
  return { ...filter, text, direction: 'outbound', conversations: both }
}

/** Returns the keys by which the index finds messages; the other criteria of the filter are checked in the rows. */
export function keysFor({ organizationId, seen, direction, instanceName, ...filter }: Search): number[] {
  if (filter.clientRef !== null) return [keyOf('client_ref', organizationId, filter.clientRef)]
  if (filter.conversations !== null)
    return filter.conversations.map((address) => keyOf('conversation', organizationId, address))
  const names = instanceName === null ? seen : [instanceName]
  if (direction === 'inbound')
    return (
      names?.map((name) => keyOf('received', organizationId, name)) ?? [keyOf('received', organizationId)]
    )
  return (
    names?.map((name) => keyOf('instance', organizationId, name)) ?? [keyOf('organization', organizationId)]
  )
}

/** True if the filter may drop most of what the index finds, so that a page may take many reads. */
export function isRare(filter: Omit<MessageFilter, 'organizationId' | 'instanceName' | 'seen'>): boolean {
  const {
    status,
    direction,
    kind = null,
    conversation,
    to,
    clientRef,
    createdAfter,
    createdBefore,
    text,
  } = filter
  // It drops little of a conversation, whichever direction it asks for.
  const isFound = direction !== 'outbound' || clientRef !== null || conversation !== null || to !== null
  return !isFound || [status, kind, createdAfter, createdBefore, text].some((asked) => asked !== null)
}

/** Selects all messages in any order, as far as the rows show what the filter asks for; their texts are not looked at. */
export function messagesOf(reader: Reader) {
  return withInstance(reader.sql).selectAll('messages').select(['organization_id', 'instance_name'])
}

export type Rows = ReturnType<typeof messagesOf>

/** For each of these blocks, the numbers of the messages that the index finds there, below a number, the newest first. */
export async function indexed(
  reader: Reader,
  filter: Search,
  { blocks, below }: { readonly blocks: readonly number[]; readonly below: number },
): Promise<number[][]> {
  if (blocks.length === 0) return []
  const entries = await reader.all(
    reader.sql
      .selectFrom('message_index')
      .select(['block', 'places'])
      .where('block', 'in', blocks)
      .where('key', 'in', keysFor(filter)),
  )
  const byBlock = Map.groupBy(entries, ({ block }) => block)
  return blocks.map((block) => {
    const found = new Set(byBlock.get(block)?.flatMap(({ places }) => messagesAt(block, places)))
    return [...found].filter((seq) => seq < below).sort((a, b) => b - a)
  })
}

/** Those of the caller that the filter asks for, but for the text. */
export function matching(rows: Rows, filter: Search): Rows {
  const { instanceName, direction, conversations, clientRef, status, createdAfter, createdBefore } = filter
  const { kind = null } = filter
  let query = knownToCaller(rows, filter)
  if (instanceName !== null) query = query.where('instance_name', '=', instanceName)
  if (conversations !== null) query = query.where('messages.recipient', 'in', conversations)
  if (clientRef !== null) query = query.where('messages.client_ref', '=', clientRef)
  if (direction !== null) query = query.where('messages.incoming', '=', direction === 'inbound' ? 1 : 0)
  if (kind !== null) query = query.where('messages.kind', '=', keptKind(kind))
  if (status !== null) query = query.where(isNow(status))
  if (createdAfter !== null) query = query.where('messages.created_at', '>=', createdAfter)
  if (createdBefore !== null) query = query.where('messages.created_at', '<', createdBefore)
  return query
}

/** The messages that have a status now: the outbox says it of those that it has, and all others are settled. */
const isNow = (status: MessageStatus) => (eb: ExpressionBuilder<Schema, 'messages'>) =>
  isSettled(status)
    ? eb('messages.status', '=', keptStatus(status))
    : eb.exists(
        eb
          .selectFrom('outbox')
          .select('outbox.seq')
          .whereRef('outbox.seq', '=', 'messages.seq')
          .where('outbox.status', '=', status),
      )

/** The messages that the caller may know of. */
export function knownToCaller(
  rows: Rows,
  { organizationId, seen }: Pick<Search, 'organizationId' | 'seen'>,
): Rows {
  const own = rows.where('organization_id', '=', organizationId)
  return seen === null ? own : own.where('instance_name', 'in', seen)
}
