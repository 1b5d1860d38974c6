/** A name for the filters of a list. */
export interface View {
  readonly name: string
  readonly query: Readonly<Record<string, string>>
}

export const maxViews = 12
export const maxNameOfView = 40
/** The longest filters that are kept, in UTF-16 units. */
const maxQuery = 2_000

/** The place of the views of a list in this browser: those of one organization mean nothing to another. */
export function placeOfViews(list: string, organization: string): string {
  return `posthorn-views-${list}-${organization}`
}

/** Returns the views that this browser keeps. Content that is damaged, or that an extension wrote, is passed over. */
export function keptViews(place: string): readonly View[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(place) ?? '[]')
    return Array.isArray(kept) ? kept.filter(isView).slice(0, maxViews) : []
  } catch {
    return []
  }
}

/** Keeps the views. Returns false if the browser has no room for them, or keeps nothing. */
export function keepViews(place: string, views: readonly View[]): boolean {
  try {
    localStorage.setItem(place, JSON.stringify(views.slice(0, maxViews)))
    return true
  } catch {
    return false
  }
}

function isView(kept: unknown): kept is View {
  if (typeof kept !== 'object' || kept === null) return false
  const { name, query } = kept as Partial<View>
  const isNamed = typeof name === 'string' && name.trim() !== '' && name.length <= maxNameOfView
  if (!isNamed || typeof query !== 'object' || query === null || Array.isArray(query)) return false
  return (
    Object.values(query).every((value) => typeof value === 'string') &&
    JSON.stringify(query).length <= maxQuery
  )
}

/** Returns true if two filters are the same, in any order. */
export function isSameQuery(one: View['query'], other: View['query']): boolean {
  const written = (query: View['query']) =>
    JSON.stringify(
      Object.entries(query)
        .filter(([, value]) => value !== '')
        .sort(),
    )
  return written(one) === written(other)
}
