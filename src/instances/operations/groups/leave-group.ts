import { handler } from '../../../contract/handler.ts'
import { leaveGroup as operation } from '../../../contract/operations/conversations/group-operations.ts'
import type { InstanceOperationsContext } from '../context.ts'
import { askAboutGroups, groupAt, instanceWith, noteChange } from './context.ts'

export const leaveGroup = (context: InstanceOperationsContext) =>
  handler(operation, async (call) => {
    const instance = await instanceWith(context, call, 'leave')
    const group = groupAt(instance, call.params.address)
    await noteChange(context, call)
    await askAboutGroups(context, instance, { do: 'leave', group })
    return { status: 204 }
  })
