import { hash } from 'node:crypto'
import { batchOf, statement } from '../../store/statement.ts'
import { briefRead, type Reader, sentTogether, type Transaction, transaction } from '../../store/store.ts'
import { instancesNumbered, type MessageInstance } from '../message-instances.ts'
import { keepConversations, uncountReopened } from './conversation-rows.ts'
import { keptPlaces, placesIn } from './places.ts'

/*
 * The index of lists. Messages are indexed by blocks of consecutive numbers, each a little after it is full: so a message that
 * is accepted changes no index of lists, and a block is entered at once and in order, next to its neighbours in time. The
 * newest messages, which are in no block yet, are looked through instead (docs/decisions/0013).
 *
 * An entry may stand for a message that was forgotten since; it goes with its block.
 */

/** Numbers in a block: so many that few pages are written for each message, and few enough to be entered in some milliseconds. */
const blockSize = 1024

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
  readonly incoming: number
  readonly recipient: string
  readonly client_ref: string | null
}

type Attribute = 'organization' | 'instance' | 'received' | 'conversation' | 'client_ref'

/**
 * Returns the value of an attribute as the index has it: 31 bits of a digest, so many as SQLite stores in four bytes. Code that finds
 * an entry compares the message itself.
 */
export function keyOf(attribute: Attribute, organization: string, value = ''): number {
  return hash('sha256', `${attribute} ${organization} ${value}`, 'buffer').readUInt32BE() >>> 1
}

/** The keys of a message. Most values come more than once in a block, so the keys of all are `known` from then on. */
function keysOf(message: Listed, known: Map<string, number>): Set<number> {
  const { organization_id: organization, instance_name, incoming, recipient, client_ref } = message
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
    ...(incoming === 1 ? [key('received'), key('received', instance_name)] : []),
  ])
}

/** The messages of a block that have a key. */
export function messagesAt(block: number, places: Uint8Array): number[] {
  return placesIn(places).map((place) => firstOfBlock(block) + place)
}

const selectBetween = statement<{ from: number; below: number }>()((sql, argument) =>
  sql
    .selectFrom('messages')
    .select(['seq', 'instance', 'incoming', 'kind', 'recipient', 'client_ref'])
    .where('seq', '>=', argument('from'))
    .where('seq', '<', argument('below'))
    .orderBy('seq'),
)

const insertEntries = batchOf('message_index', ['block', 'key', 'places'])((sql, row) =>
  sql.insertInto('message_index').values(row),
)

/** The name of the fact how many blocks are entered. */
const blocksEntered = 'blocks_entered'

const selectEntered = statement<Record<never, never>>()((sql) =>
  sql.selectFrom('service').select('value').where('name', '=', blocksEntered),
)

const keepEntered = statement<{ value: string }>()((sql, argument) =>
  sql
    .insertInto('service')
    .values({ name: blocksEntered, value: argument('value') })
    .onConflict((on) => on.column('name').doUpdateSet({ value: argument('value') })),
)

/** Returns the first block that is not entered: from its first message on, messages are looked through. */
export async function firstOpenBlock(reader: Reader): Promise<number> {
  return Number((await reader.first(selectEntered, {}))?.value ?? 0)
}

const selectNewest = statement<Record<never, never>>()((sql) =>
  sql.selectFrom('messages').select('seq').orderBy('seq', 'desc').limit(1),
)

const selectOldest = statement<{ from: number }>()((sql, argument) =>
  sql.selectFrom('messages').select('seq').where('seq', '>=', argument('from')).orderBy('seq').limit(1),
)

/** Resolves with true if a block is full that is not entered. */
export const hasFullBlock = briefRead('messages.full-block', async (reader, _: null): Promise<boolean> => {
  const newest = await reader.first(selectNewest, {})
  return newest !== undefined && (await firstOpenBlock(reader)) < blockOf(newest.seq)
})

/** Enters the next block that is full. Resolves with true if there was one. */
export const enterBlock = transaction('messages.enter-block', async (tx, _: null): Promise<boolean> => {
  const newest = await tx.first(selectNewest, {})
  const open = await firstOpenBlock(tx)
  if (!newest || open >= blockOf(newest.seq)) return false
  // The numbers of a database may have gaps.
  const next = await tx.first(selectOldest, { from: firstOfBlock(open) })
  const block = blockOf(next?.seq ?? newest.seq)
  if (block >= blockOf(newest.seq)) {
    await tx.run(keepEntered, { value: String(block) })
    return false
  }
  const found = await tx.all(selectBetween, { from: firstOfBlock(block), below: firstOfBlock(block + 1) })
  const rows = await ofInstances(tx, found)
  const known = new Map<string, number>()
  const places = new Map<number, number[]>()
  for (const row of rows)
    for (const key of keysOf(row, known)) {
      const own = places.get(key)
      if (own) own.push(row.seq - firstOfBlock(block))
      else places.set(key, [row.seq - firstOfBlock(block)])
    }
  const entries = [...places].sort(([a], [b]) => a - b)
  await tx.runForEach(
    insertEntries,
    entries.map(([key, own]) => ({ block, key, places: keptPlaces(own) })),
  )
  await keepConversations(tx, rows)
  await tx.run(keepEntered, { value: String(block + 1) })
  return true
})

/** Adds to messages the names of their instances. */
async function ofInstances<Row extends { readonly instance: number }>(
  tx: Transaction,
  found: readonly Row[],
) {
  const instances = await instancesNumbered(
    tx,
    found.map(({ instance }) => instance),
  )
  return found.map((row) => ({ ...row, ...(instances.get(row.instance) as MessageInstance) }))
}

const selectFirstBlock = statement<{ from: number }>()((sql, argument) =>
  sql
    .selectFrom('message_index')
    .select('block')
    .where('block', '>=', argument('from'))
    .orderBy('block')
    .limit(1),
)

const removeBetween = statement<{ from: number; below: number }>()((sql, argument) =>
  sql
    .deleteFrom('message_index')
    .where('block', '>=', argument('from'))
    .where('block', '<', argument('below')),
)

/** Blocks forgotten at once, of a thousand entries and more: one message that stayed long may have kept very many. */
const forgottenAtOnce = 2

/** The oldest message that is there, a number above all for none, and the first block that may have entries. */
interface EmptyBlocks {
  readonly oldest: number
  readonly from: number
}

/**
 * Forgets blocks of which no message is left, some at a time. Returns the first that may have entries now, and whether there may be
 * more to forget.
 */
export async function forgetEmptyBlocks(
  tx: Transaction,
  { oldest, from }: EmptyBlocks,
): Promise<{ readonly from: number; readonly more: boolean }> {
  await openBlocksAgain(tx)
  const empty = blockOf(oldest)
  if (from >= empty) return { from, more: false }
  const first = (await tx.first(selectFirstBlock, { from }))?.block ?? empty
  const below = Math.min(empty, first + forgottenAtOnce)
  if (first < below) await tx.run(removeBetween, { from: first, below })
  return { from: below, more: below < empty }
}

/** Finds the oldest message from a number on; a number above all if there is none. */
export async function oldestMessage(reader: Reader, from: number): Promise<number> {
  return (await reader.first(selectOldest, { from }))?.seq ?? Number.MAX_SAFE_INTEGER
}

/** Lets blocks be entered once more whose newest messages were forgotten: their numbers may come again. */
async function openBlocksAgain(tx: Transaction): Promise<void> {
  const [newest, entered] = await sentTogether([tx.first(selectNewest, {}), firstOpenBlock(tx)])
  const open = newest ? blockOf(newest.seq) : 0
  if (entered <= open) return
  const left = await tx.all(selectBetween, { from: firstOfBlock(open), below: firstOfBlock(entered) })
  await uncountReopened(tx, await ofInstances(tx, left))
  await tx.run(removeBetween, { from: open, below: entered })
  await tx.run(keepEntered, { value: String(open) })
}
