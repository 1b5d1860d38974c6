import type { MessageKind } from '../contract/resources/message.ts'
import { oldestEvents } from '../events/retention.ts'
import { releaseAllMedia } from '../media/media-record.ts'
import { changeUsage } from '../organizations/usage.ts'
import { bytesOfMessage, fitIntoPage } from '../store/page.ts'
import { batchStatement, statement } from '../store/statement.ts'
import { read, type StoreFunctions, sentTogether, type Transaction, transaction } from '../store/store.ts'
import { keptKind, seen } from '../store/tables/kept-message.ts'
import { forgetAttempts, maxKept } from './history/attempts.ts'
import { weightOf } from './inbox/incoming-message.ts'
import { isSettled } from './life.ts'
import { uncountForgotten } from './list/conversation-rows.ts'
import { forgetConversations } from './list/conversations/forgotten-conversations.ts'
import { firstOfBlock, firstOpenBlock, forgetEmptyBlocks, oldestMessage } from './list/message-index.ts'
import { mayHaveFile } from './message.ts'
import { forgetMessageInstances } from './message-instances.ts'

/** The place at which a step continues that forgets messages, after the one before. */
export interface ForgettingPlace {
  /** Only messages after the one with this number. */
  readonly after: number
  /** The first of those that were passed over and stay; null if none was, absent if that is not known. */
  readonly kept?: number | null
  /** The first block of the index of lists that may have entries. */
  readonly block?: number
}

/** The messages to forget, and the number to look at in one transaction, so that others do not wait long for it. */
export interface ForgettingMessages extends ForgettingPlace {
  /** Only messages whose last event was before this moment, in milliseconds since the epoch. */
  readonly before: number
  readonly limit: number
  readonly now: number
  /** The owners of the messages, found by `ownersOfOldest`: no others are locked meanwhile. Without them, or if there are none, all are. */
  readonly organizations?: readonly string[]
}

const selectOwners = statement<Pick<ForgettingMessages, 'before' | 'after' | 'limit'>>()((sql, argument) =>
  sql
    .selectFrom((eb) =>
      eb
        .selectFrom('messages')
        .select(['instance', 'created_at'])
        .where('seq', '>', argument('after'))
        .orderBy('seq')
        .limit(argument('limit'))
        .as('next'),
    )
    .innerJoin('message_instances', 'message_instances.number', 'next.instance')
    .select('organization_id')
    .distinct()
    .where('next.created_at', '<', argument('before')),
)

/** Returns the organizations whose messages the same step of `forgetMessages` may forget. */
export const ownersOfOldest = read(
  'messages.owners-of-oldest',
  async (reader, step: Pick<ForgettingMessages, 'before' | 'after' | 'limit'>): Promise<string[]> => {
    const rows = await reader.all(selectOwners, step)
    return rows.map(({ organization_id }) => organization_id)
  },
)

/** The rows are in the order of time, so those that may be old enough come first, and this needs no index. */
const oldestMessages = statement<{ after: number; limit: number }>()((sql, argument) =>
  sql
    .selectFrom('messages')
    .innerJoin('message_instances', 'message_instances.number', 'messages.instance')
    .select([
      'seq',
      'id',
      'organization_id',
      'instance_id',
      'instance_name',
      'recipient',
      'incoming',
      'kind',
      'status',
      'awaits_file',
      'sent_elsewhere',
      'stored_bytes',
      'attempts',
      bytesOfMessage,
    ])
    .select([
      'created_at',
      'last_event_after',
      ({ fn }) => fn<number | null>('length', ['text']).as('characters'),
    ])
    .where('seq', '>', argument('after'))
    .orderBy('seq')
    .limit(argument('limit')),
)

/**
 * Milliseconds before its mark for which the messages of an instance are kept at any age: an archive that is read from the
 * mark on may show them again, and they are known by their rows.
 */
const shownAgain = 24 * 60 * 60_000

/** Bytes that a forgotten attempt counts for: it costs about as much as a short message. */
const bytesOfAttempt = 500

/** Bytes that a file counts for: what is known of it stands in several tables. */
const bytesOfFile = 2_000

/** Returns the bytes that are forgotten with a message. */
function withAll(row: Pick<Row, 'kind'> & { readonly bytes: number; readonly attempts: number }) {
  const attempts = bytesOfAttempt * Math.min(row.attempts, maxKept)
  return { bytes: row.bytes + attempts + (mayHaveFile(row) ? bytesOfFile : 0) }
}

/** The result of a step. */
export interface Forgotten {
  /** The number of messages that it removed. */
  readonly forgotten: number
  /** The place to continue at; null if it has looked at all that may be old enough. */
  readonly goOn: Required<ForgettingPlace> | null
}

/**
 * Forgets messages whose last event was long ago, a megabyte at most, with their attempts and what is known of their files; never one
 * that is not settled.
 */
export const forgetMessages = transaction(
  'messages.forget',
  async (tx, step: ForgettingMessages): Promise<Forgotten> => {
    const { before, after, limit, now, organizations } = step
    const found = await tx.all(oldestMessages, { after, limit })
    const rows = found.map((row) => ({ ...seen(row), last_event_at: row.created_at + row.last_event_after }))
    const locked = organizations?.length ? new Set(organizations) : null
    const isBeyond = (row: Row) => row.created_at >= before || locked?.has(row.organization_id) === false
    const end = rows.findIndex(isBeyond)
    const old = end < 0 ? rows : rows.slice(0, end)
    const over = old.filter(
      ({ status, awaits_file, last_event_at }) =>
        isSettled(status) && awaits_file === 0 && last_event_at < before,
    )
    const notNeeded = await notNeededForArchive(tx, await withoutKeptEvents(tx, over))
    const { count } = fitIntoPage(notNeeded.map(withAll))
    const forgotten = notNeeded.slice(0, count)
    const kept = firstKept(step, rows, forgotten)
    await remove(tx, forgotten, { now, kept })
    const last = notNeeded[count] ? notNeeded[count].seq - 1 : (old.at(-1)?.seq ?? after)
    const oldest = kept ?? (await oldestMessage(tx, last + 1))
    const instancesLeft = await forgetMessageInstances(tx, oldest)
    const { from: block, more } = await forgetEmptyBlocks(tx, { oldest, from: step.block ?? 0 })
    const isMore = end < 0 ? rows.length === limit : (rows[end] as Row).created_at < before
    if (!isMore && !notNeeded[count] && !more && !instancesLeft)
      return { forgotten: forgotten.length, goOn: null }
    const passed = kept !== null && kept <= last ? kept : null
    return { forgotten: forgotten.length, goOn: { after: last, kept: passed, block } }
  },
  { touches: ({ organizations }) => (organizations?.length ? organizations : 'all') },
)

/** The first message that stays of those that were looked at until now; null if none does. */
function firstKept(
  { after, kept = after === 0 ? null : 0 }: ForgettingPlace,
  rows: readonly Row[],
  forgotten: readonly Row[],
): number | null {
  if (kept !== null) return kept
  // Both are in the order of their numbers.
  return rows.find(({ seq }, index) => forgotten[index]?.seq !== seq)?.seq ?? null
}

interface Row {
  readonly seq: number
  readonly id: string
  readonly organization_id: string
  readonly instance_id: string
  readonly instance_name: string
  readonly recipient: string
  readonly incoming: number
  readonly sent_elsewhere: number
  readonly kind: MessageKind
  readonly created_at: number
  readonly last_event_at: number
  readonly characters: number | null
  readonly stored_bytes: number
}

/** Messages that no kept event refers to. The events of an organization are removed in the order of time. */
async function withoutKeptEvents<R extends Row>(tx: Transaction, rows: readonly R[]): Promise<R[]> {
  const oldest = await oldestEvents(tx, new Set(rows.map(({ organization_id }) => organization_id)))
  return rows.filter(
    (row) => row.last_event_at < (oldest.get(row.organization_id) ?? Number.POSITIVE_INFINITY),
  )
}

/** Messages that no archive can show again. */
async function notNeededForArchive<R extends Row>(tx: Transaction, rows: readonly R[]): Promise<R[]> {
  const received = rows.filter(isFromNetwork)
  if (received.length === 0) return [...rows]
  const ids = [...new Set(received.map(({ instance_id }) => instance_id))]
  const instances = tx.sql.selectFrom('instances').select(['id', 'caught_up_at']).where('id', 'in', ids)
  const marks = new Map((await tx.all(instances)).map(({ id, caught_up_at }) => [id, caught_up_at]))
  return rows.filter((row) => {
    const mark = marks.get(row.instance_id) ?? null
    return !isFromNetwork(row) || mark === null || row.created_at < mark - shownAgain
  })
}

/** True for a message that the network brought: one that came in, or that the account sent from another client. */
function isFromNetwork({ incoming, sent_elsewhere }: Row): boolean {
  return incoming === 1 || sent_elsewhere === 1
}

const removeRows = batchStatement({ seq: 'bigint' })((sql, given) =>
  sql.deleteFrom('messages').where('seq', '=', given('seq')),
)

const removeFiles = batchStatement({ id: 'text' })((sql, given) =>
  sql.deleteFrom('message_files').where('message_id', '=', given('id')),
)

/** `kept` is the first message that stays of those that were looked at; null if none does. */
async function remove(
  tx: Transaction,
  rows: readonly Row[],
  { now, kept }: { readonly now: number; readonly kept: number | null },
): Promise<void> {
  if (rows.length === 0) return
  const withFiles = rows.filter(mayHaveFile).map(({ id }) => id)
  if (withFiles.length > 0) {
    await releaseAllMedia(tx, { messageIds: withFiles, expiresAt: now })
    tx.sendForEach(
      removeFiles,
      withFiles.map((id) => ({ id })),
    )
  }
  await forgetAttempts(tx, rows)
  tx.sendForEach(
    removeRows,
    rows.map(({ seq }) => ({ seq })),
  )
  const open = firstOfBlock(await firstOpenBlock(tx))
  await uncountForgotten(
    tx,
    rows.map((row) => ({ ...row, kind: keptKind(row.kind) })),
    open,
  )
  await forgetConversations(tx, rows, { open, oldest: kept ?? Number.MAX_SAFE_INTEGER })
  const byOwner = Map.groupBy(rows, (row) => row.organization_id)
  await sentTogether([...byOwner].map(([organization, own]) => lessUsage(tx, organization, own)))
}

function lessUsage(tx: Transaction, organization: string, rows: readonly Row[]): Promise<void> {
  const stored = rows.reduce((sum, { stored_bytes }) => sum + stored_bytes, 0)
  const weight = rows
    .filter(isFromNetwork)
    .reduce((sum, { characters }) => sum + weightOf(characters ?? 0), 0)
  return changeUsage(tx, organization, { stored_bytes: -stored, incoming_messages: -weight })
}

export const messageRetentionFunctions: StoreFunctions = {
  reads: [ownersOfOldest],
  transactions: [forgetMessages],
}
