import { FairQueue, fits } from './fair-queue.ts'

export interface FairSemaphoreOptions {
  /** Number that may run at a time or, for work with weights, the sum of its weights. */
  readonly limit: number
  /** The same for one party. */
  readonly limitPerParty?: number
  /** Number that may wait of one party; one more is refused. */
  readonly queuePerParty?: number
  /**
   * Number that may wait in all. When the queue is full, the last of the party with the most waiting is refused, so a party
   * that fills the queue cannot push out others.
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

/** Something that runs and has a weight, such as its bytes. */
export interface Held {
  /** Its weight from now on, beyond the limits if need be. */
  resize(weight: number): void
  /** It runs no longer. */
  end(): void
}

interface Waiter {
  readonly weight: number
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
    this.#queue = new FairQueue({ ...this.#options, size: ({ weight }) => weight })
  }

  get running(): number {
    return this.#queue.running
  }

  get waiting(): number {
    return this.#queue.waiting
  }

  /** Returns how much of a party runs, and how many of it wait. */
  of(party: string): { readonly running: number; readonly waiting: number } {
    return this.#queue.of(party)
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
    const held = await this.hold(party, 1, signal)
    return () => held.end()
  }

  /** Like `acquire`, for what has a weight. More than the limit has its turn when nothing else of the party runs. */
  async hold(party: string, weight: number, signal?: AbortSignal): Promise<Held> {
    signal?.throwIfAborted()
    await this.#turnOf(party, weight, signal)
    return this.#held(party, weight)
  }

  /** Lets something run at once, beyond the limits if need be: others wait the longer for it. */
  take(party: string, weight: number): Held {
    this.#queue.begin(party, weight)
    return this.#held(party, weight)
  }

  #held(party: string, begun: number): Held {
    let weight = begun
    let isOver = false
    return {
      resize: (next) => {
        if (isOver || next === weight) return
        this.#queue.grow(party, next - weight)
        weight = next
        this.#serve()
      },
      end: () => {
        if (isOver) return
        isOver = true
        this.#queue.done(party, { size: weight })
        this.#serve()
      },
    }
  }

  #turnOf(party: string, weight: number, signal: AbortSignal | undefined): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const abort = () => this.#refuse(party, waiter, signal?.reason)
    const settled = (settle: () => void) => {
      signal?.removeEventListener('abort', abort)
      settle()
    }
    const waiter: Waiter = {
      weight,
      start: () => settled(resolve),
      refuse: (reason) => settled(() => reject(reason)),
    }
    signal?.addEventListener('abort', abort)
    this.#queue.push(party, waiter)
    this.#serve()
    const { queue, queuePerParty } = this.#options
    if (this.of(party).waiting > queuePerParty) this.#refuse(party, waiter, new QueueFull())
    const last = this.waiting > queue && this.#queue.lastOfLongest(party)
    if (last) this.#refuse(last.party, last.item, new QueueFull())
    return promise
  }

  #serve(): void {
    for (;;) {
      const next = this.#queue.peek()
      if (!next || !fits(next.weight, this.running, this.#options.limit)) return
      this.#queue.take()
      next.start()
    }
  }

  #refuse(party: string, waiter: Waiter, reason: unknown): void {
    if (!this.#queue.remove(party, waiter)) return
    waiter.refuse(reason)
    this.#serve()
  }
}
