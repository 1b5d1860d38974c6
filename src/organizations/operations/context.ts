import type { Organization } from '../../contract/operations/organization-operations.ts'
import { Problem } from '../../contract/problem.ts'
import type { AuditNote } from '../../contract/resources/audit.ts'
import type { Clock } from '../../runtime/clock.ts'
import type { StoreForAll, Turn } from '../../store/store.ts'
import type { KeyRing } from '../key-ring.ts'
import { revokeApiKey } from '../key-store.ts'
import { renderOrganization } from '../organization.ts'
import { findOrganization, type OrganizationRow } from '../organization-store.ts'
import { noActivity, readActivity } from '../overview/organization-activity.ts'
import type { SessionStore } from '../sessions.ts'
import type { QuotaUsage } from '../usage.ts'

/** The parts that the operations on organizations and their keys are made from. */
export interface OrganizationOperationsContext {
  readonly store: StoreForAll
  readonly clock: Clock
  readonly quotas: QuotaUsage
  /** The version of the server. */
  readonly version: string
  readonly keyRing: Pick<KeyRing, 'forget'>
  readonly sessions: Pick<SessionStore, 'forget'>
  /** Tells other nodes what they must forget. */
  readonly otherNodes: { tell(topic: 'key', id: string): void }
}

/** The id of the organization with this name; throws the problem if there is none. */
export async function idOfOrganization(store: StoreForAll, name: string, turn: Turn): Promise<string> {
  const found = await store.read(findOrganization, { name }, turn)
  if (!found) throw new Problem('organization_not_found')
  return found.id
}

/** Returns organizations as the operator sees them, with what they do. */
export async function showOrganizations(
  { store, clock, quotas }: OrganizationOperationsContext,
  rows: readonly OrganizationRow[],
  turn: Turn,
): Promise<Organization[]> {
  const organizations = rows.map(({ id }) => id)
  const activities = await store.read(readActivity, { organizations, now: clock.now() }, turn)
  return rows.map((row, at) => renderOrganization(row, quotas, activities[at] ?? noActivity))
}

/** Returns the note of an operator's action for the log of the organization that it is about. */
export function noteAbout(organizationId: string, note: AuditNote | undefined): AuditNote | undefined {
  return note && { ...note, organizationId }
}

/** Revokes a key of an organization, at once on this node; on others, and from the command line, it takes up to a second. */
export async function revokeKeyOf(
  { store, clock, keyRing, sessions, otherNodes }: OrganizationOperationsContext,
  id: string,
  { organization, note }: { readonly organization: string; readonly note: AuditNote | undefined },
) {
  const revoked = await store.transact(
    revokeApiKey,
    { id, organization, now: clock.now(), note },
    { party: organization },
  )
  if (revoked === 'not_found') throw new Problem('key_not_found')
  // The key ring tells who listens with the key, by a session too.
  sessions.forget(id)
  keyRing.forget(id)
  otherNodes.tell('key', id)
  return { status: 204 as const }
}
