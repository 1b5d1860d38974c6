import type { Caller } from '../../contract/handler.ts'
import { Problem } from '../../contract/problem.ts'
import type { AuditNote } from '../../contract/resources/audit.ts'
import type { Message } from '../../contract/resources/message.ts'
import { findMessage } from '../list/find-message.ts'
import { cancelMessage } from '../outbox/sweep/sweep.ts'
import type { MessageOperationsContext } from './context.ts'

/** Cancels a message that waits; returns it, or null if it can no longer be canceled. */
export async function cancelInPlace(
  { store, clock, media, messageChanges, supervisor }: MessageOperationsContext,
  { organizationId, instances }: Caller,
  id: string,
  turn: Parameters<MessageOperationsContext['store']['transact']>[2],
  audit?: AuditNote,
): Promise<Message | null> {
  const place = { organizationId, instances, id }
  const canceled = await store.transact(cancelMessage, { ...place, now: clock.now(), audit }, turn)
  if (canceled.kind === 'not_found') throw new Problem('message_not_found')
  if (canceled.kind === 'not_cancelable') return null
  messageChanges.notify(id)
  supervisor.wake(canceled.instanceId)
  const message = await store.read(findMessage, { ...place, now: clock.now() }, turn)
  // The caller may have canceled it to make room for another file.
  if (message?.media) await media.library.forgetAllExpired()
  if (!message) throw new Problem('message_not_found')
  return message
}
