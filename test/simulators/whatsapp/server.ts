import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { certifyServer } from './certificates.ts'
import { type Actions, actions } from './control.ts'
import { mediaHost } from './media/host.ts'
import { answerAtOnce } from './people/answering.ts'
import { accept } from './streams.ts'
import { WhatsApp } from './whatsapp.ts'
import { type ChainFlaw, issueChain } from './wire/noise-certificate.ts'
import { serveStreams } from './wire/stream.ts'

const largestControl = 200 * 1024 * 1024

/** Addresses of all servers, and the keys that clients have to trust. */
export interface Addresses {
  /** For clients: the WebSocket over TLS, and the same without TLS. */
  readonly url: string
  readonly plainUrl: string
  /** The media host, without a path. */
  readonly mediaUrl: string
  readonly controlUrl: string
  /** The certificate of the authority of both servers, in PEM. */
  readonly authority: string
  /** The root key of the Noise certificates, 32 bytes in hexadecimal, and its serial. */
  readonly rootKey: string
  readonly rootSerial: number
}

/** Starts a WhatsApp of its own on this machine: streams, media, and what tests do with it under `/control`. */
export async function startServer(flaw?: ChainFlaw): Promise<Addresses> {
  const whatsapp = new WhatsApp()
  answerAtOnce(whatsapp)
  const { key, certificate, authority } = certifyServer()
  const tls = { key, cert: certificate }
  const media = mediaHost(whatsapp)
  const secure = createSecureServer(tls, media)
  secure.on('connection', () => {
    whatsapp.counters.connections += 1
  })
  const plain = createServer((request, response) => void control(whatsapp, request, response))
  // For longer than a play lasts: a caller on a busy machine is late to see that an idle connection was closed, and would still use it.
  plain.keepAliveTimeout = 3_600_000
  const chain = issueChain(flaw)
  for (const server of [secure, plain]) {
    const accepted = (stream: Parameters<typeof accept>[1]) => accept(whatsapp, stream)
    serveStreams(server, { path: '/ws/chat', certificate: chain, accepted })
  }
  const [securePort, plainPort] = [await portOf(secure), await portOf(plain)]
  whatsapp.media.host = `127.0.0.1:${securePort}`
  return {
    url: `wss://127.0.0.1:${securePort}/ws/chat`,
    plainUrl: `ws://127.0.0.1:${plainPort}/ws/chat`,
    mediaUrl: `https://127.0.0.1:${securePort}`,
    controlUrl: `http://127.0.0.1:${plainPort}`,
    authority,
    rootKey: Buffer.from(chain.rootPublic).toString('hex'),
    rootSerial: chain.serial,
  }
}

function portOf(server: Server | ReturnType<typeof createSecureServer>): Promise<number> {
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port))
  })
}

async function control(
  whatsapp: WhatsApp,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const reply = (status: number, value: unknown) => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value ?? null))
  }
  for (const side of [request, response]) side.on('error', () => {})
  try {
    const [, name = ''] = /^\/control\/(\w+)$/.exec(request.url ?? '') ?? []
    const given: unknown = JSON.parse((await bodyOf(request)).toString())
    if (!Object.hasOwn(actions, name)) throw new Error('There is no such action.')
    const action = actions[name as keyof Actions] as (whatsapp: WhatsApp, given: unknown) => unknown
    reply(200, await action(whatsapp, given))
  } catch (error) {
    reply(400, { error: error instanceof Error ? error.message : String(error) })
  }
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length
    if (length > largestControl) throw new Error('The request is too large.')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}
