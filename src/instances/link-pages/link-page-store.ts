import type { AuditNote } from '../../contract/resources/audit.ts'
import { keepAudit } from '../../organizations/audit-log.ts'
import type { RowOf } from '../../store/schema.ts'
import { ofTurn, statement } from '../../store/statement.ts'
import { type OfTurn, read, type StoreFunctions, type Transaction, transaction } from '../../store/store.ts'

/** Pages that an instance may have; when another is made, the oldest ends. */
const maxOfInstance = 10
/** Pages of an organization that may have a picture, of up to 64 KB each. */
const maxWithPicture = 1_000
/** Milliseconds after the account was linked during which its pages say so. They open nothing more. */
const saysLinkedFor = 10 * 60_000

export type NewLinkPage = Omit<RowOf<'link_pages'>, 'linked_at'>

interface CreateArgs {
  readonly page: NewLinkPage
  readonly audit: AuditNote | undefined
}

/** Makes a page for an instance. */
export const createLinkPage = transaction('link-pages.create', async (tx, { page, audit }: CreateArgs) => {
  const instances = tx.sql.selectFrom('instances').select('wanted').where('id', '=', page.instance_id)
  const instance = await tx.first(instances.where('organization_id', '=', page.organization_id))
  if (!instance) return 'not_found'
  if (instance.wanted === 'removed') return 'deleting'
  const known = tx.sql.selectFrom('link_pages').select('id').where('instance_id', '=', page.instance_id)
  const pages = await tx.all(known.orderBy('created_at', 'desc').orderBy('id', 'desc'))
  const oldest = pages.slice(maxOfInstance - 1).map(({ id }) => id)
  if (oldest.length > 0) await tx.run(tx.sql.deleteFrom('link_pages').where('id', 'in', oldest))
  if (page.picture) await makeRoomForPicture(tx, page.organization_id)
  await tx.run(tx.sql.insertInto('link_pages').values({ ...page, linked_at: null }))
  await keepAudit(tx, audit, { target: page.id })
  return 'created'
})

/** The oldest pages go on without their picture, if there are too many. */
async function makeRoomForPicture(tx: Transaction, organization: string): Promise<void> {
  const pictured = tx.sql
    .selectFrom('link_pages')
    .select('id')
    .where('organization_id', '=', organization)
    .where('picture_type', 'is not', null)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
  const oldest = await tx.all(pictured.limit(maxOfInstance).offset(maxWithPicture - 1))
  const ids = oldest.map(({ id }) => id)
  const without = tx.sql.updateTable('link_pages').set({ picture_type: null, picture: null })
  if (ids.length > 0) await tx.run(without.where('id', 'in', ids))
}

const selectPage = statement<{ digest: string }>()((sql, argument) =>
  sql
    .selectFrom('link_pages')
    .innerJoin('api_keys', 'api_keys.id', 'link_pages.key_id')
    .innerJoin('instances', 'instances.id', 'link_pages.instance_id')
    .select([
      'link_pages.id',
      'link_pages.digest',
      'link_pages.organization_id',
      'link_pages.instance_id',
      'link_pages.key_id',
      'link_pages.expires_at',
      'link_pages.linked_at',
      'link_pages.title',
      'link_pages.language',
      'link_pages.picture_type',
      'api_keys.hint as key_hint',
      'api_keys.revoked_at as key_revoked_at',
      'api_keys.expires_at as key_expires_at',
      'instances.name as instance_name',
      'instances.wanted',
    ])
    .where('link_pages.digest', '=', argument('digest')),
)

/** The page with this digest of its token, with what its life depends on. */
export const findLinkPage = read(
  'link-pages.find',
  async (reader, args: { digest: string }) => (await reader.first(selectPage, args)) ?? null,
)

const selectPicture = statement<{ id: string }>()((sql, argument) =>
  sql.selectFrom('link_pages').select(['picture_type', 'picture']).where('id', '=', argument('id')),
)

/** The picture of the business on this page, and its media type; null if there is none. */
export const findLinkPagePicture = read('link-pages.picture', async (reader, args: { id: string }) => {
  const { picture_type: type, picture: bytes } = (await reader.first(selectPicture, args)) ?? {}
  return type && bytes ? { type, bytes } : null
})

/** Ends all pages of an instance. */
export const revokeLinkPages = transaction(
  'link-pages.revoke',
  async (tx, { instance, audit, turn }: { instance: string; audit: AuditNote | undefined } & OfTurn) => {
    await forgetLinkPagesOf(tx, instance, turn)
    await keepAudit(tx, audit)
  },
  { isToldTurn: true },
)

const deleteOne = statement<{ id: string; turn: string | null }>()((sql, argument) =>
  sql
    .deleteFrom('link_pages')
    .where('id', '=', argument('id'))
    .where(ofTurn(argument('turn'))),
)

/** Ends one page. */
export const endLinkPage = transaction(
  'link-pages.end',
  async (tx, { id, audit, turn }: { id: string; audit: AuditNote | undefined } & OfTurn) => {
    await tx.run(deleteOne, { id, turn: turn ?? null })
    await keepAudit(tx, audit)
  },
  { isToldTurn: true },
)

const deleteOfInstance = statement<{ instance: string; turn: string | null }>()((sql, argument) =>
  sql
    .deleteFrom('link_pages')
    .where('instance_id', '=', argument('instance'))
    .where(ofTurn(argument('turn'))),
)

/** Ends the pages of an instance, if it is of the organization whose turn it is. */
export async function forgetLinkPagesOf(
  tx: Transaction,
  instance: string,
  turn: string | null = null,
): Promise<void> {
  await tx.run(deleteOfInstance, { instance, turn })
}

const endLinked = statement<{ instance: string; now: number; until: number }>()((sql, argument) =>
  sql
    .updateTable('link_pages')
    .set({ linked_at: argument('now'), expires_at: argument('until') })
    .where('instance_id', '=', argument('instance'))
    .where('linked_at', 'is', null)
    .where('expires_at', '>', argument('now')),
)

/** The account was linked: its pages open nothing more, and say for a while how it ended. */
export async function endLinkPages(tx: Transaction, instance: string, now: number): Promise<void> {
  await tx.run(endLinked, { instance, now, until: now + saysLinkedFor })
}

/** Removes pages that have expired, at most `limit`; returns how many. */
export const forgetLinkPages = transaction(
  'link-pages.forget',
  async (tx, { now, limit }: { now: number; limit: number }): Promise<number> => {
    const expired = tx.sql.selectFrom('link_pages').select('id').where('expires_at', '<=', now)
    const ids = (await tx.all(expired.orderBy('expires_at').limit(limit))).map(({ id }) => id)
    if (ids.length > 0) await tx.run(tx.sql.deleteFrom('link_pages').where('id', 'in', ids))
    return ids.length
  },
)

export const linkPageFunctions: StoreFunctions = {
  reads: [findLinkPage, findLinkPagePicture],
  transactions: [createLinkPage, endLinkPage, revokeLinkPages, forgetLinkPages],
}
