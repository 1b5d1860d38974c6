import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A gateway of another maker, as far as its documents describe it. */
export interface GatewayServer {
  readonly url: string
  /** The requests that came, as `GET /path`. */
  readonly asked: readonly string[]
  stop(): Promise<void>
}

/** Answers a request; undefined is an answer of its own, which the documents call an empty body. */
export type Route = (path: string, request: IncomingMessage) => { status: number; body: unknown }

/** Starts a server that answers in JSON, and counts what it was asked. */
export async function serveGateway(route: Route): Promise<GatewayServer> {
  const asked: string[] = []
  const server = createServer((request: IncomingMessage, response: ServerResponse) => {
    const path = request.url ?? '/'
    asked.push(`${request.method} ${path}`)
    const { status, body } = route(path, request)
    response.writeHead(status, { 'content-type': 'application/json; charset=utf-8' })
    response.end(body === undefined ? '' : JSON.stringify(body))
  })
  // For longer than a play lasts: a caller on a busy machine is late to see that an idle connection was closed, and would still use it.
  server.keepAliveTimeout = 3_600_000
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    async stop() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
