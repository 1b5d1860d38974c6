import { integerIn, type Json, objectsIn, textIn } from '../json.ts'
import type { Observation } from '../observation.ts'
import { returnedError } from './errors.ts'
import { isMessageId } from './sender.ts'

/** Our ids of messages, as `OutgoingMessage.id` has them. */
const ownId = /^[0-9a-z]{26}$/

/**
 * What a status says about a message; null if that cannot be read. The id that Posthorn gave the message comes back in it, so the
 * message is found even if the answer to its attempt was lost, or is still to come. Statuses come in any order, and more than once.
 */
export function observationIn(status: Json): Observation | null {
  const assigned = textIn(status, 'id')
  if (assigned === null || !isMessageId(assigned)) return null
  const own = textIn(status, 'biz_opaque_callback_data')
  const named =
    own !== null && ownId.test(own)
      ? { network_message_id: own, assigned_id: assigned }
      : { network_message_id: assigned }
  switch (status.status) {
    case 'sent':
      return { kind: 'message-acknowledged', ...named }
    case 'delivered':
      return { kind: 'receipt', ...named, from: null, state: 'delivered' }
    case 'read':
    // A voice note was played.
    case 'played':
      return { kind: 'receipt', ...named, from: null, state: 'read' }
    case 'failed': {
      const [error = {}] = objectsIn(status, 'errors')
      return {
        kind: 'message-returned',
        ...named,
        from: null,
        error: returnedError(integerIn(error, 'code')),
      }
    }
    default:
      return null
  }
}
