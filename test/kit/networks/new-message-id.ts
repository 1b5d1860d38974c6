import { ownNetworkId } from '../../../src/messages/message.ts'
import { newId } from '../../../src/runtime/ids.ts'

/** The network message id of a message that is accepted just now. */
export function newMessageId(): string {
  return ownNetworkId(newId('msg'))
}
