import { shownName } from '../incoming/people.ts'
import type { RoomState } from '../session/room-state.ts'
import { archiveSupportIn } from '../stanzas/discovery.ts'
import type { IqRequests } from '../stanzas/iq-requests.ts'
import { attribute, element, ns, type Xml } from '../stanzas/xml.ts'
import { type RoomFault, roomFault, roomFaultIn } from './room-fault.ts'

/** A room as it describes itself to all (XEP-0045 section 6.4). */
export interface RoomInfo {
  readonly name: string | null
  readonly description: string | null
  /** The number of people in it; null if it does not say. */
  readonly size: number | null
  readonly support: RoomState['support']
}

/** Asks a room what it is. Returns the fault if there is none at this address. Rejects when the signal aborts. */
export async function askRoom(
  address: string,
  iqRequests: IqRequests,
  signal: AbortSignal,
): Promise<RoomInfo | RoomFault> {
  const answer = await iqRequests.ask('get', address, element('query', { xmlns: ns.discoInfo }), signal)
  if (attribute(answer, 'type') === 'error') {
    const fault = roomFaultIn(answer)
    // Servers of people say that, too, of those whom they do not show (RFC 6121 section 8.5).
    return fault.network_code === 'service-unavailable' ? roomFault('room_not_found') : fault
  }
  const query = answer.getChild('query', ns.discoInfo)
  const identity = query
    ?.getChildren('identity')
    .find((each) => attribute(each, 'category') === 'conference' && attribute(each, 'type') !== 'irc')
  if (!query || !identity) return roomFault('room_not_found')
  const { ids, archive } = archiveSupportIn(answer)
  const fields = fieldsIn(query)
  const size = fields.get('muc#roominfo_occupants') ?? ''
  return {
    name: shownName(attribute(identity, 'name') ?? '') || null,
    description: fields.get('muc#roominfo_description')?.trim() || null,
    size: /^\d{1,9}$/.test(size) ? Number(size) : null,
    support: { ids, archive },
  }
}

export function isFault(answer: RoomInfo | RoomFault): answer is RoomFault {
  return 'code' in answer
}

/** The fields of a form that have one value (XEP-0004). */
export function fieldsIn(parent: Xml): Map<string | undefined, string> {
  const fields = parent.getChildren('x', ns.dataForms).flatMap((form) => form.getChildren('field'))
  return new Map(fields.map((field) => [attribute(field, 'var'), field.getChildText('value') ?? '']))
}
