import type { TrafficRates } from '../../../runtime/shares/share.ts'
import { TokenBucket, type TokenRate } from '../../../runtime/shares/token-bucket.ts'

/** What has gone over one connection, in both directions, against what may. */
export class Traffic {
  readonly #stanzas: TokenBucket | null
  readonly #bytes: TokenBucket | null

  constructor({ stanzas, bytes }: TrafficRates) {
    this.#stanzas = bucketOf(stanzas)
    this.#bytes = bucketOf(bytes)
  }

  take(bytes: number, stanzas: number): void {
    this.#bytes?.take(bytes)
    this.#stanzas?.take(stanzas)
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
