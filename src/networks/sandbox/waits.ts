/** Something that happens later, unless the connection ends first. */
export interface Wait {
  readonly timer: NodeJS.Timeout | null
  /** Called instead if the connection ends first. */
  readonly abandon: (() => void) | null
}

/** The waits of one connection. They cost nothing until there is one. */
export class Waits {
  readonly #signal: AbortSignal
  readonly #onAbort: () => void
  #waits: Set<Wait> | null = null
  #listens = false
  #over = false

  constructor(signal: AbortSignal, onAbort: () => void) {
    this.#signal = signal
    this.#onAbort = onAbort
  }

  /** Acts after a delay, or at once if the delay is 0; calls `abandon` if the connection ends first. */
  later(milliseconds: number, act: () => void, abandon: (() => void) | null = null): void {
    if (this.#over || this.#signal.aborted) {
      abandon?.()
    } else if (milliseconds === 0) {
      act()
    } else {
      const timer = setTimeout(() => {
        this.forget(wait)
        act()
      }, milliseconds)
      const wait = this.#add(timer, abandon)
    }
  }

  /** Calls `abandon` when the connection ends, unless the wait is forgotten first. */
  until(abandon: () => void): Wait {
    return this.#add(null, abandon)
  }

  forget(wait: Wait): void {
    this.#waits?.delete(wait)
  }

  /** Nothing that waits happens any more; more can follow. */
  abandon(): void {
    const waits = this.#waits
    this.#waits = null
    for (const wait of waits ?? []) {
      if (wait.timer) clearTimeout(wait.timer)
      wait.abandon?.()
    }
  }

  /** Nothing follows. */
  end(): void {
    this.#over = true
    if (this.#listens) this.#signal.removeEventListener('abort', this.#onAbort)
    this.abandon()
  }

  #add(timer: NodeJS.Timeout | null, abandon: (() => void) | null): Wait {
    const wait = { timer, abandon }
    this.#waits ??= new Set()
    this.#waits.add(wait)
    if (!this.#listens) {
      this.#listens = true
      this.#signal.addEventListener('abort', this.#onAbort, { once: true })
    }
    return wait
  }
}
