/** The troubles of a Chatwoot on a bad day, each with its probability from 0 to 1. */
export interface Faults {
  /** The response is late by up to half a second. */
  slow: number
  /** The work is done, and the response is 500 (chatwoot/chatwoot#6446). */
  failsAfterwards: number
  /** Nothing is done, and the response is 500. */
  fails: number
  /** Nothing is done, and the response is 429 with `Retry-After: 1`. */
  limits: number
  /** The work is done, and the connection breaks. */
  breaksAfterwards: number
  /** Nothing is done, and the response is 401. */
  refuses: number
  /** The connection breaks, and the work is done a little later. */
  breaksBefore: number
  /** A webhook is lost. */
  loses: number
  /** A webhook comes twice (chatwoot/chatwoot#11901). */
  repeats: number
}

export const noFaults: Readonly<Faults> = {
  slow: 0,
  failsAfterwards: 0,
  fails: 0,
  limits: 0,
  breaksAfterwards: 0,
  breaksBefore: 0,
  refuses: 0,
  loses: 0,
  repeats: 0,
}

export const badDay: Readonly<Faults> = {
  slow: 0.05,
  failsAfterwards: 0.03,
  fails: 0.02,
  limits: 0.01,
  breaksAfterwards: 0.03,
  breaksBefore: 0.03,
  refuses: 0,
  loses: 0.2,
  repeats: 0.2,
}

/** Faults of which a request has at most one. */
const ofRequests = [
  'slow',
  'failsAfterwards',
  'fails',
  'limits',
  'refuses',
  'breaksAfterwards',
  'breaksBefore',
] as const

/** Draws the fault of a request; undefined if it has none. */
export function drawFault(faults: Faults, random: () => number): (typeof ofRequests)[number] | undefined {
  let draw = random()
  for (const fault of ofRequests) {
    draw -= faults[fault]
    if (draw < 0) return fault
  }
  return undefined
}

/** The longest time by which a fault delays work, in milliseconds. */
export const maxDelayMs = 500
