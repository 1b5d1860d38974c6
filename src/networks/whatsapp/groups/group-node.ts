import type { FoundGroup, FoundMember } from '../../driver/abilities/groups.ts'
import { cutText } from '../../kit/received-text.ts'
import { addressOf, isGroup } from '../address.ts'
import type { OwnNames } from '../incoming/receipts.ts'
import { firstPart, partsOf, type Stanza, textOf, timeIn } from '../incoming/stanza.ts'

/** Members that are looked at. A group has 1,024 at most (https://faq.whatsapp.com/, "About groups"). */
export const maxMembers = 2_000

/** UTF-16 units of a subject that are kept, and bytes of a description: WhatsApp has at most 100 and 2,048 characters. */
const longestSubject = 256
const longestDescription = 8 * 1024

/** A group as WhatsApp tells of it. A community, and its announcements, are among the groups there, and are none here. */
export type ToldGroup =
  | { readonly kind: 'group'; readonly group: FoundGroup }
  | { readonly kind: 'community'; readonly address: string }

/** Options of reading a group. */
export interface GroupView {
  readonly own: OwnNames
  /** Milliseconds since the epoch. */
  readonly now?: number
  /** Members and description are read, too. */
  readonly isWhole?: boolean
}

/**
 * Reads a group (`<group>`, as in `parseGroupNode` of whatsmeow); null if it has no address that could be one. Pure and bounded, with any
 * content.
 */
export function groupIn(stanza: Stanza, view: GroupView): ToldGroup | null {
  const { id, subject, creation, size } = stanza.attrs
  const address = groupAddress(id)
  if (address === null) return null
  if (firstPart(stanza, 'parent') || firstPart(stanza, 'default_sub_group'))
    return { kind: 'community', address }
  const members = partsOf(stanza, 'participant')
  const count = Number(size)
  const now = view.now ?? Date.now()
  const group: FoundGroup = {
    address,
    subject: subjectIn(subject),
    created_at: timeIn(creation, now),
    size: Number.isSafeInteger(count) && count > 0 ? count : members.length || null,
    role: ownRole(members, view.own),
    approval: isGuarded(stanza),
    ...(view.isWhole === true && {
      description: textOf(firstPart(firstPart(stanza, 'description'), 'body'), longestDescription),
      members: membersIn(members),
    }),
  }
  return { kind: 'group', group }
}

/** True if administrators must let people in. The state stands in a part, which is missing in what older servers say. */
function isGuarded(stanza: Stanza): boolean {
  const mode = firstPart(stanza, 'membership_approval_mode')
  return mode !== undefined && firstPart(mode, 'group_join')?.attrs.state !== 'off'
}

/** The address of a group that is named with or without its server; null if it is none. */
export function groupAddress(id: string | undefined): string | null {
  if (id === undefined) return null
  const address = addressOf(id.includes('@') ? id : `${id}@g.us`)
  return address !== null && isGroup(address) ? address : null
}

/** A subject as it is kept; null if there is none. */
export function subjectIn(subject: string | undefined): string | null {
  return cutText((subject ?? '').toWellFormed(), longestSubject) || null
}

/**
 * The address of a person whom WhatsApp names twice: the phone number if it is told, as in `from` of their messages, or else the id. Null
 * if neither is one.
 */
export function personOf(...names: readonly (string | undefined)[]): string | null {
  const addresses = names
    .map((name) => addressOf(name ?? ''))
    .filter((address) => address !== null && !isGroup(address))
  return addresses.find((address) => address?.startsWith('+')) ?? addresses[0] ?? null
}

/** The address of a member as `<participant>` names it. */
export function memberAddress({ attrs }: Stanza): string | null {
  return personOf(attrs.jid, attrs.phone_number)
}

/** True if one of these names is the account's. */
export function isOwn(own: OwnNames, ...names: readonly (string | undefined)[]): boolean {
  const mine = [addressOf(own.number), addressOf(own.lid ?? '')]
  return names.some((name) => {
    const address = addressOf(name ?? '')
    return address !== null && mine.includes(address)
  })
}

function membersIn(participants: readonly Stanza[]): FoundMember[] {
  return participants.slice(0, maxMembers).flatMap((participant) => {
    const address = memberAddress(participant)
    // One that could not be added is listed with the reason.
    if (address === null || participant.attrs.error !== undefined) return []
    return [{ address, role: roleOf(participant) }]
  })
}

function ownRole(participants: readonly Stanza[], own: OwnNames): FoundMember['role'] | null {
  const mine = participants.find(({ attrs }) => isOwn(own, attrs.jid, attrs.phone_number, attrs.lid))
  return mine ? roleOf(mine) : null
}

/** `superadmin` is the person who made the group. */
function roleOf({ attrs }: Stanza): FoundMember['role'] {
  if (attrs.type === 'superadmin') return 'owner'
  return attrs.type === 'admin' ? 'admin' : 'member'
}
