import type { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Problem } from '../contract/problem.ts'
import type {
  CallbackOwner,
  CallbackTarget,
  ReceivedCallback,
} from '../instances/callbacks/callback-intake.ts'
import { callbackPathOf } from '../instances/callbacks/callback-tokens.ts'
import type { CallbackRequest, Callbacks } from '../networks/driver/abilities/callbacks.ts'
import { sizeInWords } from '../runtime/text/size.ts'
import { CallbackBodies } from './callback-bodies.ts'
import { type KnownRequest, knownFacts } from './known-request.ts'
import { askForBody, refuseEncoding } from './read-call.ts'
import type { ServerContext } from './server-context.ts'

export const callbackPath = callbackPathOf('{network}', '{token}')

/** Receiver of a callback, found before its body came. */
type Receiver = CallbackOwner | Extract<CallbackTarget, { kind: 'shared' }>

/** The receiver of a callback, found before the body came, and the function that reads the body. */
interface Admitted {
  readonly receiver: Receiver
  readonly read: (stream: Readable) => Promise<Buffer>
}
const admitted = new WeakMap<FastifyRequest, Admitted>()

/**
 * Serves the callback URLs of instances, and those of the operator. The networks define these requests and their responses,
 * so they are no operation of the contract. The token shows the receiver of a request, and the driver verifies its sender.
 */
export function serveCallbacks(server: FastifyInstance, context: ServerContext): void {
  const bodies = new CallbackBodies()
  server.register((scope, _options, done) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', async (request: FastifyRequest, stream: IncomingMessage) =>
      admitted.get(request)?.read(stream),
    )
    for (const method of ['GET', 'POST'] as const) {
      scope.route({
        method,
        url: callbackPath.replaceAll(/\{(\w+)\}/g, ':$1'),
        onRequest: (request, reply) => admit(request, reply, context, bodies),
        handler: (request, reply) => respond(request as KnownRequest, reply, context),
      })
    }
    done()
  })
}

/** Finds out for whom it is, and refuses what is too much, before a byte of the body is read. */
async function admit(
  request: FastifyRequest,
  reply: FastifyReply,
  context: ServerContext,
  bodies: CallbackBodies,
): Promise<void> {
  const { metrics, watch } = context
  const { receiver, party } = await receiverOf(request, context)
  const { maxBytes } = receiver.callbacks
  const body = bodies.begin(party)
  reply.raw.once('responded', body.release)
  const givenUp = () => {
    metrics.countCallbacks('full')
    return notAccepted(1)
  }
  const reading = { most: maxBytes, tooLarge: () => tooLarge(maxBytes), givenUp }
  const read = async (stream: Readable) => {
    const bytes = await body.read(stream, reading)
    watch.end(request.raw)
    return bytes
  }
  admitted.set(request, { receiver, read })
  if (request.method !== 'POST') return
  refuseEncoding(request)
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) throw tooLarge(maxBytes)
  watch.begin(request.raw, 'whole')
  askForBody(request, reply)
}

/** Resolves with the receiver of a request, and the party held to account for its memory until its signature is known. */
async function receiverOf(
  request: FastifyRequest,
  { callbackIntake, callbackLimit, accessControl, metrics }: ServerContext,
): Promise<{ receiver: Receiver; party: string }> {
  const { network, token } = request.params as { network: string; token: string }
  const target = callbackIntake.targetOf(network, token)
  if (!target) {
    metrics.countCallbacks('unknown')
    // A caller that makes tokens up is anonymous.
    await accessControl.enter(request, 'open')
    throw new Problem('route_not_found')
  }
  if (target.kind === 'shared') {
    // Many know this URL, and none of them may keep the network from it.
    const party = accessControl.addressOf(request)
    callbackLimit?.take(party)
    return { receiver: target, party }
  }
  callbackLimit?.take(target.instanceId)
  const receiver = await callbackIntake.ownerOf(target)
  if (receiver) return { receiver, party: receiver.organizationId }
  metrics.countCallbacks('gone')
  throw new Problem('route_not_found')
}

async function respond(
  request: KnownRequest,
  reply: FastifyReply,
  context: ServerContext,
): Promise<FastifyReply> {
  const { callbackIntake, accessControl, connections, metrics } = context
  const receiver = admitted.get(request)?.receiver
  if (!receiver) throw new Error('a callback came without its receiver')
  const asked = callbackRequest(request, receiver.callbacks)
  const isShared = receiver.kind === 'shared'
  const onVerified = () => {
    connections.markAuthenticated(request.raw.socket, isShared ? 'operator' : receiver.organizationId)
    request[knownFacts].isVerified = true
  }
  const received = isShared
    ? await callbackIntake.shared.receive(receiver, asked, onVerified)
    : await callbackIntake.receive(receiver, asked, onVerified)
  // A callback kept for many instances is counted for each of them.
  if (!isShared || isResponse(received)) metrics.countCallbacks(resultOf[received.kind])
  // A caller that cannot sign is anonymous.
  if (received.kind === 'refused') await accessControl.enter(request, 'open')
  return send(reply, received)
}

/** True if the response to the callback does not depend on its parts. */
function isResponse({ kind }: ReceivedCallback): boolean {
  return kind === 'response' || kind === 'refused'
}

function send(reply: FastifyReply, received: ReceivedCallback): FastifyReply {
  switch (received.kind) {
    case 'keep':
      return reply.code(200).send()
    case 'response':
      return reply.code(received.status).header('content-type', received.contentType).send(received.body)
    case 'refused': {
      const type = 'text/plain; charset=utf-8'
      return reply.code(received.status).header('content-type', type).send(`${received.detail}\n`)
    }
    case 'gone':
      throw new Problem('route_not_found')
    case 'full':
    case 'unreadable':
      throw notAccepted(30)
  }
}

const resultOf = {
  keep: 'kept',
  response: 'answered',
  refused: 'refused',
  gone: 'gone',
  full: 'full',
  unreadable: 'unreadable',
} as const satisfies Record<ReceivedCallback['kind'], string>

function callbackRequest(request: FastifyRequest, callbacks: Callbacks): CallbackRequest {
  const headers = callbacks.headers.flatMap((name) => {
    const value = request.headers[name]
    return typeof value === 'string' ? [[name, value] as const] : []
  })
  const query = Object.entries(request.query as Record<string, string | string[]>)
  return {
    method: request.method === 'POST' ? 'POST' : 'GET',
    query: Object.fromEntries(query.map(([name, value]) => [name, String([value].flat()[0])])),
    headers: Object.fromEntries(headers),
    rawBody: Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0),
  }
}

function tooLarge(most: number): Problem {
  return new Problem('body_too_large', { detail: `A callback may have at most ${sizeInWords(most)}.` })
}

/** The network repeats it after so many seconds, or as it likes. */
function notAccepted(seconds: number): Problem {
  return new Problem('callback_not_accepted', { headers: { 'retry-after': String(seconds) } })
}
