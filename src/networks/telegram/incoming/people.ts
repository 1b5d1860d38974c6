import type { WriterNames } from '../../../contract/resources/content.ts'
import { integerIn, type Json, objectIn, textIn } from '../../kit/json.ts'
import { isChatId } from '../address.ts'

/** The author of a message, with the names that Telegram shows. */
export interface Author {
  readonly from: string
  readonly sender: WriterNames
}

/** The address of a person or a chat; null if it has none. */
export function chatIn(json: Json, name: string): string | null {
  const id = integerIn(objectIn(json, name) ?? {}, 'id')
  return id === null || !isChatId(id) ? null : String(id)
}

/** The first of these fields that names a person, or a chat that acts as one. */
export function authorIn(json: Json, names: readonly string[]): Author | null {
  for (const name of names) {
    const from = chatIn(json, name)
    if (from !== null) return { from, sender: namesOf(objectIn(json, name) ?? {}, from) }
  }
  return null
}

function namesOf(who: Json, address: string): WriterNames {
  const name = fullName(who) || textIn(who, 'title')
  return { address, name, username: textIn(who, 'username') }
}

/** The name of a person, as clients show it; empty if there is none. */
export function fullName(who: Json): string {
  return [textIn(who, 'first_name'), textIn(who, 'last_name')].filter(Boolean).join(' ')
}
