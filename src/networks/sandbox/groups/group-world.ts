import { randomUUID } from 'node:crypto'
import type { GroupRole } from '../../../contract/statuses.ts'
import type { FoundGroup, NewGroup } from '../../driver/abilities/groups.ts'
import { addressOf, nameIn, senderAt } from '../address.ts'

/*
 * The groups of the sandbox, in memory: each account has its own, so no organization sees those of another. Every address of a group is a
 * group from the start, as every address of a person is a person.
 */

/** A group as an account sees it. */
export interface PlayedGroup {
  readonly address: string
  subject: string
  description: string | null
  readonly created_at: number
  /** The roles of its members by their addresses, without the account. */
  readonly members: Map<string, GroupRole>
  /** The role of the account; null if it is not in the group. */
  role: GroupRole | null
  /** True if people join only after they are let in. */
  readonly approval: boolean
  /** The times at which people asked to join, by their addresses. */
  readonly requests: Map<string, number>
  /** Counts its invite links; only the last one works. */
  link: number
}

/** Groups that an account may be in, and members of one. */
export const maxPlayedGroups = 200
export const maxPlayedMembers = 256
/** Accounts whose groups are remembered; the one that was asked longest ago is forgotten first. */
const maxAccounts = 1_000

/** The groups that every account is in from the start. */
const usualGroups = ['family', 'team']

/** The groups of all accounts of one driver. */
export class GroupWorld {
  readonly #accounts = new Map<string, Map<string, PlayedGroup>>()

  /** The groups of an account that were ever asked about. */
  of(instance: string): Map<string, PlayedGroup> {
    const known = this.#accounts.get(instance)
    const groups = known ?? new Map<string, PlayedGroup>()
    this.#accounts.delete(instance)
    this.#accounts.set(instance, groups)
    if (!known) for (const name of usualGroups) groupIn(groups, addressOf(name, 'group'))
    if (this.#accounts.size > maxAccounts) this.#accounts.delete(this.#accounts.keys().next().value as string)
    return groups
  }

  /** True if the account has left this group. */
  hasLeft(instance: string, address: string): boolean {
    return this.#accounts.get(instance)?.get(address)?.role === null
  }
}

/** A group of an account; one that was never asked about has Ana and Bo in it. */
export function groupIn(groups: Map<string, PlayedGroup>, address: string): PlayedGroup {
  const known = groups.get(address)
  if (known) return known
  const { name } = senderAt(address)
  const made: PlayedGroup = {
    address,
    subject: name ?? address,
    description: null,
    approval: false,
    requests: new Map(),
    created_at: Date.UTC(2026, 0, 1),
    members: new Map([
      [addressOf('ana', 'delivers'), 'member'],
      [addressOf('bo', 'delivers'), 'owner'],
    ]),
    role: 'admin',
    link: 1,
  }
  keep(groups, made)
  return made
}

/** Makes a group that the account owns. */
export function makeGroup(
  groups: Map<string, PlayedGroup>,
  { subject, description, approval = false, members, at }: NewGroup & { readonly at: number },
): PlayedGroup {
  const made: PlayedGroup = {
    address: addressOf(`g${randomUUID().slice(0, 8)}`, 'group'),
    subject,
    description: description || null,
    approval,
    requests: new Map(),
    created_at: at,
    members: new Map(members.map((address) => [address, 'member'])),
    role: 'owner',
    link: 1,
  }
  keep(groups, made)
  return made
}

/** Forgets the oldest of more than an account may have. */
function keep(groups: Map<string, PlayedGroup>, group: PlayedGroup): void {
  groups.set(group.address, group)
  if (groups.size > 2 * maxPlayedGroups) groups.delete(groups.keys().next().value as string)
}

/** The group as a driver shows it; with its members if the account's address is given. */
export function foundGroup(group: PlayedGroup, account?: string): FoundGroup {
  const { address, subject, description, approval, created_at, role } = group
  const others = [...group.members].map(([member, its]) => ({
    address: member,
    name: nameIn(member),
    role: its,
  }))
  const own = account !== undefined && role ? [{ address: account, name: nameIn(account), role }] : []
  return {
    ...{ address, subject, description, approval, created_at, role },
    size: others.length + (role ? 1 : 0),
    ...(account !== undefined && { members: [...own, ...others] }),
  }
}
