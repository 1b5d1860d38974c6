import { inflateSync } from 'node:zlib'
import { proto } from 'baileys'
import { TokenBucket } from '../../../../runtime/shares/token-bucket.ts'
import { decodeBounded } from './decoding.ts'

/** How large a part of the history may be when it is inflated, in bytes, and how many tags, lengths and numbers it may have. */
const largestHistory = 8 * 1024 * 1024
const mostElements = 200_000

/** How much is inflated for one client in an hour, in bytes. After a link, a phone hands over two parts, and hardly any later. */
const rate = { count: 8 * largestHistory, seconds: 3_600 }

/**
 * Decides which parts of the history the library may take: it would inflate each without a limit, and decode whatever comes out. One is
 * inflated here first.
 */
export class History {
  readonly #bucket: TokenBucket
  readonly #now: () => number
  readonly #onDropped: () => void
  readonly #judged = new WeakMap<Uint8Array, boolean>()

  /** `now`: a monotonic clock, in milliseconds. */
  constructor(onDropped: () => void, now: () => number = () => performance.now()) {
    this.#onDropped = onDropped
    this.#now = now
    this.#bucket = new TokenBucket(rate, now())
  }

  /** Whether the library may have it. What it would have to fetch, it may not. */
  admits({
    syncType,
    initialHistBootstrapInlinePayload: payload,
  }: proto.Message.IHistorySyncNotification): boolean {
    const { INITIAL_BOOTSTRAP, PUSH_NAME } = proto.Message.HistorySyncType
    if (payload == null || payload.length === 0) return false
    if (syncType !== INITIAL_BOOTSTRAP && syncType !== PUSH_NAME) return false
    const known = this.#judged.get(payload)
    if (known !== undefined) return known
    const isFit = this.#isFit(payload)
    this.#judged.set(payload, isFit)
    if (!isFit) this.#onDropped()
    return isFit
  }

  #isFit(payload: Uint8Array): boolean {
    if (this.#bucket.wait(this.#now()) > 0) return false
    // One that does not fit takes as much time as the largest that does.
    let taken = largestHistory
    try {
      const bytes = inflateSync(payload, { maxOutputLength: largestHistory })
      taken = bytes.length
      decodeBounded(proto.HistorySync, bytes, mostElements)
      return true
    } catch {
      return false
    } finally {
      this.#bucket.take(taken)
    }
  }
}
