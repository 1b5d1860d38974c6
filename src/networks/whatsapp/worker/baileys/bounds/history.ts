import { inflateSync } from 'node:zlib'
import { TokenBucket } from '../../../../../runtime/limits/token-bucket.ts'
import { type HistoryContents, readHistory } from './history-contents.ts'

/**
 * Size of a part of the history, as it comes and inflated, in bytes, and the tags, lengths and numbers that may be read in
 * it.
 */
export const largestHistory = 8 * 1024 * 1024
const maxElements = 200_000

/**
 * Bytes that are fetched and inflated for one client in an hour. After a link, a phone hands over some parts, and hardly any
 * later.
 */
const rate = { count: 8 * largestHistory, seconds: 3_600 }

/** Unpacks parts of the history of one client, within limits. */
export class HistoryBounds {
  readonly #bucket: TokenBucket
  readonly #now: () => number

  /** `now`: a monotonic clock, in milliseconds. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now
    this.#bucket = new TokenBucket(rate, now())
  }

  /** True if nothing more may be fetched or unpacked for now. */
  get isSpent(): boolean {
    return this.#bucket.wait(this.#now()) > 0
  }

  /** So many bytes came that were not unpacked. */
  spend(bytes: number): void {
    this.#bucket.take(bytes)
  }

  /** Unpacks a deflated part; null if it is too large, makes no sense, or comes after too many others. */
  unpack(payload: Uint8Array): HistoryContents | null {
    if (this.isSpent) return null
    // One that does not fit takes as much time as the largest that does.
    let taken = largestHistory
    try {
      const bytes = inflateSync(payload, { maxOutputLength: largestHistory })
      taken = bytes.length
      return readHistory(bytes, maxElements)
    } catch {
      return null
    } finally {
      this.spend(taken)
    }
  }
}
