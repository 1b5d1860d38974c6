import { timingSafeEqual } from 'node:crypto'
import type { Caller } from '../contract/handler.ts'
import type { Clock } from '../runtime/clock.ts'
import type { Store } from '../store/store.ts'
import { digestOf, isWellFormed } from './api-key.ts'
import { findApiKey } from './organization-store.ts'

/** How long a key that was found living is believed, in milliseconds: what a revocation may take to work. */
const believedFor = 1_000
const rememberedAtMost = 10_000

/** Tells who calls by the key that comes with a request. Asks the store about a key at most once a second. */
export class KeyRing {
  readonly #store: Store
  readonly #clock: Clock
  readonly #known = new Map<string, { caller: Caller; until: number }>()

  constructor(store: Store, clock: Clock) {
    this.#store = store
    this.#clock = clock
  }

  /** Undefined for a key that is malformed, unknown or revoked: callers cannot tell which. */
  async identify(key: string): Promise<Caller | undefined> {
    if (!isWellFormed(key)) return undefined
    const digest = digestOf(key)
    const now = this.#clock.monotonic()
    const known = this.#known.get(digest)
    if (known && known.until > now) return known.caller
    const row = await this.#store.read(findApiKey, { digest })
    this.#known.delete(digest)
    if (!row || !sameDigest(row.digest, digest)) return undefined
    const caller: Caller = { organizationId: row.organization_id, keyId: row.id, role: row.role }
    if (this.#known.size >= rememberedAtMost) this.#known.clear()
    this.#known.set(digest, { caller, until: now + believedFor })
    return caller
  }
}

function sameDigest(left: string, right: string): boolean {
  return timingSafeEqual(Buffer.from(left), Buffer.from(right))
}
