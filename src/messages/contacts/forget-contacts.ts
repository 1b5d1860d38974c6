import { isForeign, type OfTurn, type StoreFunctions, transaction } from '../../store/store.ts'
import { removeAddresses } from './contact-store.ts'

/** Forgets the contacts of an instance, at most `limit` addresses at a time; returns how many it forgot. */
export const forgetContacts = transaction(
  'contacts.forget',
  async (tx, args: { instanceId: string; limit: number } & OfTurn): Promise<number> => {
    const { instanceId, limit } = args
    const some = tx.sql
      .selectFrom('contact_addresses')
      .select(['instance_id as instance', 'organization_id as organization', 'address'])
      .where('instance_id', '=', instanceId)
      .orderBy('address')
      .limit(limit)
    const rows = (await tx.all(some)).filter(({ organization }) => !isForeign(args, organization))
    await removeAddresses(tx, rows)
    return rows.length
  },
  { isToldTurn: true },
)

/** The address after which a search for old ones continues. */
export interface ContactPosition {
  readonly instance: string
  readonly address: string
}

/**
 * Forgets addresses that the network has not told since `before`, and those of instances that are gone. Looks at `limit` of them after a
 * position; returns where to go on, or null at the end.
 */
export const forgetOldContacts = transaction(
  'contacts.forget-old',
  async (
    tx,
    { before, after, limit }: { before: number; after: ContactPosition; limit: number },
  ): Promise<ContactPosition | null> => {
    const rows = await tx.all(
      tx.sql
        .selectFrom('contact_addresses')
        .leftJoin('instances', 'instances.id', 'contact_addresses.instance_id')
        .select([
          'contact_addresses.instance_id as instance',
          'contact_addresses.organization_id as organization',
          'address',
          'told_at',
          'forget_below',
          'instances.id as there',
        ])
        .where((eb) =>
          eb(
            eb.refTuple('contact_addresses.instance_id', 'address'),
            '>',
            eb.tuple(after.instance, after.address),
          ),
        )
        .orderBy('contact_addresses.instance_id')
        .orderBy('address')
        .limit(limit),
    )
    const old = rows.filter(
      ({ told_at, there, forget_below }) => there === null || (told_at < before && forget_below === null),
    )
    await removeAddresses(tx, old)
    const last = rows.at(-1)
    return rows.length < limit || !last ? null : { instance: last.instance, address: last.address }
  },
)

export const forgetContactsFunctions: StoreFunctions = {
  reads: [],
  transactions: [forgetContacts, forgetOldContacts],
}
