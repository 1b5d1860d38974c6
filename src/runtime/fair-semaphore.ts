export interface FairSemaphoreOptions {
  /** How many may run at a time; of what has a weight, the sum of the weights. */
  readonly limit: number
  /** The same for one party. */
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

interface Party {
  /** The sum of the weights. */
  running: number
  holds: number
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

  /** How much of a party runs, and how many of it wait. */
  of(name: string): { readonly running: number; readonly waiting: number } {
    const party = this.#parties.get(name)
    return { running: party?.running ?? 0, waiting: party?.waiting.length ?? 0 }
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
    const held = await this.hold(name, 1, signal)
    return () => held.end()
  }

  /** Like `acquire`, for what has a weight. More than the limit has its turn when nothing else of the party runs. */
  async hold(name: string, weight: number, signal?: AbortSignal): Promise<Held> {
    signal?.throwIfAborted()
    await this.#turnOf(name, weight, signal)
    return this.#held(name, weight)
  }

  /** Lets something run at once, beyond the limits if need be: others wait the longer for it. */
  take(name: string, weight: number): Held {
    const party = this.#party(name)
    party.holds++
    this.#change(name, weight)
    return this.#held(name, weight)
  }

  #held(name: string, begun: number): Held {
    let weight = begun
    let isOver = false
    return {
      resize: (next) => {
        if (isOver || next === weight) return
        const more = next - weight
        weight = next
        this.#change(name, more)
      },
      end: () => {
        if (isOver) return
        isOver = true
        this.#release(name, weight)
      },
    }
  }

  #party(name: string): Party {
    const party = this.#parties.get(name) ?? { running: 0, holds: 0, waiting: [] }
    this.#parties.set(name, party)
    return party
  }

  #turnOf(name: string, weight: number, signal: AbortSignal | undefined): Promise<void> {
    const party = this.#party(name)
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const abort = () => this.#withdraw(name, waiter, signal?.reason)
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
    party.waiting.push(waiter)
    this.#waiting++
    this.#lineUp(name, party)
    this.#serve()
    if (party.waiting.length > this.#options.queuePerParty) this.#withdraw(name, waiter, new QueueFull())
    if (this.#waiting > this.#options.queue) this.#refuseOne(name)
    return promise
  }

  #release(name: string, weight: number): void {
    const party = this.#parties.get(name)
    if (!party) return
    party.holds--
    this.#change(name, -weight)
    this.#forgetIdle(name, party)
  }

  #change(name: string, by: number): void {
    const party = this.#parties.get(name)
    if (!party) return
    party.running += by
    this.#running += by
    this.#lineUp(name, party)
    if (by < 0) this.#serve()
  }

  /** Gives a party a turn if it can use one; it keeps the one that it has. */
  #lineUp(name: string, party: Party): void {
    const [first] = party.waiting
    if (first && fits(first, party.running, this.#options.limitPerParty)) this.#turns.add(name)
    else this.#turns.delete(name)
  }

  #serve(): void {
    for (;;) {
      const [name] = this.#turns
      if (name === undefined) return
      const party = this.#parties.get(name) as Party
      const [first] = party.waiting
      if (!first || !fits(first, this.#running, this.#options.limit)) return
      this.#turns.delete(name)
      this.#running += first.weight
      this.#waiting--
      party.running += first.weight
      party.holds++
      party.waiting.shift()
      first.start()
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

  #forgetIdle(name: string, { holds, waiting }: Party): void {
    if (holds === 0 && waiting.length === 0) this.#parties.delete(name)
  }
}

/** What is heavier than the limit counts as much as that: it runs alone. */
function fits({ weight }: Waiter, running: number, limit: number): boolean {
  return running + Math.min(weight, limit) <= limit
}
