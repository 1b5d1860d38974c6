import type { ReadFunction, Store, StoreForAll, TransactionFunction, Turn } from './store.ts'
import { StoreAround } from './store-around.ts'

/** The store for a part of the program that works for one party: a call that names no turn takes one of that party. */
export class TurnsOf extends StoreAround implements Store {
  readonly #turn: Turn

  constructor(store: StoreForAll, party: string) {
    super(store)
    this.#turn = { party }
  }

  override read<A, R>(query: ReadFunction<A, R>, args: A, turn = this.#turn): Promise<R> {
    return this.store.read(query, args, turn)
  }

  override transact<A, R>(transaction: TransactionFunction<A, R>, args: A, turn = this.#turn): Promise<R> {
    return this.store.transact(transaction, args, turn)
  }
}
