/*
 * A contact is one person as a network names them: by one address, or by several, which then are aliases of each other. The
 * most lasting address stands for the contact (docs/decisions/0042).
 */

/** An address that is known of a contact. */
export interface ContactAddress {
  readonly address: string
  /** The most lasting address of the contact. */
  readonly contact: string
  /** When the person last wrote, in milliseconds since the epoch; null if that is not known. The same for the whole contact. */
  readonly wrote_at: number | null
  /** When the network last named the person by this address. */
  readonly told_at: number
  /** The names of the person, the same for the whole contact. */
  readonly name: string | null
  readonly username: string | null
}

/** The names that a person goes by; null for one that is not known. */
export type PersonNames = Pick<ContactAddress, 'name' | 'username'>

export const unnamed: PersonNames = { name: null, username: null }

/** The network's report of one person. */
export interface ContactTold {
  /** The addresses that the person has now, the most lasting first; at least one. */
  readonly addresses: readonly string[]
  /** The address under which the person was known before one of these. */
  readonly formerly?: string | undefined
  /** When the person wrote; null if they did not. */
  readonly wroteAt: number | null
  /** The names that came with it, within the bounds of content; missing if none did. */
  readonly names?: PersonNames | undefined
}

/** Returns the names of a person after a report: one with a name says all, and one without a name adds what it has. */
export function namesAfter(known: PersonNames, told: PersonNames = unnamed): PersonNames {
  const { name, username } = told
  return name === null ? { name: known.name, username: username ?? known.username } : { name, username }
}

/** Most addresses kept of one contact: the present ones, and some earlier ones. */
export const maxAddresses = 8

/** Finds the contact of an address among those that are known; an address that is not known stands for itself. */
function contactIn(known: readonly ContactAddress[]): (address: string) => string {
  const contacts = new Map(known.map(({ address, contact }) => [address, contact]))
  return (address) => contacts.get(address) ?? address
}

/** The contacts that have something to do with what was told: which of their addresses are known has to be known, too. */
export function contactsIn(known: readonly ContactAddress[], told: ContactTold): string[] {
  return [...new Set(contactAddresses(told).map(contactIn(known)))]
}

/** The addresses that were told, in their order. */
export function contactAddresses({ addresses, formerly }: ContactTold): string[] {
  return [...new Set([...addresses, ...(formerly === undefined ? [] : [formerly])])]
}

/** A person after a report. */
export interface PersonAfter<Known> {
  readonly addresses: readonly ContactAddress[]
  /** Addresses that are kept no longer. */
  readonly dropped: readonly Known[]
  /** Addresses that were another person's until now. */
  readonly taken: readonly string[]
}

/**
 * Returns the addresses of the person after this report, given all addresses of `contactsIn`. An address that followed a
 * more lasting one belongs to the person it was last reported for: a phone number may pass to another person, who has
 * nothing in common with the earlier one. An address never reported together with a more lasting one joins the contact with
 * everything that is known of it. The oldest addresses are dropped if there are too many.
 */
export function contactAfter<Known extends ContactAddress>(
  known: readonly Known[],
  told: ContactTold,
  now: number,
): PersonAfter<Known> {
  const contactOf = contactIn(known)
  const [lead = '', ...others] = told.addresses
  const former = told.formerly === undefined ? undefined : contactOf(told.formerly)
  const contact = former === undefined || contactOf(lead) === lead ? contactOf(lead) : former
  const joined = new Set([contact, former, ...others.filter((other) => contactOf(other) === other)])
  const own = known.filter((one) => joined.has(one.contact))
  const times = [told.wroteAt, ...own.map(({ wrote_at }) => wrote_at)].filter((time) => time !== null)
  const wrote_at = times.length > 0 ? Math.max(...times) : null
  const named = namesAfter(
    own.find(({ name, username }) => name !== null || username !== null) ?? unnamed,
    told.names,
  )
  const names = contactAddresses(told)
  const earlier = own
    .filter(({ address }) => !names.includes(address))
    .sort((a, b) => b.told_at - a.told_at)
    .map(({ address, told_at }) => ({ address, told_at }))
  const kept = [...names.map((address) => ({ address, told_at: now })), ...earlier].slice(0, maxAddresses)
  const isKept = new Set(kept.map(({ address }) => address))
  return {
    addresses: kept.map((one) => ({ ...one, contact, wrote_at, ...named })),
    dropped: own.filter(({ address }) => !isKept.has(address)),
    taken: known.filter((one) => !own.includes(one) && isKept.has(one.address)).map(({ address }) => address),
  }
}
