import { handler } from '../../contract/handler.ts'
import { getOrganization as operation } from '../../contract/operations/organization-operations.ts'
import { Problem } from '../../contract/problem.ts'
import { readOrganization } from '../organization-store.ts'
import { type OrganizationOperationsContext, showOrganizations } from './context.ts'

export const getOrganization = (context: OrganizationOperationsContext) =>
  handler(operation, async ({ params, turn }) => {
    const row = await context.store.read(readOrganization, { name: params.organization }, turn)
    const [body] = row ? await showOrganizations(context, [row], turn) : []
    if (!body) throw new Problem('organization_not_found')
    return { status: 200, body }
  })
