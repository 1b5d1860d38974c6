import type { FoundAddress } from '../driver/abilities/checking.ts'
import type { ParsedAddress } from '../driver/driver.ts'
import type { ReceivedContent } from '../driver/observation.ts'
import { plainlyWritten } from '../kit/people/phone-number.ts'
import { groupBehaviour } from './group-script.ts'
import { type RecipientScript, recipientScript, recipientScripts } from './script.ts'

const domain = '.sandbox'

/** The part before the `@`: a name of up to 64 letters, digits, dots, underscores, plus signs and hyphens. */
export const namePattern = '[a-z0-9][a-z0-9._+-]{0,63}'

const shape = new RegExp(`^(${namePattern})@([a-z0-9-]{1,32})\\${domain}$`, 'i')

/**
 * Ways in which people write phone numbers: with the country code, and with separators. The plus sign may be missing, as on
 * WhatsApp.
 */
const writtenNumber = /^(?:\+|00)?([0-9 ().-]{7,30})$/

/** A phone number without its plus sign, as E.164 has it. */
const phoneNumber = /^[1-9][0-9]{6,14}$/

/** Behaviour of everyone with a phone number. */
export const phoneBehaviour = 'reads'

/** Checks an address of the sandbox. A name is converted to lower case, a phone number to a plus sign and digits. */
export function parseAddress(input: string): ParsedAddress {
  const behaviour = shape.exec(input)?.[2]
  if (!behaviour) return parsePhoneNumber(input)
  if (!recipientScript(behaviour.toLowerCase())) {
    const known = recipientScripts.map((script) => script.behaviour).join(', ')
    return { ok: false, detail: `The sandbox has no such behaviour; it knows ${known}.` }
  }
  return { ok: true, address: input.toLowerCase() }
}

function parsePhoneNumber(input: string): ParsedAddress {
  const written = writtenNumber.exec(plainlyWritten(input))?.[1] ?? ''
  const digits = written.replaceAll(/[^0-9]/g, '')
  // A zero that callers from abroad leave out: with it, the number would be another one.
  if (phoneNumber.test(digits) && !written.includes('(0)')) return { ok: true, address: `+${digits}` }
  if (digits.startsWith('0')) {
    const detail =
      'The phone number must begin with its country code, like +49 151 12345678, and not with a zero.'
    return { ok: false, detail }
  }
  return {
    ok: false,
    detail:
      'An address of the sandbox looks like name@delivers.sandbox, or is a phone number with its country code, like +49 151 12345678.',
  }
}

/** The address of a recipient with this name and behaviour. */
export function addressOf(name: string, behaviour: string): string {
  return `${name}@${behaviour}${domain}`
}

/** The script for a normalised address; undefined if the address was never parsed. */
export function scriptOf(address: string): RecipientScript | undefined {
  if (address.startsWith('+')) return recipientScript(phoneBehaviour)
  return recipientScript(address.slice(address.indexOf('@') + 1, -domain.length))
}

/** Tells whether an address is that of a group. */
export function isGroup(address: string): boolean {
  return groupBehaviour(address) !== undefined
}

/** The name of the person at an address; null if it has none. */
export function nameIn(address: string): string | null {
  return senderAt(address).name ?? null
}

/** The person at an address: their name is that in the address, with a capital letter; people with a phone number have none. */
export function senderAt(address: string): NonNullable<ReceivedContent['sender']> {
  const isName = !address.startsWith('+')
  const name = isName ? address.slice(0, 1).toUpperCase() + address.slice(1, address.indexOf('@')) : null
  return { address, name, username: null }
}

/** The word of the sandbox on an address: those that refuse every message as unknown do not exist. */
export function existenceOf(asked: string): FoundAddress {
  if (isGroup(asked)) return { asked, exists: 'no' }
  const first = scriptOf(asked)?.answers[0]
  if (first?.kind === 'silent') return { asked, exists: 'unknown' }
  const isUnknown = !first || (first.kind === 'refuses' && first.error.code === 'recipient_unknown')
  const [canonical = asked] = bothAddresses(asked) ?? []
  return isUnknown ? { asked, exists: 'no' } : { asked, exists: 'yes', canonical }
}

/** Both addresses of a person who has two, the more lasting one first; null for everybody else. */
export function bothAddresses(address: string): readonly string[] | null {
  const other = scriptOf(address)?.other
  if (other === undefined) return null
  return [address, addressOf(address.slice(0, address.indexOf('@')), other)].sort()
}
