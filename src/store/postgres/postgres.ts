import type { GroupResult } from '../commit.ts'
import type { PendingCall } from '../group.ts'
import { GroupedStore } from '../grouped-store.ts'
import {
  functionsByName,
  type NodeBoot,
  type SharedStore,
  type Store,
  type StoreFunctions,
  StoreUnavailable,
} from '../store.ts'
import { StoreWorker } from '../thread/store-worker.ts'
import { touchedBy } from './group-locks.ts'
import { connectWithin } from './postgres-connection.ts'
import { PostgresReader } from './postgres-reader.ts'
import { type PostgresTask, PostgresWriter } from './postgres-writer.ts'

interface PostgresStoreOptions {
  /** postgres://user:password@host:port/database, as the driver `pg` takes it. */
  readonly url: string
  readonly functions: StoreFunctions
  /** The module that serves the functions on a thread of its own, which performs the transactions; this one does without it. */
  readonly thread?: URL
  /** The steps of the schema to go no further than; all without it. */
  readonly schema?: readonly string[] | undefined
  /** Number of reads that may be under way at once, each on a connection. */
  readonly readers?: number
  /** Number of reads of one party that may be under way at once. */
  readonly readsPerParty?: number | undefined
}

/** Performer of groups of transactions, here or on another thread. */
type Writer = Pick<PostgresWriter, 'perform' | 'end'>

/**
 * Opens the shared store: a PostgreSQL database. Rejects if it cannot be reached or migrated, and if commits on that server
 * are not durable. Once open, it needs no attention: calls reject with `StoreUnavailable` while the database is away, and
 * succeed when it is back. A server performs transactions on a thread of their own: each has many statements, and none of them
 * waits there for what requests keep the main thread busy with. Reads have a statement or two, and results that would have to
 * cross.
 */
export async function openPostgresStore(options: PostgresStoreOptions): Promise<Store & SharedStore> {
  const store = new PostgresStore(options)
  await store.open(options)
  return store
}

class PostgresStore extends GroupedStore implements SharedStore {
  readonly dialect = 'postgres'
  node?: NodeBoot
  #writer: Writer | undefined
  readonly #reader: PostgresReader

  constructor({ url, functions, readers = 6, readsPerParty }: PostgresStoreOptions) {
    super({ largest: 1, performers: readers, longestWait: connectWithin, readsPerParty })
    this.#reader = new PostgresReader(url, functionsByName(functions), readers)
  }

  /** Connects to the database and brings its schema up to date. */
  async open({ url, functions, thread, schema }: PostgresStoreOptions): Promise<void> {
    const task: PostgresTask = { url, schema }
    const onLost = (cause: Error) => this.lose(cause)
    this.#writer = thread
      ? await StoreWorker.start(thread, { name: 'store', task, onLost })
      : await PostgresWriter.open(task, functions)
  }

  /** If the database is away, the transactions that wait for this group fail at once. */
  protected async performTransactions(group: readonly PendingCall[]): Promise<GroupResult> {
    const result = await (this.#writer as Writer).perform(group, {
      node: this.node,
      touched: touchedBy(group),
    })
    const failure = failureOfAll(result.answers)
    if (failure) this.writing.abandon(failure)
    return result
  }

  protected performReads(group: readonly PendingCall[]): Promise<GroupResult['answers']> {
    return Promise.all(group.map((call) => this.#reader.read(call)))
  }

  protected async end(): Promise<void> {
    await Promise.all([this.#writer?.end(), this.#reader.end()])
  }
}

/** Why no call of a group could be performed: what comes after it would wait for as long to meet with the same. */
function failureOfAll(answers: GroupResult['answers']): StoreUnavailable | undefined {
  const errors = answers.map((answer) => answer && 'error' in answer && answer.error)
  const [first] = errors
  return first instanceof StoreUnavailable && errors.every((error) => error instanceof StoreUnavailable)
    ? first
    : undefined
}
