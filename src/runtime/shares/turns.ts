/** How long the thread is worked on between two looks at everything else, in milliseconds. */
const longestRun = 2
/** How long one that works goes on before it is the next one's turn, in milliseconds. */
const longestTurn = 1

/** Somebody who has work now and then. */
export interface Worker {
  /** There is work: `step` is called in turn until it answers that there is none. */
  wake(): void
  /** There will be none any more. */
  leave(): void
}

/** Does a little work, far less than a millisecond of it, and tells whether there is more to do now. Does not throw. */
export type Step = () => boolean

/**
 * Shares the thread among those whose work others make: in turns, party by party and worker by worker within each, and never
 * for more than some milliseconds before everything else has its turn, too.
 */
export class Turns {
  /** Who has work: by party, the one whose turn it is first, and within it the worker whose turn it is. */
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
      // The party queues up again behind the others, if it has more to do; whoever steps may leave, or wake others.
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
