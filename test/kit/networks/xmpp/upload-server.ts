import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { TestContext } from 'node:test'

/** An HTTP server to which files are uploaded, and which treats them as a test tells it to. */
export interface UploadServer {
  /** Address that files are put to. */
  readonly url: string
  /** Every request so far, in the order of arrival. */
  readonly requests: readonly IncomingMessage[]
}

type Take = (request: IncomingMessage, response: ServerResponse) => void | Promise<void>

/** Starts one that ends with the test. What happens to its connections is no error. */
export async function startUploadServer(t: TestContext, take: Take): Promise<UploadServer> {
  const requests: IncomingMessage[] = []
  const server = createServer((request, response) => {
    requests.push(request)
    for (const side of [request, response]) side.on('error', () => {})
    void take(request, response)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  const address = server.address()
  const port = typeof address === 'object' && address ? address.port : 0
  return { url: `http://127.0.0.1:${port}/files/one.bin`, requests }
}

/** Reads a request to its end. */
export async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const pieces: Buffer[] = []
  for await (const piece of request) pieces.push(piece)
  return Buffer.concat(pieces)
}
