import { handler } from '../../contract/handler.ts'
import { createOrganizationKey as operation } from '../../contract/operations/organization-operations.ts'
import { createKeyOf } from '../keys.ts'
import { idOfOrganization, noteAbout, type OrganizationOperationsContext } from './context.ts'

export const createOrganizationKey = (context: OrganizationOperationsContext) =>
  handler(operation, async ({ params, body, audit, turn }) => {
    const organization = await idOfOrganization(context.store, params.organization, turn)
    return createKeyOf(context, { organization, creator: null, note: noteAbout(organization, audit()) }, body)
  })
