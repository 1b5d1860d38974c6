import type { OnCommit, ReadFunction, StoreForAll, TransactionFunction, Turn, WaitingCalls } from './store.ts'

/** A store around another one: it passes on everything that a subclass does not change. */
export class StoreAround implements StoreForAll {
  readonly dialect: StoreForAll['dialect']
  protected readonly store: StoreForAll

  constructor(store: StoreForAll) {
    this.dialect = store.dialect
    this.store = store
  }

  set onCommit(listener: OnCommit) {
    this.store.onCommit = listener
  }

  set onLost(listener: (cause: Error) => void) {
    this.store.onLost = listener
  }

  read<A, R>(query: ReadFunction<A, R>, args: A, turn: Turn): Promise<R> {
    return this.store.read(query, args, turn)
  }

  transact<A, R>(transaction: TransactionFunction<A, R>, args: A, turn: Turn): Promise<R> {
    return this.store.transact(transaction, args, turn)
  }

  waiting(): WaitingCalls {
    return this.store.waiting?.() ?? { read: 0, transaction: 0 }
  }

  close(): Promise<void> {
    return this.store.close()
  }
}
