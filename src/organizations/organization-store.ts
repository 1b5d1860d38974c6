import type { InvalidValue } from '../contract/problem.ts'
import type { AuditNote } from '../contract/resources/audit.ts'
import { quotaNames } from '../contract/statuses.ts'
import { briefRead, read, type StoreFunctions, transaction } from '../store/store.ts'
import { byOperator, keepAudit } from './audit-log.ts'
import { sharedWordFaults, wordsAfter } from './marketing-words.ts'
import type { Usage } from './usage.ts'

export interface StoredOrganization {
  readonly id: string
  readonly name: string
  readonly created_at: number
}

/** Creates an organization; false when the name is taken. Without a note, the operator did it at the command line. */
export const createOrganization = transaction(
  'organizations.create',
  async (tx, { note, ...args }: StoredOrganization & { readonly note?: AuditNote | undefined }) => {
    const { id, name, created_at } = args
    const taken = await tx.first(tx.sql.selectFrom('organizations').select('id').where('name', '=', name))
    if (taken) return false
    const epoch = tx.sql.selectFrom('service').select('value').where('name', '=', 'epoch')
    await tx.run(
      tx.sql.insertInto('organizations').values(({ fn, val }) => ({
        ...args,
        epoch: fn.coalesce(epoch, val('')),
      })),
    )
    await keepAudit(tx, note ?? byOperator('createOrganization', id, created_at), { target: name })
    return true
  },
)

export const listOrganizations = read(
  'organizations.list',
  (reader, _: null): Promise<StoredOrganization[]> =>
    reader.all(reader.sql.selectFrom('organizations').selectAll().orderBy('name')),
)

const columns = ['id', 'name', 'created_at'] as const

/** The organization with this name. */
export const findOrganization = read(
  'organizations.find',
  async (reader, { name }: { name: string }): Promise<StoredOrganization | null> => {
    const query = reader.sql.selectFrom('organizations').select(columns).where('name', '=', name)
    return (await reader.first(query)) ?? null
  },
)

/** An organization with what it uses, and the words about marketing of its instances. */
export interface OrganizationRow extends StoredOrganization, Usage {
  readonly marketing_defaults: string | null
}

const shownColumns = [...columns, ...quotaNames, 'marketing_defaults'] as const

/** The organization with this name, with what it uses. */
export const readOrganization = read(
  'organizations.read',
  async (reader, { name }: { name: string }): Promise<OrganizationRow | null> => {
    const query = reader.sql.selectFrom('organizations').select(shownColumns).where('name', '=', name)
    return (await reader.first(query)) ?? null
  },
)

interface ChangeOrganizationArgs {
  readonly id: string
  readonly stop_words?: readonly string[] | null
  readonly start_words?: readonly string[] | null
  readonly note: AuditNote | undefined
}

type ChangedOrganization =
  | { readonly kind: 'changed'; readonly row: OrganizationRow }
  | { readonly kind: 'not_found' }
  | { readonly kind: 'invalid'; readonly faults: readonly InvalidValue[] }

/** Changes the words about marketing of an organization; those that are left out stay. */
export const changeOrganization = transaction(
  'organizations.change',
  async (tx, { id, note, ...words }: ChangeOrganizationArgs): Promise<ChangedOrganization> => {
    const query = tx.sql.selectFrom('organizations').select(shownColumns).where('id', '=', id)
    const row = await tx.first(query)
    if (!row) return { kind: 'not_found' }
    const faults = sharedWordFaults(row.marketing_defaults, words)
    if (faults.length > 0) return { kind: 'invalid', faults }
    const marketing_defaults = wordsAfter(row.marketing_defaults, words)
    await tx.run(tx.sql.updateTable('organizations').set({ marketing_defaults }).where('id', '=', id))
    await keepAudit(tx, note, { target: row.name })
    return { kind: 'changed', row: { ...row, marketing_defaults } }
  },
)

/** The words about marketing of an organization, as its row has them. */
export const readMarketingDefaults = briefRead(
  'organizations.marketing-defaults',
  async (reader, { id }: { id: string }): Promise<string | null> => {
    const query = reader.sql.selectFrom('organizations').select('marketing_defaults').where('id', '=', id)
    return (await reader.first(query))?.marketing_defaults ?? null
  },
)

/** A page of the organizations by name, with what each uses, and whether there are more. */
export const pageOfOrganizations = read(
  'organizations.page',
  async (reader, { after, limit }: { after: string | null; limit: number }) => {
    const query = reader.sql.selectFrom('organizations').select(shownColumns)
    const rest = after === null ? query : query.where('name', '>', after)
    const rows: OrganizationRow[] = await reader.all(rest.orderBy('name').limit(limit + 1))
    return { rows: rows.slice(0, limit), more: rows.length > limit }
  },
)

/** Returns true if there is an organization: on the first start there is none. */
export const hasOrganizations = briefRead('organizations.any', async (reader, _: null) => {
  return (await reader.first(reader.sql.selectFrom('organizations').select('id').limit(1))) !== undefined
})

/** A value about the service itself, stored under a name. */
export const readServiceValue = briefRead('service.read', async (reader, args: { name: string }) => {
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
  reads: [
    listOrganizations,
    findOrganization,
    readOrganization,
    readMarketingDefaults,
    pageOfOrganizations,
    hasOrganizations,
    readServiceValue,
  ],
  transactions: [createOrganization, changeOrganization, keepServiceValue],
}
