import { randomBytes } from 'node:crypto'
import { groupAbilities } from '../../../contract/statuses.ts'
import type {
  FoundGroup,
  FoundGroupPage,
  FoundMember,
  GroupActions,
  GroupAnswer,
  GroupFeatures,
  GroupPageQuestion,
  MemberChange,
  MemberResults,
  NewGroup,
} from '../../driver/abilities/groups.ts'
import { bareOf, domainOf, isRoom, parseAddress, roomAt, uriOf } from '../address.ts'
import type { RoomState } from '../session/room-state.ts'
import type { IqRequests } from '../stanzas/iq-requests.ts'
import { isRepresentable } from '../stanzas/xml.ts'
import { noAnswer, type RoomFault, refusedBy, roomFault } from './room-fault.ts'
import { askRoom, isFault, type RoomInfo } from './room-info.ts'
import { personAt } from './room-message.ts'
import {
  affiliate,
  configure,
  findRoomService,
  invitationXml,
  kick,
  listedMembers,
  type RoomRequest,
} from './room-requests.ts'
import type { Rooms } from './rooms.ts'

/** A room for members only has no link that asks its owners, and servers pass no registration on to them (XEP-0045, 7.10). */
const notInRooms: ReadonlySet<string> = new Set(['approval', 'list_requests', 'decide_requests'])

export const roomFeatures: GroupFeatures = {
  abilities: groupAbilities.filter((ability) => !notInRooms.has(ability)),
  pace: { count: 60, seconds: 60 },
  maxSubject: 200,
  maxDescription: 1_000,
}

export interface RoomActionsOptions {
  readonly account: string
  readonly iqRequests: IqRequests
  readonly write: (xml: string) => void
  /** Null while the connection is not open. */
  readonly rooms: () => Rooms | null
  /** Milliseconds for all that one action asks. */
  readonly timeout: number
  readonly over: AbortSignal
}

const closed: GroupAnswer<never> = {
  kind: 'unanswered',
  detail: 'The connection is not open.',
  mayBeDone: false,
}
const done: GroupAnswer<null> = { kind: 'done', value: null }

const affiliationBy = { add: 'member', remove: 'none', promote: 'admin', demote: 'member' } as const

/** The things that an account does with rooms, for callers (XEP-0045). */
export class RoomActions implements Required<Omit<GroupActions, 'listRequests' | 'answerRequests'>> {
  readonly #options: RoomActionsOptions

  constructor(options: RoomActionsOptions) {
    this.#options = options
  }

  async list({ limit, after }: GroupPageQuestion): Promise<GroupAnswer<FoundGroupPage>> {
    const rooms = this.#options.rooms()
    if (!rooms) return closed
    const passed = after === null ? null : Buffer.from(after, 'base64url').toString()
    const left = rooms.all().filter(({ address }) => passed === null || address > passed)
    left.sort((one, other) => (one.address < other.address ? -1 : 1))
    return { kind: 'done', value: pageOf(left, limit) }
  }

  get(group: string, given: AbortSignal): Promise<GroupAnswer<FoundGroup>> {
    return this.#perform<FoundGroup>(given, false, async (rooms, signal) => {
      const request = this.#request(group, signal)
      const info = await askRoom(request.room, this.#options.iqRequests, signal)
      if (isFault(info)) return refusedBy(info)
      const room = rooms.inside(group)
      const listed = await listedMembers(request)
      return { kind: 'done', value: found(roomAt(request.room), room, info, membersOf(room, listed)) }
    })
  }

  create(
    { subject, description = '', members }: NewGroup,
    given: AbortSignal,
  ): Promise<GroupAnswer<FoundGroup>> {
    return this.#perform(given, true, async (rooms, signal) => {
      if (!isRepresentable(subject + description)) return refusedBy(roomFault('text_not_representable'))
      const { account, iqRequests } = this.#options
      const service = await findRoomService(domainOf(account), iqRequests, signal)
      if (service === null) return refusedBy(roomFault('rooms_unavailable'))
      const address = `${randomBytes(12).toString('hex')}@${service}`
      const { room, fault } = await rooms.join(address, true)
      if (fault) return refusedBy(fault)
      const request = { room: address, iqRequests, signal }
      const refusal = await configure(request, {
        ...asGroup,
        'muc#roomconfig_roomname': subject,
        ...(description && { 'muc#roomconfig_roomdesc': description }),
      })
      if (refusal) {
        await rooms.leave(room)
        return refusedBy(refusal)
      }
      const info = await askRoom(address, iqRequests, signal)
      if (!isFault(info)) room.support = info.support
      room.name = subject
      room.isNew = false
      rooms.changes.note(room, { change: 'created', subject })
      await rooms.bookmarks.add({ room: address, nick: room.nick }, subject)
      for (const member of members) await this.#add(request, member)
      return await this.get(roomAt(address), signal)
    })
  }

  join(invitation: string, given: AbortSignal): Promise<GroupAnswer<FoundGroup>> {
    return this.#perform(given, true, async (rooms, signal) => {
      const parsed = parseAddress(invitation)
      if (!parsed.ok) return refusedBy(roomFault('room_not_found'))
      const bare = bareOf(parsed.address)
      const { room, fault } = await rooms.join(bare)
      if (fault) return refusedBy(fault)
      await rooms.bookmarks.add({ room: bare, nick: room.nick }, room.name)
      return await this.get(roomAt(bare), signal)
    })
  }

  rename(group: string, subject: string, given: AbortSignal): Promise<GroupAnswer<null>> {
    return this.#perform(given, true, async (_rooms, signal) => {
      if (!isRepresentable(subject)) return refusedBy(roomFault('text_not_representable'))
      const fault = await configure(this.#request(group, signal), { 'muc#roomconfig_roomname': subject })
      return fault ? refusedBy(fault) : done
    })
  }

  describe(group: string, description: string, given: AbortSignal): Promise<GroupAnswer<null>> {
    return this.#perform(given, true, async (_rooms, signal) => {
      if (!isRepresentable(description)) return refusedBy(roomFault('text_not_representable'))
      const request = this.#request(group, signal)
      const fault = await configure(request, { 'muc#roomconfig_roomdesc': description })
      if (fault) return refusedBy(fault)
      // A room without this field takes the form all the same.
      const info = await askRoom(request.room, this.#options.iqRequests, signal)
      if (isFault(info)) return noAnswer(true)
      const isDone = (info.description ?? '') === description.trim()
      return isDone ? done : refusedBy(roomFault('room_refused'))
    })
  }

  changeMembers(
    group: string,
    change: MemberChange,
    given: AbortSignal,
  ): Promise<GroupAnswer<MemberResults>> {
    return this.#perform<MemberResults>(given, true, async (rooms, signal) => {
      const request = this.#request(group, signal)
      const room = rooms.inside(group)
      if (!room) return refusedBy(roomFault('not_in_room'))
      const results: { address: string; error: RoomFault | null }[] = []
      for (const address of change.members) {
        const error = await this.#change(request, room, address, change.action).catch(() => undefined)
        // Those that were not answered are left out.
        if (error === undefined) break
        results.push({ address, error })
      }
      return { kind: 'done', value: results }
    })
  }

  async inviteLink(group: string, renew: boolean): Promise<GroupAnswer<{ readonly url: string }>> {
    if (renew) return refusedBy(roomFault('invite_link_fixed'))
    return { kind: 'done', value: { url: `${uriOf(bareOf(group))}?join` } }
  }

  leave(group: string, given: AbortSignal): Promise<GroupAnswer<null>> {
    return this.#perform(given, true, async (rooms) => {
      const room = rooms.inside(group)
      if (!room) return refusedBy(roomFault('not_in_room'))
      await rooms.leave(room)
      return done
    })
  }

  async #change(
    request: RoomRequest,
    room: RoomState,
    address: string,
    action: MemberChange['action'],
  ): Promise<RoomFault | null> {
    if (isRoom(address)) return roomFault('room_forbidden')
    if (action === 'add') return await this.#add(request, address)
    const fault = await affiliate(request, address, affiliationBy[action])
    if (fault || action !== 'remove') return fault
    // An open room lets those stay who are no members.
    const there = [...room.occupants].filter(([, occupant]) => occupant.address === address)
    for (const [nick] of there) if (room.occupants.has(nick)) await kick(request, nick)
    return null
  }

  async #add(request: RoomRequest, address: string): Promise<RoomFault | null> {
    const fault = await affiliate(request, address, 'member')
    if (!fault) this.#options.write(invitationXml(address, request.room))
    return fault
  }

  #request(group: string, signal: AbortSignal): RoomRequest {
    return { room: bareOf(group), iqRequests: this.#options.iqRequests, signal }
  }

  async #perform<T>(
    given: AbortSignal,
    changes: boolean,
    act: (rooms: Rooms, signal: AbortSignal) => Promise<GroupAnswer<T>>,
  ): Promise<GroupAnswer<T>> {
    const rooms = this.#options.rooms()
    if (!rooms) return closed
    const { timeout, over } = this.#options
    try {
      return await act(rooms, AbortSignal.any([given, over, AbortSignal.timeout(timeout)]))
    } catch {
      return noAnswer(changes)
    }
  }
}

/** A room that is like a group of other networks: for its members alone, who see each other's addresses, and there to stay. */
const asGroup = {
  'muc#roomconfig_persistentroom': '1',
  'muc#roomconfig_membersonly': '1',
  'muc#roomconfig_publicroom': '0',
  'muc#roomconfig_whois': 'anyone',
}

function pageOf(left: readonly RoomState[], limit: number): FoundGroupPage {
  const page = left.slice(0, limit)
  const last = page.at(-1)
  const isEnd = page.length === left.length
  return {
    groups: page.map((room) => found(roomAt(room.address), room, null)),
    next: isEnd || !last ? null : Buffer.from(last.address).toString('base64url'),
  }
}

function found(
  address: string,
  room: RoomState | null,
  info: RoomInfo | null,
  members?: readonly FoundMember[],
): FoundGroup {
  const name = info ? info.name : (room?.name ?? null)
  const own = room?.occupants.get(room.nick)?.affiliation
  const role = own === 'owner' || own === 'admin' ? own : room ? 'member' : null
  const isListed = members !== undefined && (room !== null || members.length > 0)
  return {
    address,
    subject: name ?? room?.subject ?? null,
    description: info?.description ?? room?.subject ?? null,
    size: isListed ? members.length : (info?.size ?? null),
    ...(isListed && { members }),
    role,
  }
}

/** The people in a room, and its members who are not there now. */
function membersOf(room: RoomState | null, listed: readonly FoundMember[]): FoundMember[] {
  const members = new Map(listed.map((member) => [member.address, member]))
  for (const [nick, { affiliation }] of room?.occupants ?? []) {
    if (!room || affiliation === 'outcast') continue
    const address = personAt(room, nick)
    const role = affiliation === 'owner' || affiliation === 'admin' ? affiliation : 'member'
    members.set(address, { address, name: nick, role })
  }
  return [...members.values()]
}
