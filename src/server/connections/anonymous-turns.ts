import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { Clock } from '../../runtime/clock.ts'
import { RoundRobin } from '../../runtime/limits/round-robin.ts'
import type { Connections } from './connections.ts'

/** Requests of one connection that wait; what it sends beyond them is carried out at once. */
const maxWaiting = 8

/** Milliseconds for which new connections come before requests without a key. */
const maxHold = 10

/**
 * Decides when requests on connections that no valid key came over yet are carried out: in each turn of the event loop one
 * that sends a key and one that sends none, in turns by address. So a crowd of anonymous callers delays only itself.
 * Requests that wait on a connection that is cut are never carried out.
 *
 * As long as connections come, requests without a key wait for them: the loop takes only one connection in each of its
 * turns, and the last one may be of a caller with a key.
 */
export class AnonymousTurns {
  readonly #connections: Connections
  readonly #clock: Pick<Clock, 'monotonic'>
  /** Waiting requests, by address. */
  readonly #withKey = new RoundRobin<() => void>()
  readonly #withoutKey = new RoundRobin<() => void>()
  readonly #waiting = new WeakMap<Socket, number>()
  #isScheduled = false
  #opened = 0
  #heldSince = 0

  constructor(connections: Connections, clock: Pick<Clock, 'monotonic'>) {
    this.#connections = connections
    this.#clock = clock
  }

  /** Carries out a request: at once on a connection that a valid key came over, if nothing waits there. */
  take(request: IncomingMessage, carryOut: () => void): void {
    const { socket, headers } = request
    // A request after the last response of a connection is never answered, so it must not be carried out either.
    const ifWanted = () => {
      if (!socket.destroyed && !socket.writableEnded) carryOut()
    }
    const waiting = this.#waiting.get(socket) ?? 0
    if (waiting >= maxWaiting || (waiting === 0 && this.#connections.isKnown(socket))) {
      ifWanted()
      return
    }
    this.#waiting.set(socket, waiting + 1)
    const sendsKey = headers.authorization !== undefined
    if (!sendsKey) this.#connections.markUnauthenticated(socket)
    const queue = sendsKey ? this.#withKey : this.#withoutKey
    queue.push(this.#connections.addressBlockOf(request), () => {
      this.#waiting.set(socket, (this.#waiting.get(socket) ?? 1) - 1)
      ifWanted()
    })
    this.#schedule()
  }

  #schedule(): void {
    if (this.#isScheduled) return
    this.#isScheduled = true
    setImmediate(() => {
      this.#isScheduled = false
      this.#turn()
      if (!this.#withKey.isEmpty || !this.#withoutKey.isEmpty) this.#schedule()
    })
  }

  #turn(): void {
    this.#withKey.take()?.()
    const { opened } = this.#connections
    const now = this.#clock.monotonic()
    if (opened === this.#opened || now - this.#heldSince > maxHold) {
      this.#withoutKey.take()?.()
      this.#heldSince = now
    }
    this.#opened = opened
  }
}
