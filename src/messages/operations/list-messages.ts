import { handler } from '../../contract/handler.ts'
import { listMessages as operation } from '../../contract/message-operations.ts'
import { invalid } from '../../contract/problem.ts'
import { readCursor } from '../../runtime/cursor.ts'
import { idPattern } from '../../runtime/ids.ts'
import { listMessages as list } from '../message-store.ts'
import type { MessageOperationsContext } from './context.ts'

const isMessageId = new RegExp(idPattern('msg'))

export const listMessages = ({ store }: MessageOperationsContext) =>
  handler(operation, async ({ caller, query }) => {
    const before = query.cursor === undefined ? null : readCursor(query.cursor, 'string')
    if (before === undefined || (before !== null && !isMessageId.test(before))) {
      throw invalid({
        pointer: 'query/cursor',
        code: 'wrong_form',
        detail: 'The cursor is not one that a page gave.',
      })
    }
    const page = await store.read(list, {
      organizationId: caller.organizationId,
      instanceName: query.instance ?? null,
      status: query.status ?? null,
      recipient: query.to ?? null,
      clientRef: query.client_ref ?? null,
      limit: query.limit ?? 50,
      before,
    })
    return { status: 200, body: page }
  })
