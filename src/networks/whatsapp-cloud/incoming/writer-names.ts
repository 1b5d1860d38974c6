import type { WriterNames } from '../../../contract/resources/content.ts'
import { eachObjectIn, type Json, objectIn, textIn } from '../../kit/json.ts'
import { senderNames } from '../people.ts'

/** The names that people gave themselves, by each id under which the network names them. */
export type Profiles = ReadonlyMap<string, Json>

/** Reads the profiles beside messages; yields null after each. Source: Webhooks, Reference, messages, contacts. */
export function* profilesIn(value: Json): Generator<null, Profiles, undefined> {
  const profiles = new Map<string, Json>()
  for (const contact of eachObjectIn(value, 'contacts')) {
    yield null
    const profile = objectIn(contact, 'profile')
    if (profile === null) continue
    for (const id of [textIn(contact, 'user_id'), textIn(contact, 'wa_id')])
      if (id !== null) profiles.set(id, profile)
  }
  return profiles
}

/** Returns the names of the writer of a message, whose address is `from`; null if the network tells none. */
export function writerOf(message: Json, from: string, profiles: Profiles): WriterNames | null {
  const ids = [textIn(message, senderNames.user), textIn(message, senderNames.phone)]
  const profile = ids.map((id) => id && profiles.get(id)).find((found) => found)
  if (!profile) return null
  const [name, username] = [textIn(profile, 'name'), textIn(profile, 'username')?.replace(/^@/, '') || null]
  return name === null && username === null ? null : { address: from, name, username }
}
