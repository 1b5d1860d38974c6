import type { Handler } from '../../contract/handler.ts'
import type { OrganizationOperationsContext } from './context.ts'
import { createKey } from './create-key.ts'
import { createOrganization } from './create-organization.ts'
import { createOrganizationKey } from './create-organization-key.ts'
import { getMe } from './get-me.ts'
import { getOrganization } from './get-organization.ts'
import { getOrganizationQuotas } from './get-organization-quotas.ts'
import { getQuotas } from './get-quotas.ts'
import { listAudit } from './list-audit.ts'
import { listKeys } from './list-keys.ts'
import { listOrganizationKeys } from './list-organization-keys.ts'
import { listOrganizations } from './list-organizations.ts'
import { listServerAudit } from './list-server-audit.ts'
import { revokeKey } from './revoke-key.ts'
import { revokeOrganizationKey } from './revoke-organization-key.ts'
import { updateOrganization } from './update-organization.ts'

/** Every operation on organizations and their keys: those of the organization of the caller, and those of the operator. */
export function organizationHandlers(context: OrganizationOperationsContext): Handler[] {
  const makers = [
    getQuotas,
    listAudit,
    listServerAudit,
    getMe,
    listKeys,
    createKey,
    revokeKey,
    listOrganizations,
    createOrganization,
    getOrganization,
    updateOrganization,
    listOrganizationKeys,
    createOrganizationKey,
    revokeOrganizationKey,
    getOrganizationQuotas,
  ]
  return makers.map((make) => make(context))
}
