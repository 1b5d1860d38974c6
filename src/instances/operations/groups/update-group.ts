import { handler } from '../../../contract/handler.ts'
import { updateGroup as operation } from '../../../contract/operations/conversations/group-operations.ts'
import type { InstanceOperationsContext } from '../context.ts'
import {
  askAboutGroups,
  checkDescription,
  checkSubject,
  groupAt,
  instanceWith,
  keepNames,
  noteChange,
} from './context.ts'

export const updateGroup = (context: InstanceOperationsContext) =>
  handler(operation, async (call) => {
    const { subject, description = '' } = call.body
    const instance = await instanceWith(context, call, subject === undefined ? 'describe' : 'rename')
    const group = groupAt(instance, call.params.address)
    if (subject === undefined) {
      checkDescription(instance, description)
      await noteChange(context, call)
      await askAboutGroups(context, instance, { do: 'describe', group, description })
      return { status: 204 }
    }
    checkSubject(instance, subject)
    await noteChange(context, call)
    await askAboutGroups(context, instance, { do: 'rename', group, subject })
    await keepNames(context, instance, [{ address: group, subject }], call)
    return { status: 204 }
  })
