import { notify } from '../accounts/device-list.ts'
import { Group } from '../messages/group.ts'
import type { WhatsApp } from '../whatsapp.ts'
import { type Node, node } from '../wire/node.ts'

interface Membership {
  readonly group: string
  readonly person: string
  /** The clients of the members are not told. */
  readonly isUntold?: boolean
}

let lastGroup = 120_363_000_000_000_000n

/** Events in the life of groups. */
export const groupActions = {
  /** Returns the id of the group. */
  createGroup: (
    whatsapp: WhatsApp,
    wish: {
      readonly subject: string
      readonly members: readonly string[]
      readonly addressing?: 'lid' | 'pn'
    },
  ): string => {
    lastGroup += 1n
    const members = wish.members.map((pn) => whatsapp.directory.get(pn))
    const group = new Group(String(lastGroup), wish.subject, wish.addressing ?? 'lid', members)
    whatsapp.groups.set(group.id, group)
    return group.id
  },

  /** The creator adds a person to a group. */
  join: (whatsapp: WhatsApp, { group: id, person, isUntold }: Membership): void => {
    const group = groupOf(whatsapp, id)
    group.members.add(whatsapp.directory.get(person))
    if (!isUntold) tell(whatsapp, group, { change: 'add', person })
  },

  /** The creator removes a person from a group; the server still hands them its messages if they overhear it. */
  leave: (
    whatsapp: WhatsApp,
    { group: id, person, isUntold, overhears }: Membership & { readonly overhears?: boolean },
  ): void => {
    const group = groupOf(whatsapp, id)
    if (overhears) group.overhearing.add(whatsapp.directory.get(person))
    if (!isUntold) tell(whatsapp, group, { change: 'remove', person })
    group.members.delete(whatsapp.directory.get(person))
  },

  /** Messages in a group disappear after so many seconds from now on; 0 if they stay. */
  setExpiration: (
    whatsapp: WhatsApp,
    { group: id, seconds }: { readonly group: string; readonly seconds: number },
  ): void => {
    const group = groupOf(whatsapp, id)
    group.expiration = seconds
    const change = seconds > 0 ? node('ephemeral', { expiration: String(seconds) }) : node('not_ephemeral')
    tellAll(group, change)
  },

  /** A phone loses the key to the messages of a person's client in a group. */
  loseGroupKey: (
    { directory }: WhatsApp,
    wish: {
      readonly group: string
      readonly person: string
      readonly of: string
      readonly device: number
    },
  ): void => {
    const { lid: user } = directory.get(wish.of)
    directory.get(wish.person).phone.forgetGroupKeys(wish.group, { user, device: wish.device })
  },
}

function groupOf({ groups }: WhatsApp, id: string): Group {
  const group = groups.get(id)
  if (!group) throw new Error(`There is no group ${id}.`)
  return group
}

/** Tells the clients of every member what has changed. */
function tell(
  { directory }: WhatsApp,
  group: Group,
  { change, person }: { readonly change: 'add' | 'remove'; readonly person: string },
): void {
  const account = directory.get(person)
  const { server, addressing } = group
  const other = addressing === 'lid' ? 'phone_number' : 'lid'
  const participant = node('participant', { jid: account.jid(server), [other]: account.otherJid(server) })
  tellAll(group, node(change, {}, [participant]))
}

function tellAll({ jid, creator, server, addressing, members }: Group, change: Node): void {
  const attributes = {
    type: 'w:gp2',
    from: jid,
    participant: creator.jid(server),
    addressing_mode: addressing,
  }
  for (const member of members) notify(member, attributes, [change])
}
