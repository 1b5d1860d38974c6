import type { WASocket } from 'baileys'

/** The part of a WebSocket by which the library sends. */
interface SendingSocket {
  send(frame: Uint8Array, done?: (error?: Error) => void): void
}

/** Something that waits until the keys up to a number are durable. */
interface Departure {
  readonly number: number
  readonly leave: () => void
}

/**
 * Holds back what leaves through a socket until the keys with which it was encrypted are durable, so that the library can go on
 * meanwhile: many messages share a commit then. What comes after something held back waits as well, because frames are numbered.
 */
export class Departures {
  readonly #waiting: Departure[] = []
  /** Resolves when the keys of everything that was encrypted so far are durable. */
  #durable: Promise<void> | null = null
  /** Counts the changes of keys that have to become durable. */
  #needed = 0
  /** Number of them that are durable. */
  #reached = 0

  /** Nothing is sent from now on before this resolves. Nothing more is ever sent if it rejects. */
  onlyAfter(durable: Promise<void>): void {
    if (durable === this.#durable) return
    this.#durable = durable
    this.#needed += 1
    const number = this.#needed
    durable.then(
      () => this.#open(number),
      () => undefined,
    )
  }

  /** Has the socket send in time. */
  guard({ ws }: WASocket): void {
    // The library declares it as its own.
    const { socket } = ws as unknown as { readonly socket: SendingSocket }
    const send = socket.send.bind(socket)
    socket.send = (frame, done) => {
      if (this.#isOpen) send(frame, done)
      else {
        this.#waiting.push({ number: this.#needed, leave: () => send(frame) })
        // A socket that fails ends the connection, so the library need not hear of it here.
        done?.()
      }
    }
  }

  /** Resolves when everything that was sent so far has left. */
  left(): Promise<void> {
    if (this.#isOpen) return Promise.resolve()
    return new Promise((leave) => this.#waiting.push({ number: this.#needed, leave }))
  }

  get #isOpen(): boolean {
    return this.#waiting.length === 0 && this.#reached === this.#needed
  }

  #open(number: number): void {
    this.#reached = number
    const end = this.#waiting.findIndex((each) => each.number > number)
    const leaving = this.#waiting.splice(0, end < 0 ? this.#waiting.length : end)
    for (const { leave } of leaving) leave()
  }
}
