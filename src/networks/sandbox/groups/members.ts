import type { MemberChange, RequestAnswer } from '../../driver/abilities/groups.ts'
import type { NetworkError } from '../../driver/outcome.ts'
import { scriptOf } from '../address.ts'
import { errorOf } from '../codes.ts'
import { maxPlayedMembers, type PlayedGroup } from './group-world.ts'

/** Changes members one by one; a person whose network never answers is left out. */
export function changeMembersOf(
  group: PlayedGroup,
  { action, members }: MemberChange,
): { results: { address: string; error: NetworkError | null }[]; done: string[] } {
  const done: string[] = []
  const results = members.flatMap((address) => {
    const fate = action === 'add' ? fateOf(address) : 'done'
    if (fate === 'silent' || fate === 'lost') return []
    const error = typeof fate === 'object' ? fate : changeOne(group, action, address)
    if (!error) done.push(address)
    return fate === 'arrived' || fate === 'dropped' ? [] : [{ address, error }]
  })
  return { results, done }
}

function changeOne(
  { members }: PlayedGroup,
  action: MemberChange['action'],
  address: string,
): NetworkError | null {
  const role = members.get(address)
  if (action === 'add') {
    if (members.size >= maxPlayedMembers) return errorOf('group_full', true)
    members.set(address, role ?? 'member')
    return null
  }
  if (!role) return errorOf('not_a_member', true)
  if (role === 'owner') return errorOf('not_admin', true)
  if (action === 'remove') members.delete(address)
  else members.set(address, action === 'promote' ? 'admin' : 'member')
  return null
}

/** Lets people in who asked to join, or declines. */
export function answerRequestsOf(
  { members, requests }: PlayedGroup,
  { action, people }: RequestAnswer,
): { results: { address: string; error: NetworkError | null }[]; done: string[] } {
  const results = people.map((address) => {
    if (!requests.has(address)) return { address, error: errorOf('not_asked_to_join', true) }
    if (action === 'approve' && members.size >= maxPlayedMembers)
      return { address, error: errorOf('group_full', true) }
    requests.delete(address)
    if (action === 'approve') members.set(address, 'member')
    return { address, error: null }
  })
  return { results, done: results.flatMap(({ address, error }) => (error ? [] : [address])) }
}

/** Adding a person to a group goes as sending them a message does. */
type Fate = 'done' | 'silent' | 'lost' | 'arrived' | 'dropped' | NetworkError

export function fateOf(address: string): Fate {
  const answer = scriptOf(address)?.answers[0]
  switch (answer?.kind) {
    case undefined:
      return errorOf('recipient_unknown', true)
    case 'refuses':
    case 'defers':
      return answer.error
    case 'silent':
      return 'silent'
    case 'drops':
      return 'dropped'
    case 'uncertain':
      return answer.arrives ? 'arrived' : 'lost'
    case 'accepts':
      return 'done'
  }
}
