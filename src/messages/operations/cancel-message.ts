import { handler } from '../../contract/handler.ts'
import { cancelMessage as operation } from '../../contract/operations/message-operations.ts'
import { Problem } from '../../contract/problem.ts'
import { findMessage } from '../list/find-message.ts'
import { cancelMessage as cancel } from '../outbox/sweep/sweep.ts'
import type { MessageOperationsContext } from '../sending/context.ts'

export const cancelMessage = ({
  store,
  clock,
  media,
  messageChanges,
  supervisor,
}: MessageOperationsContext) =>
  handler(operation, async ({ caller, params, audit, turn }) => {
    const { organizationId, instances } = caller
    const place = { organizationId, instances, id: params.id }
    const canceled = await store.transact(cancel, { ...place, now: clock.now(), audit: audit() }, turn)
    if (canceled.kind === 'not_found') throw new Problem('message_not_found')
    if (canceled.kind === 'not_cancelable') throw new Problem('message_not_cancelable')
    messageChanges.notify(params.id)
    supervisor.wake(canceled.instanceId)
    const message = await store.read(findMessage, place, turn)
    // The caller may have canceled it to make room for another file.
    if (message?.media) await media.library.forgetAllExpired()
    if (!message) throw new Problem('message_not_found')
    return { status: 200, body: message }
  })
