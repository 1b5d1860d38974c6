/** How long workers may use the thread before everything else gets it, in milliseconds. */
const longestRun = 2
/** How long one worker goes on before the next has its turn, in milliseconds. */
const longestTurn = 1

/** Somebody who has work now and then. */
export interface Worker {
  /** There is work: `step` is called, in turn, until it returns that there is none. */
  wake(): void
  /** There will be no more work. */
  leave(): void
}

/** Does a little work, far less than a millisecond, and returns whether there is more to do now. Does not throw. */
export type Step = () => boolean

/**
 * Shares the thread among workers whose work comes from outside: in turns, party by party, and worker by worker within each party.
 * After a few milliseconds, everything else gets the thread, too.
 */
export class Turns {
  /** The workers with work by party, both in the order of their turns. */
  readonly #ready = new Map<string, Set<Step>>()
  #scheduled = false

  join(party: string, step: Step): Worker {
    return {
      wake: () => this.#wake(party, step),
      leave: () => this.#leave(party, step),
    }
  }

  #wake(party: string, step: Step): void {
    const own = this.#ready.get(party)
    if (own) own.add(step)
    else this.#ready.set(party, new Set([step]))
    if (this.#scheduled) return
    this.#scheduled = true
    setImmediate(() => this.#run())
  }

  #leave(party: string, step: Step): void {
    const own = this.#ready.get(party)
    if (own?.delete(step) && own.size === 0) this.#ready.delete(party)
  }

  #run(): void {
    const end = performance.now() + longestRun
    let now = performance.now()
    for (const [party, own] of this.#ready) {
      if (now >= end) break
      const [step] = own
      // If the party has more to do, it queues up after the others. A step may remove its worker, or wake others.
      this.#ready.delete(party)
      if (step) {
        own.delete(step)
        if (own.size > 0) this.#ready.set(party, own)
        now = this.#turn(party, step, Math.min(end, now + longestTurn))
      }
    }
    this.#scheduled = this.#ready.size > 0
    if (this.#scheduled) setImmediate(() => this.#run())
  }

  #turn(party: string, step: Step, end: number): number {
    for (;;) {
      const more = step()
      const now = performance.now()
      if (more && now < end) continue
      if (more) this.#wake(party, step)
      return now
    }
  }
}
