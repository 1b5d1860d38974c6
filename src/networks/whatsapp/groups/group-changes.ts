import type { GroupChange } from '../../../contract/statuses.ts'
import type { GroupChanged } from '../../driver/abilities/groups.ts'
import { addressOf, jidOf } from '../address.ts'
import type { OwnNames } from '../incoming/receipts.ts'
import { firstPart, partsOf, type Stanza, timeIn } from '../incoming/stanza.ts'
import { groupAddress, groupIn, isOwn, maxMembers, memberAddress, personOf, subjectIn } from './group-node.ts'
import { askersIn } from './join-requests.ts'

/** Changes in one notification: WhatsApp tells of one. */
const maxChanges = 8

/** Changes of members: what they mean for others, and for the account. */
const memberChanges: Readonly<Record<string, readonly [others: GroupChange, own: GroupChange]>> = {
  add: ['members_added', 'account_joined'],
  remove: ['members_removed', 'account_left'],
  leave: ['members_removed', 'account_left'],
  promote: ['members_promoted', 'changed'],
  demote: ['members_demoted', 'changed'],
}

/** News of requests to join: of the person who asks, and of administrators. A request that was declined is over, too. */
const requestChanges: Readonly<Record<string, GroupChange>> = {
  created_membership_requests: 'join_requested',
  membership_approval_request: 'join_requested',
  revoked_membership_requests: 'join_request_withdrawn',
}

/** Changes that have no name of their own (`parseGroupChange` of whatsmeow). */
const otherChanges = new Set([
  'announcement',
  'description',
  'ephemeral',
  'invite',
  'locked',
  'member_add_mode',
  'membership_approval_mode',
  'modify',
  'not_announcement',
  'not_ephemeral',
  'suspended',
  'unlocked',
  'unsuspended',
])

/** Facts that a notification does not say. */
export interface GroupKnowledge {
  readonly own: OwnNames
  /** Milliseconds since the epoch. */
  readonly now?: number
  /** True for a community, or its announcements: they are no groups. */
  readonly isCommunity: (address: string) => boolean
  /** Hears of a community. */
  readonly onCommunity: (address: string) => void
}

type Base = Pick<GroupChanged, 'kind' | 'group' | 'by' | 'at'>

/**
 * Returns the changes that a notification about a group (`w:gp2`) tells of. Pure and bounded, with any content: an account may be in groups of
 * people whom it does not know.
 */
export function groupChangesIn(stanza: Stanza, known: GroupKnowledge): GroupChanged[] {
  const { now = Date.now(), own } = known
  const group = groupAddress(stanza.attrs.from)
  if (group === null) return []
  const { participant, participant_pn, t } = stanza.attrs
  const by = isOwn(own, participant, participant_pn)
    ? addressOf(own.number)
    : personOf(participant, participant_pn)
  const base: Base = { kind: 'group-changed', group, by, at: timeIn(t, now) ?? now }
  const changes = partsOf(stanza).slice(0, maxChanges)
  const told = changes.flatMap((change) => changesOf(change, base, known))
  return known.isCommunity(group) ? [] : told
}

function changesOf(change: Stanza, base: Base, known: GroupKnowledge): GroupChanged[] {
  if (change.tag === 'create') return entered(change, base, known)
  if (change.tag === 'subject') {
    const subject = subjectIn(change.attrs.subject)
    return [{ ...base, change: 'renamed', ...(subject !== null && { subject }) }]
  }
  if (change.tag === 'delete') return [{ ...base, change: 'account_left' }]
  if (Object.hasOwn(memberChanges, change.tag)) return membersChanged(change, base, known.own)
  if (Object.hasOwn(requestChanges, change.tag)) return requested(change, base, known.own)
  return otherChanges.has(change.tag) ? [{ ...base, change: 'changed' }] : []
}

/** The account is in a group that it was not in: it made it, was added, or followed a link. */
function entered(change: Stanza, base: Base, { own, onCommunity }: GroupKnowledge): GroupChanged[] {
  const stanza = firstPart(change, 'group')
  const told = stanza && groupIn({ ...stanza, attrs: { ...stanza.attrs, id: base.group } }, { own })
  if (told?.kind === 'community') onCommunity(base.group)
  if (told?.kind !== 'group') return []
  const isMade = change.attrs.type === 'new' && base.by === addressOf(own.number)
  const { subject } = told.group
  return [{ ...base, change: isMade ? 'created' : 'account_joined', ...(subject !== null && { subject }) }]
}

/** The account's own requests are no news of others. */
function requested(change: Stanza, base: Base, own: OwnNames): GroupChanged[] {
  const kind = requestChanges[change.tag]
  const members = askersIn(change, base.by ?? null).filter((address) => !isOwn(own, jidOf(address)))
  return kind && members.length > 0 ? [{ ...base, change: kind, members }] : []
}

function membersChanged(change: Stanza, base: Base, own: OwnNames): GroupChanged[] {
  const [others, mine] = memberChanges[change.tag] ?? ['changed', 'changed']
  const participants = partsOf(change, 'participant').slice(0, maxMembers)
  const isMine = ({ attrs }: Stanza) => isOwn(own, attrs.jid, attrs.phone_number, attrs.lid)
  const members = new Set(
    participants
      .filter((participant) => !isMine(participant))
      .map(memberAddress)
      .filter((address) => address !== null),
  )
  return [
    ...(participants.some(isMine) ? [{ ...base, change: mine }] : []),
    ...(members.size > 0 ? [{ ...base, change: others, members: [...members] }] : []),
  ]
}
