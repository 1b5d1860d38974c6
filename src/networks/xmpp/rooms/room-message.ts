import type { MessageReceived, ReceivedRelation } from '../../driver/observation.ts'
import { bareAddressOf, roomAt } from '../address.ts'
import { plainIdOf, writtenIn } from '../incoming/incoming-message.ts'
import { bareAddressIn, shownName } from '../incoming/people.ts'
import { messageIdOf } from '../sending/message-parts.ts'
import type { RoomState } from '../session/room-state.ts'
import { timeIn } from '../stanzas/date-time.ts'
import { digestOfName, idInRoom, idOfUnarchived, stanzaIdIn } from '../stanzas/message-id.ts'
import { attribute, ns, type Xml } from '../stanzas/xml.ts'

/** Longest address that Posthorn stores, in bytes of UTF-8. */
const maxAddressBytes = 1_024

/** The nick of the sender of a stanza from a room; null if the room itself sent it. */
export function nickIn(stanza: Xml): string | null {
  const from = attribute(stanza, 'from') ?? ''
  const slash = from.indexOf('/')
  return slash < 0 ? null : from.slice(slash + 1)
}

/**
 * The address of a person in a room: their own, if the room shows it, or else that of their place there (XEP-0045 section 4.1), to which
 * nothing can be sent.
 */
export function personAt(room: RoomState, nick: string): string {
  const own = room.occupants.get(nick)?.address
  if (own) return own
  const place = `${room.address}/${nick}`
  const isShown = Buffer.byteLength(place) <= maxAddressBytes && !/[\p{C}]/u.test(nick)
  return isShown ? place : `${room.address}/${digestOfName(nick)}`
}

/** When the room got a message that it sends again (XEP-0203); null if it is new. */
export function delayInRoom(message: Xml): number | null {
  const delay = message.getChild('delay', ns.delay)
  return delay ? timeIn(attribute(delay, 'stamp')) : null
}

/** Returns the message that a person wrote in a room; null if the stanza is none. `archivedId` is the id that the archive of the room has for it. */
export function roomMessageIn(
  room: RoomState,
  message: Xml,
  { account, at, archivedId }: { account: string; at: number; archivedId: string | null },
): MessageReceived | null {
  const nick = nickIn(message)
  if (nick === null) return null
  const from = personAt(room, nick)
  const known = archivedId ?? (room.support.ids ? stanzaIdIn(message, room.address) : null)
  const name = shownName(nick)
  const written = writtenIn(message, {
    ...{ from, conversation: roomAt(room.address), at },
    sender: name === '' ? null : { address: from, name, username: null },
    sentId: known ?? plainIdOf(message),
    idFor: (signature) =>
      known
        ? idInRoom(room.address, known)
        : idOfUnarchived(`${room.address}/${nick}`, attribute(message, 'id'), signature),
    mentioned: (address) => mentionedAs(room, address, account),
  })
  if (!written) return null
  const given = plainIdOf(message)
  if (known && given !== undefined) room.noteGiven(nick, given, known)
  const { relation } = written
  return relation ? { ...written, relation: relationIn(room, nick, relation) } : written
}

/** Corrections name a message by the id that its writer gave it (XEP-0308 section 4); others are known by the room's. */
function relationIn(room: RoomState, nick: string, relation: ReceivedRelation): ReceivedRelation {
  const { type, message } = relation
  if (message === null) return relation
  const own = room.ownIdOf(message)
  if (type !== 'correction') return { type, message: own === null ? message : messageIdOf(own) }
  return { type, message: room.idOfGiven(nick, message) ?? message }
}

/** The person whom a mention names by their place in the room, or by their address. */
function mentionedAs(room: RoomState, address: string, account: string): string | null {
  const slash = address.indexOf('/')
  if (slash < 0) return bareAddressIn(address)
  if (bareAddressOf(address) !== room.address) return null
  const nick = address.slice(slash + 1)
  return nick === room.nick ? account : personAt(room, nick)
}
