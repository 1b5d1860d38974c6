import type { Account } from '../accounts/account.ts'
import { lidServer } from '../accounts/jid.ts'
import { type Node, node } from '../wire/node.ts'
import type { Group } from './group.ts'

const approvalMode = node('membership_approval_mode', {}, [node('group_join', { state: 'on' })])

/** A group as the server tells of it. */
export function groupNode(group: Group): Node {
  const { addressing, creator, members, expiration, description, traits } = group
  const participants = [...members].map((member) => participantNode(group, member, roleOf(group, member)))
  const phantoms = Array.from({ length: traits.phantoms }, (_, number) =>
    node('participant', { jid: `${1_000_000 + number}@lid` }),
  )
  const attributes = {
    id: group.id,
    subject: group.subject,
    creation: String(group.created),
    s_t: String(group.created),
    creator: creator.jid(group.server),
    addressing_mode: addressing,
    size: String(members.size + traits.phantoms),
  }
  const author = { participant: creator.jid(group.server), t: String(group.created), id: group.descriptionId }
  const more = [
    ...(expiration > 0 ? [node('ephemeral', { expiration: String(expiration) })] : []),
    ...(description === '' ? [] : [node('description', author, [node('body', {}, description)])]),
    ...(traits.community === 'parent' ? [node('parent')] : []),
    ...(traits.community === 'announcements' ? [node('default_sub_group'), node('announcement')] : []),
    ...(traits.isLocked ? [node('locked')] : []),
    ...(traits.needsApproval ? [approvalMode] : []),
  ]
  return node('group', attributes, participants.concat(phantoms, more))
}

function roleOf({ creator, admins }: Group, member: Account): Readonly<Record<string, string>> {
  if (member === creator) return { type: 'superadmin' }
  return admins.has(member) ? { type: 'admin' } : {}
}

/** A member as a group names it. A person who hides the number is named by the LID alone. */
export function participantNode(
  { server, addressing }: Group,
  member: Account,
  more: Readonly<Record<string, string>> = {},
  content?: readonly Node[],
): Node {
  const other = addressing === 'lid' ? 'phone_number' : 'lid'
  const isHidden = member.traits.hidesNumber && server === lidServer
  const jids = { jid: member.jid(server), ...(!isHidden && { [other]: member.otherJid(server) }) }
  return node('participant', { ...jids, ...more }, content)
}
