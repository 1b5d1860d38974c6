import { noteContact, withNews } from '../../messages/contacts/contact-store.ts'
import {
  isForeign,
  type OfTurn,
  type StoreFunctions,
  type Transaction,
  transaction,
} from '../../store/store.ts'

/*
 * The subject of a group is kept as the name of its address, beside the names of people: a conversation in a group is then called like the
 * group, and never like the person who wrote last.
 */

export interface GroupName {
  readonly address: string
  readonly subject: string
}

/** An instance and the room that its organization has, as those who keep names of groups say. */
interface GroupNaming extends OfTurn {
  readonly instanceId: string
  /** Addresses that the organization may have; null for any number. */
  readonly limit: number | null
  readonly now: number
}

/** The facts of an instance that events of its groups have. */
export interface NamedInstance {
  readonly id: string
  readonly organization_id: string
  readonly name: string
  readonly metadata: string
}

/** Finds an instance that is not being removed, for a turn that may know of it. */
export async function instanceOfGroups(
  tx: Transaction,
  { instanceId, ...turn }: Pick<GroupNaming, 'instanceId' | 'turn'>,
): Promise<NamedInstance | undefined> {
  const found = await tx.first(
    tx.sql
      .selectFrom('instances')
      .select(['id', 'organization_id', 'name', 'metadata'])
      .where('id', '=', instanceId)
      .where('wanted', '!=', 'removed'),
  )
  return found && !isForeign(turn, found.organization_id) ? found : undefined
}

/** Keeps the subjects of groups that have others now, or none. */
export async function nameGroups(
  tx: Transaction,
  { id: instance, organization_id: organization }: NamedInstance,
  groups: readonly GroupName[],
  { limit, now }: Pick<GroupNaming, 'limit' | 'now'>,
): Promise<void> {
  const last = new Map(groups.map(({ address, subject }) => [address, subject]))
  const told = [...last].map(([address, name]) => ({ address, name, username: null }))
  if (told.length === 0) return
  for (const { address, ...names } of await withNews(tx, instance, told, now))
    await noteContact(
      tx,
      { instance, organization, limit },
      { addresses: [address], wroteAt: null, names },
      now,
    )
}

/** Keeps the subjects of groups that a network showed. */
export const recordGroupNames = transaction(
  'groups.name',
  async (tx, args: GroupNaming & { readonly groups: readonly GroupName[] }): Promise<void> => {
    const instance = await instanceOfGroups(tx, args)
    if (instance) await nameGroups(tx, instance, args.groups, args)
  },
  { isToldTurn: true },
)

export const groupNameFunctions: StoreFunctions = { reads: [], transactions: [recordGroupNames] }
