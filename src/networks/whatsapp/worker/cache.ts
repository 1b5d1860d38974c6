import type { PossiblyExtendedCacheStore } from 'baileys'

/** A cache for the library: bounded, the oldest goes first, and without a timer. */
export class Cache implements PossiblyExtendedCacheStore {
  readonly #most: number
  readonly #lasts: number
  readonly #entries = new Map<string, { readonly value: unknown; readonly until: number }>()

  /** `lasts` in milliseconds. */
  constructor(most: number, lasts: number) {
    this.#most = most
    this.#lasts = lasts
  }

  get<Value>(key: string): Value | undefined {
    const entry = this.#entries.get(key)
    if (!entry) return undefined
    if (entry.until > performance.now()) return entry.value as Value
    this.#entries.delete(key)
    return undefined
  }

  set<Value>(key: string, value: Value): void {
    this.#entries.delete(key)
    this.#entries.set(key, { value, until: performance.now() + this.#lasts })
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size <= this.#most) break
      this.#entries.delete(oldest)
    }
  }

  del(key: string): void {
    this.#entries.delete(key)
  }

  flushAll(): void {
    this.#entries.clear()
  }

  async mget<Value>(keys: string[]): Promise<Record<string, Value | undefined>> {
    return Object.fromEntries(keys.map((key) => [key, this.get<Value>(key)]))
  }

  async mset<Value>(entries: { key: string; value: Value }[]): Promise<void> {
    for (const { key, value } of entries) this.set(key, value)
  }
}

/**
 * Messages that the phone was asked for. The library waits two seconds before it asks, and takes nothing else meanwhile: so
 * it is told that it has asked already, unless a message came without its text. A message that cannot be decrypted is sent
 * again by its sender.
 */
export class PhoneRequests extends Cache {
  /** A message came without its text, which only the phone has. */
  needed(id: string): void {
    this.set(id, notAsked)
  }

  override get<Value>(id: string): Value | undefined {
    const known = super.get<unknown>(id) ?? true
    return known === notAsked ? undefined : (known as Value)
  }
}

const notAsked = Symbol('not asked')
