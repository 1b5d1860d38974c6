import { setImmediate as immediately } from 'node:timers/promises'
import { deserialize, serialize } from 'node:v8'
import type { AuthenticationCreds, SignalDataSet, SignalDataTypeMap, SignalKeyStore } from 'baileys'
import { type KeyChange, longestValue, maxBytes, maxChanges } from '../../driver/keys.ts'

/** Keys of a client that are kept in memory besides those that are not stored yet. */
const keptKeys = 128

/** Milliseconds that keys may wait for a message to be stored: sending waits as well meanwhile. */
const longestHold = 10_000

/** Types of which a key is hardly read twice. */
const readOnce = new Set(['pre-key', 'sent'])

/**
 * Types whose keys a remote sender can make grow, by skipping messages. A key that grew too large is forgotten: its sender
 * must begin anew.
 */
const growing = new Set(['session', 'sender-key'])

/**
 * Types that WhatsApp tells again when they are missing: a change may be stored only with the next one, and one that is not changed
 * for so long, in milliseconds, is given up.
 */
const toldAgain = new Set(['device-list'])
const toldAgainAfter = 30 * 24 * 60 * 60 * 1000

/** Type of the library's memory of an account as a whole. */
const accountType = 'account'

/** The place where keys are kept. */
export interface KeyHome {
  get(type: string, ids: readonly string[]): Promise<ReadonlyMap<string, Uint8Array>>
  set(changes: readonly KeyChange[]): Promise<void>
}

interface Change {
  readonly type: string
  readonly id: string
  readonly value: unknown
  readonly expires_at?: number
}

/**
 * The keys of one client. What is put is seen at once, and durable when `flush` resolves: changes of a moment are stored
 * together, in their order. If they cannot be stored, the client must end before it sends anything that depends on them.
 */
export class Keys implements SignalKeyStore {
  readonly #home: KeyHome
  readonly #onFailure: (error: unknown) => void
  readonly #creds: AuthenticationCreds
  /** The least recently used first. Null is known to be missing. */
  readonly #kept = new Map<string, unknown>()
  #changed = new Map<string, Change>()
  #storing = new Map<string, Change>()
  #credsChanged = false
  /** As they were stored, if they were. */
  #storedCreds: Buffer | null = null
  #written: Promise<void> = Promise.resolve()
  #next: Promise<void> | null = null
  /** One for each message that came in and is being stored; it resolves when it is. */
  readonly #holds = new Set<Promise<void>>()
  /** The same, and one for each message that came in and waits for encryptions to end. */
  readonly #coming = new Set<Promise<void>>()
  /** One for each encryption; it resolves when its keys are durable, or cannot be. */
  readonly #encryptions = new Set<Promise<void>>()
  /** Values that were put before the transaction in which they were set ends. */
  readonly #early = new WeakSet<object>()

  constructor(home: KeyHome, creds: AuthenticationCreds, onFailure: (error: unknown) => void) {
    this.#home = home
    this.#creds = creds
    this.#onFailure = onFailure
  }

  async get<Type extends keyof SignalDataTypeMap>(
    type: Type,
    ids: string[],
  ): Promise<{ [id: string]: SignalDataTypeMap[Type] }> {
    const found = await this.read(type, ids)
    return Object.fromEntries(found) as { [id: string]: SignalDataTypeMap[Type] }
  }

  async set(data: SignalDataSet): Promise<void> {
    this.put(data)
    const names = Object.entries(data).flatMap(([type, values]) =>
      toldAgain.has(type)
        ? []
        : Object.entries(values ?? {}).flatMap(([id, value]) =>
            this.#isEarly(value) ? [] : nameOf(type, id),
          ),
    )
    if (names.length === 0) return
    // Keys that are durable already, or about to be, must not cost a commit for others that were just put.
    await (names.some((name) => this.#changed.has(name)) ? this.flush() : (this.#next ?? this.#written))
  }

  /** The values of those that exist: copies, because the library changes what it is given, even for an attempt that fails then. */
  async read(type: string, ids: readonly string[]): Promise<Map<string, unknown>> {
    const found = await this.readUncopied(type, ids)
    for (const [id, value] of found) found.set(id, copyOf(value))
    return found
  }

  /** The values themselves of those that exist, which must not be changed. */
  async readUncopied(type: string, ids: readonly string[]): Promise<Map<string, unknown>> {
    const missing = ids.filter((id) => this.#present(nameOf(type, id)) === undefined)
    const stored = missing.length > 0 ? await this.#home.get(type, missing) : new Map<string, Uint8Array>()
    const found = new Map<string, unknown>()
    for (const id of ids) {
      const name = nameOf(type, id)
      let value = this.#present(name)
      if (value === undefined) {
        const bytes = stored.get(id)
        value = bytes ? deserialize(bytes) : null
        this.#keep(name, value)
      }
      if (value !== null) found.set(id, value)
    }
    return found
  }

  /** The value itself of one that is in memory, not to be changed. Undefined if it must be read, and null if it does not exist. */
  inMemory(type: string, id: string): unknown {
    return this.#present(nameOf(type, id))
  }

  /** Changes keys; see `flush`. */
  put(
    data: { readonly [type: string]: { readonly [id: string]: unknown } | undefined },
    expires_at?: number,
  ): void {
    for (const [type, values] of Object.entries(data)) {
      const until = toldAgain.has(type) ? Date.now() + toldAgainAfter : expires_at
      for (const [id, value = null] of Object.entries(values ?? {})) {
        const name = nameOf(type, id)
        // A key that was put in a transaction comes once more when it is committed, perhaps after a newer one.
        if (this.#isEarly(value)) continue
        if (value !== null && this.#present(name) === value) continue
        this.#kept.delete(name)
        this.#changed.set(name, { type, id, value, ...(until !== undefined && { expires_at: until }) })
      }
    }
  }

  /** Changes keys before the end of the transaction in which they are set, which neither puts them again nor waits for them. */
  putEarly(data: SignalDataSet): void {
    this.put(data)
    for (const type of ['session', 'sender-key'] as const)
      for (const value of Object.values(data[type] ?? {})) if (value) this.#early.add(value)
  }

  /**
   * Nothing is stored from then on until the function is called that this resolves to, so that no message loses its key before it is
   * stored itself. If that takes too long, `onLate` is called, once: then the client must end, and its keys stay as they were before the
   * message.
   */
  async hold(onLate: () => void): Promise<() => void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#coming.add(promise)
    while (this.#encryptions.size > 0) await Promise.all(this.#encryptions)
    this.#holds.add(promise)
    const timer = setTimeout(onLate, longestHold)
    return () => {
      clearTimeout(timer)
      this.#holds.delete(promise)
      this.#coming.delete(promise)
      resolve()
    }
  }

  /**
   * Encrypts something while no message is held: what leaves waits for `durable`, and a message may need an answer of WhatsApp
   * before it is stored. `durable` resolves when what the encryption changed is durable, and rejects if it cannot be.
   */
  async encrypt<R>(work: () => Promise<R>): Promise<{ readonly result: R; readonly durable: Promise<void> }> {
    while (this.#coming.size > 0) await Promise.all(this.#coming)
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#encryptions.add(promise)
    const end = () => {
      this.#encryptions.delete(promise)
      resolve()
    }
    try {
      const result = await work()
      const durable = this.flush()
      durable.then(end, end)
      return { result, durable }
    } catch (error) {
      end()
      throw error
    }
  }

  /** The account as a whole is stored as it is now. */
  credsAreStored(): void {
    this.#storedCreds = serialize(this.#creds)
  }

  /** The account as a whole may have changed. False if it has not: with each login, the library says what is known. */
  putCreds(): boolean {
    const isStored = this.#storedCreds?.equals(serialize(this.#creds)) === true
    if (!isStored) this.#credsChanged = true
    return !isStored
  }

  /** Resolves when everything that was put so far is durable. Rejects if it cannot be. */
  flush(): Promise<void> {
    if (this.#changed.size === 0 && !this.#credsChanged) return this.#next ?? this.#written
    this.#next ??= this.#write(this.#written)
    return this.#next
  }

  async #write(before: Promise<void>): Promise<void> {
    await before
    // Keys of several devices of a recipient, encrypted for in one turn, are stored together.
    await immediately()
    while (this.#holds.size > 0) await Promise.all(this.#holds)
    this.#written = this.#store()
    this.#next = null
    await this.#written
  }

  async #store(): Promise<void> {
    this.#storing = this.#changed
    this.#changed = new Map()
    const changes: KeyChange[] = []
    for (const change of this.#storing.values()) changes.push({ ...change, value: bytesOf(change) })
    // The account says which keys exist: it comes last, so that it never names one that is not stored.
    if (this.#credsChanged) {
      this.#storedCreds = serialize(this.#creds)
      changes.push({ type: accountType, id: accountType, value: this.#storedCreds })
    }
    this.#credsChanged = false
    try {
      for (const part of partsOf(changes)) await this.#home.set(part)
    } catch (error) {
      this.#onFailure(error)
      throw error
    }
    for (const [name, { type, value }] of this.#storing)
      if (!readOnce.has(type) && !this.#changed.has(name)) this.#keep(name, value)
    this.#storing = new Map()
  }

  #isEarly(value: unknown): boolean {
    return typeof value === 'object' && value !== null && this.#early.has(value)
  }

  /** Undefined if it must be read. */
  #present(name: string): unknown {
    const change = this.#changed.get(name) ?? this.#storing.get(name)
    if (change) return change.value
    const kept = this.#kept.get(name)
    if (kept !== undefined) this.#keep(name, kept)
    return kept
  }

  #keep(name: string, value: unknown): void {
    this.#kept.delete(name)
    this.#kept.set(name, value)
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= keptKeys) break
      this.#kept.delete(oldest)
    }
  }
}

/** Reads the library's memory of the account; null if it was never linked. */
export async function readCreds(home: KeyHome): Promise<AuthenticationCreds | null> {
  const stored = await home.get(accountType, [accountType])
  const bytes = stored.get(accountType)
  return bytes ? (withBuffers(deserialize(bytes)) as AuthenticationCreds) : null
}

/** The library wants its bytes as buffers. */
function withBuffers(value: unknown): unknown {
  if (value instanceof Uint8Array) return Buffer.from(value)
  if (Array.isArray(value)) return value.map(withBuffers)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, withBuffers(field)]))
}

/** Bytes stay buffers, which the library wants. */
function copyOf(value: unknown): unknown {
  return typeof value === 'object' ? deserialize(serialize(value)) : value
}

function bytesOf({ type, value }: Change): Uint8Array | null {
  if (value === null) return null
  const bytes = serialize(value)
  return bytes.length > longestValue && growing.has(type) ? null : bytes
}

/** As few sets as it takes; nearly always one. */
function partsOf(changes: readonly KeyChange[]): (readonly KeyChange[])[] {
  const parts: KeyChange[][] = []
  let bytes = Number.POSITIVE_INFINITY
  for (const change of changes) {
    const size = change.value?.length ?? 0
    const part = parts.at(-1)
    if (part && part.length < maxChanges && bytes + size <= maxBytes) part.push(change)
    else {
      parts.push([change])
      bytes = 0
    }
    bytes += size
  }
  return parts
}

function nameOf(type: string, id: string): string {
  return `${type}\n${id}`
}
