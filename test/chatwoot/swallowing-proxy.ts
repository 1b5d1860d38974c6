import { once } from 'node:events'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface SwallowingProxy {
  readonly url: string
  /** The number of responses that were lost so far. */
  readonly swallowed: () => number
  stop(): Promise<void>
}

/** Forwards requests to a server, and loses the first responses to each path and body that sends a message: the server has done its work. */
export async function startSwallowingProxy(target: string, perMessage: number): Promise<SwallowingProxy> {
  const seen = new Map<string, number>()
  let swallowed = 0
  const server = createServer((incoming, outgoing) => {
    const chunks: Buffer[] = []
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
    incoming.on('end', () => {
      const body = Buffer.concat(chunks)
      const { method, url = '/', headers } = incoming
      const key = `${url} ${body.toString('latin1')}`
      const times = method === 'POST' ? (seen.get(key) ?? 0) : perMessage
      seen.set(key, times + 1)
      const forwarded = request(new URL(url, target), { method, headers }, (response) => {
        if (times < perMessage) {
          swallowed++
          response.resume()
          response.on('end', () => outgoing.destroy())
          return
        }
        outgoing.writeHead(response.statusCode ?? 502, response.headers)
        response.pipe(outgoing)
      })
      forwarded.on('error', () => outgoing.destroy())
      outgoing.on('close', () => forwarded.destroy())
      forwarded.end(body)
    })
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    swallowed: () => swallowed,
    async stop() {
      const closed = once(server, 'close')
      server.closeAllConnections()
      server.close()
      await closed
    },
  }
}
