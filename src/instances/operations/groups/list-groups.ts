import { handler } from '../../../contract/handler.ts'
import { listGroups as operation } from '../../../contract/operations/conversations/group-operations.ts'
import { keyInCursor } from '../../../contract/page-cursor.ts'
import { placePattern } from '../../../networks/driver/abilities/templates.ts'
import { writeCursor } from '../../../runtime/text/cursor.ts'
import type { InstanceOperationsContext } from '../context.ts'
import { askAboutGroups, instanceWith, keepNames } from './context.ts'

const usualLimit = 50

export const listGroups = (context: InstanceOperationsContext) =>
  handler(operation, async (call) => {
    const instance = await instanceWith(context, call, 'list')
    const { limit = usualLimit, cursor } = call.query
    const question = { do: 'list', limit, after: keyInCursor(cursor, placePattern) } as const
    const { groups, next } = await askAboutGroups(context, instance, question, call.signal)
    await keepNames(context, instance, groups, call)
    const next_cursor = next === null ? null : writeCursor(next)
    return { status: 200, body: { data: [...groups], next_cursor } }
  })
