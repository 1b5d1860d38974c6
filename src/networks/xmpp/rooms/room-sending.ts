import type { FreeFormMessage, TargetMessage } from '../../driver/message.ts'
import type { Surroundings } from '../sending/surroundings.ts'
import type { RoomState } from '../session/room-state.ts'

/** The surroundings of messages that an account sends to a room. */
export function surroundingsIn(room: RoomState, account: string): Surroundings {
  return {
    account,
    sharedId: (stanza) => room.idOfOwn(stanza),
    nickOf: (address) => {
      for (const [nick, occupant] of room.occupants) if (occupant.address === address) return nick
      return null
    },
  }
}

/** The message, with its target under the id that the room gave it, if that is remembered. */
export function asSharedIn<M extends FreeFormMessage>(room: RoomState, message: M): M {
  if ('target' in message) return { ...message, target: sharedTarget(room, message.target) }
  if (!('replyTo' in message) || !message.replyTo) return message
  return { ...message, replyTo: sharedTarget(room, message.replyTo) }
}

function sharedTarget(room: RoomState, target: TargetMessage): TargetMessage {
  const shared = target.from === null ? room.idOfOwn(target.network_message_id) : null
  return shared === null ? target : { ...target, sender_message_id: shared }
}
