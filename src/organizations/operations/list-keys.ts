import { handler } from '../../contract/handler.ts'
import { listKeys as operation } from '../../contract/operations/key-operations.ts'
import { listKeysOf } from '../keys.ts'
import type { OrganizationOperationsContext } from './context.ts'

export const listKeys = ({ store }: OrganizationOperationsContext) =>
  handler(operation, ({ caller, query }) => listKeysOf(store, caller.organizationId, query))
