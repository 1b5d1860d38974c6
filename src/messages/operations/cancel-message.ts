import { handler } from '../../contract/handler.ts'
import { cancelMessage as operation } from '../../contract/operations/message-operations.ts'
import { Problem } from '../../contract/problem.ts'
import { cancelInPlace } from '../sending/cancel-in-place.ts'
import type { MessageOperationsContext } from '../sending/context.ts'

export const cancelMessage = (context: MessageOperationsContext) =>
  handler(operation, async ({ caller, params, audit, turn }) => {
    const message = await cancelInPlace(context, caller, params.id, turn, audit())
    if (!message) throw new Problem('message_not_cancelable')
    return { status: 200, body: message }
  })
