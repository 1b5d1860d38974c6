import { handler } from '../../contract/handler.ts'
import { revokeOrganizationKey as operation } from '../../contract/operations/organization-operations.ts'
import { idOfOrganization, noteAbout, type OrganizationOperationsContext, revokeKeyOf } from './context.ts'

export const revokeOrganizationKey = (context: OrganizationOperationsContext) =>
  handler(operation, async ({ params, audit, turn }) => {
    const organization = await idOfOrganization(context.store, params.organization, turn)
    return revokeKeyOf(context, params.id, { organization, note: noteAbout(organization, audit()) })
  })
