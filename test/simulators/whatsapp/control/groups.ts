import { areTaken } from '../accounts/device-list.ts'
import { stamp } from '../connection.ts'
import { Group, type GroupTraits, newGroupId } from '../messages/group.ts'
import { comeIn, goOut, tellOfGroup } from '../messages/group-news.ts'
import { participantNode } from '../messages/group-nodes.ts'
import { askToJoin, endRequest } from '../messages/join-requests.ts'
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

/** Events in the life of groups. They are over when the connected clients of its members know of them. */
export const groupActions = {
  /** Returns the id of the group. */
  createGroup: (
    whatsapp: WhatsApp,
    wish: {
      readonly subject: string
      readonly members: readonly string[]
      readonly addressing?: 'lid' | 'pn'
      readonly admins?: readonly string[]
      readonly description?: string
      readonly traits?: Partial<GroupTraits>
    },
  ): string => {
    const members = wish.members.map((pn) => whatsapp.directory.get(pn))
    const group = new Group(newGroupId(), wish.subject, wish.addressing ?? 'lid', members)
    Object.assign(group.traits, wish.traits)
    for (const admin of wish.admins ?? []) group.admins.add(whatsapp.directory.get(admin))
    group.description = wish.description ?? ''
    whatsapp.groups.set(group.id, group)
    return group.id
  },

  /** The creator adds a person to a group. */
  join: async (whatsapp: WhatsApp, { group: id, person, isUntold }: Membership): Promise<void> => {
    const group = groupOf(whatsapp, id)
    const account = whatsapp.directory.get(person)
    if (isUntold) group.members.add(account)
    else await areTaken(whatsapp, comeIn(group, account, group.creator))
  },

  /** A person asks to join a group, or no longer does. */
  ask: async (whatsapp: WhatsApp, { group: id, person }: Membership): Promise<void> => {
    await areTaken(whatsapp, askToJoin(groupOf(whatsapp, id), whatsapp.directory.get(person)))
  },
  withdraw: async (whatsapp: WhatsApp, { group: id, person }: Membership): Promise<void> => {
    const account = whatsapp.directory.get(person)
    await areTaken(whatsapp, endRequest(groupOf(whatsapp, id), account, account))
  },

  /** A person gives a group another subject. */
  rename: async (
    whatsapp: WhatsApp,
    wish: { readonly group: string; readonly person: string; readonly subject: string },
  ): Promise<void> => {
    const group = groupOf(whatsapp, wish.group)
    group.subject = wish.subject
    const change = node('subject', { subject: wish.subject, s_t: stamp() })
    await tellAll(whatsapp, group, change, whatsapp.directory.get(wish.person))
  },

  /** The creator makes a person an admin. */
  promote: async (whatsapp: WhatsApp, { group: id, person }: Membership): Promise<void> => {
    const group = groupOf(whatsapp, id)
    const account = whatsapp.directory.get(person)
    group.admins.add(account)
    await tellAll(whatsapp, group, node('promote', {}, [participantNode(group, account)]))
  },

  /** Tells the members of a group of any change, so often. Nothing of the kind happened. */
  pretendChange: (
    whatsapp: WhatsApp,
    wish: { readonly group: string; readonly changes: readonly WrittenNode[]; readonly times?: number },
  ): void => {
    const group = groupOf(whatsapp, wish.group)
    const changes = wish.changes.map(nodeOf)
    for (let time = 0; time < (wish.times ?? 1); time++)
      tellOfGroup(group, group.members, group.creator, changes)
  },

  /** Returns the members of a group, its admins, and what it says of itself. */
  groupState: (whatsapp: WhatsApp, { group: id }: { readonly group: string }) => {
    const { members, admins, subject, description, code, traits } = groupOf(whatsapp, id)
    return {
      members: [...members].map(({ pn }) => pn),
      admins: [...admins].map(({ pn }) => pn),
      subject,
      description,
      needsApproval: traits.needsApproval,
      code,
    }
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

  /** The next time that a client of `asker` asks about groups, the creator describes this one before the answer comes. */
  describeBeforeAnswer: (
    whatsapp: WhatsApp,
    wish: { readonly asker: string; readonly group: string; readonly description: string },
  ): void => {
    const group = groupOf(whatsapp, wish.group)
    const act = async () => {
      group.description = wish.description
      group.descriptionId += 'x'
    }
    whatsapp.directory.get(wish.asker).beforeAnswer = { xmlns: 'w:g2', act }
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
  const account = whatsapp.directory.get(person)
  if (overhears) group.overhearing.add(account)
  if (isUntold) group.members.delete(account)
  // The clients of the person who leaves are told, too.
  else await areTaken(whatsapp, goOut(group, account, group.creator))
}

function groupOf({ groups }: WhatsApp, id: string): Group {
  const group = groups.get(id)
  if (!group) throw new Error(`There is no group ${id}.`)
  return group
}

/** Tells the clients of every member what the creator, or another, has changed. Resolves when those that are connected know it. */
function tellAll(whatsapp: WhatsApp, group: Group, change: Node, by = group.creator): Promise<void> {
  return areTaken(whatsapp, tellOfGroup(group, group.members, by, [change]))
}

/** A node as tests write it down. */
interface WrittenNode {
  readonly tag: string
  readonly attrs?: Readonly<Record<string, string>>
  readonly children?: readonly WrittenNode[]
}

function nodeOf({ tag, attrs = {}, children }: WrittenNode): Node {
  return node(tag, attrs, children?.map(nodeOf))
}
