import { handler } from '../../../contract/handler.ts'
import { getInviteLink as operation } from '../../../contract/operations/conversations/group-operations.ts'
import type { InstanceOperationsContext } from '../context.ts'
import { askAboutGroups, groupAt, instanceWith, noteChange } from './context.ts'

export const getInviteLink = (context: InstanceOperationsContext) =>
  handler(operation, async (call) => {
    const instance = await instanceWith(context, call, 'invite_link')
    const { renew = false } = call.body
    const group = groupAt(instance, call.params.address)
    await noteChange(context, call)
    const url = await askAboutGroups(context, instance, { do: 'invite', group, renew })
    return { status: 200, body: { url } }
  })
