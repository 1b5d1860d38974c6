import type { AuditNote } from '../contract/resources/audit.ts'
import { newId } from '../runtime/ids.ts'
import { statement } from '../store/statement.ts'
import { read, type StoreFunctions, type Transaction, transaction } from '../store/store.ts'
import { keepAudit } from './audit-log.ts'
import { keyUseKnownTo, noteKeyUse } from './key-store.ts'

/** How long a session lasts without being used, and at most, in milliseconds; and how long a code can be used. */
export const sessionTimes = { idle: 12 * 60 * 60_000, longest: 7 * 24 * 60 * 60_000, code: 10 * 60_000 }

/** How many sessions a key may have, and how many codes: one more ends the oldest. */
const mostOfKey = 100

/** Who asks, for the audit log. */
export interface Origin {
  readonly address: string | null
  readonly requestId: string
}

interface NewSession {
  /** Of its token. */
  readonly digest: string
  readonly now: number
  readonly origin: Origin
}

/** When a session ends that is used now. */
export function sessionEnd(createdAt: number, now: number): number {
  return Math.min(createdAt + sessionTimes.longest, now + sessionTimes.idle)
}

const livingKey = statement<{ id: string; now: number }>()((sql, argument) =>
  sql
    .selectFrom('api_keys')
    .select(['id', 'organization_id', 'hint'])
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

/** Begins a session of a key; false if the key no longer lives. */
async function begin(tx: Transaction, keyId: string, session: NewSession): Promise<boolean> {
  const { digest, now, origin } = session
  const key = await tx.first(livingKey, { id: keyId, now })
  if (!key) return false
  await keep(tx, 'sessions', { digest, key_id: keyId, created_at: now, expires_at: sessionEnd(now, now) })
  await noteUse(tx, keyId, now)
  await keepAudit(tx, noteOf('signIn', key, now, origin))
  return true
}

const noteUse = (tx: Transaction, keyId: string, now: number) =>
  noteKeyUse.run(tx, { id: keyId, now, before: now - keyUseKnownTo })

interface Row {
  readonly digest: string
  readonly key_id: string
  readonly created_at: number
  readonly expires_at: number
}

/** Inserts a session or a code, and removes the oldest of its key if there are too many. */
async function keep(tx: Transaction, table: 'sessions' | 'sign_in_codes', row: Row): Promise<void> {
  await tx.run(tx.sql.insertInto(table).values(row))
  const own = tx.sql.selectFrom(table).select('digest').where('key_id', '=', row.key_id)
  const oldest = own.orderBy('created_at', 'desc').orderBy('digest').limit(mostOfKey).offset(mostOfKey)
  await tx.run(tx.sql.deleteFrom(table).where('digest', 'in', oldest))
}

/** Begins a session of a key; false if the key no longer lives. */
export const beginSession = transaction('sessions.begin', (tx, args: NewSession & { keyId: string }) =>
  begin(tx, args.keyId, args),
)

/** Begins a session by a code, which is used up; false if there is no such code, its time is over, or its key no longer lives. */
export const redeemCode = transaction('sessions.redeem', async (tx, args: NewSession & { code: string }) => {
  const used = tx.sql.deleteFrom('sign_in_codes').where('digest', '=', args.code)
  const code = await tx.first(used.returning(['key_id', 'expires_at']))
  return code !== undefined && code.expires_at > args.now && begin(tx, code.key_id, args)
})

const selectSession = statement<{ digest: string; now: number }>()((sql, argument) =>
  sql
    .selectFrom('sessions')
    .innerJoin('api_keys', 'api_keys.id', 'sessions.key_id')
    .select([
      'api_keys.id',
      'organization_id',
      'role',
      'hint',
      'instance_names',
      'api_keys.expires_at as key_expires_at',
      'sessions.created_at',
      'sessions.expires_at',
    ])
    .where('sessions.digest', '=', argument('digest'))
    .where('sessions.expires_at', '>', argument('now'))
    .where('revoked_at', 'is', null),
)

/** A living session, with its key, which may have expired; null if there is none. */
export const findSession = read('sessions.find', async (reader, args: { digest: string; now: number }) => {
  return (await reader.first(selectSession, args)) ?? null
})

/** Keeps that a session was used, and with it its key. */
export const prolongSession = transaction(
  'sessions.use',
  async (tx, args: { digest: string; keyId: string; end: number; now: number }) => {
    const { digest, keyId, end, now } = args
    const own = tx.sql.updateTable('sessions').set({ expires_at: end }).where('digest', '=', digest)
    await tx.run(own.where('expires_at', '<', end))
    await noteUse(tx, keyId, now)
  },
)

/** Ends a session, or all sessions of its key; false if there is no such session. */
export const endSessions = transaction(
  'sessions.end',
  async (tx, args: { digest: string; everywhere: boolean; now: number; origin: Origin }) => {
    const { digest, everywhere, now, origin } = args
    const one = tx.sql.deleteFrom('sessions').where('digest', '=', digest)
    const session = await tx.first(one.returning('key_id'))
    if (!session) return false
    const { key_id: id } = session
    if (everywhere) await tx.run(tx.sql.deleteFrom('sessions').where('key_id', '=', id))
    const keys = tx.sql.selectFrom('api_keys').select(['id', 'organization_id', 'hint'])
    const key = await tx.first(keys.where('id', '=', id))
    if (key) await keepAudit(tx, noteOf('signOut', key, now, origin))
    return true
  },
)

/** Stores a code for a key; false if the key does not live. */
export const createSignInCode = transaction(
  'sign-in-codes.create',
  async (tx, { digest, keyId, now }: { digest: string; keyId: string; now: number }) => {
    if (!(await tx.first(livingKey, { id: keyId, now }))) return false
    const row = { digest, key_id: keyId, created_at: now, expires_at: now + sessionTimes.code }
    await keep(tx, 'sign_in_codes', row)
    return true
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
  reads: [findSession],
  transactions: [beginSession, redeemCode, prolongSession, endSessions, createSignInCode, forgetSessions],
}
