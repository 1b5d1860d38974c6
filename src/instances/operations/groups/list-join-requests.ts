import { handler } from '../../../contract/handler.ts'
import { listJoinRequests as operation } from '../../../contract/operations/conversations/group-operations.ts'
import { keyInCursor } from '../../../contract/page-cursor.ts'
import { placePattern } from '../../../networks/driver/abilities/templates.ts'
import { writeCursor } from '../../../runtime/text/cursor.ts'
import type { InstanceOperationsContext } from '../context.ts'
import { askAboutGroups, groupAt, instanceWith } from './context.ts'

const usualLimit = 50

export const listJoinRequests = (context: InstanceOperationsContext) =>
  handler(operation, async (call) => {
    const instance = await instanceWith(context, call, 'list_requests')
    const group = groupAt(instance, call.params.address)
    const { limit = usualLimit, cursor } = call.query
    const question = { do: 'list-requests', group, limit, after: keyInCursor(cursor, placePattern) } as const
    const { requests, next } = await askAboutGroups(context, instance, question, call.signal)
    const next_cursor = next === null ? null : writeCursor(next)
    return { status: 200, body: { data: [...requests], next_cursor } }
  })
