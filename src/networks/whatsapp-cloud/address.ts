import type { ParsedAddress } from '../driver/driver.ts'
import { plainlyWritten } from '../kit/people/phone-number.ts'

/** Ways in which people write phone numbers: with the country code, and with separators. */
const writtenNumber = /^(?:\+|00)([0-9 ().-]{7,30})$/

/** A phone number without its plus sign (E.164). */
const phoneNumber = /^[1-9][0-9]{6,14}$/

/** A business-scoped user id: a country, and what the account knows a person by. A portfolio has ids of its own. */
const userId = /^[A-Z]{2}\.(?:ENT\.)?[A-Za-z0-9]{1,128}$/

/** A group, as the Groups API names it: opaque, and much longer than anything else. */
const groupId = /^(?=.*[A-Za-z])[\w+/=-]{32,255}$/

/** Reads a phone number, which becomes a plus sign and digits, or the id of a person or a group, which stays as it is. */
export function parseAddress(input: string): ParsedAddress {
  if (userId.test(input) || groupId.test(input)) return { ok: true, address: input }
  const written = writtenNumber.exec(plainlyWritten(input))?.[1] ?? ''
  // A zero that callers from abroad leave out: with it, the number would be another one.
  const address = written.includes('(0)') ? null : phoneAddress(written.replaceAll(/[^0-9]/g, ''))
  if (address !== null) return { ok: true, address }
  return {
    ok: false,
    detail:
      'The address must be a phone number with its country code, like +49 151 12345678, a business-scoped user id as in ' +
      '`from` of what a person wrote, like US.13491208655302741918, or the id of a group as in `conversation` of what was written there.',
  }
}

/** The address of a phone number that the network writes as digits; null if it is none. */
export function phoneAddress(digits: string): string | null {
  return phoneNumber.test(digits) ? `+${digits}` : null
}

/** A business-scoped user id as an address; null if it is none. */
export function userAddress(id: string): string | null {
  return userId.test(id) ? id : null
}

/**
 * Returns the conversation in a group with this id: the id itself, even if it has a form in which groups cannot be written to. Null for
 * an id that would be the address of a person.
 */
export function groupConversation(id: string): string | null {
  const isOpaque = /^[\x21-\x7e]{1,255}$/.test(id) && isGroup(id) && !phoneNumber.test(id)
  return groupId.test(id) || isOpaque ? id : null
}

/** The id of a group as an address; null if it has a form in which groups cannot be written to. */
export function groupAddress(id: string | null): string | null {
  return id !== null && groupId.test(id) && !userId.test(id) ? id : null
}

/** True if an address is that of a group. */
export function isGroup(address: string): boolean {
  return !address.startsWith('+') && !userId.test(address)
}
