import { availableParallelism } from 'node:os'
import type { GroupResult } from '../commit.ts'
import type { PendingCall } from '../group.ts'
import { GroupedStore } from '../grouped-store.ts'
import type { Store } from '../store.ts'
import { StoreWorker } from '../thread/store-worker.ts'
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

class SqliteStore extends GroupedStore {
  readonly dialect = 'sqlite'
  readonly #options: SqliteStoreOptions
  #writer: StoreWorker | undefined
  readonly #readers = new Map<number, Promise<StoreWorker>>()

  constructor(options: SqliteStoreOptions) {
    super({ readsPerParty: options.readsPerParty })
    this.#options = options
  }

  /** Starts the thread that writes. */
  async open(task: { file: string; alone: boolean; schema: readonly string[] | undefined }): Promise<void> {
    this.#writer = await this.#start('store', task)
  }

  protected performTransactions(group: readonly PendingCall[]): Promise<GroupResult> {
    return (this.#writer as StoreWorker).perform(group)
  }

  protected async performReads(
    group: readonly PendingCall[],
    number: number,
  ): Promise<GroupResult['answers']> {
    const reader = await this.#reader(number)
    const begun = performance.now()
    const { answers } = await reader.perform(group)
    if (performance.now() - begun > longRead && this.reading.waiting > 0) this.#addReader()
    return answers
  }

  protected async end(): Promise<void> {
    // The thread that writes is the last one, so that it leaves no log behind.
    await Promise.all([...this.#readers.values()].map(async (reader) => (await reader).end()))
    await this.#writer?.end()
  }

  #start(name: string, task: SqliteTask): Promise<StoreWorker> {
    return StoreWorker.start(this.#options.thread, { name, task, onLost: (cause) => this.lose(cause) })
  }

  /** Starts a reader; no call waits for the start. */
  #addReader(): void {
    if (this.#readers.size >= maxReaders || this.isClosed) return
    this.#reader(1).then(
      () => this.reading.addPerformer(),
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
}
