import { handler } from '../../contract/handler.ts'
import { listOrganizationKeys as operation } from '../../contract/operations/organization-operations.ts'
import { listKeysOf } from '../keys.ts'
import { idOfOrganization, type OrganizationOperationsContext } from './context.ts'

export const listOrganizationKeys = ({ store }: OrganizationOperationsContext) =>
  handler(operation, async ({ params, query, turn }) =>
    listKeysOf(store, await idOfOrganization(store, params.organization, turn), query),
  )
