import { handler } from '../../contract/handler.ts'
import { getOrganizationQuotas as operation } from '../../contract/operations/organization-operations.ts'
import { renderUsage } from '../organization.ts'
import { readUsage } from '../usage.ts'
import { idOfOrganization, type OrganizationOperationsContext } from './context.ts'

export const getOrganizationQuotas = ({ store, quotas }: OrganizationOperationsContext) =>
  handler(operation, async ({ params, turn }) => {
    const organization = await idOfOrganization(store, params.organization, turn)
    return { status: 200, body: renderUsage(await store.read(readUsage, { organization }, turn), quotas) }
  })
