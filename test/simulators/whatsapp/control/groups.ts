import { areTaken, notify } from '../accounts/device-list.ts'
import { Group } from '../messages/group.ts'
import type { WhatsApp } from '../whatsapp.ts'
import { type Node, node } from '../wire/node.ts'

interface Membership {
  readonly group: string
  readonly person: string
  /** The clients of the members are not told. */
  readonly isUntold?: boolean
}

interface Leaving extends Membership {
  /** The server still hands them the messages of the group. */
  readonly overhears?: boolean
}

let lastGroup = 120_363_000_000_000_000n

/** Events in the life of groups. They are over when the connected clients of its members know of them. */
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
  join: async (whatsapp: WhatsApp, { group: id, person, isUntold }: Membership): Promise<void> => {
    const group = groupOf(whatsapp, id)
    group.members.add(whatsapp.directory.get(person))
    if (!isUntold) await tell(whatsapp, group, { change: 'add', person })
  },

  /** The creator removes a person from a group. */
  leave,

  /**
   * The next time that a client of `asker` asks something in this namespace, a person leaves before the answer comes, which is of the
   * time before.
   */
  leaveBeforeAnswer: (
    whatsapp: WhatsApp,
    { asker, xmlns, ...leaving }: Leaving & { readonly asker: string; readonly xmlns: string },
  ): void => {
    whatsapp.directory.get(asker).beforeAnswer = { xmlns, act: () => leave(whatsapp, leaving) }
  },

  /** Messages in a group disappear after so many seconds from now on; 0 if they stay. */
  setExpiration: async (
    whatsapp: WhatsApp,
    { group: id, seconds }: { readonly group: string; readonly seconds: number },
  ): Promise<void> => {
    const group = groupOf(whatsapp, id)
    group.expiration = seconds
    const change = seconds > 0 ? node('ephemeral', { expiration: String(seconds) }) : node('not_ephemeral')
    await tellAll(whatsapp, group, change)
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

async function leave(whatsapp: WhatsApp, { group: id, person, isUntold, overhears }: Leaving): Promise<void> {
  const group = groupOf(whatsapp, id)
  if (overhears) group.overhearing.add(whatsapp.directory.get(person))
  // The clients of the person who leaves are told, too.
  const told = isUntold ? undefined : tell(whatsapp, group, { change: 'remove', person })
  group.members.delete(whatsapp.directory.get(person))
  await told
}

function groupOf({ groups }: WhatsApp, id: string): Group {
  const group = groups.get(id)
  if (!group) throw new Error(`There is no group ${id}.`)
  return group
}

/** Tells the clients of every member who came or went. */
function tell(
  whatsapp: WhatsApp,
  group: Group,
  { change, person }: { readonly change: 'add' | 'remove'; readonly person: string },
): Promise<void> {
  const account = whatsapp.directory.get(person)
  const { server, addressing } = group
  const other = addressing === 'lid' ? 'phone_number' : 'lid'
  const participant = node('participant', { jid: account.jid(server), [other]: account.otherJid(server) })
  return tellAll(whatsapp, group, node(change, {}, [participant]))
}

/** Tells the clients of every member what has changed. Resolves when those that are connected know it. */
function tellAll(whatsapp: WhatsApp, group: Group, change: Node): Promise<void> {
  const { jid, creator, server, addressing, members } = group
  const attributes = {
    type: 'w:gp2',
    from: jid,
    participant: creator.jid(server),
    addressing_mode: addressing,
  }
  const notices = [...members].flatMap((member) => notify(member, attributes, [change]))
  return areTaken(whatsapp, notices)
}
