import type { AuditEntry, AuditNote } from '../contract/resources/audit.ts'
import { timestamp } from '../runtime/clock.ts'
import { newId } from '../runtime/ids.ts'
import type { RowOf } from '../store/schema.ts'
import { statement } from '../store/statement.ts'
import { type Reader, read, type StoreFunctions, type Transaction, transaction } from '../store/store.ts'

const takeNumber = statement<{ organization: string }>()((sql, argument) =>
  sql
    .updateTable('organizations')
    .set((eb) => ({ last_audit: eb('last_audit', '+', 1) }))
    .where('id', '=', argument('organization'))
    .returning('last_audit'),
)

/**
 * Writes an entry into the audit log, in the transaction that carries the action out. `known` holds facts that only that
 * transaction knows. Without a note nothing is written: not every transaction is an action of a caller or the operator.
 */
export async function keepAudit(
  tx: Transaction,
  note: AuditNote | null | undefined,
  known: { readonly target?: string; readonly instance?: string; readonly result?: string } = {},
): Promise<void> {
  if (!note) return
  const row = await tx.first(takeNumber, { organization: note.organizationId })
  if (!row) return
  await tx.run(
    tx.sql.insertInto('audit').values({
      organization_id: note.organizationId,
      number: row.last_audit,
      id: note.id,
      created_at: note.at,
      key_id: note.key?.id ?? null,
      key_hint: note.key?.hint ?? null,
      action: note.action,
      target: known.target ?? note.target,
      instance_name: known.instance ?? note.instance,
      result: known.result ?? 'done',
      address: note.address,
      request_id: note.requestId,
    }),
  )
}

/** Writes an entry about what was done outside of the store. */
export const noteAction = transaction('audit.action', (tx, args: { note: AuditNote | undefined }) =>
  keepAudit(tx, args.note),
)

/** Writes an entry about what was refused. */
export const noteRefusal = transaction('audit.refused', (tx, args: { note: AuditNote; result: string }) =>
  keepAudit(tx, args.note, args),
)

/** Actions of the operator at the command line; creating and revoking is named as the contract would. */
export type OperatorAction =
  | 'createOrganization'
  | 'createKey'
  | 'revokeKey'
  | 'sendQueue'
  | 'failQueue'
  | 'backup'
  | 'restore'

/** Returns the note of an action at the command line, or by the first start. */
export function byOperator(
  action: OperatorAction,
  organizationId: string,
  at: number,
  { target, instance }: { readonly target?: string; readonly instance?: string } = {},
): AuditNote {
  return {
    id: newId('aud'),
    organizationId,
    key: null,
    action,
    target: target ?? null,
    instance: instance ?? null,
    at,
    address: null,
    requestId: null,
  }
}

/** Writes an entry about what the operator does to all organizations at once into the log of each. */
export async function keepForAll(tx: Transaction, action: OperatorAction, at: number): Promise<void> {
  for (const { id } of await tx.all(tx.sql.selectFrom('organizations').select('id')))
    await keepAudit(tx, byOperator(action, id, at))
}

const someOrganizations = statement<{ after: string; limit: number }>()((sql, argument) =>
  sql
    .selectFrom('organizations')
    .select('id')
    .where('id', '>', argument('after'))
    .orderBy('id')
    .limit(argument('limit')),
)

/**
 * Writes that the operator has made a copy of everything into the logs of at most `limit` organizations after one, by their ids; returns
 * the id to go on after, or null at the end.
 */
export const noteBackup = transaction(
  'audit.backup',
  async (tx, { now, after, limit }: { now: number; after: string; limit: number }) => {
    const some = await tx.all(someOrganizations, { after, limit })
    for (const { id } of some) await keepAudit(tx, byOperator('backup', id, now))
    return some.length < limit ? null : (some.at(-1)?.id ?? null)
  },
)

export interface AuditFilter {
  /** Null for the logs of all. */
  readonly organization: string | null
  /** The id of a key, or `operator`. */
  readonly actor: string | null
  readonly action: string | null
  readonly instance: string | null
  readonly since: number | null
  readonly until: number | null
  readonly limit: number
  /** Only entries with a lower place: their number, or in the logs of all that in their order. */
  readonly before: number | null
}

/** Number of entries that one look goes through, so that other work does not wait long for a list of rare entries. */
const lookedThrough = 5_000

/**
 * A page of the audit log, newest first, and the place to go on from. A page may have fewer entries than requested, or none, and yet
 * not be the last.
 */
async function pageOfAudit(reader: Reader, filter: AuditFilter) {
  const { organization, actor, action, instance, since, until, limit } = filter
  const place = organization === null ? 'seq' : 'number'
  const all = reader.sql.selectFrom('audit')
  const own = organization === null ? all : all.where('organization_id', '=', organization)
  const newest = await reader.first(own.select(place).orderBy(place, 'desc').limit(1))
  const below = Math.min(filter.before ?? Number.MAX_SAFE_INTEGER, (newest?.[place] ?? 0) + 1)
  const first = await reader.first(own.select(place).orderBy(place).limit(1))
  const oldest = first?.[place]
  const from = Math.max(oldest ?? below, below - lookedThrough)
  let query = own.selectAll().where(place, '<', below).where(place, '>=', from)
  if (actor === 'operator') query = query.where('key_id', 'is', null)
  else if (actor !== null) query = query.where('key_id', '=', actor)
  if (action !== null) query = query.where('action', '=', action)
  if (instance !== null) query = query.where('instance_name', '=', instance)
  if (since !== null) query = query.where('created_at', '>=', since)
  if (until !== null) query = query.where('created_at', '<', until)
  const rows = await reader.all(query.orderBy(place, 'desc').limit(limit + 1))
  const page = rows.slice(0, limit)
  const isFull = rows.length > limit
  const isEnd = !isFull && from <= (oldest ?? 0)
  return { page, next: isEnd || !newest ? null : isFull ? (page.at(-1)?.[place] ?? null) : from }
}

/** A page of the audit log of an organization, newest first. */
export const listAudit = read('audit.list', async (reader, filter: AuditFilter) => {
  const { page, next } = await pageOfAudit(reader, filter)
  return { entries: page.map(renderEntry), next }
})

/** A page of the audit logs of all organizations, or of one, newest first, each entry with the name of its organization. */
export const listAuditOfAll = read('audit.list-of-all', async (reader, filter: AuditFilter) => {
  const { page, next } = await pageOfAudit(reader, filter)
  const ids = [...new Set(page.map(({ organization_id: id }) => id))]
  const named =
    ids.length === 0
      ? []
      : await reader.all(reader.sql.selectFrom('organizations').select(['id', 'name']).where('id', 'in', ids))
  const names = new Map(named.map(({ id, name }) => [id, name]))
  const entries = page.map((row) => ({
    ...renderEntry(row),
    organization: names.get(row.organization_id) ?? '',
  }))
  return { entries, next }
})

type AuditRow = RowOf<'audit'>

function renderEntry(row: AuditRow): AuditEntry {
  const { key_id: key, key_hint: hint } = row
  return {
    id: row.id,
    timestamp: timestamp(row.created_at),
    actor: { kind: key === null ? 'operator' : 'key', key, hint: hint && `phk_${hint}` },
    action: row.action,
    target: row.target,
    instance: row.instance_name,
    result: row.result,
    address: row.address,
    request_id: row.request_id,
  }
}

const oldestEntries = statement<{ limit: number }>()((sql, argument) =>
  sql.selectFrom('audit').select(['seq', 'created_at']).orderBy('seq').limit(argument('limit')),
)

/** Removes the oldest entries from before a moment, at most `limit`; returns how many. */
export const forgetAudit = transaction(
  'audit.forget',
  async (tx, { before, limit }: { before: number; limit: number }): Promise<number> => {
    const entries = await tx.all(oldestEntries, { limit })
    const old = entries.filter(({ created_at }) => created_at < before)
    const last = old.at(-1)
    if (!last) return 0
    return tx.run(tx.sql.deleteFrom('audit').where('seq', '<=', last.seq).where('created_at', '<', before))
  },
)

/** Removes the oldest entries of organizations that have more than `most`, at most `limit`; returns how many. */
export const trimAudit = transaction(
  'audit.trim',
  async (tx, { most, limit }: { most: number; limit: number }): Promise<number> => {
    const full = tx.sql
      .selectFrom('organizations')
      .select(['id', 'last_audit'])
      .where('last_audit', '>', most)
    let removed = 0
    for (const { id, last_audit } of await tx.all(full)) {
      const own = tx.sql.selectFrom('audit').where('organization_id', '=', id)
      const oldest = await tx.first(own.select('number').orderBy('number').limit(1))
      const until = Math.min(last_audit - most, (oldest?.number ?? last_audit) + limit - removed - 1)
      if (!oldest || oldest.number > until) continue
      const gone = tx.sql.deleteFrom('audit').where('organization_id', '=', id).where('number', '<=', until)
      removed += await tx.run(gone)
    }
    return removed
  },
)

export const auditFunctions: StoreFunctions = {
  reads: [listAudit, listAuditOfAll],
  transactions: [noteAction, noteRefusal, noteBackup, forgetAudit, trimAudit],
}
