/** A growing list whose readers can wait for what is not there yet. Tests wait for facts with it; they never sleep. */
export class Signals<Fact> {
  readonly all: Fact[] = []
  readonly #timeout: number
  readonly #waiting = new Set<() => void>()

  constructor(timeout_ms: number) {
    this.#timeout = timeout_ms
  }

  readonly add = (fact: Fact): void => {
    this.all.push(fact)
    for (const look of [...this.#waiting]) look()
  }

  /** The first fact that fits, once there is one. Rejects, naming what was missing, when that time is over. */
  first<Wanted extends Fact>(what: string, fits: (fact: Fact) => fact is Wanted): Promise<Wanted>
  first(what: string, fits: (fact: Fact) => boolean): Promise<Fact>
  first(what: string, fits: (fact: Fact) => boolean): Promise<Fact> {
    let look = (): void => {}
    const found = new Promise<Fact>((resolve) => {
      look = () => {
        const fact = this.all.find(fits)
        if (fact !== undefined) resolve(fact)
      }
      this.#waiting.add(look)
      look()
    })
    return within(this.#timeout, what, found).finally(() => this.#waiting.delete(look))
  }
}

/** Resolves as the promise does, or rejects with the name of the missing event when that time is over. */
export function within<Value>(timeout_ms: number, what: string, promise: Promise<Value>): Promise<Value> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`waited ${timeout_ms} ms in vain for ${what}`)), timeout_ms)
  })
  return Promise.race([promise, late]).finally(() => clearTimeout(timer))
}
