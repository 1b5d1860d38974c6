import type { Message, MessageDirection, MessageStatus } from '../contract/resources/message.ts'
import { writeCursor } from '../runtime/cursor.ts'
import { type Reader, read } from '../store/store.ts'
import { aliasesInOrganization } from './contacts/contact-store.ts'
import { type MessageRow, mayHaveFile, renderMessage } from './message.ts'
import { filesOf } from './message-file.ts'
import { blockOf, firstOfBlock, keyOf } from './message-index.ts'

/*
 * A list reads the open block, which is the newest, row by row. For everything older, it finds in the index the blocks that
 * hold matches, newest first, and reads those (message-index.ts).
 */

export interface MessageFilter {
  readonly organizationId: string
  readonly instanceName: string | null
  /** The names of the only instances that the caller may know of; null for all. */
  readonly seen: readonly string[] | null
  readonly status: MessageStatus | null
  readonly direction: MessageDirection | null
  /** An address of the person; messages with any of their addresses are found. */
  readonly conversation: string | null
  /** The same, and only messages that were sent to the person. */
  readonly to: string | null
  readonly clientRef: string | null
  readonly limit: number
  /** Only messages accepted before the one with this id. */
  readonly before: string | null
  /** Only messages below this number, as `goOnBelow` of the read before; null at first. */
  readonly below: number | null
}

export interface MessagePage {
  readonly data: Message[]
  readonly next_cursor: string | null
}

/** A page, or the number below which to continue: one read looks at a limited number of rows, and found none that match. */
export type Listed = { readonly page: MessagePage } | { readonly goOnBelow: number }

/** How many blocks one search of the index covers: at first few and new ones, which most lists are about, then many. */
const newestBlocks = 256
const manyBlocks = 16_384
/** How many blocks are read for one page if only the rows show what matches. */
const blocksOfRows = 64

/**
 * A page of messages, newest first, and where to continue. The work is bounded: if few of many messages match and only the
 * rows show it, a page may hold fewer than asked for, or none, and still have a next one.
 */
export const listMessages = read('messages.list', async (reader, asked: MessageFilter): Promise<Listed> => {
  const filter = await searchFor(reader, asked)
  if (filter.conversations?.length === 0) return { page: { data: [], next_cursor: null } }
  const { limit } = filter
  const open = blockOf((await newestSeq(reader)) ?? 0)
  const below = filter.below ?? (await firstBelow(reader, filter))
  const rows =
    below > firstOfBlock(open) ? await reader.all(newestInOpen(reader, filter, { open, below })) : []
  if (rows.length > limit) return pageOf(reader, rows.slice(0, limit), rows[limit - 1])
  const behind = { below: Math.min(below, firstOfBlock(open)), most: limit - rows.length }
  const wanted = isRare(filter) ? blocksOfRows : behind.most + 1
  const { blocks, lowest } = await blocksToRead(reader, filter, { ...behind, wanted })
  for (const row of await rowsIn(reader, filter, { ...behind, blocks })) rows.push(row)
  if (rows.length > limit) return pageOf(reader, rows.slice(0, limit), rows[limit - 1])
  if (lowest === 0 && blocks.length < wanted) return pageOf(reader, rows, undefined)
  const oldest = blocks.at(-1)
  const last =
    (oldest === undefined ? undefined : await oldestIn(reader, filter, { ...behind, block: oldest })) ??
    rows.at(-1)
  return last ? pageOf(reader, rows, last) : { goOnBelow: firstOfBlock(oldest ?? lowest) }
})

/** A filter with every address of the people that it names. */
interface Search extends Omit<MessageFilter, 'conversation' | 'to'> {
  readonly conversations: readonly string[] | null
}

async function searchFor(reader: Reader, { conversation, to, ...filter }: MessageFilter): Promise<Search> {
  const { organizationId: organization, instanceName, seen } = filter
  const names = instanceName === null ? seen : [instanceName]
  const find = (address: string) => aliasesInOrganization(reader, { organization, address, names })
  const conversations = conversation === null ? null : await find(conversation)
  if (to === null) return { ...filter, conversations }
  // What is sent to somebody is outbound, of the conversation with them, and of no other.
  const recipients = filter.direction === 'inbound' ? [] : await find(to)
  const both = conversations?.filter((address) => recipients.includes(address)) ?? recipients
  return { ...filter, direction: 'outbound', conversations: both }
}

async function pageOf(
  reader: Reader,
  rows: readonly MessageRow[],
  last: { readonly id: string } | undefined,
): Promise<Listed> {
  const data = await renderAll(reader, rows)
  return { page: { data, next_cursor: last ? writeCursor(last.id) : null } }
}

/** Messages as callers see them, with their files. */
export async function renderAll(reader: Reader, rows: readonly MessageRow[]): Promise<Message[]> {
  const media = rows.filter(mayHaveFile).map(({ id }) => id)
  const files = await filesOf(reader, media)
  return rows.map((row) => renderMessage(row, files.get(row.id)))
}

/**
 * The number of the message that a page ended with, or one that no message has yet. If that message was removed since, the
 * page continues from its place: ids are in the order of time, too.
 */
async function firstBelow(reader: Reader, { before, organizationId, seen }: Search): Promise<number> {
  if (before === null) return ((await newestSeq(reader)) ?? 0) + 1
  const messages = reader.sql.selectFrom('messages').select('seq')
  const there = messages.where('id', '=', before)
  const own = there.where('organization_id', '=', organizationId)
  const known = await reader.first(seen === null ? own : own.where('instance_name', 'in', seen))
  if (known) return known.seq
  if (await reader.first(there)) return 0
  const earlier = await reader.first(messages.where('id', '<', before).orderBy('id', 'desc').limit(1))
  return (earlier?.seq ?? -1) + 1
}

async function newestSeq(reader: Reader): Promise<number | undefined> {
  const newest = reader.sql.selectFrom('messages').select('seq').orderBy('seq', 'desc').limit(1)
  return (await reader.first(newest))?.seq
}

/** The keys by which the index finds messages; whatever else the filter asks for is checked in the rows. */
function keysFor({ organizationId, seen, direction, instanceName, ...filter }: Search): number[] {
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

/**
 * True if the filter may drop most of what the index finds. It drops little of a conversation, whichever direction it asks
 * for.
 */
function isRare({ status, direction, clientRef, conversations }: Search): boolean {
  const isFound = direction !== 'outbound' || clientRef !== null || conversations !== null
  return status !== null || !isFound
}

interface Looking {
  readonly below: number
  /** How many blocks are enough. */
  readonly wanted: number
}

/** The newest blocks that hold messages which the index finds, and how far back the search went. */
async function blocksToRead(reader: Reader, filter: Search, { below, wanted }: Looking) {
  const highest = blockOf(below - 1)
  const blocks: number[] = []
  let lowest = highest + 1
  for (const count of [newestBlocks, manyBlocks]) {
    if (lowest <= 0 || blocks.length >= wanted) break
    const from = lowest - 1
    lowest = Math.max(0, lowest - count)
    const args = { from, to: lowest, below, limit: wanted - blocks.length }
    for (const { block } of await reader.all(blocksWithEntries(reader, filter, args))) blocks.push(block)
  }
  return { blocks, lowest }
}

interface Range {
  readonly from: number
  readonly to: number
  readonly below: number
  readonly limit: number
}

/** The blocks from the newest to the oldest of a range in which the index has something below a number. */
function blocksWithEntries(reader: Reader, filter: Search, { from, to, below, limit }: Range) {
  return reader.sql
    .withRecursive('blocks(block)', (sql) =>
      sql
        .selectNoFrom((eb) => eb.cast<number>(eb.val(from), 'bigint').as('block'))
        .unionAll(
          sql
            .selectFrom('blocks')
            .select((eb) => eb('block', '-', 1).as('block'))
            .where('block', '>', to),
        ),
    )
    .selectFrom('blocks')
    .select('block')
    .where(({ exists, ref, selectFrom }) =>
      exists(
        selectFrom('message_index')
          .select('seq')
          .where('message_index.block', '=', ref('blocks.block'))
          .where('key', 'in', keysFor(filter))
          .where('seq', '<', below),
      ),
    )
    .orderBy('block', 'desc')
    .limit(limit)
}

interface Reading {
  readonly blocks: readonly number[]
  readonly below: number
  /** How many rows fit on the page. */
  readonly most: number
}

/** The newest rows of the blocks, one more than fit on the page: most pages come from the first block or two. */
async function rowsIn(reader: Reader, filter: Search, { blocks, below, most }: Reading) {
  const rows: MessageRow[] = []
  for (let read = 0, count = 1; read < blocks.length && rows.length <= most; count *= 2) {
    const some = blocks.slice(read, read + count)
    const newest = matching(indexed(reader, filter, some).where('messages.seq', '<', below), filter)
    rows.push(...(await reader.all(newest.orderBy('messages.seq', 'desc').limit(most + 1))))
    read += count
  }
  return rows
}

function newestInOpen(reader: Reader, filter: Search, { open, below }: { open: number; below: number }) {
  const rows = reader.sql
    .selectFrom('messages')
    .selectAll('messages')
    .where('messages.seq', '>=', firstOfBlock(open))
    .where('messages.seq', '<', below)
  return matching(rows, filter)
    .orderBy('messages.seq', 'desc')
    .limit(filter.limit + 1)
}

/** The messages that the index finds in these blocks. */
function indexed(reader: Reader, filter: Search, blocks: readonly number[]) {
  return reader.sql
    .selectFrom('message_index')
    .innerJoin('messages', 'messages.seq', 'message_index.seq')
    .selectAll('messages')
    .where('message_index.block', 'in', blocks)
    .where('message_index.key', 'in', keysFor(filter))
}

type Rows = ReturnType<typeof indexed>

function matching(rows: Pick<Rows, 'where'>, filter: Search): Rows {
  const { organizationId, seen, instanceName, direction, conversations, clientRef, status } = filter
  let query = rows.where('messages.organization_id', '=', organizationId)
  if (seen !== null) query = query.where('messages.instance_name', 'in', seen)
  if (instanceName !== null) query = query.where('messages.instance_name', '=', instanceName)
  if (conversations !== null) query = query.where('messages.recipient', 'in', conversations)
  if (clientRef !== null) query = query.where('messages.client_ref', '=', clientRef)
  if (direction !== null) query = query.where('messages.direction', '=', direction)
  if (status !== null) query = query.where('messages.status', '=', status)
  return query
}

/**
 * The oldest message of a block that the caller may know of: the next page begins after it, whether or not it was on the page
 * itself. It is never the one that the page before ended with; otherwise a list would not end.
 */
function oldestIn(reader: Reader, filter: Search, { block, below }: { block: number; below: number }) {
  const found = indexed(reader, filter, [block]).where('messages.seq', '<', below)
  const own = found.where('messages.organization_id', '=', filter.organizationId)
  const seen = filter.seen === null ? own : own.where('messages.instance_name', 'in', filter.seen)
  return reader.first(seen.orderBy('messages.seq').limit(1))
}
