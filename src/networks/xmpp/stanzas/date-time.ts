import { isMoment } from '../../../runtime/clock.ts'

/** Reads a time of XEP-0082, such as `1969-07-21T02:56:15Z`: in milliseconds since the epoch, or null if it is invalid or before 1970. */
export function timeIn(stamp: string | undefined): number | null {
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d)$/.test(stamp ?? '')) return null
  const time = Date.parse(stamp ?? '')
  return isMoment(time) ? time : null
}

/** Writes a time as XEP-0082 has it. */
export function stampOf(time: number): string {
  return new Date(time).toISOString()
}
