import { handler } from '../../contract/handler.ts'
import { getQuotas as operation } from '../../contract/operations/quota-operations.ts'
import { renderUsage } from '../organization.ts'
import { readUsage } from '../usage.ts'
import type { OrganizationOperationsContext } from './context.ts'

export const getQuotas = ({ store, quotas }: OrganizationOperationsContext) =>
  handler(operation, async ({ caller, turn }) => {
    const usage = await store.read(readUsage, { organization: caller.organizationId }, turn)
    return { status: 200, body: renderUsage(usage, quotas) }
  })
