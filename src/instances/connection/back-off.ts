const firstDelay = 1_000
const longestDelay = 60_000
/** Milliseconds before an account is taken back from another client: at once would begin a fight that networks punish. */
const takenOverDelay = 30_000

/**
 * Returns the milliseconds before the n-th attempt (counted from 1) to connect again: doubling from a second to a minute,
 * minus a random part of up to half, so that many instances do not come back in step.
 */
export function backOff(attempt: number, random: number, takenOver = false): number {
  const full = Math.min(longestDelay, firstDelay * 2 ** Math.min(attempt - 1, 16))
  const delay = full * (0.5 + random / 2)
  return Math.round(takenOver ? Math.max(takenOverDelay, delay) : delay)
}
