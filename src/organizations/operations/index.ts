import type { Handler } from '../../contract/handler.ts'
import type { OrganizationOperationsContext } from './context.ts'
import { getQuotas } from './get-quotas.ts'
import { listAudit } from './list-audit.ts'

/** Every operation on the organization of the caller. */
export function organizationHandlers(context: OrganizationOperationsContext): Handler[] {
  return [getQuotas(context), listAudit(context)]
}
