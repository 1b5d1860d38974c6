import { availableParallelism } from 'node:os'
import type { CallResult, GroupResult } from '../commit.ts'
import type { PendingCall } from '../group.ts'
import { GroupedStore } from '../grouped-store.ts'
import type { Store } from '../store.ts'
import { type GroupOptions, StoreWorker } from '../thread/store-worker.ts'
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
/** Milliseconds after the last read that needed them in which the threads that read end: each takes more than 20 MB. */
const readersQuietFor = 10_000
/**
 * Milliseconds that brief reads wait for the thread that writes before one that reads starts for them, because a disk may be slow:
 * about as long as a thread takes to start.
 */
const briefWait = 200

/**
 * Opens the embedded store: SQLite in one file, written to on a thread of its own, so that a slow disk stalls no request,
 * and read on others. These start when they are needed: the first for a read that is not brief, and the second, on a machine
 * with more than two processors, so that short reads pass a long one. They end when they have not been needed for a while. `thread` is the module that runs there and serves the store's functions. With `alone` it
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
  /** Resolves when the thread that writes has no more to do. */
  #writerFree: Promise<unknown> = Promise.resolve()
  #writerUnderway = 0
  readonly #readers = new Map<number, Promise<StoreWorker>>()
  #readersUnderway = 0
  #readersNeededAt = 0
  #endingReaders: NodeJS.Timeout | undefined
  #performers = 1

  constructor(options: SqliteStoreOptions) {
    super({ readsPerParty: options.readsPerParty, briefApart: true })
    this.#options = options
  }

  /** Starts the thread that writes. */
  async open(task: { file: string; alone: boolean; schema: readonly string[] | undefined }): Promise<void> {
    this.#writer = await this.#start('store', task)
  }

  protected performTransactions(group: readonly PendingCall[]): Promise<GroupResult> {
    return this.#onWriter(group)
  }

  protected async performReads(
    group: readonly PendingCall[],
    number: number,
  ): Promise<GroupResult['answers']> {
    const areBrief = group.every(({ isBrief }) => isBrief)
    if (!areBrief || this.#readers.size === 0) this.#needReaders()
    this.#readersUnderway++
    try {
      const reader = await this.#reader(number)
      const begun = performance.now()
      const { answers } = await reader.perform(group)
      if (performance.now() - begun > longRead && this.reading.waiting > 0) this.#addReader()
      return answers
    } finally {
      this.#readersUnderway--
    }
  }

  /** So no brief read waits for a long one: a search keeps the thread that reads busy, and that which writes is mostly free. */
  protected override async performBriefReads(group: readonly PendingCall[]): Promise<GroupResult['answers']> {
    const isReaderFree = this.#readers.size > 0 && this.#readersUnderway === 0
    const isOnWriter = this.#writerUnderway === 0 || (!isReaderFree && (await this.#isWriterSoonFree()))
    if (isOnWriter) return (await this.#onWriter(group, { isRead: true })).answers
    return await Promise.all(group.map((call) => this.#amongReads(call)))
  }

  /** Lets a brief read take its turn among the others, which measure its cost. */
  #amongReads({ name, args, weight, isBrief = true, ...turn }: PendingCall): Promise<CallResult> {
    return this.reading
      .call({ name, args, weight, isBrief }, { party: turn.party, signal: turn.signal })
      .then(
        (value) => ({ value, announced: [], cost: 0 }),
        (error) => ({ error, cost: 0 }),
      )
  }

  protected async end(): Promise<void> {
    clearTimeout(this.#endingReaders)
    // The thread that writes is the last one, so that it leaves no log behind.
    await this.#endReaders()
    await this.#writer?.end()
  }

  async #isWriterSoonFree(): Promise<boolean> {
    if (this.#writerUnderway === 0) return true
    const timeout = Promise.withResolvers<boolean>()
    const timer = setTimeout(timeout.resolve, briefWait, false)
    const isFree = await Promise.race([this.#writerFree.then(() => true), timeout.promise])
    clearTimeout(timer)
    return isFree
  }

  /** Performs a group when the thread that writes is done with those before it. */
  #onWriter(group: readonly PendingCall[], options?: GroupOptions): Promise<GroupResult> {
    this.#writerUnderway++
    const result = this.#writerFree.then(() => (this.#writer as StoreWorker).perform(group, options))
    const done = () => {
      this.#writerUnderway--
    }
    this.#writerFree = result.then(done, done)
    return result
  }

  #start(name: string, task: SqliteTask): Promise<StoreWorker> {
    return StoreWorker.start(this.#options.thread, { name, task, onLost: (cause) => this.lose(cause) })
  }

  /** Adds a second reader; no call waits for its start. */
  #addReader(): void {
    if (this.#performers >= maxReaders || this.isClosed) return
    this.#performers++
    this.#reader(1).then(
      () => this.reading.addPerformer(),
      () => {
        this.#performers--
      },
    )
  }

  #needReaders(): void {
    this.#readersNeededAt = performance.now()
    this.#endingReaders ??= setTimeout(() => this.#endQuietReaders(), readersQuietFor).unref()
  }

  #endQuietReaders(): void {
    const rest = this.#readersNeededAt + readersQuietFor - performance.now()
    this.#endingReaders = undefined
    if (rest <= 0 && this.#readersUnderway === 0) void this.#endReaders().catch(() => {})
    else this.#endingReaders = setTimeout(() => this.#endQuietReaders(), Math.max(rest, longRead)).unref()
  }

  /** Ends the threads that read. The next read that needs one starts it again. */
  async #endReaders(): Promise<void> {
    const readers = [...this.#readers.values()]
    this.#readers.clear()
    await Promise.all(readers.map(async (reader) => (await reader).end()))
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
