import type { Me } from '../../core/me.ts'

/** Entries that this browser remembers: more would be no help. */
const maxRemembered = 8
/** The longest id that is remembered, in UTF-16 units. */
const maxId = 100

/** The place of the memory of a session's organization in this browser. */
const placeOfUses = ({ organization }: Me) => `posthorn-palette-${organization?.id ?? 'operator'}`

/** Returns the ids of what was used last, the latest first. Content that is damaged is passed over. */
export function lastUsed(me: Me): readonly string[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(placeOfUses(me)) ?? '[]')
    if (!Array.isArray(kept)) return []
    return kept.filter((id) => typeof id === 'string' && id.length <= maxId).slice(0, maxRemembered)
  } catch {
    return []
  }
}

/** Remembers that an entry was used. A browser that keeps nothing forgets it. */
export function noteUse(me: Me, id: string): void {
  const uses = [id, ...lastUsed(me).filter((other) => other !== id)].slice(0, maxRemembered)
  try {
    localStorage.setItem(placeOfUses(me), JSON.stringify(uses))
  } catch {
    // The palette works without a memory.
  }
}
