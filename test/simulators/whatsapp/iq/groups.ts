import { parseJid } from '../accounts/jid.ts'
import type { Group } from '../messages/group.ts'
import { type Node, node } from '../wire/node.ts'
import { type Answer, firstChild, type Question } from './question.ts'

/** Answers who is in a group, to those who are in it. */
export function answerGroup({ whatsapp, connection, iq }: Question): Answer | undefined {
  const { account } = connection
  const { user } = parseJid(iq.attrs.to ?? '')
  if (!account) return { code: 401, text: 'not-authorized' }
  switch (firstChild(iq)?.tag) {
    case 'query': {
      const group = whatsapp.groups.get(user)
      if (!group) return { code: 404, text: 'item-not-found' }
      return group.members.has(account) ? [groupNode(group)] : { code: 403, text: 'forbidden' }
    }
    case 'participating': {
      const groups = [...whatsapp.groups.values()].filter(({ members }) => members.has(account))
      return [node('groups', {}, groups.map(groupNode))]
    }
    default:
      return undefined
  }
}

function groupNode(group: Group): Node {
  const { addressing, creator, members, expiration } = group
  const participants = [...members].map((member) => {
    const admin: Record<string, string> = member === creator ? { type: 'superadmin' } : {}
    const other = addressing === 'lid' ? 'phone_number' : 'lid'
    const jid = member.jid(group.server)
    return node('participant', { jid, [other]: member.otherJid(group.server), ...admin })
  })
  const attributes = {
    id: group.id,
    subject: group.subject,
    creation: String(group.created),
    s_t: String(group.created),
    creator: creator.jid(group.server),
    addressing_mode: addressing,
  }
  const ephemeral = expiration > 0 ? [node('ephemeral', { expiration: String(expiration) })] : []
  return node('group', attributes, [...participants, ...ephemeral])
}
