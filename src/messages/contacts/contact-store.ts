import { batchOf, batchStatement, statement } from '../../store/statement.ts'
import { type Reader, read, type StoreFunctions, type Transaction } from '../../store/store.ts'
import {
  type ContactAddress,
  type ContactTold,
  contactAddresses,
  contactAfter,
  contactsIn,
  namesAfter,
  type PersonNames,
  unnamed,
} from './contact.ts'
import { carryChoice } from './marketing-choices.ts'
import { type LastWritten, neverWritten } from './reply-window.ts'

/** Addresses kept for one instance. Beyond that, new people are not known, and nothing else happens. */
export const keptAtMost = 200_000

/** Milliseconds between two notes that the network still tells of an address: retention needs no more precision. */
const toldAnew = 24 * 60 * 60_000

/** Most addresses that a list looks for. */
const maxInList = 64

/** The owner of contacts. */
export interface ContactPlace {
  readonly instance: string
  readonly organization: string
  /** Addresses that the organization may have: as many as incoming messages; null for any number. */
  readonly limit: number | null
}

/** An address as an instance knows it. */
export interface AddressAt {
  readonly instance: string
  readonly address: string
}

const written = ['instance_id', 'address', 'contact', 'wrote_at', 'told_at', 'name', 'username'] as const
const columns = [...written, 'forget_below'] as const

const selectAddress = batchStatement<AddressAt>({ instance: 'text', address: 'text' })((sql, given) =>
  sql
    .selectFrom('contact_addresses')
    .select(columns)
    .where('instance_id', '=', given('instance'))
    .where('address', '=', given('address')),
)

const selectContact = batchStatement({ instance: 'text', contact: 'text' })((sql, given) =>
  sql
    .selectFrom('contact_addresses')
    .select(columns)
    .where('instance_id', '=', given('instance'))
    .where('contact', '=', given('contact')),
)

const noteWritten = statement<{ instance: string; contact: string; at: number }>()((sql, argument) =>
  sql
    .updateTable('contact_addresses')
    .set({ wrote_at: argument('at') })
    .where('instance_id', '=', argument('instance'))
    .where('contact', '=', argument('contact')),
)

const noteNames = statement<PersonNames & { instance: string; contact: string }>()((sql, argument) =>
  sql
    .updateTable('contact_addresses')
    .set({ name: argument('name'), username: argument('username') })
    .where('instance_id', '=', argument('instance'))
    .where('contact', '=', argument('contact')),
)

const noteTold = batchStatement<AddressAt & { at: number }>({
  instance: 'text',
  address: 'text',
  at: 'bigint',
})((sql, given) =>
  sql
    .updateTable('contact_addresses')
    .set({ told_at: given('at') })
    .where('instance_id', '=', given('instance'))
    .where('address', '=', given('address')),
)

const insertAddress = batchOf('contact_addresses', [...written, 'organization_id'])((sql, row) =>
  sql.insertInto('contact_addresses').values(row),
)

const changeAddress = batchOf(
  'contact_addresses',
  written,
)((sql, { instance_id, address, ...change }) =>
  sql
    .updateTable('contact_addresses')
    .set(change)
    .where('instance_id', '=', instance_id)
    .where('address', '=', address),
)

const removeAddress = batchStatement<AddressAt>({ instance: 'text', address: 'text' })((sql, given) =>
  sql
    .deleteFrom('contact_addresses')
    .where('instance_id', '=', given('instance'))
    .where('address', '=', given('address')),
)

const selectCounts = statement<{ instance: string }>()((sql, argument) =>
  sql
    .selectFrom('instances')
    .innerJoin('organizations', 'organizations.id', 'instances.organization_id')
    .select(['instances.contact_addresses as own', 'organizations.contact_addresses as all'])
    .where('instances.id', '=', argument('instance')),
)

const changeOfInstance = batchStatement({ id: 'text', by: 'bigint' })((sql, given) =>
  sql
    .updateTable('instances')
    .set((eb) => ({ contact_addresses: eb('contact_addresses', '+', given('by')) }))
    .where('id', '=', given('id')),
)

const changeOfOrganization = batchStatement({ id: 'text', by: 'bigint' })((sql, given) =>
  sql
    .updateTable('organizations')
    .set((eb) => ({ contact_addresses: eb('contact_addresses', '+', given('by')) }))
    .where('id', '=', given('id')),
)

/** Counts addresses that were added, or removed with a `factor` of -1. */
async function count(
  tx: Transaction,
  rows: readonly { readonly instance: string; readonly organization: string }[],
  factor: 1 | -1,
): Promise<void> {
  const by = (key: 'instance' | 'organization') =>
    [...Map.groupBy(rows, (row) => row[key])].map(([id, own]) => ({ id, by: factor * own.length }))
  await tx.runForEach(changeOfInstance, by('instance'))
  await tx.runForEach(changeOfOrganization, by('organization'))
}

/** Keeps what the network told of one person, and returns all their addresses. `now` is in milliseconds since the epoch. */
export async function noteContact(
  tx: Transaction,
  place: ContactPlace,
  told: ContactTold,
  now: number,
): Promise<readonly string[]> {
  const { instance } = place
  const names = contactAddresses(told)
  const at = (address: string) => ({ instance, address })
  const found = await tx.allForEach(selectAddress, names.map(at))
  const isNews = found.length < names.length || found.some(({ contact }) => contact !== found[0]?.contact)
  const contacts = contactsIn(found, told).map((contact) => ({ instance, contact }))
  const known = await tx.allForEach(selectContact, contacts)
  if (isNews) return await keep(tx, place, { known, told, now })
  const wroteAt = known[0]?.wrote_at ?? null
  if (told.wroteAt !== null && (wroteAt === null || wroteAt < told.wroteAt))
    await tx.run(noteWritten, { instance, contact: known[0]?.contact ?? '', at: told.wroteAt })
  const named = namesAfter(known[0] ?? unnamed, told.names)
  if (known[0] && !isNamedSo(known[0], named))
    await tx.run(noteNames, { instance, contact: known[0].contact, ...named })
  const old = found.filter(({ told_at }) => told_at <= now - toldAnew)
  await tx.runForEach(
    noteTold,
    old.map(({ address }) => ({ ...at(address), at: now })),
  )
  return known.map(({ address }) => address)
}

function isNamedSo(known: PersonNames, { name, username }: PersonNames): boolean {
  return known.name === name && known.username === username
}

/** An address that is known, as it is stored. */
interface KnownAddress extends ContactAddress {
  readonly forget_below: number | null
}

interface News {
  readonly known: readonly KnownAddress[]
  readonly told: ContactTold
  readonly now: number
}

async function keep(tx: Transaction, place: ContactPlace, { known, told, now }: News): Promise<string[]> {
  const { instance } = place
  const { addresses: after, ...others } = contactAfter(known, told, now)
  // An address of a person who is being forgotten says what is left to be done, and stays until then.
  const dropped = others.dropped.filter(({ forget_below }) => forget_below === null)
  const isKnown = new Set(known.map(({ address }) => address))
  const { own, all } = (await tx.first(selectCounts, { instance })) ?? { own: keptAtMost, all: 0 }
  const room = Math.min(keptAtMost - own, (place.limit ?? Number.POSITIVE_INFINITY) - all)
  const added = after
    .filter(({ address }) => !isKnown.has(address))
    .slice(0, Math.max(0, room + dropped.length))
  const owner = { instance_id: instance, organization_id: place.organization }
  const row = (known: ContactAddress) => ({ ...owner, ...known })
  await tx.runForEach(
    removeAddress,
    dropped.map(({ address }) => ({ instance, address })),
  )
  await tx.runForEach(changeAddress, after.filter(({ address }) => isKnown.has(address)).map(row))
  await tx.runForEach(insertAddress, added.map(row))
  const one = { instance, organization: place.organization }
  if (added.length > 0)
    await count(
      tx,
      added.map(() => one),
      1,
    )
  if (dropped.length > 0)
    await count(
      tx,
      dropped.map(() => one),
      -1,
    )
  const names = after.map(({ address }) => address)
  if (names.length > 1) await carryChoice(tx, one, { addresses: names, taken: others.taken })
  return names
}

/** An address that a message came from, and what the network told with it. */
interface Told extends PersonNames {
  readonly address: string
}

/**
 * Returns those people of one address each about whom a report says something new: where nothing else is to be kept, all others
 * take one statement.
 */
export async function withNews<T extends Told>(
  reader: Reader,
  instance: string,
  told: readonly T[],
  now: number,
): Promise<T[]> {
  const addresses = [...new Set(told.map(({ address }) => address))]
  const rows = await reader.allForEach(
    selectAddress,
    addresses.map((address) => ({ instance, address })),
  )
  const known = new Map(rows.map((row) => [row.address, row]))
  return told.filter((one) => {
    const row = known.get(one.address)
    return !row || row.told_at <= now - toldAnew || !isNamedSo(row, namesAfter(row, one))
  })
}

/** Returns the contact of an address, and the time when its person last wrote; undefined if the address is not known. */
export async function findContact(
  reader: Reader,
  address: AddressAt,
): Promise<Pick<ContactAddress, 'contact' | 'wrote_at'> | undefined> {
  const [found] = await reader.allForEach(selectAddress, [address])
  return found
}

const selectWritten = batchStatement<AddressAt>({ instance: 'text', address: 'text' })((sql, given) =>
  sql
    .selectFrom('contact_addresses')
    .innerJoin('instances', 'instances.id', 'contact_addresses.instance_id')
    .select(['instance_id as instance', 'address', 'wrote_at as at', 'waiting_callbacks'])
    .where('instance_id', '=', given('instance'))
    .where('address', '=', given('address')),
)

/** When the people at these addresses last wrote, as far as that is known. */
export async function whenTheyWrote(
  reader: Reader,
  addresses: readonly AddressAt[],
): Promise<(AddressAt & LastWritten)[]> {
  const found = await reader.allForEach(selectWritten, addresses)
  return found.map(({ waiting_callbacks: waiting, ...written }) => ({ ...written, mayBeLater: waiting > 0 }))
}

/** The addresses of the person at an address, with itself. */
export async function aliasesOf(reader: Reader, { instance, address }: AddressAt): Promise<string[]> {
  const found = await findContact(reader, { instance, address })
  if (!found) return [address]
  const all = await reader.allForEach(selectContact, [{ instance, contact: found.contact }])
  return [...new Set([address, ...all.map((one) => one.address)])]
}

/** The same for all instances of an organization, or for those of these names. */
export async function aliasesInOrganization(
  reader: Reader,
  {
    organization,
    addresses,
    names,
  }: { organization: string; addresses: readonly string[]; names: readonly string[] | null },
): Promise<string[]> {
  const found = reader.sql
    .selectFrom('contact_addresses')
    .innerJoin('contact_addresses as other', (join) =>
      join
        .onRef('other.instance_id', '=', 'contact_addresses.instance_id')
        .onRef('other.contact', '=', 'contact_addresses.contact'),
    )
    .select('other.address')
    .distinct()
    .where('contact_addresses.organization_id', '=', organization)
    .where('contact_addresses.address', 'in', addresses)
    .limit(maxInList)
  const own =
    names === null
      ? found
      : found
          .innerJoin('instances', 'instances.id', 'contact_addresses.instance_id')
          .where('instances.name', 'in', names)
  return [...new Set([...addresses, ...(await reader.all(own)).map((one) => one.address)])]
}

/** Returns the time when a person last wrote to an instance. */
export const findLastWritten = read(
  'contacts.written',
  async (reader, address: AddressAt): Promise<LastWritten> => {
    const [{ at, mayBeLater } = neverWritten] = await whenTheyWrote(reader, [address])
    return { at, mayBeLater }
  },
)

/** Removes addresses, and takes them from what is counted. */
export async function removeAddresses(
  tx: Transaction,
  rows: readonly (AddressAt & { readonly organization: string })[],
): Promise<void> {
  if (rows.length === 0) return
  await tx.runForEach(
    removeAddress,
    rows.map(({ instance, address }) => ({ instance, address })),
  )
  await count(tx, rows, -1)
}

/** Keeps a person of whom nothing is known but that there is a conversation with this address. */
export async function insertPerson(
  tx: Transaction,
  { now: told_at, ...at }: AddressAt & { readonly organization: string; readonly now: number },
): Promise<void> {
  const { instance: instance_id, organization: organization_id, address } = at
  const row = { instance_id, organization_id, address, contact: address, wrote_at: null, told_at, ...unnamed }
  await tx.runForEach(insertAddress, [row])
  await count(tx, [at], 1)
}

export const contactFunctions: StoreFunctions = { reads: [findLastWritten], transactions: [] }
