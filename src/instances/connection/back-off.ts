const firstDelay = 1_000
const longestDelay = 60_000
/** Somebody else uses the account; taking it back at once would begin a fight that networks punish. */
const takenOverDelay = 30_000

/**
 * How long to wait before the n-th attempt (counted from 1) to connect again, in milliseconds: doubling from a second to
 * a minute, of which a random half is taken off, so that many instances do not come back in step.
 */
export function backOff(attempt: number, random: number, takenOver = false): number {
  const full = Math.min(longestDelay, firstDelay * 2 ** Math.min(attempt - 1, 16))
  const delay = full * (0.5 + random / 2)
  return Math.round(takenOver ? Math.max(takenOverDelay, delay) : delay)
}
