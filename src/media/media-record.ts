import { statement } from '../store/statement.ts'
import { read, type StoreFunctions, type Transaction, transaction } from '../store/store.ts'

/*
 * What is known about files. The bytes live elsewhere, where no transaction reaches, so the order of things keeps them right:
 *
 * - A file is registered before its bytes are kept, under an id that is never used again. Bytes without a record are
 *   therefore leftovers, at any moment and whoever looks, and can be removed at once.
 * - A message takes a file in the transaction that accepts the message, which fails if the record is gone. So it does not
 *   matter how long the bytes took, or whether the record expired meanwhile: no message is accepted without its file.
 * - A record goes before its bytes, and only where no unsettled message uses it. Who finds no record registers anew, under
 *   another id, and whatever is removed late cannot be what was kept meanwhile.
 */

interface Registered {
  /** The name of the file; that of an earlier one where the organization has these bytes already. */
  readonly id: string
  /** Whether its bytes are still to be kept. Where it is false, they are there unless the media store lost them. */
  readonly fresh: boolean
}

interface Registration {
  /** Used where the organization does not have these bytes. */
  readonly id: string
  readonly organizationId: string
  readonly sha256: string
  readonly size: number
  readonly now: number
  /** Until then the record is kept, though no message uses it yet. */
  readonly heldUntil: number
}

const selectFile = statement<{ organization: string; sha256: string }>()((sql, argument) =>
  sql
    .selectFrom('media')
    .select(['id', 'expires_at'])
    .where('organization_id', '=', argument('organization'))
    .where('sha256', '=', argument('sha256')),
)

const insertFile = statement<Registration>()((sql, argument) =>
  sql.insertInto('media').values({
    id: argument('id'),
    organization_id: argument('organizationId'),
    sha256: argument('sha256'),
    size: argument('size'),
    created_at: argument('now'),
    expires_at: argument('heldUntil'),
  }),
)

const holdFile = statement<{ id: string; until: number }>()((sql, argument) =>
  sql
    .updateTable('media')
    .set({ expires_at: argument('until') })
    .where('id', '=', argument('id'))
    .where('expires_at', '<', argument('until')),
)

/** Registers a file before its bytes are kept, or finds the one that has the same bytes and holds on to it. */
export const registerMedia = transaction(
  'media.register',
  async (tx, args: Registration): Promise<Registered> => {
    const known = await tx.first(selectFile, { organization: args.organizationId, sha256: args.sha256 })
    if (known) await tx.run(holdFile, { id: known.id, until: args.heldUntil })
    else await tx.run(insertFile, args)
    return { id: known?.id ?? args.id, fresh: known === undefined }
  },
)

const useFile = statement<{ id: string; organization: string }>()((sql, argument) =>
  sql
    .updateTable('media')
    .set({ expires_at: null })
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
 * Lets a message use a file from now until `releaseMedia`, in the transaction that accepts it or that gives it its file.
 * False where the file is not there any more, or is another organization's: its bytes must be kept again. A message uses
 * one file; to take it twice is no fault.
 */
export async function takeMedia(
  tx: Transaction,
  args: { mediaId: string; organizationId: string; messageId: string },
): Promise<boolean> {
  const found = await tx.run(useFile, { id: args.mediaId, organization: args.organizationId })
  if (found > 0) await tx.run(insertUse, { message: args.messageId, media: args.mediaId })
  return found > 0
}

const selectUse = statement<{ message: string }>()((sql, argument) =>
  sql.selectFrom('media_uses').select('media_id').where('message_id', '=', argument('message')),
)

const deleteUse = statement<{ message: string }>()((sql, argument) =>
  sql.deleteFrom('media_uses').where('message_id', '=', argument('message')),
)

const letExpire = statement<{ id: string; at: number }>()((sql, argument) =>
  sql
    .updateTable('media')
    .set({ expires_at: argument('at') })
    .where('id', '=', argument('id'))
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom('media_uses').select('media_id').whereRef('media_id', '=', 'media.id'))),
    ),
)

/**
 * Ends the use of a file by a message, in the transaction that settles it; the last one lets the file expire at `expiresAt`.
 * A message that uses none, or was settled before, is no fault.
 */
export async function releaseMedia(
  tx: Transaction,
  { messageId, expiresAt }: { messageId: string; expiresAt: number },
): Promise<void> {
  const use = await tx.first(selectUse, { message: messageId })
  if (!use) return
  await tx.run(deleteUse, { message: messageId })
  await tx.run(letExpire, { id: use.media_id, at: expiresAt })
}

/** Forgets files whose time is over, those first that expired first, at most `limit`; tells which, for their bytes to be removed. */
export const forgetMedia = transaction(
  'media.forget',
  async (tx, { now, limit }: { now: number; limit: number }) => {
    const expired = await tx.all(
      tx.sql
        .selectFrom('media')
        .select('id')
        .where('expires_at', '<=', now)
        .orderBy('expires_at')
        .limit(limit),
    )
    const ids = expired.map(({ id }) => id)
    if (ids.length > 0) await tx.run(tx.sql.deleteFrom('media').where('id', 'in', ids))
    return ids
  },
)

/** Those of the ids that name no file: bytes under them are leftovers. */
export const unknownMedia = read('media.unknown', async (reader, { ids }: { ids: readonly string[] }) => {
  const rows = await reader.all(reader.sql.selectFrom('media').select('id').where('id', 'in', ids))
  const known = new Set(rows.map(({ id }) => id))
  return ids.filter((id) => !known.has(id))
})

export const mediaFunctions: StoreFunctions = {
  reads: [unknownMedia],
  transactions: [registerMedia, forgetMedia],
}
