import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'

/** The two directions a proxied connection has: from the client to the server, and back. */
export type Direction = 'to-server' | 'to-client'

export interface TcpProxy {
  readonly port: number
  /** Number of connections that it has taken so far. */
  readonly taken: number
  /** Bytes that arrived in a direction so far, forwarded or not. */
  arrived(direction: Direction): string
  /** Resolves when what arrived in this direction matches, also if it did before. */
  sees(direction: Direction, pattern: RegExp): Promise<void>
  /**
   * From now on nothing is forwarded in these directions, on present and future connections, and neither side notices: a
   * connection held in both is half-open, as behind a router that forgot it. What arrives is kept for `release`.
   */
  hold(...directions: Direction[]): void
  /** The same for what a client sends on a connection, from the piece on that matches. Other connections go on. */
  holdFrom(pattern: RegExp): void
  release(): void
  /** Ends every connection at once with a reset on both sides; what was held is lost. Later connections are free. */
  cut(): void
  stop(): Promise<void>
}

interface Pair {
  readonly client: Socket
  readonly server: Socket
  /** Writes that were held back, to be made in this order. */
  readonly kept: (() => void)[]
  /** It sent what `holdFrom` waits for. */
  isHeld: boolean
}

export interface TcpProxyOptions {
  /** False for one that forwards too much to keep it: `arrived` and `sees` know nothing then. */
  readonly remembers?: boolean
}

/** Forwards loopback connections to `target`, until told otherwise. Connections that come later go to the port that it has then. */
export async function startTcpProxy(
  target: { readonly port: number },
  { remembers = true }: TcpProxyOptions = {},
): Promise<TcpProxy> {
  const forwarding = new Forwarding(remembers)
  const listener = createServer({ allowHalfOpen: true }, (client) => {
    const server = connect({ port: target.port, host: '127.0.0.1', allowHalfOpen: true, noDelay: true })
    forwarding.join(client.setNoDelay(true), server)
  })
  listener.listen(0, '127.0.0.1')
  await once(listener, 'listening')
  const address = listener.address()
  return {
    port: typeof address === 'object' && address ? address.port : 0,
    get taken() {
      return forwarding.taken
    },
    arrived: (direction) => forwarding.arrived(direction),
    sees: (direction, pattern) => forwarding.sees(direction, pattern),
    hold: (...directions) => forwarding.hold(...directions),
    holdFrom: (pattern) => forwarding.holdFrom(pattern),
    release: () => forwarding.release(),
    cut: () => forwarding.cut(),
    async stop() {
      forwarding.cut()
      const closed = once(listener, 'close')
      listener.close()
      await closed
    },
  }
}

/** The bytes between the two sides of every connection, and those of them that are held back. */
class Forwarding {
  taken = 0
  readonly #pairs = new Set<Pair>()
  readonly #held = new Set<Direction>()
  #heldFrom: RegExp | undefined
  readonly #arrived: Record<Direction, string> = { 'to-server': '', 'to-client': '' }
  readonly #watchers = new Set<() => void>()
  readonly #remembers: boolean

  constructor(remembers: boolean) {
    this.#remembers = remembers
  }

  join(client: Socket, server: Socket): void {
    this.taken += 1
    const pair: Pair = { client, server, kept: [], isHeld: false }
    this.#pairs.add(pair)
    this.#forward(client, server, 'to-server', pair)
    this.#forward(server, client, 'to-client', pair)
    for (const socket of [client, server])
      socket.on('close', () => {
        if (client.destroyed && server.destroyed) this.#pairs.delete(pair)
      })
  }

  #forward(from: Socket, to: Socket, direction: Direction, pair: Pair): void {
    const pass = (write: () => void) => {
      if (this.#held.has(direction) || (pair.isHeld && direction === 'to-server')) pair.kept.push(write)
      else write()
    }
    from.on('data', (data: Buffer) => {
      const text = data.toString('latin1')
      if (this.#remembers) this.#arrived[direction] += text
      if (direction === 'to-server' && this.#heldFrom?.test(text)) pair.isHeld = true
      pass(() => to.write(data))
      for (const wake of [...this.#watchers]) wake()
    })
    from.on('end', () => pass(() => to.end()))
    from.on('error', () => pass(() => to.destroy()))
  }

  arrived(direction: Direction): string {
    return this.#arrived[direction]
  }

  sees(direction: Direction, pattern: RegExp): Promise<void> {
    return new Promise((resolve) => {
      const look = () => {
        if (!pattern.test(this.#arrived[direction])) return
        this.#watchers.delete(look)
        resolve()
      }
      this.#watchers.add(look)
      look()
    })
  }

  hold(...directions: Direction[]): void {
    for (const direction of directions) this.#held.add(direction)
  }

  holdFrom(pattern: RegExp): void {
    this.#heldFrom = pattern
  }

  release(): void {
    this.#held.clear()
    this.#heldFrom = undefined
    for (const pair of this.#pairs) {
      pair.isHeld = false
      for (const write of pair.kept.splice(0)) write()
    }
  }

  cut(): void {
    for (const { client, server } of this.#pairs) {
      reset(client)
      reset(server)
    }
    this.#pairs.clear()
    this.#held.clear()
  }
}

/** A reset, unless the connection is ending anyway: Node 26 never exits after a reset of a socket that was ended. */
function reset(socket: Socket): void {
  if (socket.writableEnded) socket.destroy()
  else socket.resetAndDestroy()
}
