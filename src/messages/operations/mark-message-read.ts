import { handler } from '../../contract/handler.ts'
import { markMessageRead as operation } from '../../contract/operations/message-operations.ts'
import { lackingAbility, Problem } from '../../contract/problem.ts'
import { findReceived } from '../inbox/find-received.ts'
import { markConversationRead } from '../list/conversations/unread.ts'
import type { MessageOperationsContext } from '../sending/context.ts'

export const markMessageRead = ({ store, supervisor }: MessageOperationsContext) =>
  handler(operation, async ({ caller, params, signal, turn }) => {
    const { organizationId, instances } = caller
    const message = await store.read(findReceived, { organizationId, instances, id: params.id }, turn)
    if (!message) throw new Problem('message_not_found')
    if (message === 'sent') throw new Problem('message_not_received')
    const { instanceId, ...name } = message
    // Without a connection, a caller tries again; a network without receipts leaves nothing but the count.
    const marked = () => {
      const { conversation, network_message_id: upTo } = name
      return store.transact(markConversationRead, { instanceId, conversation, upTo }, turn)
    }
    const outcome = await supervisor.ask(instanceId, 'mark-read', name, signal)
    if (outcome?.kind === 'not-supported') {
      await marked()
      throw lackingAbility('marks_read')
    }
    if (!outcome || outcome.kind === 'not-connected' || outcome.kind === 'uncertain')
      throw new Problem('instance_not_connected')
    if (outcome.kind === 'rejected') throw new Problem('network_refused', { detail: outcome.error.detail })
    await marked()
    return { status: 204 }
  })
