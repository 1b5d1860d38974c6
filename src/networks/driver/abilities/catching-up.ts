/** The incoming messages of the account that are stored, for a connection that must not miss or repeat any. */
export interface StoredMessages {
  /**
   * Resolves with the point up to which they are stored, once everything that was reported so far is. Null if the account was never
   * caught up before (messages older than the instance are not its own), or if nothing hears the connection any longer. Call it
   * before `connection-opened` is reported. Waits while the store is unavailable, and while the organization's quota is used up: a
   * driver that opens nevertheless can send meanwhile. Never rejects.
   */
  upTo(): Promise<CaughtUp | null>
  /**
   * Resolves with true if a message that was reported with this id is stored with its content, not as `undecryptable`. False
   * if that is not known. Never rejects.
   */
  has(networkMessageId: string): Promise<boolean>
}

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
