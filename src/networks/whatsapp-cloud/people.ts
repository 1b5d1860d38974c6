import { eachObjectIn, type Json, objectIn, textIn } from '../json.ts'
import type { ContactKnown } from '../observation.ts'
import { phoneAddress, userAddress } from './address.ts'

/*
 * How the Cloud API names people: by a business-scoped user id, which stays while somebody keeps their phone number, and by that number,
 * unless they hide it behind a username. Source: Business-scoped user IDs (2026).
 */

/** The fields of an object that name a person. */
interface Names {
  readonly phone: string
  readonly user: string
}

/** The addresses of the person that these fields name, the user id first. */
export function addressesIn(json: Json, { phone, user }: Names): string[] {
  const id = textIn(json, user)
  const number = textIn(json, phone)
  return [id && userAddress(id), number && phoneAddress(number)].filter((address) => address !== null)
}

/** The phone number, or the user id of those who hide theirs: where an answer goes. */
export function addressOf(addresses: readonly string[]): string | null {
  return addresses.at(-1) ?? null
}

/** What to report of addresses that came with a message. */
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
  const named = addressesIn(contact, { user: 'user_id', phone: 'wa_id' })
  const addresses = [...new Set(to.startsWith('+') ? [...named, to] : [to, ...named])]
  return addresses.length > 1 ? { kind: 'contact-known', addresses } : null
}

/** A person whose user id has changed. Source: Webhooks, Reference, user_id_update. */
export function changedContactIn(update: Json): ContactKnown | null {
  const ids = objectIn(update, 'user_id') ?? {}
  const now = { user_id: ids.current, wa_id: update.wa_id }
  const [before = null] = addressesIn(ids, { user: 'previous', phone: '' })
  return changed(addressesIn(now, { user: 'user_id', phone: 'wa_id' }), before)
}

/** A person who has another phone number, and so another user id, as a message of the system says. */
export function movedContactIn(message: Json): ContactKnown | null {
  if (textIn(message, 'type') !== 'system') return null
  const about = objectIn(message, 'system') ?? {}
  const before = addressOf(addressesIn(message, { user: 'from_user_id', phone: 'from' }))
  return changed(addressesIn(about, { user: 'user_id', phone: 'wa_id' }), before)
}

function changed(addresses: readonly string[], formerly: string | null): ContactKnown | null {
  return addresses.length === 0 || formerly === null ? null : { kind: 'contact-known', addresses, formerly }
}
