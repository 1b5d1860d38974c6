import { FairQueue } from './fair-queue.ts'

/** Milliseconds for which workers may use the thread before everything else gets it. */
const maxRun = 2
/** Milliseconds for which one worker goes on before the next has its turn. */
const maxTurn = 1

/** One that has work now and then. */
export interface Worker {
  /** There is work: `step` is called, in turn, until it returns that there is none. */
  wake(): void
  /** There will be no more work. */
  leave(): void
}

/** Does a little work, far less than a millisecond, and returns whether there is more to do now. Does not throw. */
export type WorkStep = () => boolean

interface Turn {
  readonly party: string
  readonly step: WorkStep
  isWaiting: boolean
}

/**
 * Shares the thread among workers whose work comes from outside: next is the party that has used least time, and within it the
 * workers take turns. After a few milliseconds, everything else gets the thread, too.
 */
export class Turns {
  /** A turn costs the time that it took, which is known at its end. */
  readonly #queue = new FairQueue<Turn>({ cost: () => 0 })
  #isScheduled = false

  join(party: string, step: WorkStep): Worker {
    const turn: Turn = { party, step, isWaiting: false }
    return {
      wake: () => {
        this.#enqueue(turn)
        this.#schedule()
      },
      leave: () => {
        if (turn.isWaiting) this.#queue.remove(party, turn)
        turn.isWaiting = false
      },
    }
  }

  #enqueue(turn: Turn): void {
    if (turn.isWaiting) return
    turn.isWaiting = true
    this.#queue.push(turn.party, turn)
  }

  #schedule(): void {
    if (this.#isScheduled || this.#queue.waiting === 0) return
    this.#isScheduled = true
    setImmediate(() => this.#run())
  }

  #run(): void {
    let now = performance.now()
    const end = now + maxRun
    while (now < end) {
      const turn = this.#queue.take()
      if (!turn) break
      now = this.#give(turn, now, Math.min(end, now + maxTurn))
    }
    this.#isScheduled = false
    this.#schedule()
  }

  #give(turn: Turn, begun: number, end: number): number {
    turn.isWaiting = false
    let hasMore: boolean
    let now: number
    // A step may end its worker, or wake others.
    do {
      hasMore = turn.step()
      now = performance.now()
    } while (hasMore && now < end)
    if (hasMore) this.#enqueue(turn)
    this.#queue.done(turn.party, { more: now - begun })
    return now
  }
}
