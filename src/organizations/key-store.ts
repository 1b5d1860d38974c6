import type { Role } from '../contract/operation.ts'
import type { AuditNote } from '../contract/resources/audit.ts'
import { pageOf, type RowPage } from '../store/page.ts'
import type { RowOf } from '../store/schema.ts'
import { statement } from '../store/statement.ts'
import {
  briefRead,
  read,
  type StoreFunctions,
  type Transaction,
  touchesNothing,
  transaction,
} from '../store/store.ts'
import { byOperator, keepAudit } from './audit-log.ts'

/** The most keys of an organization that may be neither revoked nor expired. */
const livingAtMost = 1_000
/** The most of the others that are kept to be looked at. */
const keptAtMost = 1_000

/** A key as it may be shown: everything but the key. */
export type KeyRow = Omit<RowOf<'api_keys'>, 'digest'>

const shown = [
  'api_keys.id',
  'api_keys.organization_id',
  'api_keys.name',
  'api_keys.hint',
  'api_keys.role',
  'api_keys.created_at',
  'api_keys.revoked_at',
  'api_keys.expires_at',
  'api_keys.instance_names',
  'api_keys.last_used_at',
] as const

/** A key to be stored: its digest, never the key itself. */
export interface NewApiKey {
  readonly id: string
  readonly organization_id: string
  readonly digest: string
  readonly hint: string
  readonly role: Role
  readonly created_at: number
  readonly name?: string | null
  readonly expires_at?: number | null
  /** The names of the instances that it is limited to, as JSON text; null if it is not limited. */
  readonly instance_names?: string | null
}

export interface KeyCreation {
  readonly key: NewApiKey
  /** The id of the key that creates it, which it cannot outlive; null for the operator. */
  readonly creator?: string | null
  /** By default, that of the operator at the command line. */
  readonly note?: AuditNote | undefined
}

/** Stores a new key, or says why it cannot. */
export const createApiKey = transaction('keys.create', async (tx, given: KeyCreation) => {
  const { key, creator = null, note } = given
  const { id, organization_id: organization, created_at: now } = key
  const longest = creator === null ? null : await expiryOf(tx, creator, organization)
  if (longest === undefined) return { kind: 'creator_revoked' } as const
  const expires_at = key.expires_at ?? longest
  if (longest !== null && expires_at !== null && expires_at > longest) return { kind: 'outlives' } as const
  if ((await countLiving(tx, organization, now)) >= livingAtMost) return { kind: 'limit_reached' } as const
  await forgetOldest(tx, organization, now)
  const row = { ...key, expires_at, revoked_at: null, last_used_at: null }
  await tx.run(tx.sql.insertInto('api_keys').values(row))
  const noted = note ?? byOperator('createKey', organization, now)
  await keepAudit(tx, noted, { target: id })
  return { kind: 'created', expires_at } as const
})

/** When a key of an organization expires that is not revoked; undefined if it is. */
async function expiryOf(
  tx: Transaction,
  id: string,
  organization: string,
): Promise<number | null | undefined> {
  const living = tx.sql.selectFrom('api_keys').select('expires_at').where('revoked_at', 'is', null)
  const own = living.where('id', '=', id).where('organization_id', '=', organization)
  return (await tx.first(own))?.expires_at
}

async function countLiving(tx: Transaction, organization: string, now: number): Promise<number> {
  const living = tx.sql
    .selectFrom('api_keys')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('organization_id', '=', organization)
    .where('revoked_at', 'is', null)
    .where((eb) => eb.or([eb('expires_at', 'is', null), eb('expires_at', '>', now)]))
  return Number((await tx.first(living))?.count)
}

/** Removes the oldest keys beyond the limit, so that creating and revoking them in turn cannot fill the store. */
async function forgetOldest(tx: Transaction, organization: string, now: number): Promise<void> {
  const tooMany = tx.sql
    .selectFrom('api_keys')
    .select('id')
    .where('organization_id', '=', organization)
    .where((eb) => eb.or([eb('revoked_at', 'is not', null), eb('expires_at', '<=', now)]))
    .orderBy('id', 'desc')
    .limit(keptAtMost)
    .offset(keptAtMost)
  await tx.run(tx.sql.deleteFrom('api_keys').where('id', 'in', tooMany))
}

/** A key with the name of its organization. */
export interface ListedKey extends KeyRow {
  readonly organization: string
}

/** The keys of an organization, by its name, or of all. */
export const listApiKeys = read(
  'keys.list',
  (reader, args: { organization: string | null }): Promise<ListedKey[]> => {
    const query = reader.sql
      .selectFrom('api_keys')
      .innerJoin('organizations', 'organizations.id', 'api_keys.organization_id')
      .select([...shown, 'organizations.name as organization'])
      .orderBy('api_keys.id')
    return reader.all(
      args.organization === null ? query : query.where('organizations.name', '=', args.organization),
    )
  },
)

export interface KeyFilter {
  readonly organization: string
  /** Only those that are revoked, or only those that are not. */
  readonly revoked: boolean | null
  readonly limit: number
  /** Only keys with a lower id. */
  readonly before: string | null
}

/** A page of the keys of an organization, newest first, and whether there are more. */
export const pageOfKeys = read('keys.page', async (reader, filter: KeyFilter) => {
  const { organization, revoked, limit, before } = filter
  let query = reader.sql.selectFrom('api_keys').select(shown).where('organization_id', '=', organization)
  if (revoked !== null) query = query.where('revoked_at', revoked ? 'is not' : 'is', null)
  if (before !== null) query = query.where('id', '<', before)
  const long = { texts: ['name'], json: ['instance_names'] }
  const page: RowPage<KeyRow> = await pageOf(reader, query.orderBy('id', 'desc'), { limit, long })
  return page
})

/** A key and the organization that it belongs to; null if the key is no longer kept. */
export const readOwnKey = read(
  'keys.own',
  async (reader, { id }: { id: string }): Promise<ListedKey | null> => {
    const query = reader.sql
      .selectFrom('api_keys')
      .innerJoin('organizations', 'organizations.id', 'api_keys.organization_id')
      .select([...shown, 'organizations.name as organization'])
    return (await reader.first(query.where('api_keys.id', '=', id))) ?? null
  },
)

export interface KeyRevocation {
  readonly id: string
  /** The id of its organization; without it, the key may be of any. */
  readonly organization?: string
  readonly now: number
  /** By default, that of the operator at the command line. */
  readonly note?: AuditNote | undefined
}

/** Revokes a key. One that was revoked before stays so, and nothing is noted. */
export const revokeApiKey = transaction('keys.revoke', async (tx, given: KeyRevocation) => {
  const { id, organization, now, note } = given
  const found = await tx.first(
    tx.sql.selectFrom('api_keys').select(['organization_id', 'revoked_at']).where('id', '=', id),
  )
  if (!found || (organization ?? found.organization_id) !== found.organization_id) return 'not_found'
  if (found.revoked_at !== null) return 'revoked_before'
  await tx.run(tx.sql.updateTable('api_keys').set({ revoked_at: now }).where('id', '=', id))
  // A caller who creates keys, signs in with them and revokes them would fill the store with sessions without an owner.
  for (const table of ['sessions', 'sign_in_codes'] as const)
    await tx.run(tx.sql.deleteFrom(table).where('owner', '=', id))
  await keepAudit(tx, note ?? byOperator('revokeKey', found.organization_id, now), { target: id })
  return 'revoked'
})

const selectKey = statement<{ digest: string }>()((sql, argument) =>
  sql
    .selectFrom('api_keys')
    .select([
      'id',
      'organization_id',
      'role',
      'digest',
      'hint',
      'expires_at',
      'instance_names',
      'last_used_at',
    ])
    .where('digest', '=', argument('digest'))
    .where('revoked_at', 'is', null),
)

/** The living key with this digest. */
export const findApiKey = briefRead('keys.find', async (reader, args: { digest: string }) => {
  return (await reader.first(selectKey, args)) ?? null
})

/** Precision with which the last use of a key is stored, in milliseconds. */
export const keyUseKnownTo = 60 * 60_000

/** Keeps that a key was used, unless that is known to the hour already. */
export const noteKeyUse = transaction(
  'keys.use',
  (tx, args: { id: string; now: number; before: number }) =>
    tx.run(
      tx.sql
        .updateTable('api_keys')
        .set({ last_used_at: args.now })
        .where('id', '=', args.id)
        .where((eb) => eb.or([eb('last_used_at', 'is', null), eb('last_used_at', '<', args.before)])),
    ),
  { touches: touchesNothing },
)

export const apiKeyFunctions: StoreFunctions = {
  reads: [listApiKeys, pageOfKeys, readOwnKey, findApiKey],
  transactions: [createApiKey, revokeApiKey, noteKeyUse],
}
