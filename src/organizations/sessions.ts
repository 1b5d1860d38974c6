import { EventEmitter } from 'node:events'
import type { Caller } from '../contract/handler.ts'
import type { Clock } from '../runtime/clock.ts'
import { randomBase32 } from '../runtime/ids.ts'
import { digestOf } from '../runtime/secrets/token.ts'
import type { Store } from '../store/store.ts'
import { callerOf } from './key-ring.ts'
import {
  beginSession,
  endSessions,
  findSession,
  isCode,
  type NewSession,
  type Origin,
  prolongSession,
  redeemCode,
  sessionEnd,
} from './session-store.ts'

/** Milliseconds for which a session that was found living is believed, as a key is. */
const believedFor = 1_000
const rememberedAtMost = 10_000
/** Precision with which the end of a session is stored, in milliseconds. */
const useKnownTo = 5 * 60_000

/** A new token of a session, or a code to sign in with: 256 random bits. Only `digest` is stored. */
export function newSessionToken(): { token: string; digest: string } {
  const token = randomBase32(32)
  return { token, digest: digestOf(token) }
}

/** The owner of a session: a caller, the operator, or none; or a caller whose key has expired. */
export type Identified = Caller | 'operator' | 'expired' | undefined

/**
 * The sessions that end: one, all of its owner, or one that another replaces in the same browser. The streams of that one go
 * on for a while: ended at once, its pages would ask again before they have the new cookie, and be signed out.
 */
type Ending = 'one' | 'all' | 'replaced'

const form = /^[0-9a-hjkmnp-tv-z]{52}$/

interface Known {
  readonly caller: Caller | 'operator'
  readonly expiresAt: number
  readonly keyExpiresAt: number | null
  /** On the monotonic clock. */
  readonly until: number
}

/** The sessions of browsers: each has the rights of the key, or of the operator's token, that it was signed in with, as long as that lives. */
export class SessionStore {
  readonly #store: Store
  readonly #clock: Clock
  readonly #operator: string
  readonly #known = new Map<string, Known>()
  /** Says whose session was ended, to every stream that is open with the same key. */
  readonly #ended = new EventEmitter().setMaxListeners(0)
  /** Number of endings: a row that was read before the last one is not believed any longer. */
  #ends = 0

  constructor(store: Store, clock: Clock, operatorToken: string) {
    this.#store = store
    this.#clock = clock
    this.#operator = digestOf(operatorToken)
  }

  /** Begins a session of who just showed a key or the operator's token; undefined if the key was revoked meanwhile. Returns its token. */
  signIn(who: Caller | 'operator', origin: Origin): Promise<string | undefined> {
    const owner = who === 'operator' ? this.#operator : who.keyId
    return this.#begin(origin, (session) => this.#store.transact(beginSession, { ...session, owner }))
  }

  /** Begins a session by a code, which works once, and returns its token; undefined if the code is none. */
  async signInByCode(code: string, origin: Origin): Promise<string | undefined> {
    if (!form.test(code)) return undefined
    const digest = digestOf(code)
    // A guess must cost a read, not the turn of a writer.
    if (!(await this.#store.read(isCode, { digest, now: this.#clock.now() }))) return undefined
    return this.#begin(origin, (session) => this.#store.transact(redeemCode, { ...session, code: digest }))
  }

  async #begin(
    origin: Origin,
    begin: (session: NewSession) => Promise<boolean>,
  ): Promise<string | undefined> {
    const { token, digest } = newSessionToken()
    const session = { digest, operator: this.#operator, now: this.#clock.now(), origin }
    return (await begin(session)) ? token : undefined
  }

  /**
   * Undefined for a session that is unknown or over, or whose key or token was; `expired` if its key has expired. Asks the store
   * about a session at most once a second. With `isUse`, the session lasts longer for it.
   */
  async identify(token: string, isUse: boolean): Promise<Identified> {
    if (!form.test(token)) return undefined
    const digest = digestOf(token)
    const known = this.#known.get(digest)
    if (known && known.until > this.#clock.monotonic()) return this.#living(known)
    const now = this.#clock.now()
    const before = this.#ends
    const row = await this.#store.read(findSession, { digest, now })
    this.#known.delete(digest)
    const caller = row?.owner === this.#operator ? 'operator' : row?.key && callerOf(row.key)
    if (!row || !caller) return undefined
    if (this.#known.size >= rememberedAtMost) this.#known.clear()
    const found: Known = {
      caller,
      expiresAt: row.expires_at,
      keyExpiresAt: row.key?.expires_at ?? null,
      until: this.#clock.monotonic() + believedFor,
    }
    if (before === this.#ends) this.#known.set(digest, found)
    const living = this.#living(found)
    const end = sessionEnd(row.created_at, now, found.keyExpiresAt)
    // No caller waits for it, and a failure costs no more than some minutes of exactness.
    if (isUse && living !== 'expired' && end >= row.expires_at + useKnownTo)
      this.#store.transact(prolongSession, { digest, owner: row.owner, end, now }).catch(() => undefined)
    return living
  }

  /** Ends a session, or all sessions of the same key, or of the operator; false if there is no such session. */
  async signOut(token: string, which: Ending, origin: Origin): Promise<boolean> {
    if (!form.test(token)) return false
    const digest = digestOf(token)
    const now = this.#clock.now()
    const session = await this.#store.read(findSession, { digest, now })
    if (!session) return false
    const everywhere = which === 'all'
    const ended = await this.#store.transact(endSessions, { digest, everywhere, now, origin })
    if (!ended) return false
    this.#ends++
    if (everywhere) this.#known.clear()
    else this.#known.delete(digest)
    if (which !== 'replaced') this.#ended.emit(session.owner)
    return true
  }

  /** Calls `then` whenever a session of the key was just ended here, until the function that is returned is called. */
  whenEnded(keyId: string, then: () => void): () => void {
    this.#ended.on(keyId, then)
    return () => this.#ended.off(keyId, then)
  }

  /** Believes no more in the sessions of a key that was just revoked here. */
  forget(keyId: string): void {
    this.#ends++
    for (const [digest, { caller }] of this.#known)
      if (caller !== 'operator' && caller.keyId === keyId) this.#known.delete(digest)
  }

  #living({ caller, expiresAt, keyExpiresAt }: Known): Identified {
    const now = this.#clock.now()
    if (keyExpiresAt !== null && now >= keyExpiresAt) return 'expired'
    return now < expiresAt ? caller : undefined
  }
}
