import type { AuditNote } from '../contract/resources/audit.ts'
import { newId } from '../runtime/ids.ts'
import { statement } from '../store/statement.ts'
import { briefRead, read, type StoreFunctions, type Transaction, transaction } from '../store/store.ts'
import { keepAudit } from './audit-log.ts'
import { keyUseKnownTo, noteKeyUse } from './key-store.ts'

/**
 * Milliseconds that a session lasts without being used, and at most; that it is kept after its key has expired, to say so;
 * and for which a code can be used.
 */
export const sessionTimes = {
  idle: 12 * 60 * 60_000,
  longest: 7 * 24 * 60 * 60_000,
  ofExpiredKey: 10 * 60_000,
  code: 10 * 60_000,
}

/** The most sessions of an owner, and the most codes: one more ends the oldest. */
const maxOfOwner = 100

/** The origin of a request, for the audit log. */
export interface Origin {
  readonly address: string | null
  readonly requestId: string
}

/** A session that begins. */
export interface NewSession {
  /** Of its token. */
  readonly digest: string
  /** Of the operator's token: the owner of the operator's sessions. */
  readonly operator: string
  readonly now: number
  readonly origin: Origin
}

/** When a session ends that is used now. Those of keys that soon expire would fill the store if they were kept for longer. */
export function sessionEnd(createdAt: number, now: number, keyExpiresAt: number | null): number {
  const { idle, longest, ofExpiredKey } = sessionTimes
  const end = Math.min(createdAt + longest, now + idle)
  return keyExpiresAt === null ? end : Math.min(end, keyExpiresAt + ofExpiredKey)
}

const livingKey = statement<{ id: string; now: number }>()((sql, argument) =>
  sql
    .selectFrom('api_keys')
    .select(['id', 'organization_id', 'hint', 'expires_at'])
    .where('id', '=', argument('id'))
    .where('revoked_at', 'is', null)
    .where(({ eb, or }) => or([eb('expires_at', 'is', null), eb('expires_at', '>', argument('now'))])),
)

interface KeyRow {
  readonly id: string
  readonly organization_id: string
  readonly hint: string
}

function noteOf(
  action: 'signIn' | 'signOut',
  key: KeyRow,
  now: number,
  { address, requestId }: Origin,
): AuditNote {
  return {
    id: newId('aud'),
    organizationId: key.organization_id,
    key: { id: key.id, hint: key.hint },
    action,
    target: null,
    instance: null,
    address,
    requestId,
    at: now,
  }
}

/** Begins a session; false if it would be of a key that no longer lives. */
async function begin(tx: Transaction, owner: string, session: NewSession): Promise<boolean> {
  const { digest, operator, now, origin } = session
  const key = owner === operator ? undefined : await tx.first(livingKey, { id: owner, now })
  if (owner !== operator && !key) return false
  const expires_at = sessionEnd(now, now, key?.expires_at ?? null)
  await keep(tx, 'sessions', { digest, owner, created_at: now, expires_at })
  // The operator's actions in a session are in the logs of the organizations that they are about.
  if (!key) return true
  await noteUse(tx, key.id, now)
  await keepAudit(tx, noteOf('signIn', key, now, origin))
  return true
}

const noteUse = (tx: Transaction, keyId: string, now: number) =>
  noteKeyUse.run(tx, { id: keyId, now, before: now - keyUseKnownTo })

interface Row {
  readonly digest: string
  readonly owner: string
  readonly created_at: number
  readonly expires_at: number
}

/** Inserts a session or a code, and removes the oldest of its owner if there are too many. */
async function keep(tx: Transaction, table: 'sessions' | 'sign_in_codes', row: Row): Promise<void> {
  await tx.run(tx.sql.insertInto(table).values(row))
  const own = tx.sql.selectFrom(table).select('digest').where('owner', '=', row.owner)
  const oldest = own.orderBy('created_at', 'desc').orderBy('digest').limit(maxOfOwner).offset(maxOfOwner)
  await tx.run(tx.sql.deleteFrom(table).where('digest', 'in', oldest))
}

/** Begins a session of a key or of the operator; false if the key no longer lives. */
export const beginSession = transaction('sessions.begin', (tx, args: NewSession & { owner: string }) =>
  begin(tx, args.owner, args),
)

const selectCode = statement<{ digest: string; now: number }>()((sql, argument) =>
  sql
    .selectFrom('sign_in_codes')
    .select('digest')
    .where('digest', '=', argument('digest'))
    .where('expires_at', '>', argument('now')),
)

/** Returns true if there is a code with this digest, and its time is not over. */
export const isCode = read(
  'sign-in-codes.exists',
  async (reader, args: { digest: string; now: number }) =>
    (await reader.first(selectCode, args)) !== undefined,
)

/** Begins a session by a code, which is used up; false if there is no such code, its time is over, or its key no longer lives. */
export const redeemCode = transaction('sessions.redeem', async (tx, args: NewSession & { code: string }) => {
  const used = tx.sql.deleteFrom('sign_in_codes').where('digest', '=', args.code)
  const code = await tx.first(used.returning(['owner', 'expires_at']))
  if (!code || code.expires_at <= args.now) return false
  return begin(tx, code.owner === 'operator' ? args.operator : code.owner, args)
})

const selectSession = statement<{ digest: string; now: number }>()((sql, argument) =>
  sql
    .selectFrom('sessions')
    .select(['owner', 'created_at', 'expires_at'])
    .where('digest', '=', argument('digest'))
    .where('expires_at', '>', argument('now')),
)

const selectKey = statement<{ id: string }>()((sql, argument) =>
  sql
    .selectFrom('api_keys')
    .select(['id', 'organization_id', 'role', 'hint', 'instance_names', 'expires_at'])
    .where('id', '=', argument('id'))
    .where('revoked_at', 'is', null),
)

/** A session that is not over, with its key unless that was revoked; null if there is none. */
export const findSession = briefRead(
  'sessions.find',
  async (reader, args: { digest: string; now: number }) => {
    const session = await reader.first(selectSession, args)
    return session
      ? { ...session, key: (await reader.first(selectKey, { id: session.owner })) ?? null }
      : null
  },
)

/** Keeps that a session was used, and with it its key: if the session is that key's. */
export const prolongSession = transaction(
  'sessions.use',
  async (tx, args: { digest: string; owner: string; end: number; now: number }) => {
    const { digest, owner, end, now } = args
    const session = tx.sql.selectFrom('sessions').select('owner').where('digest', '=', digest)
    if ((await tx.first(session))?.owner !== owner) return
    const used = tx.sql.updateTable('sessions').set({ expires_at: end }).where('digest', '=', digest)
    await tx.run(used.where('expires_at', '<', end))
    await noteUse(tx, owner, now)
  },
)

/** Ends a session, or all sessions of its owner; false if there is no such session. */
export const endSessions = transaction(
  'sessions.end',
  async (tx, args: { digest: string; everywhere: boolean; now: number; origin: Origin }) => {
    const { digest, everywhere, now, origin } = args
    const one = tx.sql.deleteFrom('sessions').where('digest', '=', digest)
    const session = await tx.first(one.returning('owner'))
    if (!session) return false
    const { owner } = session
    if (everywhere) await tx.run(tx.sql.deleteFrom('sessions').where('owner', '=', owner))
    const key = await tx.first(selectKey, { id: owner })
    if (key) await keepAudit(tx, noteOf('signOut', key, now, origin))
    return true
  },
)

/** Stores a code for a key or, as `operator`, for the operator; false if the key does not live. */
export const createSignInCode = transaction(
  'sign-in-codes.create',
  async (tx, { digest, owner, now }: { digest: string; owner: string; now: number }) => {
    if (owner !== 'operator' && !(await tx.first(livingKey, { id: owner, now }))) return false
    const row = { digest, owner, created_at: now, expires_at: now + sessionTimes.code }
    await keep(tx, 'sign_in_codes', row)
    return true
  },
)

/** The newest living admin key without limits, of the organization with this name or of the only one; or why there is none. */
export const findAdminKey = read(
  'sign-in-codes.key',
  async (
    reader,
    { organization, now }: { organization: string | null; now: number },
  ): Promise<
    | { readonly kind: 'key'; readonly id: string }
    | { readonly kind: 'several' | 'no_organization' | 'no_key' }
  > => {
    const all = reader.sql.selectFrom('organizations').select('id').limit(2)
    const found = await reader.all(organization === null ? all : all.where('name', '=', organization))
    const [only, other] = found
    if (other) return { kind: 'several' }
    if (!only) return { kind: 'no_organization' }
    const keys = reader.sql
      .selectFrom('api_keys')
      .select('id')
      .where('organization_id', '=', only.id)
      .where('role', '=', 'admin')
      .where('revoked_at', 'is', null)
      .where('instance_names', 'is', null)
      .where(({ eb, or }) => or([eb('expires_at', 'is', null), eb('expires_at', '>', now)]))
    const newest = await reader.first(keys.orderBy('id', 'desc').limit(1))
    return newest ? { kind: 'key', id: newest.id } : { kind: 'no_key' }
  },
)

/** Removes sessions and codes whose time is over, at most `limit` of each; returns how many. */
export const forgetSessions = transaction(
  'sessions.forget',
  async (tx, { now, limit }: { now: number; limit: number }): Promise<number> => {
    let forgotten = 0
    for (const table of ['sessions', 'sign_in_codes'] as const) {
      const old = tx.sql.selectFrom(table).select('digest').where('expires_at', '<=', now).limit(limit)
      forgotten += await tx.run(tx.sql.deleteFrom(table).where('digest', 'in', old))
    }
    return forgotten
  },
)

/** Ends every session and code: in a store that went back to a backup, some may have been ended since. */
export async function endAllSessions(tx: Transaction): Promise<void> {
  for (const table of ['sessions', 'sign_in_codes'] as const) await tx.run(tx.sql.deleteFrom(table))
}

export const sessionFunctions: StoreFunctions = {
  reads: [isCode, findSession, findAdminKey],
  transactions: [beginSession, redeemCode, prolongSession, endSessions, createSignInCode, forgetSessions],
}
