import { handler } from '../../../contract/handler.ts'
import { joinGroup as operation } from '../../../contract/operations/conversations/group-operations.ts'
import type { InstanceOperationsContext } from '../context.ts'
import { askAboutGroups, instanceWith, keepNames, noteChange, withoutMembers } from './context.ts'

export const joinGroup = (context: InstanceOperationsContext) =>
  handler(operation, async (call) => {
    const instance = await instanceWith(context, call, 'join')
    await noteChange(context, call)
    const question = { do: 'join', invitation: call.body.invitation } as const
    const group = withoutMembers(await askAboutGroups(context, instance, question))
    await keepNames(context, instance, [group], call)
    return { status: 200, body: group }
  })
