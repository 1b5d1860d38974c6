/** A moment as the value of a field for local date and time; empty if there is none. */
export function localField(moment: string | undefined): string {
  const at = new Date(moment ?? '')
  if (Number.isNaN(at.getTime())) return ''
  const local = new Date(at.getTime() - at.getTimezoneOffset() * 60_000)
  return local.toISOString().slice(0, 16)
}

/** The moment, in UTC, of the value of a field for local date and time; empty if it has none. */
export function momentOf(field: string): string {
  const at = new Date(field)
  return Number.isNaN(at.getTime()) ? '' : at.toISOString()
}
