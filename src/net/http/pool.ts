import type { Socket } from 'node:net'
import type { Time } from '../timeouts.ts'

/** A connection, and the moment on the monotonic clock until which it may be used, in milliseconds. */
export interface PooledConnection {
  readonly socket: Socket
  readonly until: number
}

interface Kept {
  readonly connection: PooledConnection
  /** Stops keeping it, without closing it. */
  readonly leave: () => void
  readonly end: () => void
}

/** Connections that are kept in all. */
const maxInAll = 512

/**
 * Idle connections, by the names of those who may use them again. One that ends, receives unexpected data or
 * reaches its time is closed and forgotten.
 */
export class KeptConnections {
  readonly #time: Time
  readonly #maxUnderOneName: number
  readonly #kept = new Map<string, Kept[]>()
  #count = 0
  #isClosed = false

  /** If `maxUnderOneName` are already kept under its name, the connection is closed. */
  constructor(time: Time, maxUnderOneName: number) {
    this.#time = time
    this.#maxUnderOneName = maxUnderOneName
  }

  /** The connection that was kept last under a name. It is the caller's from then on. */
  take(name: string): PooledConnection | undefined {
    const kept = this.#kept.get(name)?.at(-1)
    kept?.leave()
    return kept?.connection
  }

  /**
   * Keeps an idle connection, or closes it if there is no capacity or no time left. After `longestIdle` milliseconds without
   * use it is closed.
   */
  keep(name: string, connection: PooledConnection, longestIdle: number = Number.POSITIVE_INFINITY): void {
    const { socket, until } = connection
    const left = Math.min(until - this.#time.clock.monotonic(), longestIdle)
    const others = this.#kept.get(name) ?? []
    if (this.#isClosed || left <= 0 || others.length >= this.#maxUnderOneName || !this.#makeRoom(others))
      socket.destroy()
    else this.#add(name, others, connection, left)
  }

  /** At capacity, the name with the most connections loses one, if it has more than this one would have. */
  #makeRoom(others: readonly Kept[]): boolean {
    if (this.#count < maxInAll) return true
    let largest: readonly Kept[] = []
    for (const kept of this.#kept.values()) if (kept.length > largest.length) largest = kept
    if (largest.length <= others.length + 1) return false
    largest[0]?.end()
    return true
  }

  /** Closes every kept connection, and keeps no more. */
  close(): void {
    this.#isClosed = true
    for (const kept of [...this.#kept.values()].flat()) kept.end()
  }

  #add(name: string, others: readonly Kept[], connection: PooledConnection, left: number): void {
    const { socket } = connection
    const end = () => {
      leave()
      socket.destroy()
    }
    const leave = () => {
      alarm.cancel()
      for (const event of ['data', 'end', 'close']) socket.off(event, end)
      this.#remove(name, kept)
    }
    const kept: Kept = { connection, leave, end }
    const alarm = this.#time.alarms.in(left, end)
    // Unexpected bytes would be mistaken for the response to the next request.
    for (const event of ['data', 'end', 'close']) socket.on(event, end)
    this.#kept.set(name, [...others, kept])
    this.#count++
  }

  #remove(name: string, kept: Kept): void {
    const others = (this.#kept.get(name) ?? []).filter((other) => other !== kept)
    if (others.length > 0) this.#kept.set(name, others)
    else this.#kept.delete(name)
    this.#count--
  }
}
