import type { ExpressionBuilder } from 'kysely'
import { idPattern } from '../runtime/ids.ts'
import type { RowOf, Schema } from '../store/schema.ts'
import type { Argument } from '../store/statement.ts'

/*
 * The network message id of a message: the one that its network assigned, or, if the network assigns none, the message's own id
 * without its prefix, which is stored nowhere a second time (docs/decisions/0037).
 */

const prefix = 'msg_'
const idOfMessage = new RegExp(idPattern('msg'))

/** The id that every attempt for a message carries. */
export function ownNetworkId(id: string): string {
  return id.slice(prefix.length)
}

/** The id under which the network knows a message; null while the network has yet to assign one. */
export function networkIdOf(
  message: Pick<RowOf<'messages'>, 'id' | 'network_message_id' | 'id_assigned'>,
): string | null {
  if (message.network_message_id !== null) return message.network_message_id
  return message.id_assigned === 1 ? null : ownNetworkId(message.id)
}

/** The id of the message from whose id this network message id is derived, if it exists; null if it can be derived from none. */
export function messageIdFrom(networkId: string): string | null {
  const id = prefix + networkId
  return idOfMessage.test(id) ? id : null
}

/** Both ways in which a network message id can name a message. */
export interface NetworkIds {
  readonly assigned: string
  readonly derivedFrom: string | null
}

/** Returns the arguments of `isNamed`. An unknown sender may choose any text. */
export function networkIdsIn(networkId: string): NetworkIds {
  return { assigned: networkId, derivedFrom: messageIdFrom(networkId) }
}

/**
 * The condition that a message has the network message id that is given by `namesIn`; each way has its unique index. A message
 * that was sent can be named by our id even if its network assigned another.
 */
export const isNamed = (argument: Argument<NetworkIds>) => (eb: ExpressionBuilder<Schema, 'messages'>) =>
  eb.or([
    eb('network_message_id', '=', argument('assigned')),
    eb.and([eb('id', '=', argument('derivedFrom')), eb('direction', '=', 'outbound')]),
  ])
