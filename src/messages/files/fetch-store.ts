import type { Message, MessageDirection } from '../../contract/resources/message.ts'
import { releaseAllMedia, takeMedia } from '../../media/media-record.ts'
import { batchStatement, rawSql, statement } from '../../store/statement.ts'
import {
  briefRead,
  isForeign,
  type OfTurn,
  type StoreFunctions,
  type Transaction,
  transaction,
} from '../../store/store.ts'
import { seen } from '../../store/tables/kept-message.ts'
import { withOutbox } from '../current-message.ts'
import { isSettled } from '../life.ts'
import { enqueue } from '../outbox/queue/lane.ts'
import { leaveQueue } from '../outbox/queue/leave-queue.ts'
import { changeBy, removedBy, writeSettled } from '../outbox/queue/settle.ts'
import { storedError } from '../stored-error.ts'
import type { PassedOver } from './fetch-turns.ts'
import type { FileKnown, KeptFileOfMessage } from './file-intake.ts'

/* The store's side of fetches: the files to fetch, and the results. */

/** A message to send that was settled meanwhile, as one that was canceled, waits no more. */
const isWaitedFor = rawSql<boolean>('coalesce(outbox.awaits_file, messages.awaits_file) = 1')

/** A file to fetch, and what to make of it. */
export interface FileToFetch {
  readonly message_id: string
  readonly organization_id: string
  /** The sender of a received file; null for the file of a message to send. */
  readonly sender: string | null
  readonly instance_id: string
  /** The network of its instance; null if the instance is gone. */
  readonly network: string | null
  readonly kind: Message['kind']
  /** When the message was stored, in milliseconds since the epoch. */
  readonly created_at: number
  /** The URL to fetch it from; null if its connection opens it by its reference. */
  readonly url: string | null
  readonly reference: string | null
  readonly voice: number
  readonly filename: string | null
  readonly declared_type: string | null
  readonly fetch_attempts: number
}

interface DueArgs {
  readonly direction: MessageDirection
  readonly now: number
  readonly limit: number
  readonly passedOver: PassedOver
  /** The messages whose files are being fetched. */
  readonly underway: readonly string[]
  /** The node whose instances send or have received them; null for all. */
  readonly node: string | null
}

/** The files to fetch now, beginning with the one that has waited longest, and when the next one is due. */
export const filesDue = briefRead(
  'files.due',
  async (reader, { direction, now, limit, passedOver, underway, node }: DueArgs) => {
    const { sql } = reader
    let due = sql
      .selectFrom('message_files as file')
      .innerJoin('messages', 'messages.id', 'file.message_id')
      .innerJoin('message_instances', 'message_instances.number', 'messages.instance')
      .leftJoin('outbox', 'outbox.seq', 'messages.seq')
      .leftJoin('instances', 'instances.id', 'message_instances.instance_id')
      .select(['file.message_id', 'file.organization_id', 'instance_id', 'instances.network'])
      .select(['messages.sender', 'messages.kind', 'messages.created_at'])
      .select(['file.url', 'file.reference', 'file.voice', 'file.filename'])
      .select(['file.declared_type', 'file.fetch_attempts'])
      .where('file.direction', '=', direction)
      .where('file.fetch_at', '<=', now)
      .where(isWaitedFor)
      .orderBy('file.fetch_at')
      .limit(limit)
    const { organizations, senders } = passedOver
    if (organizations.length > 0) due = due.where('file.organization_id', 'not in', organizations)
    for (const { organization, senders: names } of senders) {
      due = due.where((eb) =>
        eb.or([
          eb('file.organization_id', '!=', organization),
          eb('messages.sender', 'is', null),
          eb('messages.sender', 'not in', names),
        ]),
      )
    }
    if (node !== null) due = due.where((eb) => eb.or([eb('owner', '=', node), eb('owner', 'is', null)]))
    if (underway.length > 0) due = due.where('file.message_id', 'not in', underway)
    const files: FileToFetch[] = (await reader.all(due)).map(seen)
    const own = sql.selectFrom('message_files').select('fetch_at').where('direction', '=', direction)
    const later = own.where('fetch_at', '>', now)
    const next = await reader.first(later.orderBy('fetch_at').limit(1))
    return { files, nextAt: next?.fetch_at ?? null }
  },
)

/** A message with a file. */
export interface FileCall extends OfTurn {
  readonly messageId: string
}

/** The message that waits for this file; undefined if it was settled meanwhile, or is of another organization than the turn. */
export async function waiting(tx: Transaction, call: FileCall) {
  const query = withOutbox(tx.sql)
    .select([
      'messages.seq',
      'messages.instance',
      'messages.kind',
      'organization_id',
      'instance_id',
      'instance_name',
    ])
    .select(['leads_lane', 'held'])
    .where('id', '=', call.messageId)
    .where(isWaitedFor)
  const row = await tx.first(query)
  return row && !isForeign(call, row.organization_id) ? row : undefined
}

/**
 * Attaches a fetched file to its message, which may then leave when its turn comes. False if the message no longer waits for
 * it.
 */
export const fileArrived = transaction(
  'files.arrived',
  async (tx, args: FileCall & { file: KeptFileOfMessage }): Promise<boolean> => {
    const { messageId, file } = args
    const message = await waiting(tx, args)
    if (!message) {
      await endFetching(tx, args)
      return false
    }
    await giveFile(tx, { messageId, organizationId: message.organization_id, file })
    const { seq, instance, leads_lane, held } = message
    await tx.run(tx.sql.updateTable('outbox').set({ awaits_file: 0 }).where('seq', '=', seq))
    if (leads_lane === 1 && held === 0) await enqueue(tx, [{ instance, seq }])
    return true
  },
  { isToldTurn: true },
)

const removeFailed = removedBy('file-failed')

/** Fails the message to send whose file cannot be had. False if the message no longer waits for it. */
export const fileFailed = transaction(
  'files.failed',
  async (
    tx,
    { messageId, turn, now, ...error }: FileCall & { now: number; code: string; detail: string },
  ): Promise<boolean> => {
    await endFetching(tx, { messageId, turn })
    const message = await waiting(tx, { messageId, turn })
    if (!message) return false
    const stored = storedError({ ...error, permanent: true })
    const removed = await tx.allForEach(removeFailed, [message])
    const settled = removed.map((row) => ({
      removed: row,
      change: changeBy('file-failed', row, { error: stored }),
    }))
    await leaveQueue(tx, await writeSettled(tx, settled, now), now)
    return true
  },
  { isToldTurn: true },
)

/** Gives a message the file that it waits for. Throws if the stored bytes are gone. */
export async function giveFile(
  tx: Transaction,
  args: { messageId: string; organizationId: string; file: KeptFileOfMessage },
): Promise<void> {
  const { messageId, organizationId } = args
  const { media, ...known } = args.file
  const media_id = await takeMedia(tx, { media, organizationId, messageId })
  if (media_id === null) throw new Error('a file was forgotten before its message took it')
  await endFetching(tx, { messageId, turn: organizationId }, { ...known, media_id })
}

/** This also forgets the URL and the reference: they may hold secrets, and are not needed again. */
export async function endFetching(
  tx: Transaction,
  { messageId, turn }: FileCall,
  file: Partial<FileKnown & { readonly media_id: string }> = {},
): Promise<void> {
  const own = tx.sql.updateTable('message_files').where('message_id', '=', messageId)
  await tx.run(
    (turn === undefined ? own : own.where('organization_id', '=', turn)).set({
      ...file,
      url: null,
      reference: null,
      fetch_at: null,
    }),
  )
}

/** Schedules another fetch after one that failed for a reason that may pass, unless the message no longer waits for it. */
export const fetchLater = transaction(
  'files.later',
  async (tx, { messageId, turn, at, ...error }: FileCall & { at: number; code: string; detail: string }) => {
    const message = await waiting(tx, { messageId, turn })
    if (!message) {
      await endFetching(tx, { messageId, turn })
      return
    }
    await tx.run(
      tx.sql
        .updateTable('message_files')
        .set((eb) => ({ fetch_at: at, fetch_attempts: eb('fetch_attempts', '+', 1) }))
        .where('message_id', '=', messageId),
    )
    const stored = storedError({ ...error, permanent: false })
    const table = message.leads_lane === null ? 'messages' : 'outbox'
    await tx.run(tx.sql.updateTable(table).set({ error: stored }).where('seq', '=', message.seq))
  },
  { isToldTurn: true },
)

/** The files of messages after which the next look begins. */
export interface ReleasePlace {
  /** A message that uses a file. */
  readonly use: string
  /** A file to fetch for a message to send. */
  readonly fetch: { readonly at: number; readonly message: string }
}

export const firstFiles: ReleasePlace = { use: '', fetch: { at: -1, message: '' } }

const selectUses = statement<{ after: string; limit: number }>()((sql, argument) =>
  sql
    .selectFrom('media_uses')
    .innerJoin('messages', 'messages.id', 'media_uses.message_id')
    .select(['media_uses.message_id as id', 'messages.status'])
    .where('media_uses.message_id', '>', argument('after'))
    .orderBy('media_uses.message_id')
    .limit(argument('limit')),
)

const selectUnfetched = statement<{ at: number; message: string; limit: number }>()((sql, argument) =>
  sql
    .selectFrom('message_files')
    .innerJoin('messages', 'messages.id', 'message_files.message_id')
    .select(['message_files.message_id as id', 'fetch_at', 'messages.status'])
    // A received message is settled from the beginning, and its file is fetched nevertheless.
    .where('message_files.direction', '=', 'outbound')
    .where('fetch_at', 'is not', null)
    .where((eb) =>
      eb(
        eb.refTuple('fetch_at', 'message_files.message_id'),
        '>',
        eb.tuple<number | null, string>(argument('at'), argument('message')),
      ),
    )
    .orderBy('fetch_at')
    .orderBy('message_files.message_id')
    .limit(argument('limit')),
)

/** As `endFetching` does without a file. */
const stopFetching = batchStatement({ message: 'text' })((sql, given) =>
  sql
    .updateTable('message_files')
    .set({ url: null, reference: null, fetch_at: null })
    .where('message_id', '=', given('message')),
)

const settledOf = (files: readonly { readonly id: string; readonly status: number }[]) =>
  files
    .map(seen)
    .filter(({ status }) => isSettled(status))
    .map(({ id }) => id)

/**
 * Releases the files of settled messages: files that they used may expire at `expiresAt`, and files that they still waited for are no
 * longer fetched. Looks at `limit` files of each kind, after a place, and returns the place to continue after; null if those were all.
 * This happens after the messages are settled, so that settling texts does not have to look for files.
 */
export const releaseFiles = transaction(
  'files.release',
  async (
    tx,
    { expiresAt, limit, after }: { expiresAt: number; limit: number; after: ReleasePlace },
  ): Promise<ReleasePlace | null> => {
    const used = await tx.all(selectUses, { after: after.use, limit })
    await releaseAllMedia(tx, { messageIds: settledOf(used), expiresAt })
    const unfetched = await tx.all(selectUnfetched, { ...after.fetch, limit })
    await tx.runForEach(
      stopFetching,
      settledOf(unfetched).map((message) => ({ message })),
    )
    if (used.length < limit && unfetched.length < limit) return null
    const [lastUse, lastFetch] = [used.at(-1), unfetched.at(-1)]
    return {
      use: lastUse?.id ?? after.use,
      fetch: lastFetch ? { at: lastFetch.fetch_at ?? 0, message: lastFetch.id } : after.fetch,
    }
  },
)

export const fetchFunctions: StoreFunctions = {
  reads: [filesDue],
  transactions: [fileArrived, fileFailed, fetchLater, releaseFiles],
}
