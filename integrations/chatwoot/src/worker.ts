import {
  ConnectionError,
  isProblem,
  PosthornTimeoutError,
  ProblemError,
  UnexpectedResponseError,
} from '../../../clients/javascript/src/index.ts'
import { ChatwootError } from './chatwoot-request.ts'
import { type LaneWork, NotYet } from './lane-work.ts'
import { type Log, reasonOf } from './log.ts'
import type { Lane, LaneKind, State } from './state.ts'

/** Requests that are under way at Chatwoot at once. */
const maxAtOnce = 4
const firstBackoffMs = 500
const maxBackoffMs = 60_000
const maxSleepMs = 5_000

export interface WorkerOptions {
  readonly log: Log
  readonly signal: AbortSignal
  /** Gets what went wrong with the database. */
  readonly onFault: (error: unknown) => void
}

/**
 * Does the work of all lanes, in the order in which they became due: each piece of work puts its lane behind the others, so that a
 * contact who writes much does not hold up the others. While the other side is away, everything rests.
 */
export class Worker {
  readonly #state: State
  readonly #work: Readonly<Record<LaneKind, LaneWork>>
  readonly #log: Log
  readonly #signal: AbortSignal
  readonly #onFault: (error: unknown) => void
  readonly #active = new Map<string, Promise<void>>()
  #wake: () => void = () => undefined
  #restUntil = 0
  #failures = 0

  constructor(
    state: State,
    work: Readonly<Record<LaneKind, LaneWork>>,
    { log, signal, onFault }: WorkerOptions,
  ) {
    this.#onFault = onFault
    this.#state = state
    this.#work = work
    this.#log = log
    this.#signal = signal
  }

  /** Begins at once with what was added. */
  wake(): void {
    this.#wake()
  }

  /** True if the last request to one of the two sides failed as if it were away. */
  get isResting(): boolean {
    return this.#failures > 0
  }

  /** Works until the signal aborts, and finishes what is under way. */
  async run(): Promise<void> {
    const ended = () => this.#wake()
    this.#signal.addEventListener('abort', ended)
    while (!this.#signal.aborted) {
      const now = Date.now()
      const lanes = this.#next(now)
      for (const lane of lanes) this.#start(lane)
      if (lanes.length === 0) await this.#sleep(now)
    }
    await Promise.allSettled(this.#active.values())
  }

  #next(now: number): Lane[] {
    // One request at a time finds out whether the other side is back.
    const free = (this.#failures > 0 ? 1 : maxAtOnce) - this.#active.size
    if (free <= 0 || now < this.#restUntil) return []
    const due = this.#state.due(now, maxAtOnce * 2)
    return due.filter((lane) => !this.#active.has(nameOf(lane))).slice(0, free)
  }

  #start(lane: Lane): void {
    const done = this.#do(lane).finally(() => {
      this.#active.delete(nameOf(lane))
      this.#wake()
    })
    this.#active.set(nameOf(lane), done)
    // Without its database, the bridge ends at once.
    done.catch((error) => this.#onFault(error))
  }

  async #do(lane: Lane): Promise<void> {
    try {
      await this.#work[lane.kind](lane)
      this.#failures = 0
      this.#state.finish(lane)
    } catch (error) {
      if (this.#signal.aborted) return
      this.#postpone(lane, error)
    }
  }

  #postpone(lane: Lane, error: unknown): void {
    const cause = error instanceof NotYet && error.cause !== undefined ? error.cause : error
    if (isAway(cause)) {
      const wait = retryAfterOf(cause) ?? backoffMs(this.#failures)
      this.#failures++
      this.#restUntil = Date.now() + wait
      if (this.#failures === 1 || this.#failures % 20 === 0) this.#log(`Waiting: ${reasonOf(cause)}`)
    } else if (!(error instanceof NotYet)) {
      this.#log(`Trying again (${lane.kind}): ${reasonOf(error)}`)
    }
    const until = error instanceof NotYet ? error.until : Date.now() + backoffMs(lane.failures)
    this.#state.postpone(lane, until)
  }

  /** Waits until a lane becomes due after this time, or the rest ends, or something wakes it, such as the end of a piece of work. */
  async #sleep(now: number): Promise<void> {
    const until = this.#restUntil > now ? this.#restUntil : (this.#state.nextDue(now) ?? now + maxSleepMs)
    const ms = Math.min(Math.max(1, until - now), maxSleepMs)
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms)
      this.#wake = () => {
        clearTimeout(timer)
        resolve()
      }
    })
    this.#wake = () => undefined
  }
}

function nameOf({ kind, key }: Lane): string {
  return `${kind} ${key}`
}

function backoffMs(failures: number): number {
  const ms = Math.min(maxBackoffMs, firstBackoffMs * 2 ** Math.min(failures, 10))
  return Math.round(ms * (0.5 + Math.random() / 2))
}

const awayCodes = ['unauthenticated', 'key_expired', 'forbidden', 'rate_limited'] as const

/** True if the failure is that of a whole side, and not of one message. */
function isAway(error: unknown): boolean {
  if (error instanceof ChatwootError)
    return error.status === undefined || error.status >= 500 || [401, 403, 429].includes(error.status)
  if (error instanceof ProblemError) return error.status >= 500 || isProblem(error, ...awayCodes)
  return (
    error instanceof ConnectionError ||
    error instanceof PosthornTimeoutError ||
    error instanceof UnexpectedResponseError
  )
}

function retryAfterOf(error: unknown): number | undefined {
  const { retryAfter } = error as { readonly retryAfter?: number }
  return retryAfter === undefined ? undefined : Math.round(Math.min(retryAfter, 600) * 1_000)
}
