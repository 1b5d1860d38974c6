import { FairQueue } from '../runtime/limits/fair-queue.ts'
import type { CallResult } from './commit.ts'
import { CallerGone, StoreUnavailable, type Touched, type Turn } from './store.ts'

/** A function to call, with its arguments. */
export interface Asked {
  readonly name: string
  readonly args: unknown
  /** Amount of work, compared with other calls of this name. */
  readonly weight: number
  /** The organizations that it changes, if its turn does not say that. */
  readonly touched?: Touched | undefined
  /** True if its arguments and its result are JSON. */
  readonly isJson?: boolean
  /** True if it may be performed where transactions are. */
  readonly isBrief?: boolean
}

/** One call that waits for its answer. */
export interface PendingCall extends Asked, Turn {
  resolve(value: unknown): void
  reject(error: Error): void
}

export interface GroupCommitOptions {
  /** Milliseconds that the calls of a group are expected to run at most. */
  readonly budget: number
  /** Number of calls that a group has at most. */
  readonly largest: number
  /** Number of groups under way at once, each with a performer of its own. */
  readonly performers?: number
  /** Number of calls of one party that may be under way at once. */
  readonly limitPerParty?: number
  /**
   * A call that has waited for longer, in milliseconds, is rejected with `StoreUnavailable` when its turn comes, unless others were
   * answered meanwhile.
   */
  readonly longestWait?: number
}

/**
 * Performs the calls of a group, in their order, until its budget is spent; `performer` is a number from 0. Returns an answer for
 * each call, null for those that it did not begin; if it throws, all are rejected with that error.
 */
export type PerformGroup = (
  group: readonly PendingCall[],
  performer: number,
) => Promise<readonly (CallResult | null)[]>

/** A call that waits or is under way, with the cost that was expected of it. */
interface Waiting {
  readonly call: PendingCall
  /** In milliseconds. */
  readonly expected: number
  /** On the monotonic clock, in milliseconds. */
  readonly since: number
}

/** Weight of a new measurement against those before it. */
const freshness = 0.2

/**
 * Collects calls into groups, so that they share a commit. Calls that come while all performers are busy form the next
 * groups, so that groups grow with the load and a lone call does not wait. Turns decide which call is next: of the parties
 * that wait, the one whose calls have taken the least time. (docs/decisions/0056)
 */
export class GroupCommit {
  readonly #perform: PerformGroup
  readonly #options: Required<GroupCommitOptions>
  readonly #queue: FairQueue<Waiting>
  /** Milliseconds that calls of each name took, for each unit of weight. */
  readonly #times = new Map<string, number>()
  readonly #idlePerformers: number[]
  #performers: number
  /** When a call was last answered with a result, on the monotonic clock. */
  #answeredAt = Number.NEGATIVE_INFINITY
  #planned = false
  #refusal: Error | undefined
  readonly #whenIdle: (() => void)[] = []

  constructor(perform: PerformGroup, options: GroupCommitOptions) {
    this.#perform = perform
    const unlimited = Number.POSITIVE_INFINITY
    this.#options = { performers: 1, limitPerParty: unlimited, longestWait: unlimited, ...options }
    const { limitPerParty, performers } = this.#options
    this.#queue = new FairQueue({ cost: ({ expected }) => expected, limitPerParty })
    this.#performers = performers
    this.#idlePerformers = Array.from({ length: performers }, (_, index) => performers - 1 - index)
  }

  /** Number of calls that wait for their turn. */
  get waiting(): number {
    return this.#queue.waiting
  }

  /** There is one more performer, with the next number. */
  addPerformer(): void {
    this.#idlePerformers.unshift(this.#performers++)
    this.#plan()
  }

  call<R>(asked: Asked, turn: Turn): Promise<R> {
    if (this.#refusal) return Promise.reject(this.#refusal)
    return new Promise<R>((resolve, reject) => {
      const call = { ...asked, ...turn, resolve: resolve as (value: unknown) => void, reject }
      this.#queue.push(turn.party, { call, expected: this.#expect(asked), since: performance.now() })
      this.#plan()
    })
  }

  /** Rejects every call with `refusal` from now on; resolves when every earlier call has its answer. */
  close(refusal: Error): Promise<void> {
    this.#refusal ??= refusal
    if (this.#isIdle) return Promise.resolve()
    return new Promise((resolve) => this.#whenIdle.push(resolve))
  }

  /** Rejects the calls that wait for their group, so that no caller waits for a known failure. */
  abandon(error: Error): void {
    for (const { call } of this.#queue.empty()) call.reject(error)
  }

  get #isIdle(): boolean {
    return !this.#planned && this.#idlePerformers.length === this.#performers
  }

  /** The first group is formed at the end of the event-loop turn, when every request that arrived with it has been seen. */
  #plan(): void {
    if (this.#planned || this.#idlePerformers.length === 0) return
    this.#planned = true
    setImmediate(() => {
      this.#planned = false
      this.#begin()
      this.#tellIdle()
    })
  }

  #begin(): void {
    while (this.#idlePerformers.length > 0) {
      const group = this.#form()
      if (group.length === 0) return
      const performer = this.#idlePerformers.pop() as number
      void this.#performGroup(group, performer).then(() => {
        this.#idlePerformers.push(performer)
        this.#begin()
        this.#tellIdle()
      })
    }
  }

  #tellIdle(): void {
    if (this.#isIdle) for (const resolve of this.#whenIdle.splice(0)) resolve()
  }

  /**
   * Takes calls in the order of their turns, as many as are expected to fit the budget; not those whose callers have gone.
   */
  #form(): Waiting[] {
    const group: Waiting[] = []
    let expected = 0
    while (group.length < this.#options.largest && expected < this.#options.budget) {
      const next = this.#queue.take()
      if (!next) break
      const reason = this.#whyNot(next)
      if (reason) {
        next.call.reject(reason)
        this.#queue.done(next.call.party, { more: -next.expected })
      } else {
        group.push(next)
        // Expected anew, because other calls were measured while it waited.
        expected += this.#expect(next.call)
      }
    }
    return group
  }

  #whyNot({ call: { signal }, since }: Waiting): Error | undefined {
    if (signal?.aborted) return new CallerGone()
    const isStuck = this.#answeredAt < since
    if (isStuck && performance.now() - since > this.#options.longestWait)
      return new StoreUnavailable('the store did not get to it in time')
    return undefined
  }

  async #performGroup(group: readonly Waiting[], performer: number): Promise<void> {
    let answers: readonly (CallResult | null)[]
    try {
      answers = await this.#perform(
        group.map(({ call }) => call),
        performer,
      )
    } catch (error) {
      answers = group.map(() => ({ error: error as Error, cost: 0 }))
    }
    if (answers.some((answer) => answer && 'value' in answer)) this.#answeredAt = performance.now()
    this.#putBack(group.filter((_, index) => answers[index] === null))
    for (const [index, waiting] of group.entries()) {
      const answer = answers[index]
      if (!answer) continue
      const { call, expected } = waiting
      this.#queue.done(call.party, { more: answer.cost - expected })
      this.#learn(call, answer.cost)
      if ('error' in answer) call.reject(answer.error)
      else call.resolve(answer.value)
    }
  }

  #putBack(left: readonly Waiting[]): void {
    for (const [party, waiting] of Map.groupBy(left, ({ call }) => call.party))
      this.#queue.putBack(party, waiting)
  }

  /** Nothing is expected of what was never measured: its group ends when its time is over. */
  #expect({ name, weight }: Asked): number {
    return (this.#times.get(name) ?? 0) * weight
  }

  #learn({ name, weight }: Asked, cost: number): void {
    const before = this.#times.get(name)
    const each = cost / weight
    this.#times.set(name, before === undefined ? each : before + (each - before) * freshness)
  }
}
