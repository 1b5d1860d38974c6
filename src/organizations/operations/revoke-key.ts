import { handler } from '../../contract/handler.ts'
import { revokeKey as operation } from '../../contract/operations/key-operations.ts'
import { type OrganizationOperationsContext, revokeKeyOf } from './context.ts'

export const revokeKey = (context: OrganizationOperationsContext) =>
  handler(operation, ({ caller, params, audit }) =>
    revokeKeyOf(context, params.id, { organization: caller.organizationId, note: audit() }),
  )
