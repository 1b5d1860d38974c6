import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** The place at which a connection is cut: before anything, in what the client sends, or in what the server sends. */
export type CutPlace = 'before' | 'request' | 'response'

export interface CuttingProxy {
  readonly url: string
  /** The number of connections that were cut so far, by the place. */
  readonly cuts: Readonly<Record<CutPlace, number>>
  stop(): Promise<void>
}

/** The longest way of a connection before its cut, in bytes: a few requests or responses. */
const maxBytes = 4_000

/** Forwards connections to a server, and cuts each of them at a random place. `random` returns numbers from 0 to below 1. */
export async function startCuttingProxy(url: string, random: () => number): Promise<CuttingProxy> {
  const { port, hostname } = new URL(url)
  const cuts = { before: 0, request: 0, response: 0 }
  const open = new Set<Socket>()
  const listener = createServer((client) => {
    track(client)
    const draw = random()
    if (draw < 0.1) return cut('before', client)
    const place = draw < 0.55 ? 'request' : 'response'
    const server = connect({ port: Number(port), host: hostname, noDelay: true })
    track(server)
    const left = { request: Number.POSITIVE_INFINITY, response: Number.POSITIVE_INFINITY }
    // Also at the first byte of a response: the server has done its work, and the client sees none of it.
    left[place] = Math.floor(random() * maxBytes)
    const forward = (from: Socket, to: Socket, direction: 'request' | 'response') => {
      from.on('data', (data: Buffer) => {
        const part = data.subarray(0, left[direction])
        left[direction] -= data.length
        if (left[direction] >= 0) to.write(part)
        // Waits until the part has left, as it belongs to the way before the cut.
        else to.write(part, () => cut(direction, client, server))
      })
      from.on('end', () => to.end())
    }
    forward(client, server, 'request')
    forward(server, client, 'response')
  })

  function track(socket: Socket): void {
    open.add(socket)
    socket.setNoDelay(true)
    socket.on('error', () => {})
    socket.on('close', () => open.delete(socket))
  }

  function cut(place: CutPlace, ...sockets: Socket[]): void {
    if (sockets.some(({ destroyed }) => !destroyed)) cuts[place]++
    for (const socket of sockets) socket.destroy()
  }

  await once(listener.listen(0, '127.0.0.1'), 'listening')
  return {
    url: `http://127.0.0.1:${(listener.address() as AddressInfo).port}`,
    cuts,
    async stop() {
      const closed = once(listener, 'close')
      listener.close()
      for (const socket of open) socket.destroy()
      await closed
    },
  }
}
