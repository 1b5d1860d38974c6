import type { ParsedAddress } from '../driver/driver.ts'
import { plainlyWritten } from '../kit/people/phone-number.ts'

/** Ways in which people write phone numbers: with the country code, and with separators. */
const writtenNumber = /^(?:\+|00)?([0-9 ().-]{7,30})$/

/** A phone number without its plus sign (E.164). */
const phoneNumber = /^[1-9][0-9]{6,14}$/

/**
 * An address of WhatsApp (a JID): a user, perhaps with what kind of client and which device of theirs, and a server. An id (LID)
 * names a person without their phone number; devices that Meta hosts have servers of their own.
 */
const jid = /^([0-9]{1,20}(?:-[0-9]{1,20})?)(?:_[0-9]{1,3})?(?::[0-9]{1,5})?@([a-z.]{1,20})$/

const personId = /^[1-9][0-9]{0,19}$/
const groupId = /^[1-9][0-9]{4,19}(?:-[1-9][0-9]{4,19})?$/

/**
 * Reads the address of a person or a group: a phone number becomes a plus sign and digits; the id of a person (`…@lid`) or of a group
 * (`…@g.us`) stays as it is.
 */
export function parseAddress(input: string): ParsedAddress {
  if (input.includes('@')) {
    const address = addressOf(input.toLowerCase())
    return address === null ? refused(unreachable(input)) : { ok: true, address }
  }
  const written = writtenNumber.exec(plainlyWritten(input))?.[1] ?? ''
  const digits = written.replaceAll(/[^0-9]/g, '')
  // A zero that callers from abroad leave out: with it, the number would be another one.
  const address = written.includes('(0)') ? null : phoneAddress(digits)
  if (address !== null) return { ok: true, address }
  if (digits.startsWith('0'))
    return refused(
      'The phone number must begin with its country code, like +49 151 12345678, and not with a zero.',
    )
  return refused(
    'The address must be a phone number with its country code, like +49 151 12345678, or the id of a person or a group as in `from` and ' +
      '`conversation` of what came in, like 123456789012345@lid or 120363021033254949@g.us.',
  )
}

/** The address of a phone number that is written as digits; null if it is none. */
export function phoneAddress(digits: string): string | null {
  return phoneNumber.test(digits) ? `+${digits}` : null
}

/**
 * Returns the address of the person or group that WhatsApp names like this, with any of their devices; null if one cannot
 * write there: the status, a channel, a list, or WhatsApp itself.
 */
export function addressOf(named: string): string | null {
  const [, user = '', server = ''] = jid.exec(named) ?? []
  switch (server) {
    case 's.whatsapp.net':
    case 'c.us':
    case 'hosted':
      return phoneAddress(user)
    case 'lid':
    case 'hosted.lid':
      return personId.test(user) ? `${user}@lid` : null
    case 'g.us':
      return groupId.test(user) ? named : null
    default:
      return null
  }
}

/** Returns WhatsApp's name for a normalized address. */
export function jidOf(address: string): string {
  return address.startsWith('+') ? `${address.slice(1)}@s.whatsapp.net` : address
}

export function isGroup(address: string): boolean {
  return address.endsWith('@g.us')
}

/** True for the id of a person, which stays if they get another phone number. */
export function isPersonId(address: string): boolean {
  return address.endsWith('@lid')
}

function unreachable(input: string): string {
  if (/@newsletter$/i.test(input)) return `This is the address of a channel. ${instead}`
  if (/^status@broadcast$/i.test(input)) return `This is the address of the status of an account. ${instead}`
  if (/@broadcast$/i.test(input))
    return `This is the address of a broadcast list. Write to each of its people instead.`
  return (
    'The address must be a phone number, or end with `@lid` for a person, with `@g.us` for a group, or with `@s.whatsapp.net` after the digits ' +
    'of a phone number.'
  )
}

const instead = 'Posthorn sends to people and groups.'

function refused(detail: string): ParsedAddress {
  return { ok: false, detail }
}
