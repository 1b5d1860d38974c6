import { batchStatement } from '../../store/statement.ts'
import type { Reader } from '../../store/store.ts'
import { type PersonNames, unnamed } from './contact.ts'
import type { AddressAt } from './contact-store.ts'

/** A person as they are known by an address. */
export interface KnownPerson extends PersonNames {
  /** Their other addresses. */
  readonly others: readonly string[]
}

const selectPeople = batchStatement<AddressAt>({ instance: 'text', address: 'text' })((sql, given) =>
  sql
    .selectFrom('contact_addresses')
    .innerJoin('contact_addresses as other', (join) =>
      join
        .onRef('other.instance_id', '=', 'contact_addresses.instance_id')
        .onRef('other.contact', '=', 'contact_addresses.contact'),
    )
    .select(['contact_addresses.instance_id as instance', 'contact_addresses.address'])
    .select(['other.address as other', 'other.name', 'other.username'])
    .where('contact_addresses.instance_id', '=', given('instance'))
    .where('contact_addresses.address', '=', given('address')),
)

/** Looks for the people with these addresses, in one statement; the function that it resolves with finds each. */
export async function peopleAt(
  reader: Reader,
  addresses: readonly AddressAt[],
): Promise<(at: AddressAt) => KnownPerson> {
  const keyOf = ({ instance, address }: AddressAt) => `${instance} ${address}`
  const found = Map.groupBy(await reader.allForEach(selectPeople, addresses), keyOf)
  return (at) => {
    const rows = found.get(keyOf(at)) ?? []
    const { name, username } = rows[0] ?? unnamed
    return { name, username, others: rows.map(({ other }) => other).filter((other) => other !== at.address) }
  }
}
