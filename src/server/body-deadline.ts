import type { IncomingMessage } from 'node:http'
import type { Alarms } from '../runtime/alarms.ts'
import type { Clock } from '../runtime/clock.ts'

interface DeadlineContext {
  readonly clock: Clock
  readonly alarms: Pick<Alarms, 'in'>
  /** How long a body may take from the end of the headers, and how often that is looked at; in milliseconds. */
  readonly limit: number
  readonly check: number
  readonly onLate: (request: IncomingMessage) => void
}

/**
 * Bounds how long callers take over a body. Node's own limit holds for all requests alike, and some have files to send. One
 * alarm looks after all of them, the oldest first, because most bodies are there before anything could look.
 */
export class BodyDeadline {
  readonly #context: DeadlineContext
  readonly #begunAt = new Map<IncomingMessage, number>()
  #isWatching = false

  constructor(context: DeadlineContext) {
    this.#context = context
  }

  begin(request: IncomingMessage): void {
    this.#begunAt.set(request, this.#context.clock.monotonic())
    this.#watch()
  }

  /** The body came, or nobody waits for it any more. */
  end(request: IncomingMessage): void {
    this.#begunAt.delete(request)
  }

  #watch(): void {
    if (this.#isWatching) return
    this.#isWatching = true
    this.#context.alarms.in(this.#context.check, () => {
      this.#isWatching = false
      this.#look()
      if (this.#begunAt.size > 0) this.#watch()
    })
  }

  #look(): void {
    const late = this.#context.clock.monotonic() - this.#context.limit
    for (const [request, begunAt] of this.#begunAt) {
      if (begunAt > late) return
      this.#begunAt.delete(request)
      if (!request.complete) this.#context.onLate(request)
    }
  }
}
