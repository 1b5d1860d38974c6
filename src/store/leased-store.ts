import type { OnCommit, ReadFunction, SharedStore, StoreForAll, TransactionFunction, Turn } from './store.ts'

/**
 * A shared store as the holder of its lease may use it. `check` throws `StoreUnavailable` while the lease is not trusted. It
 * is asked before a transaction, so that the database is left alone, and again after its commit: a caller that acts on a
 * commit, such as a claim, must not do so beside a server that took over meanwhile. Reads are true no matter which server
 * writes.
 */
export class LeasedStore implements StoreForAll {
  readonly dialect: StoreForAll['dialect']
  readonly #store: SharedStore
  readonly #check: () => void

  constructor(store: SharedStore, check: () => void) {
    this.dialect = store.dialect
    this.#store = store
    this.#check = check
  }

  set onCommit(hear: OnCommit) {
    this.#store.onCommit = hear
  }

  set onLost(hear: (cause: Error) => void) {
    this.#store.onLost = hear
  }

  read<A, R>(query: ReadFunction<A, R>, args: A, turn: Turn): Promise<R> {
    return this.#store.read(query, args, turn)
  }

  async transact<A, R>(transaction: TransactionFunction<A, R>, args: A, turn: Turn): Promise<R> {
    this.#check()
    const result = await this.#store.transact(transaction, args, turn)
    this.#check()
    return result
  }

  waiting() {
    return this.#store.waiting?.() ?? { read: 0, transaction: 0 }
  }

  close(): Promise<void> {
    return this.#store.close()
  }
}
