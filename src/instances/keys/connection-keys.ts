import { setImmediate as turn } from 'node:timers/promises'
import {
  type KeyChange,
  KeyLimitReached,
  type KeyStore,
  longestValue,
  maxBytes,
  maxChanges,
  maxKeyNameLength,
  NoLongerOwner,
} from '../../networks/driver/keys.ts'
import type { ByteSeal } from '../../runtime/secrets/seal.ts'
import type { InstanceContext } from '../context.ts'
import { forgetKeys, readKeys, type SealedChange, type SetAnswer, setKeys, takeKeys } from './key-store.ts'

type Context = Pick<InstanceContext, 'store' | 'clock' | 'keyLimit' | 'keyTurns'>

/** Facts about a connection that are known when it is opened. */
export interface Owning {
  readonly instance: string
  readonly organization: string
  /** The owner of the keys when the credentials of the connection were read. */
  readonly before: number
  /** Returns true if the connection is still the present one of its instance. */
  readonly isPresent: () => boolean
  readonly seal: () => ByteSeal
}

/** Keys that one statement reads or removes. */
const atOnce = 500

/** Changes from which on a set counts as large. */
const largeSet = 100

/** The keys of an instance as one of its connections uses them. */
export class ConnectionKeys implements KeyStore {
  readonly #context: Context
  readonly #owning: Owning
  #owner: Promise<number> | undefined
  #madeSeal: ByteSeal | undefined
  /** Resolves when the last set was given to the store. */
  #asked: Promise<void> = Promise.resolve()

  constructor(context: Context, owning: Owning) {
    this.#context = context
    this.#owning = owning
  }

  async get(type: string, ids: readonly string[]): Promise<ReadonlyMap<string, Uint8Array>> {
    refuseName('type', type)
    for (const id of ids) refuseName('id', id)
    await this.#own()
    const { store, clock } = this.#context
    const { instance } = this.#owning
    const values = new Map<string, Uint8Array>()
    for (let from = 0; from < ids.length; from += atOnce) {
      const some = ids.slice(from, from + atOnce)
      const rows = await store.read(readKeys, { instance, type, ids: some, now: clock.now() })
      for (const { id, value } of rows) values.set(id, this.#seal.open(value, placeOf(type, id)))
    }
    return values
  }

  async set(changes: readonly KeyChange[]): Promise<void> {
    refuseUnfit(changes)
    if (changes.length === 0) return
    const owner = this.#own()
    owner.catch(() => {})
    const { keyTurns, keyLimit } = this.#context
    const before = this.#asked
    const { promise, resolve: asked } = Promise.withResolvers<void>()
    this.#asked = promise
    await before
    try {
      const ask = () => this.#ask(changes, owner, asked)
      const isLarge = changes.length >= largeSet
      const answer = await (isLarge ? keyTurns.run(this.#owning.organization, ask) : ask())
      if (answer === 'gone') throw new NoLongerOwner()
      if (answer === 'full') throw new KeyLimitReached(keyLimit)
    } finally {
      asked()
    }
  }

  async #ask(changes: readonly KeyChange[], owner: Promise<number>, asked: () => void): Promise<SetAnswer> {
    const { store, keyLimit: limit } = this.#context
    const { instance } = this.#owning
    const sealed: SealedChange[] = []
    for (const change of changes) {
      // Sealing this many takes a millisecond or two.
      if (sealed.length % largeSet === largeSet - 1) await turn()
      sealed.push(this.#close(change))
    }
    const set = { instance, owner: await owner, limit, changes: sealed }
    const answer = store.transact(setKeys, set)
    asked()
    return await answer
  }

  async clear(): Promise<void> {
    const owner = await this.#own()
    await this.#asked
    for (;;) {
      const { instance } = this.#owning
      const removed = await this.#context.store.transact(forgetKeys, { instance, owner, limit: atOnce })
      if (removed === null) throw new NoLongerOwner()
      if (removed < atOnce) return
    }
  }

  /** Resolves when it is known whether the connection has taken the keys over; at once if it has not begun to. */
  async settled(): Promise<void> {
    await this.#owner?.catch(() => {})
  }

  get #seal(): ByteSeal {
    this.#madeSeal ??= this.#owning.seal()
    return this.#madeSeal
  }

  #close({ type, id, value, expires_at }: KeyChange): SealedChange {
    const sealed = value && this.#seal.close(value, placeOf(type, id))
    return { type, id, value: sealed, expires_at: expires_at ?? null }
  }

  /**
   * Takes the keys over at the first use. What begins while the connection is the present one is carried out, unless the next one has
   * used the keys by then; what begins later is refused.
   */
  async #own(): Promise<number> {
    if (!this.#owning.isPresent()) throw new NoLongerOwner()
    this.#owner ??= this.#take()
    return await this.#owner
  }

  async #take(): Promise<number> {
    const { instance, before } = this.#owning
    try {
      const owner = await this.#context.store.transact(takeKeys, { instance, owner: before })
      if (owner !== null) return owner
    } catch (error) {
      // The store was away: the next use tries again.
      this.#owner = undefined
      throw error
    }
    throw new NoLongerOwner()
  }
}

const placeOf = (type: string, id: string) => ({
  table: 'network_keys',
  column: 'value',
  row: JSON.stringify([type, id]),
})

function refuseUnfit(changes: readonly KeyChange[]): void {
  if (changes.length > maxChanges) throw new RangeError(`one set changes at most ${maxChanges} keys`)
  let bytes = 0
  for (const { type, id, value } of changes) {
    refuseName('type', type)
    refuseName('id', id)
    const size = value?.length ?? 0
    if (size > longestValue) throw new RangeError(`a key has at most ${longestValue} bytes`)
    bytes += size
  }
  if (bytes > maxBytes) throw new RangeError(`the keys of one set have at most ${maxBytes} bytes in all`)
}

function refuseName(what: 'type' | 'id', name: string): void {
  // One character has at most three bytes for each of its UTF-16 units.
  if (name.length * 3 > maxKeyNameLength && Buffer.byteLength(name) > maxKeyNameLength)
    throw new RangeError(`the ${what} of a key has at most ${maxKeyNameLength} bytes`)
}
