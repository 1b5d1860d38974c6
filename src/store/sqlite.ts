import { Worker } from 'node:worker_threads'
import { Grouping, type PendingCall } from './group.ts'
import { type Dialect, type Store, StoreUnavailable } from './store.ts'

export const sqliteDialect: Dialect = { name: 'sqlite', sequence: 'integer', bytes: 'blob' }

/** What crosses to the thread: a group of calls, or the order to end. */
export type ThreadOrder =
  | { readonly group: readonly { readonly name: string; readonly args: unknown }[] }
  | { readonly end: true }

/** What comes back: that it is open, an answer for each call of the group, or that it has ended. */
export type ThreadReport =
  | { readonly ready: true }
  | { readonly answers: readonly ThreadAnswer[]; readonly committed: number }
  | { readonly ended: true }

export type ThreadAnswer =
  | { readonly value: unknown }
  | {
      readonly fault: {
        readonly message: string
        readonly stack?: string
        readonly kind: 'fault' | 'unavailable' | 'full'
      }
    }

/**
 * Opens the embedded store: SQLite in one file, on a thread of its own, so that a slow disk stalls no request. `thread`
 * is the module that runs there and serves the store's functions. Rejects when the file cannot be opened or migrated.
 */
export async function openSqliteStore(options: { file: string; thread: URL }): Promise<Store> {
  const worker = new Worker(options.thread, { workerData: { file: options.file }, name: 'store' })
  await new Promise<void>((resolve, reject) => {
    worker.once('message', () => resolve())
    worker.once('error', reject)
    worker.once('exit', (code) => reject(new Error(`the store's thread ended with code ${code}`)))
  })
  worker.removeAllListeners()
  return new SqliteStore(worker)
}

class SqliteStore implements Store {
  readonly dialect = sqliteDialect
  onCommit?: (transactions: number) => void
  readonly #worker: Worker
  readonly #grouping: Grouping
  #underway: { group: PendingCall[]; done: () => void } | undefined
  #ended = false
  #closing: (() => void) | undefined

  constructor(worker: Worker) {
    this.#worker = worker
    this.#grouping = new Grouping((group) => this.#perform(group))
    worker.on('message', (report: ThreadReport) => this.#hear(report))
    worker.on('error', (error: Error) => this.#lose(error))
    worker.on('exit', () => this.#lose(new Error('the store was closed')))
  }

  read<A, R>(query: { readonly name: string }, args: A): Promise<R> {
    return this.#grouping.call<R>(query.name, args)
  }

  transact<A, R>(transaction: { readonly name: string }, args: A): Promise<R> {
    return this.#grouping.call<R>(transaction.name, args)
  }

  async close(): Promise<void> {
    if (this.#ended) return
    await this.#grouping.idle()
    const ended = new Promise<void>((resolve) => {
      this.#closing = resolve
    })
    this.#worker.postMessage({ end: true } satisfies ThreadOrder)
    await ended
    this.#ended = true
    await this.#worker.terminate()
  }

  #perform(group: PendingCall[]): Promise<void> {
    if (this.#ended) {
      for (const call of group) call.reject(new StoreUnavailable('the store is closed'))
      return Promise.resolve()
    }
    return new Promise((done) => {
      this.#underway = { group, done }
      this.#worker.postMessage({
        group: group.map(({ name, args }) => ({ name, args })),
      } satisfies ThreadOrder)
    })
  }

  #hear(report: ThreadReport): void {
    if ('ended' in report) this.#closing?.()
    if (!('answers' in report) || !this.#underway) return
    const { group, done } = this.#underway
    this.#underway = undefined
    if (report.committed > 0) this.onCommit?.(report.committed)
    for (const [index, call] of group.entries()) settle(call, report.answers[index])
    done()
  }

  #lose(error: Error): void {
    this.#ended = true
    this.#closing?.()
    const { group, done } = this.#underway ?? { group: [], done: () => {} }
    this.#underway = undefined
    for (const call of group) call.reject(new StoreUnavailable('the store was lost', { cause: error }))
    done()
  }
}

function settle(call: PendingCall, answer: ThreadAnswer | undefined): void {
  if (answer && 'value' in answer) {
    call.resolve(answer.value)
    return
  }
  const fault = answer?.fault ?? { message: 'the store gave no answer', kind: 'unavailable' as const }
  if (fault.kind === 'fault') {
    const error = new Error(fault.message)
    if (fault.stack) error.stack = fault.stack
    call.reject(error)
  } else {
    call.reject(new StoreUnavailable(fault.message, { full: fault.kind === 'full' }))
  }
}
