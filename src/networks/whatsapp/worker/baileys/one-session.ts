import { AsyncLocalStorage } from 'node:async_hooks'

/** The sessions with one device, as the library stores them: by their base keys. */
interface SessionRecord {
  readonly _sessions: { readonly [baseKey: string]: Session }
}

interface Session {
  readonly registrationId?: unknown
  /** `closed`: when it was, or -1. */
  readonly indexInfo: { readonly used: number; readonly closed?: unknown }
}

function hasSessions(record: unknown): record is SessionRecord {
  return typeof record === 'object' && record !== null && '_sessions' in record
}

/** Returns true if there is a session with a device by which something can be encrypted for it, as the library decides it. */
export function hasOpenSession(record: unknown): boolean {
  if (!hasSessions(record)) return false
  const open = Object.values(record._sessions).find(({ indexInfo }) => indexInfo.closed === -1)
  return typeof open?.registrationId === 'number'
}

interface Attempt {
  readonly place: number
  isLast: boolean
}

/**
 * Has a message tried on one session at a time. The library tries all of them and then stores all of them, including those that a
 * failed attempt changed: their next messages could never be decrypted.
 */
export class OneSession {
  readonly #attempts = new AsyncLocalStorage<Attempt>()

  /** Tries each session, the one used last first, until one decrypts the message. */
  async decrypt<Plaintext>(decrypt: () => Promise<Plaintext>): Promise<Plaintext> {
    for (let place = 0; ; place += 1) {
      const attempt = { place, isLast: true }
      try {
        return await this.#attempts.run(attempt, decrypt)
      } catch (error) {
        if (attempt.isLast) throw error
      }
    }
  }

  /** True if a message is being tried. */
  get isTrying(): boolean {
    return this.#attempts.getStore() !== undefined
  }

  /** Returns the sessions with a device that the library may see: all, or the one on which a message is tried. */
  shown<Row>(record: Row): Row {
    const attempt = this.#attempts.getStore()
    if (!attempt || !hasSessions(record)) return record
    const sessions = Object.entries(record._sessions).sort(
      ([, one], [, other]) => other.indexInfo.used - one.indexInfo.used,
    )
    attempt.isLast = attempt.place >= sessions.length - 1
    return { ...record, _sessions: Object.fromEntries(sessions.slice(attempt.place, attempt.place + 1)) }
  }

  /** Returns the record to store: with the session on which a message was tried, the others as they were. */
  completed<Row>(record: Row, before: unknown): Row {
    if (!this.isTrying || !hasSessions(record) || !hasSessions(before)) return record
    return { ...record, _sessions: { ...before._sessions, ...record._sessions } }
  }
}
