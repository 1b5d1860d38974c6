import type { MessageKind } from '../../contract/resources/message.ts'
import type { MessageStatus } from '../../contract/statuses.ts'

/*
 * A row of a message is kept for long, so it has few bytes: its status and its kind are numbers. Code sees words. Only this file knows
 * which number stands for which word, and only `messages/message-times.ts` how times are kept.
 */

/* A number never means another word. SQLite keeps 0 and 1 in no bytes, so those are of the most frequent words. */

const statusNumbers: Readonly<Record<MessageStatus, number>> = {
  queued: 0,
  delivered: 1,
  read: 2,
  sent: 3,
  received: 4,
  failed: 5,
  unknown: 6,
  expired: 7,
  canceled: 8,
  // Only the outbox says so, in words.
  sending: 9,
}

const kindNumbers: Readonly<Record<MessageKind, number>> = {
  text: 0,
  document: 1,
  image: 2,
  audio: 3,
  template: 4,
  reaction: 5,
  retraction: 6,
  unsupported: 7,
  video: 8,
  sticker: 9,
  location: 10,
  contacts: 11,
  interactive: 12,
  poll: 13,
  button_reply: 14,
  list_reply: 15,
  flow_reply: 16,
  order: 17,
  poll_vote: 18,
}

const statuses = byNumber(statusNumbers)
const kinds = byNumber(kindNumbers)

function byNumber<Word extends string>(numbers: Readonly<Record<Word, number>>): readonly Word[] {
  return (Object.keys(numbers) as Word[]).sort((a, b) => numbers[a] - numbers[b])
}

/** A status as it is kept. */
export const keptStatus = (status: MessageStatus): number => statusNumbers[status]

/** A kind as it is kept. */
export const keptKind = (kind: MessageKind): number => kindNumbers[kind]

/** The columns that code sees otherwise than they are kept. */
interface Seen {
  readonly kind: MessageKind
  readonly status: MessageStatus
}

/** The same as they are kept. */
interface Kept {
  readonly kind: number
  readonly status: number
}

/** A row of a message, or some of its columns, as code sees it. */
export type SeenOf<Row> = Omit<Row, keyof Seen> & Pick<Seen, keyof Row & keyof Seen>

/** The same as it is kept. */
export type KeptOf<Row> = Omit<Row, keyof Kept> & Pick<Kept, keyof Row & keyof Kept>

/** Makes columns of a message that were read into what code sees, in place: copies of all rows would cost as much as reading them. */
export function seen<Row extends Partial<Kept>>(row: Row): SeenOf<Row> {
  const columns: { kind?: unknown; status?: unknown } = row
  if (row.kind !== undefined) columns.kind = wordOf(kinds, row.kind)
  if (row.status !== undefined) columns.status = wordOf(statuses, row.status)
  return row as unknown as SeenOf<Row>
}

/** Returns columns of a message, which are to be written, as they are kept. */
export function kept<Row extends Partial<Seen>>(row: Row): KeptOf<Row> {
  const columns: Record<string, unknown> = { ...row }
  if (row.kind !== undefined) columns.kind = keptKind(row.kind)
  if (row.status !== undefined) columns.status = keptStatus(row.status)
  return columns as KeptOf<Row>
}

function wordOf<Word>(words: readonly Word[], number: number): Word {
  const word = words[number]
  if (word === undefined) throw new Error(`no status or kind of a message has the number ${number}`)
  return word
}
