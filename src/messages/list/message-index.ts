import { hash } from 'node:crypto'
import type { MessageDirection } from '../../contract/resources/message.ts'
import { batchOf, statement } from '../../store/statement.ts'
import type { Transaction } from '../../store/store.ts'
import { keepConversations } from './conversations.ts'

/*
 * The index of lists. Messages are indexed by blocks of consecutive numbers, each when it is full: so a message that is
 * accepted changes no index of its own, and a block is entered at once and in order, next to its neighbours in time. The
 * messages of the open block, the newest, are looked through instead (docs/decisions/0013).
 *
 * An entry may stand for a message that was forgotten since; it goes with its block.
 */

/** Numbers in a block: few enough that entering it, and looking through the open one, takes a millisecond or two. */
const blockSize = 256

export function blockOf(seq: number): number {
  return Math.floor(seq / blockSize)
}

export function firstOfBlock(block: number): number {
  return block * blockSize
}

/** The attributes by which lists can be filtered. */
type Listed = {
  readonly organization_id: string
  readonly instance_name: string
  readonly direction: MessageDirection
  readonly recipient: string
  readonly client_ref: string | null
}

type Attribute = 'organization' | 'instance' | 'received' | 'conversation' | 'client_ref'

/**
 * Returns the value of an attribute as the index has it: 48 bits of a digest. Code that finds an entry compares the message
 * itself.
 */
export function keyOf(attribute: Attribute, organization: string, value = ''): number {
  return Number.parseInt(hash('sha256', `${attribute} ${organization} ${value}`, 'hex').slice(0, 12), 16)
}

/** The keys of a message. Most values come more than once in a block, so the keys of all are `known` from then on. */
function keysOf(message: Listed, known: Map<string, number>): Set<number> {
  const { organization_id: organization, instance_name, direction, recipient, client_ref } = message
  const key = (attribute: Attribute, value?: string) => {
    const name = `${attribute} ${organization} ${value}`
    const digest = known.get(name) ?? keyOf(attribute, organization, value)
    known.set(name, digest)
    return digest
  }
  return new Set([
    key('organization'),
    key('instance', instance_name),
    key('conversation', recipient),
    ...(client_ref === null ? [] : [key('client_ref', client_ref)]),
    // Callers look for what came in, also if it is rare among what was sent.
    ...(direction === 'inbound' ? [key('received'), key('received', instance_name)] : []),
  ])
}

const selectBefore = statement<{ seq: number }>()((sql, argument) =>
  sql.selectFrom('messages').select('seq').where('seq', '<', argument('seq')).orderBy('seq', 'desc').limit(1),
)

const selectBetween = statement<{ from: number; below: number }>()((sql, argument) =>
  sql
    .selectFrom('messages')
    .select(['seq', 'organization_id', 'instance_name', 'direction', 'recipient', 'client_ref'])
    .where('seq', '>=', argument('from'))
    .where('seq', '<', argument('below'))
    .orderBy('seq'),
)

const removeFrom = statement<{ block: number }>()((sql, argument) =>
  sql.deleteFrom('message_index').where('block', '>=', argument('block')),
)

const insertEntries = batchOf('message_index', ['block', 'key', 'seq'])((sql, row) =>
  sql.insertInto('message_index').values(row),
)

/** Enters the blocks that are full now that messages with these numbers were inserted, in the transaction that did. */
export async function indexFullBlocks(tx: Transaction, inserted: readonly number[]): Promise<void> {
  if (inserted.length === 0) return
  const first = Math.min(...inserted)
  const open = blockOf(Math.max(...inserted))
  // The numbers of a database may have gaps, so the block that was open is that of the message before.
  const before = await tx.first(selectBefore, { seq: first })
  const wasOpen = blockOf(before?.seq ?? first)
  if (wasOpen === open) return
  const rows = await tx.all(selectBetween, { from: firstOfBlock(wasOpen), below: firstOfBlock(open) })
  const known = new Map<string, number>()
  const entries = rows.flatMap((row) =>
    [...keysOf(row, known)].map((key) => ({ block: blockOf(row.seq), key, seq: row.seq })),
  )
  entries.sort((a, b) => a.block - b.block || a.key - b.key || a.seq - b.seq)
  await keepConversations(tx, rows)
  // A number may come again, if the newest messages were forgotten.
  await tx.run(removeFrom, { block: wasOpen })
  await tx.runForEach(insertEntries, entries)
}

const selectOldest = statement<Record<never, never>>()((sql) =>
  sql.selectFrom('messages').select('seq').orderBy('seq').limit(1),
)

const selectFirstBlock = statement<Record<never, never>>()((sql) =>
  sql.selectFrom('message_index').select('block').where('block', '>=', 0).orderBy('block').limit(1),
)

const removeBelow = statement<{ block: number }>()((sql, argument) =>
  sql.deleteFrom('message_index').where('block', '<', argument('block')),
)

/** Blocks forgotten at once: one message that stayed long may have kept very many. */
const forgottenAtOnce = 16

/** Forgets blocks of which no message is left, some at a time; true if there may be more. */
export async function forgetEmptyBlocks(tx: Transaction): Promise<boolean> {
  const first = await tx.first(selectFirstBlock, {})
  if (!first) return false
  const oldest = await tx.first(selectOldest, {})
  const empty = oldest ? blockOf(oldest.seq) : Number.MAX_SAFE_INTEGER
  const block = Math.min(empty, first.block + forgottenAtOnce)
  if (first.block < block) await tx.run(removeBelow, { block })
  return block < empty
}
