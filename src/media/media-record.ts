import type { Expression, ExpressionBuilder } from 'kysely'
import { changeUsage } from '../organizations/usage.ts'
import { bytesOfColumn, partOf } from '../store/page.ts'
import type { Schema } from '../store/schema.ts'
import { batchStatement, rawSql, statement } from '../store/statement.ts'
import { read, type StoreFunctions, type Transaction, transaction } from '../store/store.ts'

/*
 * The records of files. The bytes of a small file are beside its record, and come and go with it. Those of larger files
 * are outside the store's transactions, so the order of the steps keeps them consistent:
 *
 * - A file is registered before its bytes are stored, under an id that is never used again. Bytes without a record are
 *   therefore always leftovers, and can be removed at once.
 * - A message takes a file in the transaction that accepts the message, which fails if the record is gone. So it does not
 *   matter how long the bytes took, or whether the record expired meanwhile: no message is accepted without its file.
 * - A record is removed before its bytes, and only if no unsettled message uses it. If there is no record, a file is registered
 *   again with another id, so a late removal cannot hit what was stored meanwhile.
 * - Its bytes count for its organization from its registration until its record goes.
 */

interface Registered {
  /** The name of the file; that of an earlier one if the organization already has these bytes. */
  readonly id: string
  /** True if its bytes must still be stored. If false, they are there unless the media store lost them. */
  readonly fresh: boolean
}

/** The facts about a file before it has a record. */
export interface NewMedia {
  /** Used if the organization does not have these bytes. */
  readonly id: string
  readonly organizationId: string
  readonly sha256: string
  readonly size: number
  readonly now: number
}

export interface Registration extends NewMedia {
  /** Until then the record is kept, even if no message uses it yet. */
  readonly heldUntil: number
}

/** A file that a message can use: a stored one, or a small one, which is stored when the message is accepted. */
export type MediaToTake =
  | { readonly id: string; readonly heldUntil?: number }
  | (NewMedia & { readonly bytes: Uint8Array })

const selectFile = statement<{ organization: string; sha256: string }>()((sql, argument) =>
  sql
    .selectFrom('media')
    .select(['id', 'expires_at'])
    .where('organization_id', '=', argument('organization'))
    .where('sha256', '=', argument('sha256')),
)

const insertFile = statement<NewMedia & { heldUntil: number | null; held: number }>()((sql, argument) =>
  sql.insertInto('media').values({
    id: argument('id'),
    organization_id: argument('organizationId'),
    sha256: argument('sha256'),
    size: argument('size'),
    created_at: argument('now'),
    expires_at: argument('heldUntil'),
    held_until: argument('held'),
  }),
)

async function addFile(tx: Transaction, file: NewMedia & { heldUntil: number | null }): Promise<void> {
  await tx.run(insertFile, { ...file, held: file.heldUntil ?? 0 })
  await changeUsage(tx, file.organizationId, { file_bytes: file.size })
}

const insertBytes = statement<{ id: string; bytes: Uint8Array }>()((sql, argument) =>
  sql
    .insertInto('small_files')
    .values({ media_id: argument('id'), bytes: argument('bytes') })
    .onConflict((conflict) => conflict.column('media_id').doNothing()),
)

/** Even if a message uses it now: that one may be settled before the other is accepted. */
const holdFile = statement<{ id: string; until: number }>()((sql, argument) =>
  sql
    .updateTable('media')
    .set((eb) => ({
      held_until: argument('until'),
      expires_at: eb
        .case()
        .when('expires_at', '<', argument('until'))
        .then(argument('until'))
        .else(eb.ref('expires_at'))
        .end(),
    }))
    .where('id', '=', argument('id'))
    .where('held_until', '<', argument('until')),
)

/**
 * Registers a file before its bytes are stored in the media store, or finds the one with the same bytes and extends its life.
 */
export const registerMedia = transaction(
  'media.register',
  async (tx, args: Registration): Promise<Registered> => {
    const known = await tx.first(selectFile, { organization: args.organizationId, sha256: args.sha256 })
    if (known) await tx.run(holdFile, { id: known.id, until: args.heldUntil })
    else await addFile(tx, args)
    return { id: known?.id ?? args.id, fresh: known === undefined }
  },
)

const selectBytes = statement<{ id: string }>()((sql, argument) =>
  sql.selectFrom('small_files').select('bytes').where('media_id', '=', argument('id')),
)

/** All bytes of a small file; null if they are not in the store. */
export const smallFile = read('media.small-file', async (reader, args: { id: string }) => {
  return (await reader.first(selectBytes, args))?.bytes ?? null
})

const useFile = statement<{ id: string; organization: string; held: number }>()((sql, argument) =>
  sql
    .updateTable('media')
    .set((eb) => ({
      expires_at: null,
      // It is held for another message if that was registered later.
      held_until: eb
        .case()
        .when('held_until', '>', argument('held'))
        .then(eb.ref('held_until'))
        .else(0)
        .end(),
    }))
    .where('id', '=', argument('id'))
    .where('organization_id', '=', argument('organization')),
)

const insertUse = statement<{ message: string; media: string }>()((sql, argument) =>
  sql
    .insertInto('media_uses')
    .values({ message_id: argument('message'), media_id: argument('media') })
    .onConflict((conflict) => conflict.column('message_id').doNothing()),
)

/**
 * Lets a message use a file from now until `releaseMedia`, in the transaction that accepts it or that gives it its file, and
 * returns the id of the file; null if it no longer exists, or belongs to another organization: its bytes must be stored
 * again. A message uses one file; calling this twice does no harm.
 */
export async function takeMedia(
  tx: Transaction,
  args: { media: MediaToTake; organizationId: string; messageId: string },
): Promise<string | null> {
  const { media, organizationId: organization, messageId: message } = args
  const id = 'bytes' in media ? await keepSmall(tx, media) : media.id
  if (!('bytes' in media)) {
    const { heldUntil: held = 0 } = media
    if ((await tx.run(useFile, { id, organization, held })) === 0) return null
  }
  await tx.run(insertUse, { message, media: id })
  return id
}

/** Stores a small file for a message that uses it, or finds the one with the same bytes; returns its id. */
async function keepSmall(tx: Transaction, media: NewMedia & { readonly bytes: Uint8Array }): Promise<string> {
  const { organizationId: organization, sha256, bytes } = media
  const known = await tx.first(selectFile, { organization, sha256 })
  if (known) await tx.run(useFile, { id: known.id, organization, held: 0 })
  else await addFile(tx, { ...media, heldUntil: null })
  const id = known?.id ?? media.id
  await tx.run(insertBytes, { id, bytes })
  return id
}

const deleteUses = batchStatement({ message: 'text' })((sql, given) =>
  sql.deleteFrom('media_uses').where('message_id', '=', given('message')).returning('media_id'),
)

/** True while a message uses the file. */
function isUsed({ exists, selectFrom }: ExpressionBuilder<Schema, 'media'>) {
  return exists(selectFrom('media_uses').select('media_id').whereRef('media_id', '=', 'media.id'))
}

/** The later of two times. */
function later(
  eb: ExpressionBuilder<Schema, 'media'>,
  column: 'kept_until' | 'held_until',
  at: Expression<number>,
) {
  return eb.case().when(column, '>', at).then(eb.ref(column)).else(at).end()
}

/** Lets a file expire, but not before times promised to other messages, nor while it is held for a message to come. */
const letExpire = batchStatement({ id: 'text', at: 'bigint' })((sql, given) =>
  sql
    .updateTable('media')
    .set((eb) => {
      const kept = later(eb, 'kept_until', eb.val(given('at')))
      const until = later(eb, 'held_until', kept)
      return { kept_until: kept, expires_at: eb.case().when(isUsed(eb)).then(null).else(until).end() }
    })
    .where('id', '=', given('id')),
)

/**
 * Ends the use of a file by a message, which wants it kept until `expiresAt`; after the last use it is, or for as long as
 * another message wanted. Does nothing for a message without a file, or one that was settled before.
 */
export async function releaseMedia(
  tx: Transaction,
  { messageId, expiresAt }: { messageId: string; expiresAt: number },
): Promise<void> {
  await releaseAllMedia(tx, { messageIds: [messageId], expiresAt })
}

/** The same for many messages, in two statements. */
export async function releaseAllMedia(
  tx: Transaction,
  { messageIds, expiresAt: at }: { messageIds: readonly string[]; expiresAt: number },
): Promise<void> {
  const uses = messageIds.map((message) => ({ message }))
  const ended = await tx.allForEach(deleteUses, uses)
  const files = new Set(ended.map(({ media_id }) => media_id))
  await tx.runForEach(
    letExpire,
    [...files].map((id) => ({ id, at })),
  )
}

/** Bytes that a file takes in the store: a row about it, and the content of a small file. */
const bytesHere = rawSql<number>(`256 + ${bytesOfColumn('small_files.bytes')}`)

/**
 * Forgets expired files, oldest first, at most `limit` and a megabyte of bytes that are in the store. Returns how many, whether there
 * may be more, and the ids of those whose bytes must be removed from the media store.
 */
export const forgetMedia = transaction(
  'media.forget',
  async (tx, { now, limit }: { now: number; limit: number }) => {
    const expired = await tx.all(
      tx.sql
        .selectFrom('media')
        .leftJoin('small_files', 'small_files.media_id', 'media.id')
        .select((eb) => ['id', eb.cast<number>(bytesHere, 'integer').as('bytes')])
        .where('expires_at', '<=', now)
        .orderBy('expires_at')
        .limit(limit),
    )
    const { rows, more } = partOf(expired, limit)
    const ids = rows.map(({ id }) => id)
    if (ids.length === 0) return { forgotten: 0, elsewhere: [], more }
    const removed = await tx.all(
      tx.sql.deleteFrom('media').where('id', 'in', ids).returning(['organization_id', 'size']),
    )
    for (const [organization, own] of Map.groupBy(removed, (file) => file.organization_id))
      await changeUsage(tx, organization, {
        file_bytes: -own.reduce((sum, { size }) => sum + Number(size), 0),
      })
    const small = await tx.all(
      tx.sql.deleteFrom('small_files').where('media_id', 'in', ids).returning('media_id'),
    )
    const here = new Set(small.map(({ media_id }) => media_id))
    return { forgotten: ids.length, elsewhere: ids.filter((id) => !here.has(id)), more }
  },
)

/** The ids that name no file: bytes under them are leftovers. */
export const unknownMedia = read('media.unknown', async (reader, { ids }: { ids: readonly string[] }) => {
  const rows = await reader.all(reader.sql.selectFrom('media').select('id').where('id', 'in', ids))
  const known = new Set(rows.map(({ id }) => id))
  return ids.filter((id) => !known.has(id))
})

export const mediaFunctions: StoreFunctions = {
  reads: [unknownMedia, smallFile],
  transactions: [registerMedia, forgetMedia],
}
