import type { ContactKnown } from '../driver/observation.ts'
import { eachObjectIn, type Json, objectIn, textIn } from '../kit/json.ts'
import { phoneAddress, userAddress } from './address.ts'

/*
 * People's names on the Cloud API: a business-scoped user id, which stays while a person keeps their phone number, and that
 * number, unless they hide it behind a username. Source: Business-scoped user IDs (2026).
 */

/** The fields of an object that name a person. */
interface Names {
  readonly user: string
  /** The same for all accounts that a business has linked. */
  readonly parent: string
  readonly phone: string
}

/** The addresses of the person that these fields name, the user id first. */
export function addressesIn(json: Json, { user, parent, phone }: Names): string[] {
  const ids = [textIn(json, user), textIn(json, parent)].map((id) => id && userAddress(id))
  const number = textIn(json, phone)
  return [...ids, number && phoneAddress(number)].filter((address) => address !== null)
}

/** The phone number, or the user id of those who hide theirs: where an answer goes. */
export function addressOf(addresses: readonly string[]): string | null {
  return addresses.find((address) => address.startsWith('+')) ?? addresses[0] ?? null
}

/** Returns the addresses to report with a message. */
export function told(addresses: readonly string[]): { addresses?: readonly string[] } {
  return addresses.length > 1 ? { addresses } : {}
}

/** The person of whom a status or the answer to a message speaks; null if it has one name for them, which says nothing new. */
export function contactIn(json: Json, names: Names): ContactKnown | null {
  const addresses = addressesIn(json, names)
  return addresses.length > 1 ? { kind: 'contact-known', addresses } : null
}

/** The recipient of a message as the answer names them: their phone number may be spelled otherwise than in the request. */
export function recipientIn(answer: Json, to: string): ContactKnown | null {
  const [contact = {}] = eachObjectIn(answer, 'contacts')
  const named = addressesIn(contact, { user: 'user_id', parent: 'parent_user_id', phone: 'wa_id' })
  const addresses = [...new Set(to.startsWith('+') ? [...named, to] : [to, ...named])]
  return addresses.length > 1 ? { kind: 'contact-known', addresses } : null
}

/**
 * A person who got another user id, mostly with another phone number, as a message of the system says: first how they were named until
 * then, as far as that says something, then how they are named now. Source: Webhooks, Reference, System messages (August 2026).
 */
export function movedContactsIn(message: Json): ContactKnown[] {
  if (textIn(message, 'type') !== 'system') return []
  const about = objectIn(message, 'system') ?? {}
  const after = addressesIn(about, { user: 'user_id', parent: 'parent_user_id', phone: 'wa_id' })
  const before = new Set([
    ...addressesIn(about, { user: 'previous_user_id', parent: 'previous_parent_user_id', phone: '' }),
    ...addressesIn(message, senderNames),
  ])
  const [formerly] = before
  if (formerly === undefined || after.length === 0) return []
  const told: ContactKnown = { kind: 'contact-known', addresses: after, formerly }
  return before.size > 1 ? [{ kind: 'contact-known', addresses: [...before] }, told] : [told]
}

/** The reference names members of a group by `wa_id` alone; those who hide their phone have a user id where others have seen one. */
export const participantNames: Names = { user: 'user_id', parent: 'parent_user_id', phone: 'wa_id' }

/** The fields that name who wrote a message. */
export const senderNames: Names = { user: 'from_user_id', parent: 'from_parent_user_id', phone: 'from' }
