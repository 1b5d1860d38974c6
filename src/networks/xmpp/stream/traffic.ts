import type { RateMember } from '../../../runtime/limits/fair-rate.ts'
import type { Share, TrafficRates } from '../../../runtime/limits/share.ts'
import { TokenBucket, type TokenRate } from '../../../runtime/limits/token-bucket.ts'

/** What has gone over one connection, in both directions, against what may, also over all of its organization together. */
export class Traffic {
  readonly #stanzas: TokenBucket | null
  readonly #bytes: TokenBucket | null
  readonly #together: RateMember<keyof TrafficRates>

  /** `wake` is called when the connection may go on after it had to wait for others. */
  constructor(share: Pick<Share, 'traffic' | 'joinTraffic'>, wake: () => void) {
    this.#stanzas = bucketOf(share.traffic.stanzas)
    this.#bytes = bucketOf(share.traffic.bytes)
    this.#together = share.joinTraffic(wake)
  }

  take(bytes: number, stanzas: number): void {
    this.#bytes?.take(bytes)
    this.#stanzas?.take(stanzas)
    if (bytes > 0) this.#together.take('bytes', bytes)
    if (stanzas > 0) this.#together.take('stanzas', stanzas)
  }

  /** Whether it is this connection's turn among those of its organization. If not, it is woken then. */
  isTurn(): boolean {
    return this.#together.mayGoOn()
  }

  leave(): void {
    this.#together.leave()
  }

  /** How long to wait before more may be read, in milliseconds. */
  wait(): number {
    const now = performance.now()
    return Math.max(this.#stanzas?.wait(now) ?? 0, this.#bytes?.wait(now) ?? 0)
  }
}

function bucketOf(rate: TokenRate | undefined): TokenBucket | null {
  return rate ? new TokenBucket(rate, performance.now()) : null
}
