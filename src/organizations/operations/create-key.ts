import { handler } from '../../contract/handler.ts'
import { createKey as operation } from '../../contract/operations/key-operations.ts'
import { createKeyOf } from '../keys.ts'
import type { OrganizationOperationsContext } from './context.ts'

export const createKey = (context: OrganizationOperationsContext) =>
  handler(operation, ({ caller, body, audit }) => {
    const by = { organization: caller.organizationId, creator: caller.keyId, note: audit() }
    return createKeyOf(context, by, body)
  })
