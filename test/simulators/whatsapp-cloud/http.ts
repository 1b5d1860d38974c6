import type { IncomingMessage, ServerResponse } from 'node:http'
import { pipeline } from 'node:stream/promises'
import type { HttpFault } from './faults.ts'
import { errorOfFault, GraphError } from './graph-error.ts'

/** A response to a caller. */
export interface Reply {
  readonly status: number
  readonly type: string
  readonly body: Buffer
}

export function json(status: number, body: unknown): Reply {
  return { status, type: 'application/json; charset=UTF-8', body: Buffer.from(JSON.stringify(body)) }
}

/** The whole body. Throws a GraphError if it is longer than `limit`. */
export async function readBody(request: IncomingMessage, limit: number): Promise<Buffer<ArrayBuffer>> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > limit) throw new GraphError(100, 'The request is too large.')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

export async function readJson(request: IncomingMessage, limit: number): Promise<unknown> {
  const text = (await readBody(request, limit)).toString()
  try {
    return text === '' ? {} : JSON.parse(text)
  } catch {
    throw new GraphError(100, 'The body is not JSON.')
  }
}

export function send(response: ServerResponse, { status, type, body }: Reply): void {
  response.writeHead(status, { 'content-type': type, 'content-length': body.length }).end(body)
}

/** Answers as a fault has it. */
export async function sendFaulty(response: ServerResponse, reply: Reply, fault: HttpFault): Promise<void> {
  switch (fault.kind) {
    case 'cut':
      response.socket?.destroy()
      return
    case 'cut-in-answer':
      response.writeHead(reply.status, { 'content-type': reply.type, 'content-length': reply.body.length })
      response.write(reply.body.subarray(0, reply.body.length >> 1), () => response.socket?.destroy())
      return
    case 'graph-error': {
      const { status, body } = errorOfFault(fault)
      send(response, json(status, body))
      return
    }
    case 'status':
      send(response, { status: fault.status ?? 502, type: 'text/html', body: Buffer.from('<h1>Sorry</h1>') })
      return
    case 'hang':
      return
    case 'delay':
      await new Promise((resolve) => setTimeout(resolve, fault.ms ?? 1000))
      send(response, reply)
      return
    case 'invalid-json':
      send(response, { ...reply, body: Buffer.from('{"messaging_product":"whatsapp","messages":[{') })
      return
    case 'endless':
      await sendWithoutEnd(response, reply.type)
      return
    case 'redirect':
      response.writeHead(302, { location: fault.location ?? '/' }).end()
  }
}

/** Writes for as long as the other side reads. */
async function sendWithoutEnd(response: ServerResponse, type: string): Promise<void> {
  const spaces = Buffer.alloc(16 * 1024, ' ')
  response.writeHead(200, { 'content-type': type })
  async function* forever() {
    for (;;) yield spaces
  }
  // Ends with an error as soon as the other side does.
  await pipeline(forever, response).catch(() => undefined)
}
