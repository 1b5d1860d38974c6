import type { Contact } from './schemas/webhook.ts'
import type { BusinessNumber, Person, World } from './world.ts'

/** Returns the fields that begin every value about a number. */
export function ofNumber(number: BusinessNumber) {
  const { display_phone_number, id } = number
  return { messaging_product: 'whatsapp', metadata: { display_phone_number, phone_number_id: id } }
}

/** The phone of a person as webhooks have it: not at all, if there is a username. */
export function phoneShown(person: Person): string | undefined {
  return person.username === undefined ? person.phone : undefined
}

export function contactOf(person: Person): Contact {
  const { name, username, user_id } = person
  const phone = phoneShown(person)
  const profile = { name, ...(username !== undefined && { username }) }
  return { profile, user_id, ...(phone !== undefined && { wa_id: phone }) }
}

/** Seconds, as webhooks have them. */
export function seconds(at: number): string {
  return String(Math.floor(at / 1000))
}

/** True within 24 hours of what the person last wrote to this number. */
export function isWindowOpen(world: World, person: Person, number: string): boolean {
  return world.now() - (person.last_wrote.get(number) ?? Number.NEGATIVE_INFINITY) < 86_400_000
}
