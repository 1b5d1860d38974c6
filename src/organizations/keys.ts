import { idInCursor } from '../contract/page-cursor.ts'
import { invalid, Problem, unauthenticated } from '../contract/problem.ts'
import type { AuditNote } from '../contract/resources/audit.ts'
import type { CreateKey, Key } from '../contract/resources/key.ts'
import { type Clock, momentOf, timestamp } from '../runtime/clock.ts'
import { newId } from '../runtime/ids.ts'
import { digestOf, newToken } from '../runtime/secrets/token.ts'
import { writeCursor } from '../runtime/text/cursor.ts'
import type { StoreForAll } from '../store/store.ts'
import { createApiKey, type KeyRow, pageOfKeys } from './key-store.ts'

/* The common part of the operations on keys: those of an organization's own keys, and those of the operator. */

/** Makes a new key. It is shown once; only `digest` and `hint` are stored. */
export function newApiKey(): { key: string; digest: string; hint: string } {
  return knownApiKey(newToken('phk'))
}

/** Returns a key with the digest and the hint that are stored of it. */
export function knownApiKey(key: string): { key: string; digest: string; hint: string } {
  return { key, digest: digestOf(key), hint: key.slice(4, 10) }
}

/** A key as the contract shows it. */
export function renderKey(row: KeyRow): Key {
  return {
    id: row.id,
    name: row.name,
    hint: `phk_${row.hint}`,
    role: row.role,
    instances: instancesOf(row),
    created_at: timestamp(row.created_at),
    expires_at: timestamp(row.expires_at),
    last_used_at: timestamp(row.last_used_at),
    revoked_at: timestamp(row.revoked_at),
  }
}

/** The names of the instances that a key is limited to; null if it is not limited. */
export function instancesOf({ instance_names }: Pick<KeyRow, 'instance_names'>): string[] | null {
  return instance_names === null ? null : (JSON.parse(instance_names) as string[])
}

/** A page of the keys of an organization. */
export async function listKeysOf(
  store: StoreForAll,
  organization: string,
  query: { readonly revoked?: boolean; readonly limit?: number; readonly cursor?: string },
) {
  const { rows, more } = await store.read(
    pageOfKeys,
    {
      organization,
      revoked: query.revoked ?? null,
      limit: query.limit ?? 50,
      before: idInCursor(query.cursor, 'key'),
    },
    { party: organization },
  )
  const last = rows.at(-1)
  const next_cursor = more && last ? writeCursor(last.id) : null
  return { status: 200 as const, body: { data: rows.map(renderKey), next_cursor } }
}

/** The creator of a key: the operator, or the key with an id. */
interface Creator {
  readonly organization: string
  readonly creator: string | null
  readonly note: AuditNote | undefined
}

/** Creates a key of an organization, and returns it this once. */
export async function createKeyOf(
  { store, clock }: { readonly store: StoreForAll; readonly clock: Clock },
  { organization, creator, note }: Creator,
  { name, role, instances, expires_at }: CreateKey,
) {
  const now = clock.now()
  const { key, digest, hint } = newApiKey()
  const row = {
    id: newId('key'),
    organization_id: organization,
    name: name ?? null,
    digest,
    hint,
    role,
    instance_names: instances ? JSON.stringify(instances) : null,
    created_at: now,
    expires_at: expires_at === undefined ? null : expiryIn(expires_at, now),
  }
  const created = await store.transact(createApiKey, { key: row, creator, note }, { party: organization })
  if (created.kind === 'limit_reached') throw new Problem('key_limit_reached')
  if (created.kind === 'creator_revoked') throw unauthenticated()
  if (created.kind === 'outlives')
    throw wrongExpiry('The time is after your own key expires. Leave it out, or choose an earlier one.')
  const { expires_at: expiresAt } = created
  const shown = renderKey({ ...row, expires_at: expiresAt, last_used_at: null, revoked_at: null })
  return { status: 201 as const, body: { ...shown, key } }
}

const longest = 10 * 366 * 24 * 60 * 60_000

/** When a key is to expire, in milliseconds since the epoch. */
function expiryIn(text: string, now: number): number {
  const at = momentOf(text)
  if (at > now && at <= now + longest) return at
  throw wrongExpiry('The time is in the past, or more than ten years ahead.')
}

function wrongExpiry(detail: string): Problem {
  return invalid({ pointer: '/expires_at', code: 'out_of_range', detail })
}
