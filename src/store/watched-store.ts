import type { Clock } from '../runtime/clock.ts'
import { writeFact } from './position.ts'
import {
  type OnCommit,
  type ReadFunction,
  type StoreFailure,
  type StoreForAll,
  type StoreFunctions,
  StoreUnavailable,
  type TransactionFunction,
  type Turn,
  touchesNothing,
  transaction,
} from './store.ts'
import { StoreAround } from './store-around.ts'

/** Writes something small, to see whether that can be done. */
export const probeWrite = transaction(
  'store.probe',
  async (tx, { now }: { now: number }): Promise<void> => {
    await tx.run(writeFact, { name: 'probe', value: String(now) })
  },
  { touches: touchesNothing },
)

/** The functions that a store must serve so that its health can be checked. */
export const probeFunctions: StoreFunctions = { reads: [], transactions: [probeWrite] }

/** Milliseconds for which a probe proves that the next write will succeed. */
const proves = 1_000
/** Milliseconds that a probe may take. */
const timeout = 3_000
/** A party of its own: whether the store can be written to is told soon, however much other parties ask of it. */
const turn: Turn = { party: 'health' }

/**
 * A store that knows whether it can be written to. Any transaction that fails shows that it cannot, and only a write of its own, which
 * begins after the last failure, shows that it can: other transactions succeed as well if they find nothing to write. There is one such
 * write in a second at most, however many want to know.
 */
export class WatchedStore extends StoreAround {
  readonly #clock: Clock
  /** Number of transactions that it has kept. */
  commits = 0
  /** When the last probe succeeded, unless something failed since. */
  #provenAt = Number.NEGATIVE_INFINITY
  /** Seconds that the last probe took; null before the first. */
  probeSeconds: number | null = null
  #failures = 0
  #failure: StoreFailure | null = null
  #isCorrupt = false
  #probing: Promise<void> | undefined

  constructor(store: StoreForAll, clock: Clock) {
    super(store)
    this.#clock = clock
  }

  /** Calls `listener` after the callers of the commit have their results and have written their responses. */
  override set onCommit(listener: OnCommit) {
    super.onCommit = (...told) => void setImmediate(listener, ...told)
  }

  override async read<A, R>(query: ReadFunction<A, R>, args: A, turn: Turn): Promise<R> {
    try {
      return await this.store.read(query, args, turn)
    } catch (error) {
      // That a read fails says nothing about writes, but for this.
      if (error instanceof StoreUnavailable && error.failure === 'corrupt') this.#isCorrupt = true
      throw error
    }
  }

  override async transact<A, R>(asked: TransactionFunction<A, R>, args: A, turn: Turn): Promise<R> {
    try {
      const result = await this.store.transact(asked, args, turn)
      this.commits++
      return result
    } catch (error) {
      if (error instanceof StoreUnavailable) this.#note(error.failure)
      // Another error says nothing about the store if it is a mistake of one caller, but it may be of a kind not known yet.
      else this.#provenAt = Number.NEGATIVE_INFINITY
      throw error
    }
  }

  /**
   * Resolves with what keeps it from being written to, or null. A page that was found corrupt stays so until the operator
   * repairs it: what does not touch it succeeds, and proves nothing.
   */
  async failure(): Promise<StoreFailure | null> {
    const isProven = this.#failure === null && this.#clock.monotonic() - this.#provenAt < proves
    if (!isProven) await this.#probe()
    return this.#isCorrupt ? 'corrupt' : this.#failure
  }

  #note(failure: StoreFailure): void {
    this.#failures++
    this.#failure = failure
    this.#provenAt = Number.NEGATIVE_INFINITY
    if (failure === 'corrupt') this.#isCorrupt = true
  }

  async #probe(): Promise<void> {
    this.#probing ??= this.#write().finally(() => {
      this.#probing = undefined
    })
    let timer: NodeJS.Timeout | undefined
    const tooLong = new Promise<void>((resolve) => {
      timer = setTimeout(() => {
        this.#note('away')
        resolve()
      }, timeout)
    })
    await Promise.race([this.#probing, tooLong])
    clearTimeout(timer)
  }

  /** Never rejects. What failed after the write had begun may have failed because of something that came after it. */
  async #write(): Promise<void> {
    const before = this.#failures
    const began = this.#clock.monotonic()
    try {
      await this.transact(probeWrite, { now: this.#clock.now() }, turn)
      this.probeSeconds = (this.#clock.monotonic() - began) / 1000
      if (this.#failures !== before) return
      this.#failure = null
      this.#provenAt = this.#clock.monotonic()
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) this.#note('away')
    }
  }
}
