import { handler } from '../../contract/handler.ts'
import { listAttempts as operation } from '../../contract/operations/message-history-operations.ts'
import { Problem } from '../../contract/problem.ts'
import { listAttempts as read } from '../history/attempts.ts'
import type { MessageOperationsContext } from '../sending/context.ts'

export const listAttempts = ({ store }: MessageOperationsContext) =>
  handler(operation, async ({ caller, params, turn }) => {
    const { organizationId, instances } = caller
    const data = await store.read(read, { organizationId, instances, id: params.id }, turn)
    if (!data) throw new Problem('message_not_found')
    return { status: 200, body: { data, next_cursor: null } }
  })
