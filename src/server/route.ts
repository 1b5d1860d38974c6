import type { FastifyReply, FastifyRequest } from 'fastify'
import type { AnyReply, Call, Caller, Handler } from '../contract/handler.ts'
import type { Operation } from '../contract/operation.ts'
import { Problem } from '../contract/problem.ts'
import type { Alarms } from '../runtime/alarms.ts'
import type { Authentication } from './authenticate.ts'
import { writeEventStream } from './event-stream.ts'
import { type CallParts, callReader } from './read-call.ts'

/** What every route needs of the server. */
export interface RouteContext {
  readonly authentication: Authentication
  readonly alarms: Alarms
  /** Aborts when the server stops: waits and streams end. */
  readonly stopping: AbortSignal
}

/** What was found out about a request before its route: who calls, and the headers that the reply carries anyway. */
export interface Known {
  readonly requestId: string
  readonly startedAt: number
  caller?: Caller
  readonly headers: Record<string, string>
}

/** Where the server keeps what it knows about a request. */
export const known = Symbol('known')
export type KnownRequest = FastifyRequest & { [known]: Known }

/** The function that answers an operation over HTTP. */
export function route({ operation, handle }: Handler, context: RouteContext) {
  const reader = callReader(operation)
  const json = Object.values(operation.replies).some(({ body }) => body)
  const streams = Object.values(operation.replies).some(({ media }) => media && 'text/event-stream' in media)
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const wantsStream = streams && accepts(request, 'text/event-stream')
    if (json && !wantsStream && !acceptsJson(request)) throw new Problem('not_acceptable')
    const parts = reader.read(request)
    const abort = new Abort(request, context.stopping)
    const call = callOf(request as KnownRequest, parts, abort, wantsStream)
    const answer = await handle(call as Call<Operation>)
    if (!('stream' in answer)) return send(reply, answer)
    reply.hijack()
    const { headers } = (request as KnownRequest)[known]
    const stillAllowed = () => stillKnown(context.authentication, request)
    await writeEventStream(reply.raw, headers, answer.stream, {
      ...context,
      stillAllowed,
      abort: abort.controller(),
    })
    return reply
  }
}

/** Makes the abort signal of a request only when somebody asks for it: few operations wait. */
class Abort {
  readonly #request: FastifyRequest
  readonly #stopping: AbortSignal
  #controller: AbortController | undefined

  constructor(request: FastifyRequest, stopping: AbortSignal) {
    this.#request = request
    this.#stopping = stopping
  }

  controller(): AbortController {
    if (this.#controller) return this.#controller
    const controller = new AbortController()
    this.#controller = controller
    const abort = () => controller.abort()
    this.#request.raw.socket.once('close', abort)
    this.#stopping.addEventListener('abort', abort, { once: true })
    controller.signal.addEventListener('abort', () => {
      this.#request.raw.socket.off('close', abort)
      this.#stopping.removeEventListener('abort', abort)
    })
    return controller
  }
}

function callOf(request: KnownRequest, parts: CallParts, abort: Abort, wantsStream: boolean) {
  return {
    ...parts,
    caller: request[known].caller,
    wantsStream,
    get signal() {
      return abort.controller().signal
    },
  }
}

function send(reply: FastifyReply, answer: Exclude<AnyReply<Operation>, { stream: unknown }>): FastifyReply {
  reply.code(answer.status)
  if ('text' in answer) return reply.header('content-type', answer.mediaType).send(answer.text)
  if (answer.headers) reply.headers(answer.headers)
  if (answer.body === undefined) return reply.send()
  return reply.header('content-type', 'application/json; charset=utf-8').send(JSON.stringify(answer.body))
}

function accepts(request: FastifyRequest, mediaType: string): boolean {
  return request.headers.accept?.includes(mediaType) ?? false
}

/** True unless the caller asks only for media types that JSON is not. */
function acceptsJson({ headers: { accept } }: FastifyRequest): boolean {
  return accept === undefined || /(?:^|,)\s*(?:\*\/\*|application\/(?:\*|json|problem\+json))/i.test(accept)
}

async function stillKnown(authentication: Authentication, request: FastifyRequest): Promise<boolean> {
  try {
    await authentication.identify(request.headers.authorization)
    return true
  } catch (error) {
    return !(error instanceof Problem)
  }
}
