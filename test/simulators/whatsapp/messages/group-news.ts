import type { Account } from '../accounts/account.ts'
import { type Notice, notify } from '../accounts/device-list.ts'
import { phoneServer } from '../accounts/jid.ts'
import { type Node, node } from '../wire/node.ts'
import type { Group } from './group.ts'
import { groupNode, participantNode } from './group-nodes.ts'

/** Tells all clients of these people what a person changed in a group. */
export function tellOfGroup(
  group: Group,
  people: Iterable<Account>,
  by: Account,
  changes: readonly Node[],
): Notice[] {
  const { jid, server, addressing } = group
  const attributes = {
    type: 'w:gp2',
    from: jid,
    participant: by.jid(server),
    ...(server !== phoneServer && !by.traits.hidesNumber && { participant_pn: by.otherJid(server) }),
    addressing_mode: addressing,
  }
  return [...people].flatMap((person) => notify(person, attributes, changes))
}

/** A person is in the group from now on: they are told of all of it, and the others of them. */
export function comeIn(group: Group, person: Account, by: Account, reason?: string): Notice[] {
  const others = [...group.members]
  group.members.add(person)
  const why = reason === undefined ? {} : { reason }
  return [
    ...tellOfGroup(group, others, by, [node('add', why, [participantNode(group, person)])]),
    ...tellOfGroup(group, [person], by, [node('create', why, [groupNode(group)])]),
  ]
}

/** A person is no longer in the group; their clients are told, too. */
export function goOut(group: Group, person: Account, by: Account): Notice[] {
  const told = tellOfGroup(group, group.members, by, [node('remove', {}, [participantNode(group, person)])])
  group.members.delete(person)
  group.admins.delete(person)
  return told
}
