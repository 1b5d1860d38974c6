import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'

/** The two directions a proxied connection has: from the client to the server, and back. */
export type Direction = 'to-server' | 'to-client'

export interface TcpProxy {
  readonly port: number
  /** How many connections it has taken so far. */
  readonly taken: number
  /** Bytes that arrived in a direction so far, forwarded or not. */
  arrived(direction: Direction): string
  /** Resolves when what arrived in this direction matches, also if it did before. */
  sees(direction: Direction, pattern: RegExp): Promise<void>
  /**
   * From now on nothing is forwarded in these directions, on present and future connections, and nobody is told: a
   * connection held in both is half-open, as behind a router that forgot it. What arrives is kept for `release`.
   */
  hold(...directions: Direction[]): void
  release(): void
  /** Ends every connection at once with a reset on both sides; what was held is lost. Later connections are free. */
  cut(): void
  stop(): Promise<void>
}

interface Pair {
  readonly client: Socket
  readonly server: Socket
  /** What was held back, as the writes still to be made, in order. */
  readonly kept: (() => void)[]
}

/** Forwards loopback connections to `target`, until told otherwise. */
export async function startTcpProxy(target: { readonly port: number }): Promise<TcpProxy> {
  const pairs = new Set<Pair>()
  const held = new Set<Direction>()
  const seen: Record<Direction, string> = { 'to-server': '', 'to-client': '' }
  const watchers = new Set<() => void>()
  let taken = 0

  function forward(from: Socket, to: Socket, direction: Direction, kept: (() => void)[]): void {
    const pass = (write: () => void) => {
      if (held.has(direction)) kept.push(write)
      else write()
    }
    from.on('data', (data: Buffer) => {
      seen[direction] += data.toString('latin1')
      pass(() => to.write(data))
      for (const wake of [...watchers]) wake()
    })
    from.on('end', () => pass(() => to.end()))
    from.on('error', () => pass(() => to.destroy()))
  }

  const listener = createServer({ allowHalfOpen: true }, (client) => {
    taken += 1
    const server = connect({ port: target.port, host: '127.0.0.1', allowHalfOpen: true, noDelay: true })
    const pair: Pair = { client: client.setNoDelay(true), server, kept: [] }
    pairs.add(pair)
    forward(client, server, 'to-server', pair.kept)
    forward(server, client, 'to-client', pair.kept)
  })
  listener.listen(0, '127.0.0.1')
  await once(listener, 'listening')
  const address = listener.address()
  const port = typeof address === 'object' && address ? address.port : 0

  function cut(): void {
    for (const { client, server } of pairs) {
      reset(client)
      reset(server)
    }
    pairs.clear()
    held.clear()
  }

  return {
    port,
    get taken() {
      return taken
    },
    arrived: (direction) => seen[direction],
    sees(direction, pattern) {
      return new Promise((resolve) => {
        const look = () => {
          if (!pattern.test(seen[direction])) return
          watchers.delete(look)
          resolve()
        }
        watchers.add(look)
        look()
      })
    },
    hold(...directions) {
      for (const direction of directions) held.add(direction)
    },
    release() {
      held.clear()
      for (const { kept } of pairs) for (const write of kept.splice(0)) write()
    },
    cut,
    async stop() {
      cut()
      const closed = once(listener, 'close')
      listener.close()
      await closed
    },
  }
}

/** A reset, unless the connection is ending anyway: Node 26 never exits after a reset of a socket that was ended. */
function reset(socket: Socket): void {
  if (socket.writableEnded) socket.destroy()
  else socket.resetAndDestroy()
}
