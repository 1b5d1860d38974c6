import { folded } from '../../runtime/text/folded-text.ts'
import { fitIntoPage } from '../../store/page.ts'
import { batchStatement } from '../../store/statement.ts'
import type { Reader } from '../../store/store.ts'
import { keptKind } from '../../store/tables/kept-message.ts'
import { currentMessage, currentMessages } from '../current-message.ts'
import type { MessageRow } from '../message.ts'
import type { Rows } from './message-filter.ts'

/*
 * The search of texts. The databases fold case differently, SQLite only that of ASCII, so texts are compared here, in short
 * reads (docs/decisions/0013).
 */

/** Bytes of text that one read compares. */
const bytesAtOnce = 256 * 1024

/** The newest of these messages, and how far it looked: null if through all of them or until there were enough. */
export interface Looked {
  readonly rows: MessageRow[]
  readonly cut: { readonly seq: number; readonly id: string } | null
  /** Bytes of text that were compared. */
  readonly bytes: number
}

const selectRow = batchStatement({ seq: 'bigint' })((sql, given) =>
  currentMessages(sql).where('messages.seq', '=', given('seq')),
)

/** The messages with these numbers, newest first. */
export async function rowsWith(
  reader: Reader,
  found: readonly { readonly seq: number }[],
): Promise<MessageRow[]> {
  const rows = await reader.allForEach(
    selectRow,
    found.map(({ seq }) => ({ seq })),
  )
  return rows.map(currentMessage).sort((a, b) => b.seq - a.seq)
}

/** The newest of these messages whose text or caption contains a folded text. It stops at the first long text that is too much. */
export async function newestWithText(
  reader: Reader,
  messages: Rows,
  { text, most }: { readonly text: string; readonly most: number },
): Promise<Looked> {
  const worded = messages
    .clearSelect()
    .where('messages.text', 'is not', null)
    // That of a template is JSON of what it is made from.
    .where('messages.kind', '!=', keptKind('template'))
    .orderBy('messages.seq', 'desc')
  const sizes = await reader.all(
    worded
      .select(['messages.seq', 'messages.id'])
      .select(({ fn }) => fn<number>('octet_length', ['messages.text']).as('bytes')),
  )
  const { count, bytes } = fitIntoPage(sizes, bytesAtOnce)
  const last = sizes[count - 1]
  if (!last) return { rows: [], cut: null, bytes }
  const texts = await reader.all(
    worded.select(['messages.seq', 'messages.text']).where('messages.seq', '>=', last.seq),
  )
  const found = texts.filter((row) => folded(row.text ?? '').includes(text)).slice(0, most)
  const rows = await rowsWith(reader, found)
  return { rows, cut: count < sizes.length && rows.length < most ? last : null, bytes }
}
