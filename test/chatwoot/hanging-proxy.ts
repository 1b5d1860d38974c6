import { once } from 'node:events'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'

/** The part that a request never gets: its response, or the end of its body. */
type Hang = 'response' | 'body'

export interface HangingProxy {
  readonly url: string
  /** The paths of the requests that hung, in their order. */
  readonly hung: readonly string[]
  stop(): Promise<void>
}

/** Forwards requests to a server, except those that `hangs` names. */
export async function startHangingProxy(
  target: string,
  hangs: (method: string, path: string) => Hang | undefined,
): Promise<HangingProxy> {
  const hung: string[] = []
  const server = createServer((incoming, outgoing) => {
    const { method = '', url = '/', headers } = incoming
    const hang = hangs(method, url)
    if (hang !== undefined) {
      hung.push(url)
      if (hang === 'body')
        outgoing.writeHead(200, { 'content-type': 'image/png' }).write('\u0089PNG', 'latin1')
      incoming.resume()
      return
    }
    const forwarded = request(new URL(url, target), { method, headers }, (response) => {
      outgoing.writeHead(response.statusCode ?? 502, response.headers)
      response.pipe(outgoing)
    })
    forwarded.on('error', () => outgoing.destroy())
    outgoing.on('close', () => forwarded.destroy())
    incoming.pipe(forwarded)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    hung,
    async stop() {
      const closed = once(server, 'close')
      server.closeAllConnections()
      server.close()
      await closed
    },
  }
}
