import { handler } from '../../contract/handler.ts'
import { getInstance as operation } from '../../contract/operations/instance-operations.ts'
import { type InstanceOperationsContext, readInstance, showInstance } from './context.ts'

export const getInstance = (context: InstanceOperationsContext) =>
  handler(operation, async ({ caller, params }) => ({
    status: 200,
    body: showInstance(context, caller, await readInstance(context, caller.organizationId, params.name)),
  }))
