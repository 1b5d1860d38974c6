import { type CallResult, type GroupResult, groupBudget } from './commit.ts'
import { GroupCommit, type GroupCommitOptions, type PendingCall } from './group.ts'
import {
  isOrganization,
  type OnCommit,
  type ReadFunction,
  readBudget,
  type Store,
  StoreUnavailable,
  serverTurn,
  type TransactionFunction,
  type Turn,
  type WaitingCalls,
} from './store.ts'

type Answers = readonly (CallResult | null)[]

/**
 * A store whose calls wait in groups, one of transactions and one of reads; brief reads may have a third. What performs them is its own.
 */
export abstract class GroupedStore implements Store {
  abstract readonly dialect: Store['dialect']
  onCommit?: OnCommit
  onLost?: (cause: Error) => void
  protected readonly writing: GroupCommit
  protected readonly reading: GroupCommit
  /** The same as `reading`, if brief reads have no queue of their own. */
  readonly #readingBriefly: GroupCommit
  #closed: Promise<void> | undefined
  #isLost = false

  constructor({
    readsPerParty: limitPerParty = Number.POSITIVE_INFINITY,
    briefApart = false,
    ...reads
  }: ReadOptions) {
    this.writing = new GroupCommit((group) => this.#write(group), { budget: groupBudget, largest })
    this.reading = new GroupCommit((group, performer) => this.performReads(group, performer), {
      budget: readBudget,
      largest,
      limitPerParty,
      ...reads,
    })
    this.#readingBriefly = briefApart
      ? new GroupCommit((group) => this.performBriefReads(group), {
          budget: readBudget,
          largest,
          limitPerParty,
        })
      : this.reading
  }

  /** Performs a group of transactions. */
  protected abstract performTransactions(group: readonly PendingCall[]): Promise<GroupResult>

  protected abstract performReads(group: readonly PendingCall[], performer: number): Promise<Answers>

  /** Performs brief reads, if they have a queue of their own. */
  protected performBriefReads(group: readonly PendingCall[]): Promise<Answers> {
    return this.performReads(group, 0)
  }

  /** Ends what performs calls, when all of them are answered. */
  protected abstract end(): Promise<void>

  read<A, R>(
    { name, isBrief = false }: Pick<ReadFunction<A, R>, 'name' | 'isBrief'>,
    args: A,
    turn: Turn = serverTurn,
  ): Promise<R> {
    const reading = isBrief ? this.#readingBriefly : this.reading
    return reading.call<R>({ name, args, weight: 1, isBrief }, turn)
  }

  transact<A, R>(
    { name, weigh, isJson, touches, isToldTurn }: Omit<TransactionFunction<A, R>, 'run' | 'runTogether'>,
    args: A,
    { party }: Turn = serverTurn,
  ): Promise<R> {
    // Without the signal: a transaction is performed even if its caller has gone.
    const weight = weigh?.(args) ?? 1
    const told = isToldTurn && isOrganization(party) ? { ...args, turn: party } : args
    const asked = { name, args: told, weight, isJson: isJson?.(args) ?? false, touched: touches?.(args) }
    return this.writing.call<R>(asked, { party })
  }

  waiting(): WaitingCalls {
    const brief = this.#readingBriefly === this.reading ? 0 : this.#readingBriefly.waiting
    return { read: this.reading.waiting + brief, transaction: this.writing.waiting }
  }

  close(): Promise<void> {
    this.#closed ??= this.#close()
    return this.#closed
  }

  protected get isClosed(): boolean {
    return this.#closed !== undefined
  }

  /** Without one of its threads the store is of no use. */
  protected lose(cause: Error): void {
    const lost = new StoreUnavailable('the store was lost', { cause })
    for (const grouping of [this.writing, this.#readingBriefly, this.reading]) {
      void grouping.close(lost)
      grouping.abandon(lost)
    }
    if (!this.isClosed && !this.#isLost) this.onLost?.(cause)
    this.#isLost = true
  }

  async #close(): Promise<void> {
    const closed = new StoreUnavailable('the store is closed')
    // Brief reads may go on among the others.
    const read = this.#readingBriefly.close(closed).then(() => this.reading.close(closed))
    await Promise.all([this.writing.close(closed), read])
    await this.end()
  }

  async #write(group: readonly PendingCall[]): Promise<Answers> {
    const { answers, committed, announced } = await this.performTransactions(group)
    if (committed > 0) this.onCommit?.(committed, announced)
    return answers
  }
}

/** Number of calls that a group has at most. */
const largest = 512

interface ReadOptions extends Pick<GroupCommitOptions, 'performers' | 'longestWait'> {
  readonly largest?: number
  /** Number of reads of one party that may be under way at once. */
  readonly readsPerParty?: number | undefined
  /** True if brief reads wait in a queue of their own, behind no other read. */
  readonly briefApart?: boolean
}
