import { handler } from '../../../contract/handler.ts'
import { changeGroupMembers as operation } from '../../../contract/operations/conversations/group-operations.ts'
import type { InstanceOperationsContext } from '../context.ts'
import { askAboutGroups, groupAt, instanceWith, noteChange, peopleIn, resultsOf } from './context.ts'

export const changeGroupMembers = (context: InstanceOperationsContext) =>
  handler(operation, async (call) => {
    const { action, members: inputs } = call.body
    const instance = await instanceWith(context, call, action)
    const group = groupAt(instance, call.params.address)
    const addresses = peopleIn(instance, inputs, action)
    await noteChange(context, call)
    const members = [...new Set(addresses)]
    const fates = await askAboutGroups(context, instance, { do: 'change-members', group, action, members })
    return { status: 200, body: { data: resultsOf(inputs, addresses, fates) } }
  })
