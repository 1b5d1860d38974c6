import type { Role } from '../contract/operation.ts'
import { statement } from '../store/statement.ts'
import { read, type StoreFunctions, transaction } from '../store/store.ts'
import { byOperator, keepAudit } from './audit-log.ts'

export interface Organization {
  readonly id: string
  readonly name: string
  readonly created_at: number
}

/** A key as it may be shown: everything but the key. */
export interface ApiKey {
  readonly id: string
  readonly organization: string
  readonly hint: string
  readonly role: Role
  readonly created_at: number
  readonly revoked_at: number | null
  readonly expires_at: number | null
  /** The names of the instances that it is limited to, as JSON text; null if it is not limited. */
  readonly instance_names: string | null
  /** To the hour; null if it was never used. */
  readonly last_used_at: number | null
}

/** A key to be stored: its digest, never the key itself. */
export interface NewApiKey extends Pick<ApiKey, 'id' | 'organization' | 'hint' | 'role' | 'created_at'> {
  readonly digest: string
  readonly expires_at?: number | null
  readonly instance_names?: string | null
}

/** Creates an organization; false when the name is taken. */
export const createOrganization = transaction('organizations.create', async (tx, args: Organization) => {
  const taken = await tx.first(tx.sql.selectFrom('organizations').select('id').where('name', '=', args.name))
  if (taken) return false
  const epoch = tx.sql.selectFrom('service').select('value').where('name', '=', 'epoch')
  await tx.run(
    tx.sql.insertInto('organizations').values(({ fn, val }) => ({
      ...args,
      epoch: fn.coalesce(epoch, val('')),
    })),
  )
  await keepAudit(tx, byOperator('createOrganization', args.id, args.created_at, { target: args.name }))
  return true
})

export const listOrganizations = read(
  'organizations.list',
  (reader, _: null): Promise<Organization[]> =>
    reader.all(reader.sql.selectFrom('organizations').selectAll().orderBy('name')),
)

/** Stores a new key; false if there is no such organization. */
export const createApiKey = transaction('keys.create', async (tx, args: NewApiKey) => {
  const { organization, ...key } = args
  const owner = await tx.first(
    tx.sql.selectFrom('organizations').select('id').where('name', '=', organization),
  )
  if (!owner) return false
  await tx.run(tx.sql.insertInto('api_keys').values({ ...key, organization_id: owner.id, revoked_at: null }))
  await keepAudit(tx, byOperator('createKey', owner.id, args.created_at, { target: args.id }))
  return true
})

export const listApiKeys = read(
  'keys.list',
  (reader, args: { organization: string | null }): Promise<ApiKey[]> => {
    const query = reader.sql
      .selectFrom('api_keys')
      .innerJoin('organizations', 'organizations.id', 'api_keys.organization_id')
      .select([
        'api_keys.id',
        'organizations.name as organization',
        'hint',
        'role',
        'api_keys.created_at',
        'revoked_at',
        'expires_at',
        'instance_names',
        'last_used_at',
      ])
      .orderBy('api_keys.id')
    return reader.all(
      args.organization === null ? query : query.where('organizations.name', '=', args.organization),
    )
  },
)

/** Revokes a key; false if there is no such key or it was already revoked. */
export const revokeApiKey = transaction('keys.revoke', async (tx, args: { id: string; now: number }) => {
  const query = tx.sql.updateTable('api_keys').set({ revoked_at: args.now })
  const living = query.where('id', '=', args.id).where('revoked_at', 'is', null)
  const row = await tx.first(living.returning('organization_id'))
  if (row) await keepAudit(tx, byOperator('revokeKey', row.organization_id, args.now, { target: args.id }))
  return row !== undefined
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
export const findApiKey = read('keys.find', async (reader, args: { digest: string }) => {
  return (await reader.first(selectKey, args)) ?? null
})

/** How precisely the last use of a key is stored, in milliseconds. */
export const keyUseKnownTo = 60 * 60_000

/** Keeps that a key was used, unless that is known to the hour already. */
export const noteKeyUse = transaction('keys.use', (tx, args: { id: string; now: number; before: number }) =>
  tx.run(
    tx.sql
      .updateTable('api_keys')
      .set({ last_used_at: args.now })
      .where('id', '=', args.id)
      .where((eb) => eb.or([eb('last_used_at', 'is', null), eb('last_used_at', '<', args.before)])),
  ),
)

/** Whether there is any organization yet: on the first start there is none. */
export const hasOrganizations = read('organizations.any', async (reader, _: null) => {
  return (await reader.first(reader.sql.selectFrom('organizations').select('id').limit(1))) !== undefined
})

/** A value about the service itself, stored under a name. */
export const readServiceValue = read('service.read', async (reader, args: { name: string }) => {
  const row = await reader.first(
    reader.sql.selectFrom('service').select('value').where('name', '=', args.name),
  )
  return row?.value ?? null
})

/** Stores a value about the service if there is none under that name yet; false if there is. */
export const keepServiceValue = transaction(
  'service.keep',
  async (tx, args: { name: string; value: string }) => {
    const query = tx.sql
      .insertInto('service')
      .values(args)
      .onConflict((conflict) => conflict.column('name').doNothing())
    return (await tx.run(query)) > 0
  },
)

export const organizationFunctions: StoreFunctions = {
  reads: [listOrganizations, listApiKeys, findApiKey, hasOrganizations, readServiceValue],
  transactions: [createOrganization, createApiKey, revokeApiKey, noteKeyUse, keepServiceValue],
}
