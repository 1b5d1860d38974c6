import type { InvalidValue } from '../../../contract/problem.ts'
import { momentOf } from '../../../runtime/clock.ts'

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

/** Milliseconds that the clock of a caller may be behind: a time to be sent that is past by no more means now. */
const tolerance = 60_000

/** The schedule of a message that was given these times, in which there are no faults. A time that is past means now. */
export function scheduleOf(given: GivenTimes, now: number): Schedule {
  const sendAt = given.send_at === undefined ? null : momentOf(given.send_at)
  const expiresAt =
    given.expires_at === undefined ? begin(sendAt, now) + defaultLife : momentOf(given.expires_at)
  return { sendAt, expiresAt }
}

/** Names the times that are past, or too far ahead. */
export function scheduleFaults(given: GivenTimes, now: number): InvalidValue[] {
  const { sendAt, expiresAt } = scheduleOf(given, now)
  const earliest = begin(sendAt, now)
  const faults: InvalidValue[] = []
  const outOfRange = (pointer: string, detail: string) =>
    faults.push({ pointer, code: 'out_of_range', detail })
  if (sendAt !== null && sendAt < now - tolerance)
    outOfRange('/send_at', 'The time is more than a minute in the past. To send at once, omit `send_at`.')
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
