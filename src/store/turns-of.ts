import type { ReadFunction, Store, StoreForAll, TransactionFunction, Turn } from './store.ts'

/** The store for a part of the program that works for one party: a call that names no turn takes one of that party. */
export class TurnsOf implements Store {
  readonly #store: StoreForAll
  readonly #turn: Turn

  constructor(store: StoreForAll, party: string) {
    this.#store = store
    this.#turn = { party }
  }

  get dialect(): Store['dialect'] {
    return this.#store.dialect
  }

  read<A, R>(query: ReadFunction<A, R>, args: A, turn = this.#turn): Promise<R> {
    return this.#store.read(query, args, turn)
  }

  transact<A, R>(transaction: TransactionFunction<A, R>, args: A, turn = this.#turn): Promise<R> {
    return this.#store.transact(transaction, args, turn)
  }

  waiting() {
    return this.#store.waiting?.() ?? { read: 0, transaction: 0 }
  }

  close(): Promise<void> {
    return this.#store.close()
  }
}
