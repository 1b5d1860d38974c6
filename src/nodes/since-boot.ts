import { uptime } from 'node:os'

/** Milliseconds for which the monotonic clock tells how the time went on. */
const reckonedFor = 100
/** Milliseconds by which the wall clock may move against the monotonic one, and the machine surely has not slept. */
const steady = 20

/** Clocks of the machine, in milliseconds. */
interface Clocks {
  /** It stands still while the machine sleeps. */
  monotonic(): number
  wall(): number
  /** The time since the machine was started, which takes long to find out. */
  sinceBoot(): number
}

/**
 * Returns a clock that tells the time since the machine was started, with that in which it slept. It looks only now and then, and when
 * the other clocks show that the machine slept.
 */
export function quickSinceBoot(clocks: Clocks): () => number {
  let seen = 0
  let seenAt = Number.NEGATIVE_INFINITY
  let wallAhead = 0
  return () => {
    const now = clocks.monotonic()
    const ahead = clocks.wall() - now
    if (now - seenAt > reckonedFor || Math.abs(ahead - wallAhead) > steady) {
      seen = clocks.sinceBoot()
      seenAt = now
      wallAhead = ahead
    }
    return seen + (now - seenAt)
  }
}

/** Milliseconds since the machine was started, with those in which it slept. Node reads a file of the kernel for that. */
export const sinceBoot = quickSinceBoot({
  monotonic: () => performance.now(),
  wall: () => Date.now(),
  sinceBoot: () => uptime() * 1_000,
})
