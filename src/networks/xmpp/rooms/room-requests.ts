import type { FoundMember } from '../../driver/abilities/groups.ts'
import { bareAddressOf } from '../address.ts'
import type { Affiliation } from '../session/room-state.ts'
import type { IqRequests } from '../stanzas/iq-requests.ts'
import { attribute, element, ns, type Xml } from '../stanzas/xml.ts'
import { type RoomFault, roomFaultIn } from './room-fault.ts'
import { fieldsIn } from './room-info.ts'

/** Members of one affiliation that are looked at. */
const maxListed = 2_000

/** A request to one room. */
export interface RoomRequest {
  readonly room: string
  readonly iqRequests: IqRequests
  readonly signal: AbortSignal
}

const roles = { owner: 'owner', admin: 'admin', member: 'member' } as const

/** Lists the members of all affiliations that the room shows to the account (XEP-0045 section 9.5). Rejects when the signal aborts. */
export async function listedMembers(request: RoomRequest): Promise<FoundMember[]> {
  const lists = (['owner', 'admin', 'member'] as const).map(async (affiliation) => {
    const answer = await ask(request, 'get', adminQuery(element('item', { affiliation })))
    const items =
      answer.attrs.type === 'result' ? answer.getChild('query', ns.roomAdmin)?.getChildren('item') : []
    return (items ?? []).slice(0, maxListed).flatMap((item): FoundMember[] => {
      const address = bareAddressOf(attribute(item, 'jid'))
      return address === null ? [] : [{ address, role: roles[affiliation] }]
    })
  })
  return (await Promise.all(lists)).flat()
}

/** Gives a person an affiliation (XEP-0045 section 9). Returns the fault if the room refuses. */
export async function affiliate(
  request: RoomRequest,
  address: string,
  affiliation: Affiliation,
): Promise<RoomFault | null> {
  return await faultOf(ask(request, 'set', adminQuery(element('item', { affiliation, jid: address }))))
}

/** Takes a person out of the room for now (XEP-0045 section 8.2). */
export async function kick(request: RoomRequest, nick: string): Promise<RoomFault | null> {
  return await faultOf(ask(request, 'set', adminQuery(element('item', { nick, role: 'none' }))))
}

/** Sets those fields of the configuration of a room that it has (XEP-0045 section 10.2). */
export async function configure(
  request: RoomRequest,
  wanted: Readonly<Record<string, string>>,
): Promise<RoomFault | null> {
  const answer = await ask(request, 'get', element('query', { xmlns: ns.roomOwner }))
  const query = answer.getChild('query', ns.roomOwner)
  if (answer.attrs.type === 'error' || !query) return roomFaultIn(answer)
  const offered = fieldsIn(query)
  const form = element('x', { xmlns: ns.dataForms, type: 'submit' })
  form.append(field('FORM_TYPE', 'http://jabber.org/protocol/muc#roomconfig'))
  for (const [name, value] of Object.entries(wanted)) if (offered.has(name)) form.append(field(name, value))
  return await faultOf(ask(request, 'set', element('query', { xmlns: ns.roomOwner }, form)))
}

function field(name: string, value: string): Xml {
  return element('field', { var: name }, element('value', {}, value))
}

function adminQuery(item: Xml): Xml {
  return element('query', { xmlns: ns.roomAdmin }, item)
}

function ask({ room, iqRequests, signal }: RoomRequest, type: 'get' | 'set', payload: Xml): Promise<Xml> {
  return iqRequests.ask(type, room, payload, signal)
}

async function faultOf(asked: Promise<Xml>): Promise<RoomFault | null> {
  const answer = await asked
  return answer.attrs.type === 'error' ? roomFaultIn(answer) : null
}

/** An invitation that the account itself sends (XEP-0249): that of a room would come from the room. */
export function invitationXml(to: string, room: string): string {
  const invitation = element('x', { xmlns: ns.invitation, jid: room })
  const body = element('body', {}, `xmpp:${room}?join`)
  return element('message', { to }, body, invitation).toString()
}

/** Finds the service for rooms of a server, among those that it lists (XEP-0045 section 6.1); null if there is none. */
export async function findRoomService(
  domain: string,
  iqRequests: IqRequests,
  signal: AbortSignal,
): Promise<string | null> {
  const list = await iqRequests.ask('get', domain, element('query', { xmlns: ns.discoItems }), signal)
  const items = list.getChild('query', ns.discoItems)?.getChildren('item').slice(0, maxServices) ?? []
  for (const address of items.map((item) => attribute(item, 'jid'))) {
    if (address === undefined || address.includes('@')) continue
    const answer = await iqRequests.ask('get', address, element('query', { xmlns: ns.discoInfo }), signal)
    const identities = answer.getChild('query', ns.discoInfo)?.getChildren('identity') ?? []
    const isService = identities.some(
      (each) => attribute(each, 'category') === 'conference' && attribute(each, 'type') === 'text',
    )
    if (isService) return address
  }
  return null
}

/** Services of a server that are asked what they are. */
const maxServices = 50
