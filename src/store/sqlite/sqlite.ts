import { availableParallelism } from 'node:os'
import { groupBudget } from '../commit.ts'
import { type Asked, GroupCommit, type PendingCall } from '../group.ts'
import {
  type OnCommit,
  type ReadFunction,
  readBudget,
  type Store,
  StoreUnavailable,
  serverTurn,
  type TransactionFunction,
  type Turn,
  type WaitingCalls,
} from '../store.ts'
import { type GroupResult, StoreWorker } from '../thread/store-worker.ts'
import type { SqliteTask } from './sqlite-thread.ts'

interface SqliteStoreOptions {
  readonly file: string
  readonly thread: URL
  readonly alone?: boolean
  /** The steps of the schema to go no further than; all without it. */
  readonly schema?: readonly string[] | undefined
  /** Number of reads of one party that may be under way at once. */
  readonly readsPerParty?: number | undefined
}

/** Number of threads that read, at most: a second one if a processor is left for it. */
const maxReaders = availableParallelism() > 2 ? 2 : 1
/** A group of reads that takes longer than this, in milliseconds, while others wait is worth a second thread to read on. */
const longRead = 5

/**
 * Opens the embedded store: SQLite in one file, written to on a thread of its own, so that a slow disk stalls no request,
 * and read on others, which start when they are first needed: the second, on a machine with more than two processors, so
 * that short reads pass a long one. `thread` is the module that runs there and serves the store's functions. With `alone` it
 * is refused while the file is open elsewhere, and the file cannot be opened so elsewhere until the store is closed. Rejects
 * when the file cannot be opened or migrated.
 */
export async function openSqliteStore(options: SqliteStoreOptions): Promise<Store> {
  const { file, alone = false, schema } = options
  const store = new SqliteStore(options)
  await store.open({ file, alone, schema })
  return store
}

class SqliteStore implements Store {
  readonly dialect = 'sqlite'
  onCommit?: OnCommit
  onLost?: (cause: Error) => void
  readonly #options: SqliteStoreOptions
  #writer: StoreWorker | undefined
  readonly #readers = new Map<number, Promise<StoreWorker>>()
  readonly #writing: GroupCommit
  readonly #reading: GroupCommit
  #closed: Promise<void> | undefined
  #isLost = false

  constructor(options: SqliteStoreOptions) {
    this.#options = options
    const largest = 512
    this.#writing = new GroupCommit((group) => this.#write(group), { budget: groupBudget, largest })
    this.#reading = new GroupCommit((group, reader) => this.#readOn(reader, group), {
      budget: readBudget,
      largest,
      limitPerParty: options.readsPerParty ?? Number.POSITIVE_INFINITY,
    })
  }

  /** Starts the thread that writes. */
  async open(task: { file: string; alone: boolean; schema: readonly string[] | undefined }): Promise<void> {
    this.#writer = await this.#start('store', task)
  }

  read<A, R>(query: Pick<ReadFunction<A, R>, 'name'>, args: A, turn: Turn = serverTurn): Promise<R> {
    return this.#reading.call<R>({ name: query.name, args, weight: 1 }, turn)
  }

  transact<A, R>(
    { name, weigh }: Pick<TransactionFunction<A, R>, 'name' | 'weigh'>,
    args: A,
    { party }: Turn = serverTurn,
  ): Promise<R> {
    // Without the signal: a transaction is performed even if its caller has gone.
    return this.#writing.call<R>({ name, args, weight: weigh?.(args) ?? 1 }, { party })
  }

  waiting(): WaitingCalls {
    return { read: this.#reading.waiting, transaction: this.#writing.waiting }
  }

  close(): Promise<void> {
    this.#closed ??= this.#close()
    return this.#closed
  }

  async #close(): Promise<void> {
    const closed = new StoreUnavailable('the store is closed')
    await Promise.all([this.#writing.close(closed), this.#reading.close(closed)])
    // The thread that writes is the last one, so that it leaves no log behind.
    await Promise.all([...this.#readers.values()].map(async (reader) => (await reader).end()))
    await this.#writer?.end()
  }

  #start(name: string, task: SqliteTask): Promise<StoreWorker> {
    return StoreWorker.start(this.#options.thread, { name, task, onLost: (cause) => this.#lose(cause) })
  }

  async #write(group: readonly PendingCall[]): Promise<GroupResult['answers']> {
    const { answers, committed, announced } = await (this.#writer as StoreWorker).perform(group)
    if (committed > 0) this.onCommit?.(committed, announced)
    return answers
  }

  async #readOn(number: number, group: readonly Asked[]): Promise<GroupResult['answers']> {
    const reader = await this.#reader(number)
    const begun = performance.now()
    const { answers } = await reader.perform(group)
    if (performance.now() - begun > longRead && this.#reading.waiting > 0) this.#addReader()
    return answers
  }

  /** Starts a reader; no call waits for the start. */
  #addReader(): void {
    if (this.#readers.size >= maxReaders || this.#closed) return
    this.#reader(1).then(
      () => this.#reading.addPerformer(),
      () => {},
    )
  }

  #reader(number: number): Promise<StoreWorker> {
    const known = this.#readers.get(number)
    if (known) return known
    const { identity } = this.#writer as StoreWorker
    const reader = this.#start(`store-reader-${number}`, { file: this.#options.file, identity })
    this.#readers.set(number, reader)
    reader.catch(() => this.#readers.delete(number))
    return reader
  }

  /** Without one of its threads the store is of no use. */
  #lose(cause: Error): void {
    const lost = new StoreUnavailable('the store was lost', { cause })
    for (const grouping of [this.#writing, this.#reading]) {
      void grouping.close(lost)
      grouping.abandon(lost)
    }
    if (!this.#closed && !this.#isLost) this.onLost?.(cause)
    this.#isLost = true
  }
}
