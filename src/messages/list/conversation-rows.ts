import { hash } from 'node:crypto'
import type { ExpressionBuilder } from 'kysely'
import type { Schema } from '../../store/schema.ts'
import { batchOf, batchStatement } from '../../store/statement.ts'
import type { Transaction } from '../../store/store.ts'
import { keptKind } from '../../store/tables/kept-message.ts'
import type { MessageRow } from '../message.ts'

/*
 * The conversations with their last messages, for the list of them. They are kept block by block as the index of lists is, so that a message
 * that is accepted changes nothing here; those of messages that are in no block yet are read from these (docs/decisions/0052).
 * Rows are short, because each stands in a page of its own among very many: their keys are digests.
 */

/** A message by its conversation, and its number. */
export type MessageOfConversation = Pick<
  MessageRow,
  'organization_id' | 'instance_name' | 'recipient' | 'seq'
>

/** A message that may count as unread; its kind is as it is kept. */
type Countable = MessageOfConversation & { readonly incoming: number; readonly kind: number }

/** The kinds of messages that only change or judge others. */
const uncounted = [keptKind('reaction'), keptKind('retraction')]

/** True for a received message that counts as unread until it is read. */
const isCounted = ({ incoming, kind }: Countable) => incoming === 1 && !uncounted.includes(kind)

/** The number of messages that count so, of those that are selected. */
export function countedIn(eb: ExpressionBuilder<Schema, 'messages'>) {
  const isOne = eb.and([eb('incoming', '=', eb.lit(1)), eb('kind', 'not in', uncounted.map(Number))])
  const ones = eb.case().when(isOne).then(eb.lit(1)).else(eb.lit(0)).end()
  return eb.cast<number>(eb.fn.sum(ones), 'integer')
}

/** A digest of a conversation, of 80 bits: so that it stands for no other. */
export function conversationKey(organization: string, instance: string, address: string): Uint8Array {
  return hash('sha256', `${organization}\n${instance}\n${address}`, 'buffer').subarray(0, 10)
}

/** A digest of an organization, of 48 bits: who finds conversations by it looks at the organization of their messages. */
export function organizationKey(organization: string): number {
  return hash('sha256', organization, 'buffer').readUIntBE(0, 6)
}

const keepLast = batchOf('conversations', ['key', 'organization', 'last_seq', 'unread'])((sql, row) =>
  sql
    .insertInto('conversations')
    .values(row)
    .onConflict((on) =>
      on.column('key').doUpdateSet((eb) => ({
        last_seq: eb.ref('excluded.last_seq'),
        unread: eb('conversations.unread', '+', eb.ref('excluded.unread')),
      })),
    ),
)

/** Keeps the last message of each conversation among these, which are in their order, and the newest of all that are kept. */
export async function keepConversations(tx: Transaction, messages: readonly Countable[]): Promise<void> {
  const kept = [...Map.groupBy(messages, nameOf).values()].map((own) => {
    const { organization_id, instance_name, recipient, seq } = own.at(-1) as Countable
    return {
      key: conversationKey(organization_id, instance_name, recipient),
      organization: organizationKey(organization_id),
      last_seq: seq,
      unread: own.filter(isCounted).length,
    }
  })
  // In the order of the tree, so that neighbours are changed together.
  kept.sort((a, b) => Buffer.compare(a.key, b.key))
  await tx.runForEach(keepLast, kept)
}

const nameOf = ({ organization_id, instance_name, recipient }: MessageOfConversation) =>
  `${organization_id}\n${instance_name}\n${recipient}`

const selectMarks = batchStatement({ key: 'bytes' })((sql, given) =>
  sql.selectFrom('conversations').select(['key', 'read_seq']).where('key', '=', given('key')),
)

const addUnread = batchStatement({ key: 'bytes', by: 'integer' })((sql, given) =>
  sql
    .updateTable('conversations')
    .set((eb) => ({ unread: eb('unread', '+', given('by')) }))
    .where('key', '=', given('key')),
)

/** Adds to the unread messages of conversations, for each of these the number that depends on where its conversation was read to. */
async function changeUnread(
  tx: Transaction,
  messages: readonly Countable[],
  byOne: (seq: number, readSeq: number) => number,
): Promise<void> {
  const counted = Map.groupBy(messages.filter(isCounted), nameOf)
  const own = [...counted.values()].map((some) => {
    const [{ organization_id, instance_name, recipient }] = some as [Countable]
    return { key: conversationKey(organization_id, instance_name, recipient), some }
  })
  if (own.length === 0) return
  const marks = await tx.allForEach(
    selectMarks,
    own.map(({ key }) => ({ key })),
  )
  const byKey = new Map(marks.map(({ key, read_seq }) => [hexOf(key), read_seq]))
  const changes = own.flatMap(({ key, some }) => {
    const mark = byKey.get(hexOf(key))
    if (mark === undefined) return []
    const by = some.reduce((sum, { seq }) => sum + byOne(seq, mark), 0)
    return by === 0 ? [] : [{ key, by }]
  })
  await tx.runForEach(addUnread, changes)
}

/** The key of a conversation as a text, to find it in a map. */
export const hexOf = (key: Uint8Array) => Buffer.from(key).toString('hex')

/** Takes messages from the counts that are about to be forgotten; from the number `open` on, they are in no block yet. */
export async function uncountForgotten(
  tx: Transaction,
  messages: readonly Countable[],
  open: number,
): Promise<void> {
  // Of those in no block, the row subtracts the ones that were read; of the others, it has the ones that were not.
  await changeUnread(tx, messages, (seq, readSeq) =>
    seq >= open ? (seq <= readSeq ? 1 : 0) : seq > readSeq ? -1 : 0,
  )
}

/** Takes the messages of blocks from the counts that are to be entered once more. */
export async function uncountReopened(tx: Transaction, messages: readonly Countable[]): Promise<void> {
  await changeUnread(tx, messages, () => -1)
}
