import { Problem } from '../../contract/problem.ts'
import type { AuditNote } from '../../contract/resources/audit.ts'
import type { Clock } from '../../runtime/clock.ts'
import type { StoreForAll, Turn } from '../../store/store.ts'
import { findOrganization } from '../organization-store.ts'
import type { QuotaUsage } from '../usage.ts'

/** The parts that the operations on organizations and their keys are made from. */
export interface OrganizationOperationsContext {
  readonly store: StoreForAll
  readonly clock: Clock
  readonly quotas: QuotaUsage
  /** The version of the server. */
  readonly version: string
  /** Called when a key was revoked, so that it is refused at once. */
  readonly forgetKey: (keyId: string) => void
}

/** The id of the organization with this name; throws the problem if there is none. */
export async function idOfOrganization(store: StoreForAll, name: string, turn: Turn): Promise<string> {
  const found = await store.read(findOrganization, { name }, turn)
  if (!found) throw new Problem('organization_not_found')
  return found.id
}

/** Returns the note of an operator's action for the log of the organization that it is about. */
export function noteAbout(organizationId: string, note: AuditNote | undefined): AuditNote | undefined {
  return note && { ...note, organizationId }
}
