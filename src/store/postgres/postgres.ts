import { groupBudget } from '../commit.ts'
import { GroupCommit, type PendingCall } from '../group.ts'
import {
  functionsByName,
  type OnCommit,
  type ReadFunction,
  readBudget,
  type SharedStore,
  type Store,
  type StoreFunctions,
  StoreUnavailable,
  serverTurn,
  type TransactionFunction,
  type Turn,
  type WaitingCalls,
} from '../store.ts'
import { type GroupResult, StoreWorker } from '../thread/store-worker.ts'
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

class PostgresStore implements Store, SharedStore {
  readonly dialect = 'postgres'
  onCommit?: OnCommit
  onLost?: (cause: Error) => void
  term?: number
  #writer: Writer | undefined
  readonly #reader: PostgresReader
  readonly #writing: GroupCommit
  readonly #reading: GroupCommit
  #closed: Promise<void> | undefined
  #isLost = false

  constructor({ url, functions, readers = 6, readsPerParty }: PostgresStoreOptions) {
    this.#reader = new PostgresReader(url, functionsByName(functions), readers)
    this.#writing = new GroupCommit((group) => this.#write(group), { budget: groupBudget, largest: 512 })
    this.#reading = new GroupCommit((group) => Promise.all(group.map((call) => this.#reader.read(call))), {
      budget: readBudget,
      largest: 1,
      performers: readers,
      longestWait: connectWithin,
      limitPerParty: readsPerParty ?? Number.POSITIVE_INFINITY,
    })
  }

  /** Connects to the database and brings its schema up to date. */
  async open({ url, functions, thread, schema }: PostgresStoreOptions): Promise<void> {
    const task: PostgresTask = { url, schema }
    const onLost = (cause: Error) => this.#lose(cause)
    this.#writer = thread
      ? await StoreWorker.start(thread, { name: 'store', task, onLost })
      : await PostgresWriter.open(task, functions)
  }

  read<A, R>({ name }: Pick<ReadFunction<A, R>, 'name'>, args: A, turn: Turn = serverTurn): Promise<R> {
    return this.#reading.call<R>({ name, args, weight: 1 }, turn)
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
    await Promise.all([this.#writer?.end(), this.#reader.end()])
  }

  /** Performs a group of transactions. If the database is away, the transactions that wait for this group fail at once. */
  async #write(group: readonly PendingCall[]): Promise<GroupResult['answers']> {
    const { term } = this
    const { answers, committed, announced } = await (this.#writer as Writer).perform(group, { term })
    if (committed > 0) this.onCommit?.(committed, announced)
    const failure = failureOfAll(answers)
    if (failure) this.#writing.abandon(failure)
    return answers
  }

  /** Without its thread the store is of no use. */
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

/** Why no call of a group could be performed: what comes after it would wait for as long to meet with the same. */
function failureOfAll(answers: GroupResult['answers']): StoreUnavailable | undefined {
  const errors = answers.map((answer) => answer && 'error' in answer && answer.error)
  const [first] = errors
  return first instanceof StoreUnavailable && errors.every((error) => error instanceof StoreUnavailable)
    ? first
    : undefined
}
