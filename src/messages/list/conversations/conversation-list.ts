import { type Conversation, maxUnread } from '../../../contract/resources/conversation.ts'
import { folded } from '../../../runtime/text/folded-text.ts'
import { bytesOfRow, fitIntoPage, fittingAsJson, longInMessages, pageBytes } from '../../../store/page.ts'
import type { RowOf } from '../../../store/schema.ts'
import { batchStatement } from '../../../store/statement.ts'
import { type Reader, read } from '../../../store/store.ts'
import { peopleAt } from '../../contacts/people.ts'
import { currentMessage, currentMessages } from '../../current-message.ts'
import { contentIn, type MessageRow, withInstance } from '../../message.ts'
import { conversationKey, countedIn, hexOf, organizationKey } from '../conversation-rows.ts'
import { firstBelow } from '../list-place.ts'
import { firstOfBlock, firstOpenBlock } from '../message-index.ts'
import { renderAll } from '../message-list.ts'

/** The conversations that one read looks for. */
export interface ConversationFilter {
  readonly organizationId: string
  readonly instanceName: string | null
  /** The names of the only instances that the caller may know of; null for all. */
  readonly seen: readonly string[] | null
  /** A part of the name, the username or an address; null for all. */
  readonly search: string | null
  /** True for only those with unread messages. */
  readonly isUnread: boolean
  readonly limit: number
  /** Bytes that they may have together; `pageBytes` by default. One may always be longer. */
  readonly bytes?: number
  /** Only conversations whose last message was accepted before the one with this id. */
  readonly before: string | null
  /** Only those whose last message has a number below this, as `goOn` of the read before; null at first. */
  readonly below: number | null
}

/** A conversation, and the network of its instance; null if that was removed. */
export interface ListedConversation {
  readonly network: string | null
  readonly conversation: Omit<Conversation, 'kind'>
}

export interface ListedConversations {
  readonly data: ListedConversation[]
  /**
   * The place to go on from, with the id of the last message that was looked at and that the caller may know of, if there
   * was one; null at the end.
   */
  readonly goOn: { readonly below: number; readonly id: string | null } | null
  /** Bytes of these conversations. `isFull` is true if the next one does not fit beside them. */
  readonly bytes: number
  readonly isFull: boolean
}

/** Conversations of other instances than those asked for that one read looks at. */
const othersAtOnce = 4_000
/** Conversations that one read compares with what is searched for. */
export const comparedAtOnce = 500

/** A conversation with one address, by its last message. */
type Last = Pick<MessageRow, 'instance_id' | 'instance_name' | 'recipient' | 'seq'>

/** The same of messages that are in no block yet, with the number of those that count as unread unless they were read. */
interface OpenLast extends Last {
  readonly received: number
}

const nameOf = ({ instance_name, recipient }: Pick<Last, 'instance_name' | 'recipient'>) =>
  `${instance_name} ${recipient}`

/** The conversations whose last messages are the newest. Of a person with several addresses, it is the one with the newest message. */
export const listConversations = read(
  'conversations.list',
  async (reader, filter: ConversationFilter): Promise<ListedConversations> => {
    if (namesOf(filter)?.length === 0) return { data: [], goOn: null, bytes: 0, isFull: false }
    const below = filter.below ?? (await firstBelow(reader, filter, filter.before))
    const inOpen = await lastInOpen(reader, filter)
    const { rows, goOnBelow } = await lastBefore(reader, filter, below)
    const open = new Map(inOpen.map((last) => [nameOf(last), last]))
    const all = [...inOpen.filter(({ seq }) => seq < below), ...rows.filter((row) => !open.has(nameOf(row)))]
    const compared = isComparing(filter) ? all.slice(0, comparedAtOnce) : all
    const wanted = await matching(reader, filter, compared, open)
    const { messages, last, ...found } = await lastMessages(reader, filter, wanted)
    let { bytes } = found
    const data: ListedConversation[] = []
    const rendered = await renderAll(reader, messages)
    const people = await peopleOf(reader, filter, messages)
    const networks = await networksOf(reader, messages)
    const mentionedIn = await mentionsOf(reader, messages)
    for (const [index, row] of messages.entries()) {
      const { name, username, others, kept } = people(row)
      const message = rendered[index]
      if (!message || hasNewer({ row, others, kept, open })) continue
      const mentioned = mentionedIn(row)
      bytes += Buffer.byteLength(JSON.stringify([others, name, username, mentioned]))
      const before = messages[index - 1]
      if (data.length > 0 && before && bytes > (filter.bytes ?? pageBytes))
        return { data, goOn: { below: before.seq, id: before.id }, bytes, isFull: true }
      const { instance, conversation } = message
      const unread = unreadOf({ row, others, kept, open })
      const named = { instance, conversation, aliases: [...others], name, username }
      data.push({
        network: networks.get(row.instance_id) ?? null,
        conversation: {
          ...named,
          unread,
          ...(mentioned.length > 0 && { mentioned }),
          last_message: message,
        },
      })
    }
    const goOn = last ?? (compared.length < all.length ? (compared.at(-1)?.seq ?? null) : goOnBelow)
    const id =
      last === null && isComparing(filter) ? await idOf(reader, compared.at(-1)) : messages.at(-1)?.id
    return {
      data,
      goOn: goOn === null ? null : { below: goOn, id: id ?? null },
      bytes,
      isFull: found.isFull,
    }
  },
)

const isComparing = ({ search, isUnread }: ConversationFilter) => search !== null || isUnread

/** Of these conversations, those that are searched for. */
async function matching(
  reader: Reader,
  filter: ConversationFilter,
  all: readonly Last[],
  open: Person['open'],
): Promise<readonly Last[]> {
  if (!isComparing(filter)) return all
  const wanted = filter.search === null ? null : folded(filter.search)
  const people = await peopleOf(reader, filter, all)
  return all.filter((row) => {
    const { name, username, others, kept } = people(row)
    if (filter.isUnread && unreadOf({ row, others, kept, open }) === 0) return false
    if (wanted === null) return true
    return [row.recipient, name, username, ...others].some((one) => folded(one ?? '').includes(wanted))
  })
}

/** The id of the message with which a conversation ends. */
async function idOf(reader: Reader, last: Last | undefined): Promise<string | undefined> {
  if (!last) return undefined
  return (await reader.first(withInstance(reader.sql).select('messages.id').where('seq', '=', last.seq)))?.id
}

interface LastMessages {
  readonly messages: readonly MessageRow[]
  /** The number of the last of them, if others follow. */
  readonly last: number | null
  readonly bytes: number
  readonly isFull: boolean
}

/** The messages that conversations ended with: as many as are wanted, and as fit. */
async function lastMessages(
  reader: Reader,
  filter: ConversationFilter,
  all: readonly Last[],
): Promise<LastMessages> {
  const { organizationId: organization, limit, bytes: most = pageBytes } = filter
  const wanted = all.slice(0, limit)
  const lengths = await reader.allForEach(
    selectLength,
    wanted.map(({ seq }) => ({ seq, organization })),
  )
  const bySeq = new Map(lengths.map(({ seq, bytes }) => [seq, bytes]))
  const measured = wanted.map((last) => ({ ...last, bytes: bySeq.get(last.seq) ?? 0 }))
  const some = measured.slice(0, fitIntoPage(measured, most).count)
  const read = await messagesWith(reader, filter, some)
  const { count, bytes } = fittingAsJson(read, longInMessages, most)
  const messages = read.slice(0, count)
  const isCut = count < read.length
  const last = isCut ? messages.at(-1) : some.length < all.length ? some.at(-1) : undefined
  return { messages, last: last?.seq ?? null, bytes, isFull: isCut || some.length < wanted.length }
}

/** The conversations of messages that are in no block yet, the newest first. */
async function lastInOpen(
  reader: Reader,
  { organizationId, ...filter }: ConversationFilter,
): Promise<OpenLast[]> {
  const open = firstOfBlock(await firstOpenBlock(reader))
  const names = namesOf(filter)
  const own = withInstance(reader.sql)
    .select(['instance_id', 'instance_name', 'recipient', ({ fn }) => fn.max<number>('seq').as('seq')])
    .select((eb) => countedIn(eb).as('received'))
    .where('seq', '>=', open)
    .where('organization_id', '=', organizationId)
    .groupBy(['instance_id', 'instance_name', 'recipient'])
    .orderBy('seq', 'desc')
  return reader.all(names === null ? own : own.where('instance_name', 'in', names))
}

function namesOf({ instanceName, seen }: Pick<ConversationFilter, 'instanceName' | 'seen'>) {
  if (instanceName === null) return seen
  return seen === null || seen.includes(instanceName) ? [instanceName] : []
}

/** The kept conversations before a number, one more than fit on a page. */
async function lastBefore(
  reader: Reader,
  filter: ConversationFilter,
  below: number,
): Promise<{ rows: Last[]; goOnBelow: number | null }> {
  const names = namesOf(filter)
  const most = isComparing(filter) ? comparedAtOnce : names === null ? filter.limit + 1 : othersAtOnce
  const found = await reader.all(
    reader.sql
      .selectFrom('conversations')
      .select('last_seq as seq')
      .where('organization', '=', organizationKey(filter.organizationId))
      .where('last_seq', '<', below)
      .orderBy('last_seq', 'desc')
      .limit(most),
  )
  const rows: Last[] = []
  let looked = 0
  // Most of an organization's conversations may be of the instances that are asked for: then a few more than fit on a page are enough.
  let part = isComparing(filter) ? most : filter.limit + 1
  while (looked < found.length && (looked === 0 || rows.length <= filter.limit)) {
    const some = found.slice(looked, looked + part)
    looked += some.length
    part *= 2
    const lasts = await reader.allForEach(
      selectName,
      some.map(({ seq }) => ({ seq, organization: filter.organizationId })),
    )
    lasts.sort((a, b) => b.seq - a.seq)
    rows.push(...lasts.filter((row) => names === null || names.includes(row.instance_name)))
  }
  const isAll = looked === found.length && found.length < most
  return { rows, goOnBelow: isAll ? null : (found[looked - 1]?.seq ?? null) }
}

const selectName = batchStatement({ seq: 'bigint', organization: 'text' })((sql, given) =>
  withInstance(sql)
    .select(['instance_id', 'instance_name', 'recipient', 'seq'])
    .where('seq', '=', given('seq'))
    .where('organization_id', '=', given('organization')),
)

const selectMessage = batchStatement({ seq: 'bigint', organization: 'text' })((sql, given) =>
  currentMessages(sql)
    .where('messages.seq', '=', given('seq'))
    .where('organization_id', '=', given('organization')),
)

const selectLength = batchStatement({ seq: 'bigint', organization: 'text' })((sql, given) =>
  withInstance(sql)
    .select((eb) => ['seq', eb.cast<number>(bytesOfRow(longInMessages), 'integer').as('bytes')])
    .where('seq', '=', given('seq'))
    .where('organization_id', '=', given('organization')),
)

async function messagesWith(
  reader: Reader,
  { organizationId: organization }: ConversationFilter,
  lasts: readonly Last[],
): Promise<MessageRow[]> {
  const rows = await reader.allForEach(
    selectMessage,
    lasts.map(({ seq }) => ({ seq, organization })),
  )
  return rows.map(currentMessage).sort((a, b) => b.seq - a.seq)
}

const selectNetwork = batchStatement({ id: 'text' })((sql, given) =>
  sql.selectFrom('instances').select(['id', 'network']).where('id', '=', given('id')),
)

/** The networks of the instances of messages, by their ids. */
async function networksOf(
  reader: Reader,
  messages: readonly MessageRow[],
): Promise<ReadonlyMap<string, string>> {
  const ids = new Set(messages.map(({ instance_id }) => instance_id))
  const rows = await reader.allForEach(
    selectNetwork,
    [...ids].map((id) => ({ id })),
  )
  return new Map(rows.map(({ id, network }) => [id, network]))
}

/** Looks for the names of the people whom messages mention; the function that it resolves with returns those of one message. */
async function mentionsOf(reader: Reader, messages: readonly MessageRow[]) {
  const mentions = new Map(messages.map(({ seq, content }) => [seq, contentIn(content).mentions ?? []]))
  const at = ({ instance_id, seq }: MessageRow) =>
    (mentions.get(seq) ?? []).map((address) => ({ instance: instance_id, address }))
  const askedPerson = await peopleAt(reader, messages.flatMap(at))
  return (row: MessageRow) =>
    at(row).flatMap((place) => {
      const { name } = askedPerson(place)
      return name === null ? [] : [{ address: place.address, name }]
    })
}

const selectKept = batchStatement({ key: 'bytes' })((sql, given) =>
  sql.selectFrom('conversations').select(['key', 'last_seq', 'unread']).where('key', '=', given('key')),
)

type Kept = Pick<RowOf<'conversations'>, 'last_seq' | 'unread'>

interface Person {
  readonly row: Last
  /** Their other addresses. */
  readonly others: readonly string[]
  /** Finds the kept conversation with one of their addresses. */
  readonly kept: (address: string) => Kept | undefined
  /** The conversations of messages in no block yet, by their names. */
  readonly open: ReadonlyMap<string, OpenLast>
}

/** Looks for the people of conversations, and for what is kept of the conversations with each of their addresses. */
async function peopleOf(
  reader: Reader,
  { organizationId: organization }: ConversationFilter,
  messages: readonly Last[],
) {
  const at = ({ instance_id, recipient }: Last) => ({ instance: instance_id, address: recipient })
  const askedPerson = await peopleAt(reader, messages.map(at))
  const keyOf = ({ instance_name }: Last, address: string) =>
    conversationKey(organization, instance_name, address)
  const keys = messages.flatMap((row) =>
    [row.recipient, ...askedPerson(at(row)).others].map((address) => ({ key: keyOf(row, address) })),
  )
  const rows = await reader.allForEach(selectKept, keys)
  const byKey = new Map(rows.map(({ key, ...kept }) => [hexOf(key), kept]))
  return (row: Last) => ({
    ...askedPerson(at(row)),
    kept: (address: string): Kept | undefined => byKey.get(hexOf(keyOf(row, address))),
  })
}

/** True if there is a newer message in a conversation with another address of the same person. */
function hasNewer({ row, others, kept, open }: Person): boolean {
  const { instance_name, seq } = row
  return others.some(
    (address) =>
      (open.get(nameOf({ instance_name, recipient: address }))?.seq ?? -1) > seq ||
      (kept(address)?.last_seq ?? -1) > seq,
  )
}

/** The unread messages of the conversations with all addresses of a person. */
function unreadOf({ row, others, kept, open }: Person): number {
  const { instance_name, recipient } = row
  const count = [recipient, ...others].reduce((sum, address) => {
    const inOpen = open.get(nameOf({ instance_name, recipient: address }))?.received ?? 0
    return sum + inOpen + (kept(address)?.unread ?? 0)
  }, 0)
  return Math.max(0, Math.min(count, maxUnread))
}
