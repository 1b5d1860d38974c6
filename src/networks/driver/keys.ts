/** One change of a key of an instance. */
export interface KeyChange {
  /** The kind of key, in the words of the driver; at most `longestName`. */
  readonly type: string
  /** The name of the key among those of its kind; at most `longestName`. */
  readonly id: string
  /** At most `longestValue`; null removes the key. */
  readonly value: Uint8Array | null
  /**
   * The time when it may be forgotten, in milliseconds since the epoch; from then on, it is not found. It is forgotten
   * earlier if other keys of the instance need its room. Missing if never.
   */
  readonly expires_at?: number
}

/**
 * The keys of one instance, for protocols that have many: each is a row of its own, sealed, by its type and id. Nothing is
 * remembered between two calls. The first use makes them those of this connection: what an earlier connection set until then is found,
 * and nothing that it sets later is stored.
 */
export interface KeyStore {
  /** The values of those that exist, by id. Rejects with `SealBroken` if one of them does not open. */
  get(type: string, ids: readonly string[]): Promise<ReadonlyMap<string, Uint8Array>>
  /**
   * All changes or none; durable when it resolves. Sets are stored in the order of the calls, and if one changes a key twice, the last change
   * counts. The values must stay as they are until it resolves. Rejects with `NoLongerOwner`,
   * with `KeyLimitReached`, with `StoreUnavailable` (then it may be repeated), and with a `RangeError` for what a driver must not
   * ask: more than `maxChanges`, names or values that are too long, or more than `maxBytes` in all.
   */
  set(changes: readonly KeyChange[]): Promise<void>
  /**
   * Removes all keys of the instance. A crash in the middle leaves some of them, so that a driver first saves that they are not to
   * be used. Rejects like `set`.
   */
  clear(): Promise<void>
}

/** The longest type and the longest id, in bytes of UTF-8. */
export const maxKeyNameLength = 255

/** The largest value, in bytes. */
export const longestValue = 256 * 1024

/** Changes that one set may have. A store works on them at a stretch, and all others wait for that. */
export const maxChanges = 1_000

/** Bytes that the values of one set may have together. */
export const maxBytes = 4 * 1024 * 1024

/** The instance was taken over, stopped or removed, or its credentials were replaced: this connection may not write its keys any more. */
export class NoLongerOwner extends Error {
  override readonly name = 'NoLongerOwner'

  constructor() {
    super(
      'the keys of the instance are not those of this connection: it was taken over, stopped or removed, or its credentials were replaced',
    )
  }
}

/** The instance has as many keys as it may have. Those that it has can be changed and removed. */
export class KeyLimitReached extends Error {
  override readonly name = 'KeyLimitReached'
  readonly limit: number

  constructor(limit: number) {
    super(
      `the instance has ${limit} keys, as many as it may have: remove some, or raise POSTHORN_KEY_LIMIT and restart the server`,
    )
    this.limit = limit
  }
}
