import type { IncomingMessage } from 'node:http'
import type { Clock } from '../../runtime/clock.ts'
import type { Alarms } from '../../runtime/timers/alarms.ts'

/** In milliseconds. */
interface BodyTimes {
  /** From the end of the headers to the end of a body that has no file. */
  readonly request: number
  /** Over how long the pace of a file is measured. */
  readonly pace: number
  /** From a response to the end of the body that it did not wait for. */
  readonly rest: number
  /** Between two checks of all these limits. */
  readonly check: number
}

interface Watched {
  readonly kind: 'whole' | 'file' | 'rest'
  since: number
  /** The bytes that had come over the connection by then. */
  bytes: number
}

/**
 * Limits how long callers may take to send a body. Node's own limit is the same for all requests, but some send files. One
 * alarm looks after all of them, because most bodies are there before anything could look.
 */
export class BodyWatch {
  readonly #context
  readonly #watched = new Map<IncomingMessage, Watched>()
  #isLooking = false

  constructor(context: {
    readonly clock: Clock
    readonly alarms: Pick<Alarms, 'in'>
    readonly times: BodyTimes
    /** Bytes of a file that must come in a second, on average over `times.pace`. */
    readonly uploadRate: number
    readonly onLate: (request: IncomingMessage) => void
  }) {
    this.#context = context
  }

  /** `whole` for a body that has a time limit, `file` for one that has a pace, `rest` for one whose request already has its response. */
  begin(request: IncomingMessage, kind: Watched['kind']): void {
    const since = this.#context.clock.monotonic()
    this.#watched.set(request, { kind, since, bytes: request.socket.bytesRead })
    this.#look()
  }

  /** Call this as soon as the body has come, or is no longer waited for (decision 0078). */
  end(request: IncomingMessage): void {
    this.#watched.delete(request)
  }

  #look(): void {
    if (this.#isLooking) return
    this.#isLooking = true
    this.#context.alarms.in(this.#context.times.check, () => {
      this.#isLooking = false
      for (const [request, watched] of this.#watched) this.#lookAt(request, watched)
      if (this.#watched.size > 0) this.#look()
    })
  }

  #lookAt(request: IncomingMessage, watched: Watched): void {
    const { socket, complete } = request
    if (complete || socket.destroyed) this.#watched.delete(request)
    else if (this.#isLate(request, watched)) {
      this.#watched.delete(request)
      if (watched.kind === 'rest') socket.destroy()
      else this.#context.onLate(request)
    }
  }

  #isLate(request: IncomingMessage, watched: Watched): boolean {
    const { clock, times, uploadRate } = this.#context
    const elapsed = clock.monotonic() - watched.since
    if (watched.kind !== 'file') return elapsed > (watched.kind === 'rest' ? times.rest : times.request)
    if (elapsed < times.pace) return false
    const { bytesRead } = request.socket
    // Data that has arrived but waits here does not count against the caller.
    const isTooSlow =
      (bytesRead - watched.bytes) * 1000 < uploadRate * elapsed && request.readableLength === 0
    watched.since += elapsed
    watched.bytes = bytesRead
    return isTooSlow
  }
}
