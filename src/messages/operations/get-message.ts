import { handler } from '../../contract/handler.ts'
import { getMessage as operation } from '../../contract/operations/message-operations.ts'
import { Problem } from '../../contract/problem.ts'
import { findMessage } from '../list/find-message.ts'
import type { MessageOperationsContext } from '../sending/context.ts'

export const getMessage = ({ store, clock }: MessageOperationsContext) =>
  handler(operation, async ({ caller, params, turn }) => {
    const { organizationId, instances } = caller
    const place = { organizationId, instances, id: params.id }
    const message = await store.read(findMessage, { ...place, now: clock.now() }, turn)
    if (!message) throw new Problem('message_not_found')
    return { status: 200, body: message }
  })
