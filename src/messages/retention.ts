import type { MessageKind } from '../contract/resources/message.ts'
import { oldestEvents } from '../events/retention.ts'
import { releaseMedia } from '../media/media-record.ts'
import { changeUsage } from '../organizations/usage.ts'
import { bytesOfMessage, fitIntoPage } from '../store/page.ts'
import { statement } from '../store/statement.ts'
import { type StoreFunctions, type Transaction, transaction } from '../store/store.ts'
import { seen } from '../store/tables/kept-message.ts'
import { forgetAttempts, maxKept } from './history/attempts.ts'
import { weightOf } from './inbox/incoming-message.ts'
import { isSettled } from './life.ts'
import { forgetConversations } from './list/conversations.ts'
import { forgetEmptyBlocks } from './list/message-index.ts'
import { mayHaveFile } from './message.ts'
import { forgetMessageInstances } from './message-instances.ts'

/** The messages to forget, and the number to look at in one transaction, so that others do not wait long for it. */
export interface ForgettingMessages {
  /** Only messages whose last event was before this moment, in milliseconds since the epoch. */
  readonly before: number
  /** Only messages after the one with this number. */
  readonly after: number
  readonly limit: number
  readonly now: number
}

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

/** Returns the bytes that are forgotten with a message. */
function withAttempts({ bytes, attempts }: { readonly bytes: number; readonly attempts: number }) {
  return { bytes: bytes + bytesOfAttempt * Math.min(attempts, maxKept) }
}

/**
 * Forgets messages whose last event was long ago, a megabyte at most, with their attempts and what is known of their files; never one
 * that is not settled. Returns how many it removed, and the number to continue after, or null if it has looked at all that may be old
 * enough.
 */
export const forgetMessages = transaction(
  'messages.forget',
  async (tx, { before, after, limit, now }: ForgettingMessages) => {
    const found = await tx.all(oldestMessages, { after, limit })
    const rows = found.map((row) => ({ ...seen(row), last_event_at: row.created_at + row.last_event_after }))
    const younger = rows.findIndex(({ created_at }) => created_at >= before)
    const old = younger < 0 ? rows : rows.slice(0, younger)
    const over = old.filter(
      ({ status, awaits_file, last_event_at }) =>
        isSettled(status) && awaits_file === 0 && last_event_at < before,
    )
    const notNeeded = await notNeededForArchive(tx, await withoutKeptEvents(tx, over))
    const { count } = fitIntoPage(notNeeded.map(withAttempts))
    const forgotten = notNeeded.slice(0, count)
    await remove(tx, forgotten, now)
    const instancesLeft = await forgetMessageInstances(tx)
    const isMore = (await forgetEmptyBlocks(tx)) || instancesLeft
    const tooMuch = notNeeded[count]
    if (tooMuch) return { forgotten: forgotten.length, goOn: tooMuch.seq - 1 }
    const last = old.at(-1)?.seq ?? after
    return { forgotten: forgotten.length, goOn: old.length === limit || isMore ? last : null }
  },
)

interface Row {
  readonly seq: number
  readonly id: string
  readonly organization_id: string
  readonly instance_id: string
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

async function remove(tx: Transaction, rows: readonly Row[], now: number): Promise<void> {
  if (rows.length === 0) return
  const withFiles = rows.filter(mayHaveFile).map(({ id }) => id)
  if (withFiles.length > 0) {
    for (const messageId of withFiles) await releaseMedia(tx, { messageId, expiresAt: now })
    await tx.run(tx.sql.deleteFrom('message_files').where('message_id', 'in', withFiles))
  }
  const numbers = rows.map(({ seq }) => seq)
  await forgetAttempts(tx, numbers)
  await tx.run(tx.sql.deleteFrom('messages').where('seq', 'in', numbers))
  await forgetConversations(tx, rows)
  for (const [organization, own] of Map.groupBy(rows, (row) => row.organization_id)) {
    const stored = own.reduce((sum, { stored_bytes }) => sum + stored_bytes, 0)
    const weight = own
      .filter(isFromNetwork)
      .reduce((sum, { characters }) => sum + weightOf(characters ?? 0), 0)
    await changeUsage(tx, organization, { stored_bytes: -stored, incoming_messages: -weight })
  }
}

export const messageRetentionFunctions: StoreFunctions = { reads: [], transactions: [forgetMessages] }
