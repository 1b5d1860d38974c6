import type { Contact } from '../../contract/resources/contact.ts'
import { timestamp } from '../../runtime/clock.ts'
import { folded } from '../../runtime/text/folded-text.ts'
import { batchStatement } from '../../store/statement.ts'
import { type Reader, read, type StoreFunctions } from '../../store/store.ts'
import { findContact } from '../contacts/contact-store.ts'
import { choicesAt } from '../contacts/marketing-choices.ts'
import { pictureUrl } from '../contacts/picture-url.ts'
import { conversationKey, hexOf } from '../list/conversation-rows.ts'
import { firstOfBlock, firstOpenBlock } from '../list/message-index.ts'

/** The instance whose people are asked for. */
export interface PeoplePlace {
  readonly organizationId: string
  readonly instanceName: string
}

export interface ContactFilter extends ShownPeople {
  /** The words that a name or an address contains; null for all people. */
  readonly search: string | null
  /** Only contacts after this one, in the order of their addresses. */
  readonly after: string
  readonly limit: number
}

/** The addresses of groups have names as well, so its driver says which of them are people. */
interface OfNetwork {
  readonly network: string
}

export interface ListedContacts extends OfNetwork {
  readonly data: Contact[]
  /** The last contact that was looked at; null at the end. */
  readonly goOn: string | null
}

/** The people of an instance, as they are shown. */
interface ShownPeople extends PeoplePlace {
  /** The networks that show pictures. */
  readonly withPictures: readonly string[]
}

/** Contacts that one read compares. */
const comparedAtOnce = 500

/** An instance as its messages name it. */
interface Place extends OfNetwork {
  readonly id: string
  readonly number: number
  readonly organization: string
  readonly name: string
}

/** Finds an instance that callers see. */
export async function instanceNamed(
  reader: Reader,
  { organizationId, instanceName }: PeoplePlace,
): Promise<Place | undefined> {
  return await reader.first(
    reader.sql
      .selectFrom('instances')
      .innerJoin('message_instances', 'message_instances.instance_id', 'instances.id')
      .select(['instances.id', 'number', 'instances.organization_id as organization', 'name', 'network'])
      .where('instances.organization_id', '=', organizationId)
      .where('name', '=', instanceName),
  )
}

/** The next contacts of an instance that match; null if there is no such instance. */
export const listContacts = read(
  'contacts.list',
  async (
    reader,
    { search, after, limit, withPictures, ...asked }: ContactFilter,
  ): Promise<ListedContacts | null> => {
    const place = await instanceNamed(reader, asked)
    if (!place) return null
    const most = search === null ? limit : comparedAtOnce
    const found = await reader.all(
      reader.sql
        .selectFrom('contact_addresses')
        .select('contact')
        .where('instance_id', '=', place.id)
        .where('contact', '>', after)
        .groupBy('contact')
        .orderBy('contact')
        .limit(most + 1),
    )
    const contacts = found.slice(0, most).map(({ contact }) => contact)
    const rows = Map.groupBy(await rowsOf(reader, place, contacts), ({ contact }) => contact)
    const wanted = search === null ? null : folded(search)
    const matching = contacts.filter((contact) => wanted === null || isFound(rows.get(contact) ?? [], wanted))
    const shown = matching.slice(0, limit)
    const people = shown.map((contact) => rows.get(contact) ?? [])
    const data = await shownContacts(reader, { ...place, withPictures }, people)
    const isCut = shown.length < matching.length
    const last = isCut ? shown.at(-1) : found.length > most ? contacts.at(-1) : undefined
    return { data, goOn: last ?? null, network: place.network }
  },
)

/** The person at an address; their contact is null if the instance knows none. Undefined if there is no such instance. */
export const findPerson = read(
  'contacts.find',
  async (
    reader,
    { address, withPictures, ...asked }: ShownPeople & { address: string },
  ): Promise<({ readonly contact: Contact | null } & OfNetwork) | undefined> => {
    const place = await instanceNamed(reader, asked)
    if (!place) return undefined
    const found = await findContact(reader, { instance: place.id, address })
    const { network } = place
    if (!found) return { contact: null, network }
    const rows = await rowsOf(reader, place, [found.contact])
    const [contact = null] = await shownContacts(reader, { ...place, withPictures }, [rows])
    return { contact, network }
  },
)

const selectRows = batchStatement({ instance: 'text', contact: 'text' })((sql, given) =>
  sql
    .selectFrom('contact_addresses')
    .select(['contact', 'address', 'name', 'username', 'forget_below'])
    .where('instance_id', '=', given('instance'))
    .where('contact', '=', given('contact')),
)

function rowsOf(reader: Reader, { id: instance }: Place, contacts: readonly string[]) {
  return reader.allForEach(
    selectRows,
    contacts.map((contact) => ({ instance, contact })),
  )
}

type Row = Awaited<ReturnType<typeof rowsOf>>[number]

function isFound(rows: readonly Row[], wanted: string): boolean {
  const words = rows.flatMap(({ address, name, username }) => [address, name ?? '', username ?? ''])
  return words.some((one) => folded(one).includes(wanted))
}

async function shownContacts(
  reader: Reader,
  place: Place & Pick<ShownPeople, 'withPictures'>,
  people: readonly (readonly Row[])[],
): Promise<Contact[]> {
  const last = await lastMessages(
    reader,
    place,
    people.flat().map(({ address }) => address),
  )
  const at = ({ address }: Row) => ({ instance: place.id, address })
  const choiceOf = await choicesAt(reader, people.flat().map(at))
  const hasPictures = place.withPictures.includes(place.network)
  return people.flatMap((rows) => {
    const choice = choiceOf(rows.map(at))
    const [first] = rows
    if (!first) return []
    const addresses = rows.map(({ address }) => address).sort()
    const address = addresses.includes(first.contact) ? first.contact : (addresses[0] ?? first.contact)
    const times = addresses.map((one) => last.get(one) ?? 0)
    return [
      {
        address,
        aliases: addresses.filter((one) => one !== address),
        name: first.name,
        username: first.username,
        marketing: choice?.choice ?? null,
        marketing_changed_at: timestamp(choice?.changed_at ?? null),
        picture_url: hasPictures ? pictureUrl(place.name, address) : null,
        last_message_at: timestamp(Math.max(...times) || null),
        being_forgotten: rows.some(({ forget_below }) => forget_below !== null),
      },
    ]
  })
}

const selectLast = batchStatement({ key: 'bytes' })((sql, given) =>
  sql.selectFrom('conversations').select(['key', 'last_seq']).where('key', '=', given('key')),
)

const selectTime = batchStatement({ seq: 'bigint', organization: 'text' })((sql, given) =>
  sql
    .selectFrom('messages')
    .innerJoin('message_instances', 'message_instances.number', 'messages.instance')
    .select(['seq', 'created_at'])
    .where('seq', '=', given('seq'))
    .where('organization_id', '=', given('organization')),
)

/** Returns when the last message of the conversation with each of these addresses came, in milliseconds since the epoch. */
async function lastMessages(
  reader: Reader,
  { number, organization, name }: Place,
  addresses: readonly string[],
): Promise<Map<string, number>> {
  if (addresses.length === 0) return new Map()
  const keys = new Map(
    addresses.map((address) => [hexOf(conversationKey(organization, name, address)), address]),
  )
  const kept = await reader.allForEach(
    selectLast,
    addresses.map((address) => ({ key: conversationKey(organization, name, address) })),
  )
  const open = await reader.all(
    reader.sql
      .selectFrom('messages')
      .select(['recipient', ({ fn }) => fn.max<number>('seq').as('seq')])
      .where('seq', '>=', firstOfBlock(await firstOpenBlock(reader)))
      .where('instance', '=', number)
      .groupBy('recipient'),
  )
  const isAsked = new Set(addresses)
  const last = new Map(kept.map(({ key, last_seq }) => [keys.get(hexOf(key)) ?? '', last_seq]))
  for (const { recipient, seq } of open) if (isAsked.has(recipient)) last.set(recipient, seq)
  const times = await reader.allForEach(
    selectTime,
    [...new Set(last.values())].map((seq) => ({ seq, organization })),
  )
  const bySeq = new Map(times.map(({ seq, created_at }) => [seq, created_at]))
  return new Map([...last].map(([address, seq]) => [address, bySeq.get(seq) ?? 0]))
}

export const contactListFunctions: StoreFunctions = { reads: [listContacts, findPerson], transactions: [] }
