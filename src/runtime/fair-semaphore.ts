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

interface Party {
  running: number
  readonly waiting: Waiter[]
}

/**
 * Limits how much runs at a time, in all and for one party. Parties that wait take turns; within a party, first come is first
 * served. A party is any string, such as the id of an organization.
 */
export class FairSemaphore {
  readonly #options: Required<FairSemaphoreOptions>
  /** The parties for which something runs or waits. */
  readonly #parties = new Map<string, Party>()
  /** The parties with waiting work that could run, in the order of their turns. */
  readonly #turns = new Set<string>()
  #running = 0
  #waiting = 0

  constructor(options: FairSemaphoreOptions) {
    const unlimited = Number.POSITIVE_INFINITY
    this.#options = { limitPerParty: unlimited, queuePerParty: unlimited, queue: unlimited, ...options }
  }

  get running(): number {
    return this.#running
  }

  get waiting(): number {
    return this.#waiting
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
  async acquire(name: string, signal?: AbortSignal): Promise<() => void> {
    signal?.throwIfAborted()
    await this.#turnOf(name, signal)
    return () => this.#release(name)
  }

  #turnOf(name: string, signal: AbortSignal | undefined): Promise<void> {
    const party = this.#parties.get(name) ?? { running: 0, waiting: [] }
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const abort = () => this.#withdraw(name, waiter, signal?.reason)
    const settled = (settle: () => void) => {
      signal?.removeEventListener('abort', abort)
      settle()
    }
    const waiter: Waiter = {
      start: () => settled(resolve),
      refuse: (reason) => settled(() => reject(reason)),
    }
    signal?.addEventListener('abort', abort)
    this.#parties.set(name, party)
    party.waiting.push(waiter)
    this.#waiting++
    this.#lineUp(name, party)
    this.#serve()
    if (party.waiting.length > this.#options.queuePerParty) this.#withdraw(name, waiter, new QueueFull())
    if (this.#waiting > this.#options.queue) this.#refuseOne(name)
    return promise
  }

  #release(name: string): void {
    const party = this.#parties.get(name)
    if (!party) return
    party.running--
    this.#running--
    this.#lineUp(name, party)
    this.#forgetIdle(name, party)
    this.#serve()
  }

  /** Gives a party a turn if it can use one; it keeps the one that it has. */
  #lineUp(name: string, party: Party): void {
    if (party.waiting.length > 0 && party.running < this.#options.limitPerParty) this.#turns.add(name)
    else this.#turns.delete(name)
  }

  #serve(): void {
    while (this.#running < this.#options.limit) {
      const [name] = this.#turns
      if (name === undefined) return
      const party = this.#parties.get(name) as Party
      this.#turns.delete(name)
      this.#running++
      this.#waiting--
      party.running++
      party.waiting.shift()?.start()
      this.#lineUp(name, party)
    }
  }

  /** Refuses the last of the party with the most waiting, of several such parties that of the newcomer. */
  #refuseOne(newcomer: string): void {
    let [most, length] = [newcomer, this.#parties.get(newcomer)?.waiting.length ?? 0]
    for (const [name, { waiting }] of this.#parties) {
      if (waiting.length > length) [most, length] = [name, waiting.length]
    }
    const last = this.#parties.get(most)?.waiting.at(-1)
    if (last) this.#withdraw(most, last, new QueueFull())
  }

  #withdraw(name: string, waiter: Waiter, reason: unknown): void {
    const party = this.#parties.get(name)
    const at = party?.waiting.lastIndexOf(waiter) ?? -1
    if (!party || at < 0) return
    party.waiting.splice(at, 1)
    this.#waiting--
    this.#lineUp(name, party)
    this.#forgetIdle(name, party)
    waiter.refuse(reason)
  }

  #forgetIdle(name: string, { running, waiting }: Party): void {
    if (running === 0 && waiting.length === 0) this.#parties.delete(name)
  }
}
