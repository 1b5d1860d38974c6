import { type InvalidValue, invalid } from '../contract/problem.ts'

const day = 24 * 60 * 60_000
const defaultLife = day
const longest = 30 * day

/** When a message is to be sent and when it is given up, in milliseconds since the epoch; a problem for times that do not fit. */
export function scheduleOf(
  given: { readonly send_at?: string; readonly expires_at?: string },
  now: number,
): { readonly sendAt: number | null; readonly expiresAt: number } {
  // Before the ranges are judged, because a time that is no moment is neither too early nor too late.
  refuseUnreadable({ '/send_at': given.send_at, '/expires_at': given.expires_at })
  const sendAt = given.send_at === undefined ? null : Date.parse(given.send_at)
  const begin = Math.max(now, sendAt ?? now)
  const expiresAt = given.expires_at === undefined ? begin + defaultLife : Date.parse(given.expires_at)
  const faults: InvalidValue[] = []
  if (sendAt !== null && sendAt > now + longest) {
    faults.push({ pointer: '/send_at', code: 'out_of_range', detail: 'The time is more than 30 days ahead.' })
  }
  if (expiresAt <= begin) {
    faults.push({
      pointer: '/expires_at',
      code: 'out_of_range',
      detail: 'The time is past, or not after `send_at`.',
    })
  }
  if (expiresAt > begin + longest) {
    faults.push({
      pointer: '/expires_at',
      code: 'out_of_range',
      detail: 'The time is more than 30 days ahead.',
    })
  }
  if (faults.length > 0) throw invalid(...faults)
  return { sendAt, expiresAt }
}

/** RFC 3339 allows times such as the leap second 23:59:60, which fit the contract and yet are no moment to Node. */
function refuseUnreadable(times: Readonly<Record<string, string | undefined>>): void {
  const faults = Object.entries(times)
    .filter(([, time]) => time !== undefined && Number.isNaN(Date.parse(time)))
    .map(([pointer]) => ({
      pointer,
      code: 'wrong_form',
      detail: 'The time cannot be read as a moment.',
    }))
  if (faults.length > 0) throw invalid(...faults)
}
