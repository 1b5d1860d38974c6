import { handler } from '../../../contract/handler.ts'
import { decideJoinRequests as operation } from '../../../contract/operations/conversations/group-operations.ts'
import type { InstanceOperationsContext } from '../context.ts'
import { askAboutGroups, groupAt, instanceWith, noteChange, peopleIn, resultsOf } from './context.ts'

export const decideJoinRequests = (context: InstanceOperationsContext) =>
  handler(operation, async (call) => {
    const { action, people: inputs } = call.body
    const instance = await instanceWith(context, call, 'decide_requests')
    const group = groupAt(instance, call.params.address)
    const addresses = peopleIn(instance, inputs, 'decide')
    await noteChange(context, call)
    const people = [...new Set(addresses)]
    const fates = await askAboutGroups(context, instance, { do: 'answer-requests', group, action, people })
    return { status: 200, body: { data: resultsOf(inputs, addresses, fates) } }
  })
