import type { Message, MessageDirection, MessageStatus } from '../contract/resources/message.ts'
import { writeCursor } from '../runtime/cursor.ts'
import { blockOf, firstOfBlock, messageBlock, spelledOut } from '../store/statement.ts'
import { type Reader, read } from '../store/store.ts'
import { type MessageRow, renderMessage } from './message.ts'
import { filesOf } from './message-file.ts'

/*
 * Messages are listed by blocks of a thousand consecutive numbers: the indexes begin with the block, so that a message that
 * is accepted is entered among its neighbours in time, whoever they belong to (docs/decisions/0013). A list looks for the
 * blocks that hold something for it, the newest first, and reads those.
 */

export interface MessageFilter {
  readonly organizationId: string
  readonly instanceName: string | null
  /** The names of the only instances that the caller may know of; null for all. */
  readonly seen: readonly string[] | null
  readonly status: MessageStatus | null
  readonly direction: MessageDirection | null
  readonly conversation: string | null
  readonly clientRef: string | null
  readonly limit: number
  /** Only messages accepted before the one with this id. */
  readonly before: string | null
  /** Where to go on looking, as `goOnBelow` told; null at first. */
  readonly below: number | null
}

export interface MessagePage {
  readonly data: Message[]
  readonly next_cursor: string | null
}

/** A page, or the number below which to go on looking: nothing was found in as much as is looked through at once. */
export type Listed = { readonly page: MessagePage } | { readonly goOnBelow: number }

/** How many blocks are looked through at once: first the newest, as most lists are about those, then many. */
const newestBlocks = 64
const manyBlocks = 16_384
/** How many blocks are read for one page of what no index answers, but the rows. */
const blocksOfRows = 16

/**
 * A page of messages, the newest first, and where to go on. The work is bounded: where few of many messages have what is
 * wanted and only the rows show it, a page may hold fewer than asked for, or none, and still have a next one.
 */
export const listMessages = read('messages.list', async (reader, filter: MessageFilter): Promise<Listed> => {
  const { limit } = filter
  const below = filter.below ?? (await firstBelow(reader, filter))
  const wanted = isRare(filter) ? blocksOfRows : limit + 1
  const { blocks, lowest } = await blocksToRead(reader, filter, { below, wanted })
  if (blocks.length === 0 && lowest > 0) return { goOnBelow: firstOfBlock(lowest) }
  const rows = await rowsIn(reader, filter, { blocks, below })
  const data = rows.slice(0, limit)
  const isWhole = lowest === 0 && blocks.length < wanted
  const last =
    rows.length > limit ? data.at(-1) : isWhole ? undefined : await oldestIn(reader, filter, blocks)
  return { page: { data: await renderAll(reader, data), next_cursor: last ? writeCursor(last.id) : null } }
})

/** Messages as callers see them, with their files. */
export async function renderAll(reader: Reader, rows: readonly MessageRow[]): Promise<Message[]> {
  const media = rows.filter(({ kind }) => kind !== 'text').map(({ id }) => id)
  const files = await filesOf(reader, media)
  return rows.map((row) => renderMessage(row, files.get(row.id)))
}

/**
 * The number of the message that a page ended with, or one that no message has yet. If that message was removed since, the
 * page goes on where it stood: ids are in the order of time, too.
 */
async function firstBelow(reader: Reader, { before, organizationId, seen }: MessageFilter): Promise<number> {
  const messages = reader.sql.selectFrom('messages').select('seq')
  if (before === null) return ((await reader.first(messages.orderBy('seq', 'desc').limit(1)))?.seq ?? 0) + 1
  const there = messages.where('id', '=', before)
  const own = there.where('organization_id', '=', organizationId)
  const known = await reader.first(seen === null ? own : own.where('instance_name', 'in', seen))
  if (known) return known.seq
  if (await reader.first(there)) return 0
  const earlier = await reader.first(messages.where('id', '<', before).orderBy('id', 'desc').limit(1))
  return (earlier?.seq ?? -1) + 1
}

interface Looking {
  readonly below: number
  /** How many blocks are enough. */
  readonly wanted: number
}

/** The newest blocks that hold messages which the index finds, and how far back was looked. */
async function blocksToRead(reader: Reader, filter: MessageFilter, { below, wanted }: Looking) {
  const highest = blockOf(below - 1)
  const blocks: number[] = []
  let lowest = highest + 1
  for (const count of [newestBlocks, manyBlocks]) {
    if (lowest <= 0 || blocks.length >= wanted) break
    const from = lowest - 1
    lowest = Math.max(0, lowest - count)
    const args = { from, to: lowest, below, limit: wanted - blocks.length }
    for (const { block } of await reader.all(blocksWithMatches(reader, filter, args))) blocks.push(block)
  }
  return { blocks, lowest }
}

/** Spelled out, as the text of the index is. */
const isReceived = spelledOut<boolean>("direction = 'inbound'")

/** The messages of the organization that an index finds; what else the filter asks for is looked at in the rows. */
function indexed({ sql }: Reader, filter: MessageFilter) {
  let query = sql.selectFrom('messages').where('organization_id', '=', filter.organizationId)
  // Here as well as in the rows, since a page may end with any message that the index finds.
  if (filter.seen !== null) query = query.where('instance_name', 'in', filter.seen)
  if (filter.clientRef !== null) return query.where('client_ref', '=', filter.clientRef)
  if (filter.conversation !== null) return query.where('recipient', '=', filter.conversation)
  if (filter.direction === 'inbound') query = query.where(isReceived)
  return filter.instanceName === null ? query : query.where('instance_name', '=', filter.instanceName)
}

/** True where perhaps few of those that an index finds are wanted. Most of a conversation is, whichever direction. */
function isRare({ status, direction, clientRef, conversation }: MessageFilter): boolean {
  const isFound = direction !== 'outbound' || clientRef !== null || conversation !== null
  return status !== null || !isFound
}

interface Range {
  readonly from: number
  readonly to: number
  readonly below: number
  readonly limit: number
}

/** The blocks from the newest to the oldest of a range in which the index finds something below a number. */
function blocksWithMatches(reader: Reader, filter: MessageFilter, { from, to, below, limit }: Range) {
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
    .where(({ exists, ref }) =>
      exists(
        indexed(reader, filter).select('seq').where(messageBlock, '=', ref('block')).where('seq', '<', below),
      ),
    )
    .orderBy('block', 'desc')
    .limit(limit)
}

interface Reading {
  readonly blocks: readonly number[]
  readonly below: number
}

/** The newest rows of the blocks, one more than fit on the page: most pages come from the first block or two. */
async function rowsIn(reader: Reader, filter: MessageFilter, { blocks, below }: Reading) {
  const rows: MessageRow[] = []
  for (let read = 0, count = 1; read < blocks.length && rows.length <= filter.limit; count *= 2) {
    const some = { blocks: blocks.slice(read, read + count), below }
    rows.push(...(await reader.all(newestIn(reader, filter, some))))
    read += count
  }
  return rows
}

function newestIn(reader: Reader, filter: MessageFilter, { blocks, below }: Reading) {
  let query = indexed(reader, filter)
    .selectAll()
    .where(messageBlock, 'in', blocks)
    .where('seq', '<', below)
    .orderBy('seq', 'desc')
    .limit(filter.limit + 1)
  if (filter.instanceName !== null) query = query.where('instance_name', '=', filter.instanceName)
  if (filter.conversation !== null) query = query.where('recipient', '=', filter.conversation)
  if (filter.direction !== null) query = query.where('direction', '=', filter.direction)
  if (filter.status !== null) query = query.where('status', '=', filter.status)
  return query
}

/** The last message that was looked at: a page goes on behind it, whether or not it was on the page itself. */
function oldestIn(reader: Reader, filter: MessageFilter, blocks: readonly number[]) {
  const query = indexed(reader, filter)
    .select('id')
    .where(messageBlock, '=', blocks.at(-1) ?? 0)
  return reader.first(query.orderBy('seq').limit(1))
}
