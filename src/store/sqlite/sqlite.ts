import { Worker } from 'node:worker_threads'
import { Grouping, type PendingCall } from '../group.ts'
import { type OnCommit, type Store, type StoreFailure, StoreUnavailable } from '../store.ts'

interface SqliteStoreOptions {
  readonly file: string
  readonly thread: URL
  readonly alone?: boolean
  /** The steps of the schema to go no further than; all without it. */
  readonly schema?: readonly string[] | undefined
}

/** What the thread has to open. */
export interface ThreadTask {
  readonly file: string
  readonly alone: boolean
  readonly schema: readonly string[] | undefined
}

/** What crosses to the thread: a group of calls, or the order to end. */
export type ThreadOrder =
  | { readonly group: readonly { readonly name: string; readonly args: unknown }[] }
  | { readonly end: true }

/** What comes back: that it is open, an answer for each call of the group, or that it has ended. */
export type ThreadReport = { readonly ready: true } | ThreadAnswers | { readonly ended: true }

/** An answer for each call of a group, how many transactions were committed, and what they announced. */
export interface ThreadAnswers {
  readonly answers: readonly ThreadAnswer[]
  readonly committed: number
  readonly announced: readonly string[]
}

export type ThreadAnswer =
  | { readonly value: unknown }
  | {
      readonly fault: {
        readonly message: string
        readonly stack?: string
        /** A fault of the function, or what keeps the store from its work. */
        readonly kind: 'fault' | StoreFailure
      }
    }

/**
 * Opens the embedded store: SQLite in one file, on a thread of its own, so that a slow disk stalls no request. `thread`
 * is the module that runs there and serves the store's functions. With `alone` it is refused while anybody else has the file
 * open, and nobody else can have it alone until it is closed. Rejects when the file cannot be opened or migrated.
 */
export async function openSqliteStore(options: SqliteStoreOptions): Promise<Store> {
  const worker = new Worker(options.thread, {
    name: 'store',
    workerData: {
      file: options.file,
      alone: options.alone ?? false,
      schema: options.schema,
    } satisfies ThreadTask,
    // What the thread makes is short-lived; more room for it would be memory and no speed.
    resourceLimits: { maxYoungGenerationSizeMb: 4 },
  })
  const opened = Promise.withResolvers<void>()
  const ended = (code: number) => opened.reject(new Error(`the store's thread ended with code ${code}`))
  worker.once('message', opened.resolve).once('error', opened.reject).once('exit', ended)
  await opened.promise
  // One by one, because a worker hears messages by listeners of its own, which removing all would take along.
  worker.off('error', opened.reject).off('exit', ended)
  return new SqliteStore(worker)
}

class SqliteStore implements Store {
  readonly dialect = 'sqlite'
  onCommit?: OnCommit
  onLost?: (cause: Error) => void
  readonly #worker: Worker
  readonly #grouping: Grouping
  readonly #ended = Promise.withResolvers<void>()
  #underway: { group: PendingCall[]; done: () => void } | undefined
  #closed: Promise<void> | undefined
  #isLost = false

  constructor(worker: Worker) {
    this.#worker = worker
    this.#grouping = new Grouping((group) => this.#perform(group))
    worker.on('message', (report: ThreadReport) => this.#hear(report))
    worker.on('error', (error: Error) => this.#lose(error))
    worker.on('exit', (code) => this.#lose(new Error(`the store's thread ended with code ${code}`)))
  }

  read<A, R>(query: { readonly name: string }, args: A): Promise<R> {
    return this.#grouping.call<R>(query.name, args)
  }

  transact<A, R>(transaction: { readonly name: string }, args: A): Promise<R> {
    return this.#grouping.call<R>(transaction.name, args)
  }

  close(): Promise<void> {
    this.#closed ??= this.#close()
    return this.#closed
  }

  async #close(): Promise<void> {
    await this.#grouping.close(new StoreUnavailable('the store is closed'))
    this.#worker.postMessage({ end: true } satisfies ThreadOrder)
    await this.#ended.promise
    await this.#worker.terminate()
  }

  async #perform(group: PendingCall[]): Promise<void> {
    const done = Promise.withResolvers<void>()
    const calls = this.#post(group)
    if (calls.length === 0) return
    this.#underway = { group: calls, done: done.resolve }
    await done.promise
  }

  /** Sends the group, and returns what it sent: a call whose arguments cannot cross to a thread fails alone. */
  #post(group: PendingCall[]): PendingCall[] {
    const send = (calls: PendingCall[]) =>
      this.#worker.postMessage({
        group: calls.map(({ name, args }) => ({ name, args })),
      } satisfies ThreadOrder)
    try {
      send(group)
      return group
    } catch {
      const faults = new Map(group.map((call) => [call, crossingFault(call.args)]))
      for (const [call, fault] of faults) if (fault) call.reject(fault)
      const calls = group.filter((call) => !faults.get(call))
      if (calls.length > 0) send(calls)
      return calls
    }
  }

  #hear(report: ThreadReport): void {
    if ('ended' in report) this.#ended.resolve()
    if (!('answers' in report) || !this.#underway) return
    const { group, done } = this.#underway
    this.#underway = undefined
    if (report.committed > 0) this.onCommit?.(report.committed, report.announced)
    for (const [index, call] of group.entries()) settle(call, report.answers[index])
    done()
  }

  #lose(cause: Error): void {
    const lost = new StoreUnavailable('the store was lost', { cause })
    this.#grouping.close(lost)
    this.#grouping.abandon(lost)
    this.#ended.resolve()
    if (!this.#closed && !this.#isLost) this.onLost?.(cause)
    this.#isLost = true
    const underway = this.#underway
    this.#underway = undefined
    for (const call of underway?.group ?? []) call.reject(lost)
    underway?.done()
  }
}

/** The error of a value that cannot cross between threads, such as a function. */
export function crossingFault(value: unknown): Error | undefined {
  try {
    structuredClone(value)
    return undefined
  } catch (error) {
    return error as Error
  }
}

function settle(call: PendingCall, answer: ThreadAnswer | undefined): void {
  if (answer && 'value' in answer) {
    call.resolve(answer.value)
    return
  }
  const fault = answer?.fault ?? { message: 'the store gave no answer', kind: 'away' as const }
  if (fault.kind === 'fault') {
    const error = new Error(fault.message)
    if (fault.stack) error.stack = fault.stack
    call.reject(error)
  } else {
    call.reject(new StoreUnavailable(fault.message, { failure: fault.kind }))
  }
}
