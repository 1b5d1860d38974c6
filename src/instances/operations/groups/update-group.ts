import { handler } from '../../../contract/handler.ts'
import { updateGroup as operation } from '../../../contract/operations/conversations/group-operations.ts'
import type { InstanceOperationsContext } from '../context.ts'
import { askAboutGroups, checkSubject, groupAt, instanceWith, keepNames, noteChange } from './context.ts'

export const updateGroup = (context: InstanceOperationsContext) =>
  handler(operation, async (call) => {
    const instance = await instanceWith(context, call, 'rename')
    const { subject } = call.body
    const group = groupAt(instance, call.params.address)
    checkSubject(instance, subject)
    await noteChange(context, call)
    await askAboutGroups(context, instance, { do: 'rename', group, subject })
    await keepNames(context, instance, [{ address: group, subject }], call)
    return { status: 204 }
  })
