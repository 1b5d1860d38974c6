import type { MemberAction } from '../../../contract/statuses.ts'
import type { GroupChanged } from '../../driver/abilities/groups.ts'
import type { MessageReceived } from '../../driver/observation.ts'
import { parseAddress, senderAt } from '../address.ts'
import { maxPlayedMembers, type PlayedGroup } from './group-world.ts'
import { changeMembersOf } from './members.ts'

/*
 * Words by which a text to a group has its members change it, so that one can see what Posthorn tells of that.
 */

const memberChanges = {
  add: 'members_added',
  remove: 'members_removed',
  promote: 'members_promoted',
  demote: 'members_demoted',
} as const satisfies Record<MemberAction, GroupChanged['change']>

/** Has the members of a group do what a text says, and returns what happened; null for nothing. */
export function obeyWords(
  group: PlayedGroup,
  { id, text, at }: { id: string; text: string; at: number },
): GroupChanged | MessageReceived | null {
  const [word = '', ...others] = text.split(' ')
  const rest = others.join(' ').trim()
  const by = [...group.members.keys()][0] ?? null
  const changed = (change: Omit<GroupChanged, 'kind' | 'group' | 'by' | 'at'>): GroupChanged => ({
    ...{ kind: 'group-changed', group: group.address, ...change, by, at },
  })
  switch (word) {
    case '/rename':
      if (rest === '') return null
      group.subject = rest.slice(0, 100)
      return changed({ change: 'renamed', subject: group.subject })
    case '/kick':
      group.role = null
      return changed({ change: 'account_left' })
    case '/invite':
      group.role ??= 'member'
      return changed({ change: 'account_joined', subject: group.subject })
    case '/say':
      if (by === null) return null
      return {
        ...{
          kind: 'message-received',
          network_message_id: `said-${id}`,
          from: by,
          conversation: group.address,
        },
        ...{ at, text: rest, file: null, content: { sender: senderAt(by) } },
      }
  }
  const person = parseAddress(rest)
  if (word === '/ask' && person.ok && !group.members.has(person.address)) {
    if (group.requests.size >= maxPlayedMembers) return null
    group.requests.set(person.address, at)
    return changed({ change: 'join_requested', members: [person.address] })
  }
  if (word === '/withdraw' && person.ok && group.requests.delete(person.address))
    return changed({ change: 'join_request_withdrawn', members: [person.address] })
  const action = (Object.keys(memberChanges) as MemberAction[]).find((one) => word === `/${one}`)
  if (!action || !person.ok) return null
  const { done } = changeMembersOf(group, { action, members: [person.address] })
  return done.length > 0 ? changed({ change: memberChanges[action], members: done }) : null
}
