import type { Message } from '../../contract/resources/message.ts'
import { bytesOfRow, fitIntoPage, fittingAsJson, longInMessages, pageBytes } from '../../store/page.ts'
import { type Reader, read } from '../../store/store.ts'
import { type MessageRow, mayHaveFile, renderMessage } from '../message.ts'
import { filesOf } from '../message-file.ts'
import { type ListRange, rangeFor } from './list-place.ts'
import {
  indexed,
  keysFor,
  knownToCaller,
  type MessageFilter,
  matching,
  messagesOf,
  type Rows,
  type Search,
  searchFor,
} from './message-filter.ts'
import { blockOf, firstOfBlock, firstOpenBlock } from './message-index.ts'
import { type Looked, newestWithText, rowsWith } from './text-search.ts'

/*
 * A list reads the newest messages, which are in no block yet, row by row. For everything older, it finds in the index the blocks
 * that hold matches, newest first, and reads those (message-index.ts). One read takes a few milliseconds and looks at a part of
 * what there is; the next read continues after it.
 */

/** The messages that one read looks for. */
export interface ListedPart extends MessageFilter {
  readonly limit: number
  /** Bytes that the messages may have together; `pageBytes` by default. One may always be longer. */
  readonly bytes?: number
  /** Only messages accepted before the one with this id. */
  readonly before: string | null
  /** As `goOn` of the read before; null at first. */
  readonly place: ListRange | null
}

export interface Listed {
  /** The newest messages that match, at most `limit`. */
  readonly data: Message[]
  /**
   * The place to go on from, with the id of the last message that was looked at and that the caller may know of, if there
   * was one; null if everything was looked at.
   */
  readonly goOn: (ListRange & { readonly id: string | null }) | null
  /** The work of the read, in rows, roughly. */
  readonly looked: number
  /** Bytes of these messages. `isFull` is true if the next one does not fit beside them. */
  readonly bytes: number
  readonly isFull: boolean
}

/** Blocks that the searches of the index cover, one after the other: at first few and new ones, which most lists are about, then more. */
const searchedBlocks = [64, 256, 1_024, 4_096]
/** Blocks to go through, and bytes of text to compare, that take as long as one row. */
const blocksOfRow = 4
const bytesComparedAsRow = 400
/** Blocks that one read looks in at most, and rows after which it looks in no more of them. */
const blocksAtOnce = 256
const rowsAtOnce = 768
/** Messages that are looked at together. */
const messagesAtOnce = 256

/** The newest messages that match in the next part of what there is. */
export const listMessages = read('messages.list', async (reader, asked: ListedPart): Promise<Listed> => {
  const filter = await searchFor(reader, asked)
  if (filter.conversations?.length === 0) return { data: [], goOn: null, looked: 0, bytes: 0, isFull: false }
  const place = asked.place ?? (await rangeFor(reader, filter, asked.before))
  const look = new Look(reader, filter, asked, place)
  await look.through()
  const { rows, goOn, looked, bytes, isFull } = look
  return { data: await renderAll(reader, rows), goOn, looked, bytes, isFull }
})

/** One read of a list. */
class Look {
  rows: MessageRow[] = []
  goOn: Listed['goOn'] = null
  looked = 0
  bytes = 0
  isFull = false
  readonly #reader: Reader
  readonly #filter: Search
  readonly #limit: number
  readonly maxBytes: number
  readonly #place: ListRange

  constructor(reader: Reader, filter: Search, { limit, bytes = pageBytes }: ListedPart, place: ListRange) {
    this.#reader = reader
    this.#filter = filter
    this.#limit = limit
    this.maxBytes = bytes
    this.#place = place
  }

  async through(): Promise<void> {
    const { below, downTo } = this.#place
    if (below <= downTo) return
    const open = firstOfBlock(await firstOpenBlock(this.#reader))
    if (below > open && (await this.#isEnough(messagesOf(this.#reader), Math.max(open, downTo), below)))
      return
    if (downTo < open) await this.#throughBlocks(Math.min(below, open))
  }

  async #throughBlocks(below: number): Promise<void> {
    const { downTo } = this.#place
    const { blocks, lowest } = await this.#blocksBelow(below)
    let [done, entries] = [0, 0]
    // Most pages are full after the first block. If not, the others are likely to hold little, and are looked at together.
    for (const some of [blocks.slice(0, 1), blocks.slice(1)]) {
      const found: number[] = []
      for (const block of await indexed(this.#reader, this.#filter, { blocks: some, below })) {
        if (entries >= rowsAtOnce) break
        done++
        entries += block.length
        found.push(...block)
      }
      if (await this.#isEnoughOf(found, below)) return
      if (entries >= rowsAtOnce) break
    }
    this.looked += entries
    const reached = done < blocks.length ? (blocks[done - 1] ?? 0) : lowest
    if (reached <= blockOf(downTo)) return
    const oldest = done > 0 ? await this.#oldestIn(blocks[done - 1] ?? 0, below) : undefined
    this.#stop({ below: firstOfBlock(reached), id: oldest?.id ?? null })
  }

  /** The same as `#isEnough` for messages with these numbers, the newest first, some at a time: most pages are full after the first. */
  async #isEnoughOf(found: readonly number[], below: number): Promise<boolean> {
    for (let at = 0; at < found.length; at += messagesAtOnce) {
      const some = messagesOf(this.#reader).where('messages.seq', 'in', found.slice(at, at + messagesAtOnce))
      if (await this.#isEnough(some, this.#place.downTo, below)) return true
    }
    return false
  }

  /** Adds the newest of these messages that match. True if the page is full, or nothing more is to be looked at. */
  async #isEnough(rows: Rows, from: number, below: number): Promise<boolean> {
    const most = this.#limit - this.rows.length + 1
    const between = rows.where('messages.seq', '>=', from).where('messages.seq', '<', below)
    const {
      rows: found,
      cut,
      bytes,
      isCut = false,
    } = await newest(this.#reader, matching(between, this.#filter), {
      text: this.#filter.text,
      most,
      bytes: this.maxBytes - this.bytes,
    })
    this.looked += bytes / bytesComparedAsRow
    const all = [...this.rows, ...found]
    const fits = fittingAsJson(all.slice(0, this.#limit), longInMessages, this.maxBytes)
    this.rows = all.slice(0, fits.count)
    this.bytes = fits.bytes
    this.isFull = isCut || fits.count < Math.min(all.length, this.#limit)
    const last = fits.count < all.length ? this.rows.at(-1) : cut
    if (!last) return false
    this.#stop({ below: last.seq, id: last.id })
    return true
  }

  #stop({ below, id }: { readonly below: number; readonly id: string | null }): void {
    const { downTo } = this.#place
    if (below > downTo) this.goOn = { below, downTo, id: id ?? this.rows.at(-1)?.id ?? null }
  }

  /** The newest blocks that hold messages which the index finds, and the lowest block that was searched. */
  async #blocksBelow(below: number): Promise<{ blocks: number[]; lowest: number }> {
    const last = blockOf(this.#place.downTo)
    const blocks: number[] = []
    let lowest = blockOf(below - 1) + 1
    for (const count of searchedBlocks) {
      if (lowest <= last) break
      const from = lowest - 1
      lowest = Math.max(last, lowest - count)
      const limit = blocksAtOnce - blocks.length
      const found = await this.#reader.all(this.#blocksWithEntries({ from, to: lowest, limit }))
      for (const { block } of found) blocks.push(block)
      this.looked += (from - lowest) / blocksOfRow
      if (found.length === limit) return { blocks, lowest: blocks.at(-1) ?? lowest }
    }
    return { blocks, lowest }
  }

  /** The blocks from the newest to the oldest of a range in which the index has something. */
  #blocksWithEntries({ from, to, limit }: Range) {
    return this.#reader.sql
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
            .select('message_index.block')
            .where('message_index.block', '=', ref('blocks.block'))
            .where('key', 'in', keysFor(this.#filter))
            // PostgreSQL looks in each block by itself because of the offset. Otherwise it may join, and begin at the newest block of all.
            .limit(1)
            .offset(0),
        ),
      )
      .orderBy('block', 'desc')
      .limit(limit)
  }

  /**
   * The oldest message of a block that the caller may know of: the next page begins after it, whether or not it was on the page
   * itself. It is never the one that the page before ended with; otherwise a list would not end.
   */
  async #oldestIn(block: number, below: number): Promise<{ readonly id: string } | undefined> {
    const [found = []] = await indexed(this.#reader, this.#filter, { blocks: [block], below })
    for (let end = found.length; end > 0; end -= messagesAtOnce) {
      const some = messagesOf(this.#reader).where(
        'messages.seq',
        'in',
        found.slice(Math.max(0, end - messagesAtOnce), end),
      )
      const oldest = await this.#reader.first(
        knownToCaller(some, this.#filter)
          .clearSelect()
          .select('messages.id')
          .orderBy('messages.seq')
          .limit(1),
      )
      if (oldest) return oldest
    }
    return undefined
  }
}

interface Range {
  readonly from: number
  readonly to: number
  readonly limit: number
}

interface Wanted {
  readonly text: string | null
  readonly most: number
  /** Bytes that they may have. */
  readonly bytes: number
}

/** The newest of these messages, and where they were cut off because the next one does not fit. */
async function newest(
  reader: Reader,
  rows: Rows,
  { text, most, bytes }: Wanted,
): Promise<Looked & { readonly isCut?: boolean }> {
  if (text !== null) return newestWithText(reader, rows, { text, most })
  const lengths = await reader.all(
    rows
      .clearSelect()
      .select(['messages.seq', 'messages.id'])
      .select((eb) => eb.cast<number>(bytesOfRow(longInMessages), 'integer').as('bytes'))
      .orderBy('messages.seq', 'desc')
      .limit(most),
  )
  const { count } = fitIntoPage(lengths, bytes)
  const isCut = count < lengths.length
  const found = await rowsWith(reader, lengths.slice(0, count))
  return { rows: found, cut: isCut ? (lengths[count - 1] ?? null) : null, bytes: 0, isCut }
}

/** Messages as callers see them, with their files. */
export async function renderAll(reader: Reader, rows: readonly MessageRow[]): Promise<Message[]> {
  const media = rows.filter(mayHaveFile).map(({ id }) => id)
  const files = await filesOf(reader, media)
  return rows.map((row) => renderMessage(row, files.get(row.id)))
}
