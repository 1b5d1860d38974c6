import { Worker } from 'node:worker_threads'
import { asError, type CallResult, type GroupResult } from '../commit.ts'
import type { Asked } from '../group.ts'
import { LeaseTaken, type NodeBoot, type StoreFailure, StoreUnavailable, type Touched } from '../store.ts'

/** A call as it crosses to the thread. */
export interface NamedCall {
  readonly name: string
  readonly args: unknown
}

/** An order that crosses to the thread: a group of calls, or the order to end. */
export type ThreadOrder = (GroupOptions & { readonly group: readonly NamedCall[] }) | { readonly end: true }

export interface GroupOptions {
  /** The group begins with the fence for this node. */
  readonly node?: NodeBoot | undefined
  /** The organizations that its calls change; all without it. */
  readonly touched?: Touched
  /** The group consists of reads. */
  readonly isRead?: boolean
}

/** An order or a report as it crosses: as JSON if all its calls are, which costs a third. */
export type Crossing<T> = T | string

export function parsed<T extends object>(crossing: Crossing<T>): T {
  return typeof crossing === 'string' ? JSON.parse(crossing) : crossing
}

/** A report that comes back: the identity of the store that it opened, the answers to a group, or that it has ended. */
export type ThreadReport = { readonly opened: string } | ThreadAnswers | { readonly ended: true }

/** The result of a group as it crosses. */
export interface ThreadAnswers extends Omit<GroupResult, 'answers'> {
  readonly answers: readonly (ThreadAnswer | null)[]
}

export type ThreadAnswer = (
  | { readonly value: unknown }
  | {
      readonly fault: {
        readonly message: string
        readonly stack?: string
        /** A fault of the function, what keeps the store from its work, or that this process no longer runs its node. */
        readonly kind: 'fault' | 'lease taken' | StoreFailure
      }
    }
) & { readonly cost: number }

/** A thread of the store, as the main thread sees it: it performs one group at a time. */
export class StoreWorker {
  /** The identity of the store that it opened. */
  readonly identity: string
  readonly #worker: Worker
  readonly #ended = Promise.withResolvers<void>()
  #underway: PromiseWithResolvers<ThreadAnswers> | undefined
  #lost: StoreUnavailable | undefined
  #isEnding = false

  private constructor(worker: Worker, identity: string, onLost: (cause: Error) => void) {
    this.#worker = worker
    this.identity = identity
    const lose = (cause: Error) => {
      if (this.#lost) return
      this.#lost = new StoreUnavailable('the store was lost', { cause })
      this.#ended.resolve()
      if (!this.#isEnding) onLost(cause)
      this.#underway?.reject(this.#lost)
    }
    worker.on('message', (report: Crossing<ThreadReport>) => this.#hear(parsed(report)))
    worker.on('error', lose)
    worker.on('exit', (code) => lose(endedWith(code)))
  }

  /** Starts a thread. It opens what its task says, and rejects if it cannot. `onLost` is called once when the thread has ended. */
  static async start(
    module: URL,
    { name, task, onLost }: { name: string; task: object; onLost: (cause: Error) => void },
  ): Promise<StoreWorker> {
    const worker = new Worker(module, {
      name,
      workerData: task,
      // Objects of the thread are short-lived; more room for them would cost memory and gain no speed.
      resourceLimits: { maxYoungGenerationSizeMb: 4 },
    })
    const opening = Promise.withResolvers<ThreadReport>()
    const ended = (code: number) => opening.reject(endedWith(code))
    worker.once('message', opening.resolve).once('error', opening.reject).once('exit', ended)
    const report = await opening.promise
    // One by one, because a worker hears messages by listeners of its own, which removing all would take along.
    worker.off('error', opening.reject).off('exit', ended)
    return new StoreWorker(worker, 'opened' in report ? report.opened : '', onLost)
  }

  /** Performs a group. Rejects with `StoreUnavailable` when the thread has ended; it is not known then what is committed. */
  async perform(group: readonly Asked[], options: GroupOptions = {}): Promise<GroupResult> {
    if (this.#lost) throw this.#lost
    const faults = this.#post(group, options)
    const isSent = !faults || faults.size < group.length
    const report = isSent ? await this.#answered() : { answers: [], committed: 0, announced: [] }
    const answers = report.answers.map((answer) => answer && answerOf(answer))
    if (!faults) return { ...report, answers }
    const crossed = answers.values()
    return {
      ...report,
      answers: group.map((call) => {
        const error = faults.get(call)
        return error ? { error, cost: 0 } : (crossed.next().value ?? null)
      }),
    }
  }

  /** Closes the store and ends the thread. */
  async end(): Promise<void> {
    this.#isEnding = true
    this.#worker.postMessage({ end: true } satisfies ThreadOrder)
    await this.#ended.promise
    await this.#worker.terminate()
  }

  /** Sends the group. A call whose arguments cannot cross to a thread fails alone: returns those, with their errors. */
  #post(group: readonly Asked[], options: GroupOptions): Map<Asked, Error> | undefined {
    const send = (calls: readonly Asked[]) => {
      const order: ThreadOrder = { ...options, group: calls.map(({ name, args }) => ({ name, args })) }
      this.#worker.postMessage(calls.every(({ isJson }) => isJson) ? JSON.stringify(order) : order)
    }
    try {
      send(group)
      return undefined
    } catch {
      const faults = new Map(group.flatMap((call) => crossing(call)))
      const calls = group.filter((call) => !faults.has(call))
      if (calls.length > 0) send(calls)
      return faults
    }
  }

  #answered(): Promise<ThreadAnswers> {
    this.#underway = Promise.withResolvers<ThreadAnswers>()
    return this.#underway.promise
  }

  #hear(report: ThreadReport): void {
    if ('ended' in report) this.#ended.resolve()
    if ('answers' in report) this.#underway?.resolve(report)
  }
}

function crossing(call: Asked): [Asked, Error][] {
  const fault = crossingFault(call.args)
  return fault ? [[call, fault]] : []
}

/** The error of a value that cannot cross between threads, such as a function. */
export function crossingFault(value: unknown): Error | undefined {
  try {
    structuredClone(value)
    return undefined
  } catch (error) {
    return asError(error)
  }
}

function endedWith(code: number): Error {
  return new Error(`the store's thread ended with code ${code}`)
}

function answerOf(answer: ThreadAnswer): CallResult {
  const { cost } = answer
  if ('value' in answer) return { value: answer.value, announced: [], cost }
  const { message, stack, kind } = answer.fault
  if (kind === 'lease taken') return { error: new LeaseTaken(message), cost }
  if (kind !== 'fault') return { error: new StoreUnavailable(message, { failure: kind }), cost }
  const error = new Error(message)
  if (stack) error.stack = stack
  return { error, cost }
}
