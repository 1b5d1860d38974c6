import { timingSafeEqual } from 'node:crypto'
import { EventEmitter } from 'node:events'
import type { Caller } from '../contract/handler.ts'
import type { Role } from '../contract/operation.ts'
import type { Clock } from '../runtime/clock.ts'
import { digestOf, isToken } from '../runtime/secrets/token.ts'
import type { Store } from '../store/store.ts'
import { findApiKey, keyUseKnownTo, noteKeyUse } from './key-store.ts'
import { instancesOf } from './keys.ts'

/** Milliseconds for which a key that was found living is believed: the most that a revocation may take to work. */
const believedFor = 1_000
const rememberedAtMost = 10_000

interface Known {
  readonly caller: Caller
  /** On the monotonic clock. */
  readonly until: number
  readonly expiresAt: number | null
}

interface KeyRow {
  readonly id: string
  readonly organization_id: string
  readonly hint: string
  readonly role: Role
  readonly instance_names: string | null
}

/** Identifies callers by their keys. Asks the store about a key at most once a second. */
export class KeyRing {
  readonly #store: Store
  readonly #clock: Clock
  /** By the key itself, the oldest first: a digest in every request would cost more than all else that lets its caller in. */
  readonly #known = new Map<string, Known>()
  /** Says the id of each key that is forgotten, to every stream that is open with it. */
  readonly #forgotten = new EventEmitter().setMaxListeners(0)
  /** Number of keys that were forgotten because they were revoked. */
  #revocations = 0

  constructor(store: Store, clock: Clock) {
    this.#store = store
    this.#clock = clock
  }

  /**
   * Undefined for a key that is malformed, unknown or revoked: callers cannot tell which. An expired key is reported
   * from those, to the millisecond.
   */
  async identify(key: string): Promise<Caller | 'expired' | undefined> {
    const now = this.#clock.monotonic()
    const known = this.#known.get(key)
    if (known && known.until > now) return this.#living(known)
    if (!isToken('phk', key)) return undefined
    const digest = digestOf(key)
    const before = this.#revocations
    const row = await this.#store.read(findApiKey, { digest })
    this.#known.delete(key)
    this.#forgetOld(now)
    if (!row || !sameDigest(row.digest, digest)) return undefined
    const caller = callerOf(row)
    const found = { caller, until: now + believedFor, expiresAt: row.expires_at }
    // A row that was read before a revocation may be about that key, and is not believed any longer.
    if (before === this.#revocations) this.#known.set(key, found)
    const living = this.#living(found)
    if (living !== 'expired') this.#noteUse(row)
    return living
  }

  /** Keeps no key in memory for long after it is believed. */
  #forgetOld(now: number): void {
    if (this.#known.size >= rememberedAtMost) this.#known.clear()
    for (const [key, { until }] of this.#known) {
      if (until > now) return
      this.#known.delete(key)
    }
  }

  /** Believes no more in a key that was just revoked here: it is refused from the next request on. */
  forget(keyId: string): void {
    this.#revocations++
    for (const [key, { caller }] of this.#known) if (caller.keyId === keyId) this.#known.delete(key)
    this.#forgotten.emit(keyId)
  }

  /** Calls `then` whenever the key was just revoked here, until the function that is returned is called. */
  whenForgotten(keyId: string, then: () => void): () => void {
    this.#forgotten.on(keyId, then)
    return () => this.#forgotten.off(keyId, then)
  }

  #living({ caller, expiresAt }: Known): Caller | 'expired' {
    return expiresAt !== null && this.#clock.now() >= expiresAt ? 'expired' : caller
  }

  /** Notes the use of a key. No caller waits for it, and a failure costs no more than an hour of exactness. */
  #noteUse({ id, last_used_at }: { readonly id: string; readonly last_used_at: number | null }): void {
    const now = this.#clock.now()
    const before = now - keyUseKnownTo
    if (last_used_at !== null && last_used_at >= before) return
    this.#store.transact(noteKeyUse, { id, now, before }).catch(() => undefined)
  }
}

/** Returns the caller with the key of this row. */
export function callerOf(row: KeyRow): Caller {
  return {
    organizationId: row.organization_id,
    keyId: row.id,
    keyHint: row.hint,
    role: row.role,
    instances: instancesOf(row),
  }
}

function sameDigest(left: string, right: string): boolean {
  return timingSafeEqual(Buffer.from(left), Buffer.from(right))
}
