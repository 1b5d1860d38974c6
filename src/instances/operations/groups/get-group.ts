import { handler } from '../../../contract/handler.ts'
import { getGroup as operation } from '../../../contract/operations/conversations/group-operations.ts'
import type { InstanceOperationsContext } from '../context.ts'
import { askAboutGroups, groupAt, instanceWith, keepNames } from './context.ts'

export const getGroup = (context: InstanceOperationsContext) =>
  handler(operation, async (call) => {
    const instance = await instanceWith(context, call, 'get')
    const question = { do: 'get', group: groupAt(instance, call.params.address) } as const
    const group = await askAboutGroups(context, instance, question, call.signal)
    await keepNames(context, instance, [group], call)
    return { status: 200, body: group }
  })
