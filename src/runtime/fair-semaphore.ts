import { FairQueue } from './fair-queue.ts'

export interface FairSemaphoreOptions {
  /** How many may run at a time. */
  readonly limit: number
  /** How many of one party may run at a time. */
  readonly limitPerParty?: number
  /** How many of one party may wait; one more is refused. */
  readonly queuePerParty?: number
  /**
   * How many may wait in all. When the queue is full, the last of the party with the most waiting is refused, so a party that
   * fills the queue cannot push out others.
   */
  readonly queue?: number
}

/** Too many wait already. Trying again later may succeed. */
export class QueueFull extends Error {
  override readonly name = 'QueueFull'

  constructor() {
    super('too many are waiting already')
  }
}

interface Waiter {
  readonly start: () => void
  readonly refuse: (reason: unknown) => void
}

/**
 * Limits how much runs at a time, in all and for one party. Parties that wait take turns; within a party, first come is first
 * served. A party is any string, such as the id of an organization.
 */
export class FairSemaphore {
  readonly #options: Required<FairSemaphoreOptions>
  readonly #queue: FairQueue<Waiter>

  constructor(options: FairSemaphoreOptions) {
    const unlimited = Number.POSITIVE_INFINITY
    this.#options = { limitPerParty: unlimited, queuePerParty: unlimited, queue: unlimited, ...options }
    this.#queue = new FairQueue(this.#options)
  }

  get running(): number {
    return this.#queue.running
  }

  get waiting(): number {
    return this.#queue.waiting
  }

  /**
   * Runs `work` when it is the party's turn, and resolves or rejects as it does. Rejects with QueueFull if too many wait, and
   * with the reason of the signal if it aborts before the work began.
   */
  async run<R>(party: string, work: () => Promise<R>, signal?: AbortSignal): Promise<R> {
    const release = await this.acquire(party, signal)
    try {
      return await work()
    } finally {
      release()
    }
  }

  /** Like `run`, for work that begins and ends in different functions: resolves to a function to call once, at its end. */
  async acquire(party: string, signal?: AbortSignal): Promise<() => void> {
    signal?.throwIfAborted()
    await this.#turnOf(party, signal)
    return () => {
      this.#queue.done(party)
      this.#serve()
    }
  }

  #turnOf(party: string, signal: AbortSignal | undefined): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const abort = () => this.#refuse(party, waiter, signal?.reason)
    const settled = (settle: () => void) => {
      signal?.removeEventListener('abort', abort)
      settle()
    }
    const waiter: Waiter = {
      start: () => settled(resolve),
      refuse: (reason) => settled(() => reject(reason)),
    }
    signal?.addEventListener('abort', abort)
    this.#queue.push(party, waiter)
    this.#serve()
    const { queue, queuePerParty } = this.#options
    if (this.#queue.waitingOf(party) > queuePerParty) this.#refuse(party, waiter, new QueueFull())
    const last = this.waiting > queue && this.#queue.lastOfLongest(party)
    if (last) this.#refuse(last.party, last.item, new QueueFull())
    return promise
  }

  #serve(): void {
    while (this.running < this.#options.limit) {
      const waiter = this.#queue.take()
      if (!waiter) return
      waiter.start()
    }
  }

  #refuse(party: string, waiter: Waiter, reason: unknown): void {
    if (this.#queue.remove(party, waiter)) waiter.refuse(reason)
  }
}
