import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { Clock } from '../../runtime/clock.ts'
import type { Connections } from './connections.ts'

/** How many requests of one connection wait; what it sends beyond them is carried out at once. */
const waitingOfOne = 8

/** For how long new connections come before requests without a key, in milliseconds. */
const longestWait = 10

/** What waits, by address: whose turn it is first. */
type Queue = Map<string, (() => void)[]>

/**
 * When what comes on connections without a valid key is carried out: in each turn of the event loop one request that sends a
 * key and one that sends none, in turns by address. So a crowd of anonymous callers delays only itself. What waits on a
 * connection that is cut is never carried out.
 *
 * As long as connections come, those who send no key wait for them: the loop takes only one connection in each of its turns,
 * and the last one may be of a caller with a key.
 */
export class AnonymousTurns {
  readonly #connections: Connections
  readonly #clock: Pick<Clock, 'monotonic'>
  readonly #withKey: Queue = new Map()
  readonly #withoutKey: Queue = new Map()
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
    // What follows the last response of a connection is never answered, so it must not be carried out either.
    const ifWanted = () => {
      if (!socket.destroyed && !socket.writableEnded) carryOut()
    }
    const waiting = this.#waiting.get(socket) ?? 0
    if (waiting >= waitingOfOne || (waiting === 0 && this.#connections.isKnown(socket))) {
      ifWanted()
      return
    }
    this.#waiting.set(socket, waiting + 1)
    const sendsKey = headers.authorization !== undefined
    if (!sendsKey) this.#connections.markUnauthenticated(socket)
    const queue = sendsKey ? this.#withKey : this.#withoutKey
    const address = this.#connections.addressBlockOf(request)
    const own = queue.get(address) ?? []
    own.push(() => {
      this.#waiting.set(socket, (this.#waiting.get(socket) ?? 1) - 1)
      ifWanted()
    })
    queue.set(address, own)
    this.#schedule()
  }

  #schedule(): void {
    if (this.#isScheduled) return
    this.#isScheduled = true
    setImmediate(() => {
      this.#isScheduled = false
      this.#turn()
      if (this.#withKey.size + this.#withoutKey.size > 0) this.#schedule()
    })
  }

  #turn(): void {
    carryOutOne(this.#withKey)
    const { opened } = this.#connections
    const now = this.#clock.monotonic()
    if (opened === this.#opened || now - this.#heldSince > longestWait) {
      carryOutOne(this.#withoutKey)
      this.#heldSince = now
    }
    this.#opened = opened
  }
}

function carryOutOne(queue: Queue): void {
  const [next] = queue
  if (!next) return
  const [address, own] = next
  // The address queues up again after the others if more of its requests wait.
  queue.delete(address)
  const carryOut = own.shift()
  if (own.length > 0) queue.set(address, own)
  carryOut?.()
}
