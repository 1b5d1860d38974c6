import { bareAddressOf } from '../address.ts'
import { type Affiliation, affiliations } from '../session/room-state.ts'
import { attribute, ns, type Xml } from '../stanzas/xml.ts'
import type { RoomFault } from './room-fault.ts'
import { roomFaultIn } from './room-fault.ts'

/** Status codes of one stanza that are looked at; there are hardly ever more than three. */
const maxCodes = 20

/** The words of a room about one person in it (XEP-0045 section 7.2, and the codes of section 15.6). */
export interface PersonInRoom {
  readonly affiliation: Affiliation
  /** The bare address of the person, if the room shows it. */
  readonly address: string | null
  /** The new nick of one who changed it. */
  readonly newNick: string | undefined
  /** The bare address of the person who changed something about them. */
  readonly by: string | null
}

/** Returns the words about a person in a stanza of a room; null if there are none. */
export function personIn(stanza: Xml): PersonInRoom | null {
  const item = stanza.getChild('x', ns.rooms)?.getChild('item')
  if (!item) return null
  const actor = item.getChild('actor')
  return {
    affiliation: affiliations.find((each) => each === attribute(item, 'affiliation')) ?? 'none',
    address: bareAddressOf(attribute(item, 'jid')),
    newNick: attribute(item, 'nick'),
    by: bareAddressOf(actor && attribute(actor, 'jid')),
  }
}

/** The status codes in a stanza of a room. */
export function codesIn(stanza: Xml): ReadonlySet<string | undefined> {
  const statuses = stanza.getChild('x', ns.rooms)?.getChildren('status') ?? []
  return new Set(statuses.slice(0, maxCodes).map((status) => attribute(status, 'code')))
}

/** The reason why the account is no longer in a room, by the presence in which the room says so (XEP-0045 section 15.6). */
export function exitIn(presence: Xml): 'removed' | 'left' | 'interrupted' {
  const codes = codesIn(presence)
  if (presence.getChild('x', ns.rooms)?.getChild('destroy')) return 'removed'
  // 301: banned, 307: kicked, 321: no longer affiliated, 322: no member. A code of a fault stands beside that of a kick.
  const isRemoved = ['301', '307', '321', '322'].some((code) => codes.has(code))
  if (codes.has('332') || codes.has('333')) return 'interrupted'
  return isRemoved ? 'removed' : 'left'
}

/** The refusal of a room to let the account in; null if the presence is none. */
export function refusalIn(presence: Xml): RoomFault | null {
  return attribute(presence, 'type') === 'error' ? roomFaultIn(presence) : null
}
