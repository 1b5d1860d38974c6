import type { InvalidValue } from '../../contract/problem.ts'

const day = 24 * 60 * 60_000
const defaultLife = day
const longest = 30 * day

/** The times of a message as its caller gave them. */
export interface GivenTimes {
  readonly send_at?: string | undefined
  readonly expires_at?: string | undefined
}

/** When a message is to be sent and when it is given up, in milliseconds since the epoch. */
export interface Schedule {
  readonly sendAt: number | null
  readonly expiresAt: number
}

/** The schedule of a message that was given these times, in which there are no faults. A time that is past means now. */
export function scheduleOf(given: GivenTimes, now: number): Schedule {
  const sendAt = given.send_at === undefined ? null : Date.parse(given.send_at)
  const expiresAt =
    given.expires_at === undefined ? begin(sendAt, now) + defaultLife : Date.parse(given.expires_at)
  return { sendAt, expiresAt }
}

/** Names the times that are no moment, past, or too far ahead. */
export function scheduleFaults(given: GivenTimes, now: number): InvalidValue[] {
  // Before the ranges are judged, because a time that is no moment is neither too early nor too late.
  const unreadable = unreadableTimes({ '/send_at': given.send_at, '/expires_at': given.expires_at })
  if (unreadable.length > 0) return unreadable
  const { sendAt, expiresAt } = scheduleOf(given, now)
  const earliest = begin(sendAt, now)
  const faults: InvalidValue[] = []
  const outOfRange = (pointer: string, detail: string) =>
    faults.push({ pointer, code: 'out_of_range', detail })
  if (sendAt !== null && sendAt > now + longest)
    outOfRange('/send_at', 'The time is more than 30 days ahead.')
  if (expiresAt <= earliest) outOfRange('/expires_at', 'The time is in the past, or not after `send_at`.')
  if (expiresAt > earliest + longest) {
    outOfRange('/expires_at', 'The time is more than 30 days after the message is to be sent.')
  }
  return faults
}

function begin(sendAt: number | null, now: number): number {
  return Math.max(now, sendAt ?? now)
}

/** RFC 3339 allows times such as the leap second 23:59:60, which fit the contract and yet are no moment to Node. */
function unreadableTimes(times: Readonly<Record<string, string | undefined>>): InvalidValue[] {
  return Object.entries(times)
    .filter(([, time]) => time !== undefined && Number.isNaN(Date.parse(time)))
    .map(([pointer]) => ({ pointer, code: 'wrong_form', detail: 'The value is not a valid time.' }))
}
