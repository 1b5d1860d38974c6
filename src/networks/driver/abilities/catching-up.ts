/**
 * The point up to which the incoming messages of an account are stored without a gap. A driver reports those after it,
 * oldest first, and then `caught-up`. Until then, the mark does not move, even if the driver reports other messages.
 */
export interface CaughtUp {
  /**
   * Before which nothing is missing, as an opaque string of the driver, of at most `longestMark`: the id of the last message,
   * of an entry of the network's archive, or the number of an update. Null if none is known.
   */
  readonly mark: string | null
  /**
   * Up to when nothing was missed, in milliseconds since the epoch: at the latest, when it was last known to be connected; 0 if
   * only the mark is known.
   * This is by the clock of this machine, and messages may have been on their way, so a driver that asks by time begins some
   * minutes earlier.
   */
  readonly at: number
}

/** The longest mark, in bytes of UTF-8. */
export const longestMark = 1024
