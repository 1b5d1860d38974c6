import type { Lane } from './state.ts'

/** The work of a lane cannot go on before a time, through no fault of the other side. */
export class NotYet extends Error {
  override readonly name = 'NotYet'
  /** Milliseconds since 1970. */
  readonly until: number

  constructor(until: number, cause?: unknown) {
    super('It is too early.', { cause })
    this.until = until
  }
}

/** Does the next piece of the work of a lane. Throws if it has to be tried again. */
export type LaneWork = (lane: Lane) => Promise<void>
