import { PosthornTimeoutError } from './errors.ts'

/** A signal that aborts after a time, and with another signal. Written out, because not every runtime has `AbortSignal.any`. */
export class Deadline {
  readonly #controller = new AbortController()
  readonly #outer: AbortSignal | undefined
  #timer: ReturnType<typeof setTimeout> | undefined
  readonly #follow = () => this.#controller.abort(this.#outer?.reason)

  constructor(ms: number, what: string, outer: AbortSignal | undefined) {
    this.#outer = outer
    if (outer?.aborted) this.#follow()
    else outer?.addEventListener('abort', this.#follow, { once: true })
    this.restart(ms, what)
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  /** Begins the time anew. Infinity is no limit. */
  restart(ms: number, what: string): void {
    clearTimeout(this.#timer)
    if (ms === Number.POSITIVE_INFINITY) return
    const error = () => new PosthornTimeoutError(`${what} took longer than ${ms} ms.`)
    this.#timer = setTimeout(() => this.#controller.abort(error()), ms)
  }

  /** Ends the time; the outer signal still aborts. */
  lift(): void {
    clearTimeout(this.#timer)
  }

  /** Ends both: nothing aborts this signal any more. */
  release(): void {
    this.lift()
    this.#outer?.removeEventListener('abort', this.#follow)
  }

  /** Aborts what is under way, and ends both. */
  end(): void {
    this.release()
    this.#controller.abort()
  }
}
