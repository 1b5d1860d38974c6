import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyRequest } from 'fastify'
import type { AnyResponse, Call, Caller, Handler, ResponseRoom } from '../contract/handler.ts'
import type { Operation } from '../contract/operation.ts'
import type { ReceivedForm } from './body/form-body.ts'
import { type KnownRequest, knownFacts } from './known-request.ts'
import {
  type CallParts,
  callReader,
  collectDomainErrors,
  instanceAccess,
  type RequestParts,
} from './read-call.ts'
import { pageBeingRead, usualResponse } from './responses/response-memory.ts'
import type { ServerContext } from './server-context.ts'

/**
 * Makes the function that checks a call of an operation, and resolves with its parts. It throws the problem that names everything
 * that does not fit. `begin` reads the body.
 */
export function checking(handler: Handler, context: ServerContext) {
  const { operation } = handler
  const reader = callReader(operation, context.fingerprint, context.hints)
  const addDomainErrors = collectDomainErrors(handler)
  const assertInstanceAccess = instanceAccess(operation)
  return async (
    request: RequestParts,
    caller: Caller | undefined,
    begin: () => { readonly body: unknown; readonly form?: ReceivedForm | undefined },
  ): Promise<CallParts> => {
    try {
      const { body, form } = begin()
      request.body = body
      const parts = reader.read(request, form)
      if (caller) assertInstanceAccess(caller, parts)
      return parts
    } catch (problem) {
      throw await addDomainErrors(problem, request.body, caller)
    }
  }
}

/** A request with its response, both as the server has them. */
export interface ServedRequest {
  readonly request: KnownRequest
  readonly response: ServerResponse<IncomingMessage>
}

/** A call that was checked, and the form of response that its caller wants. */
export interface CheckedCall {
  readonly parts: CallParts
  readonly wantsStream: boolean
  readonly mediaType: string
}

/**
 * Makes the function that carries out an operation within all limits of its caller, and has `respond` send what the handler returns.
 */
export function performing({ operation, handle }: Handler, context: ServerContext) {
  const bytes = responseBytes(operation)
  return async <Sent>(
    { request, response }: ServedRequest,
    call: CheckedCall,
    respond: (given: AnyResponse<Operation>, abort: Abort) => Promise<Sent>,
  ): Promise<Sent> => {
    const { caller } = request[knownFacts]
    const { parts, wantsStream } = call
    const waits = wantsStream ? 'stream' : parts.waitMs > 0 ? 'wait' : null
    const leave = waits && caller ? context.waitingLimit?.take(waits, caller) : undefined
    const abort = new Abort(request, context.stopping)
    try {
      const room = bytes > 0 ? context.responseMemory.roomOf(response, request[knownFacts]) : noRoom
      if (parts.waitMs === 0) await room.enter(bytes)
      const given = await handle(callOf(request, call, { abort, room }) as Call<Operation>)
      const { auditEntry } = request[knownFacts]
      if (auditEntry && !auditEntry.taken)
        throw new Error(`${operation.id} changed something without its note`)
      return await respond(given, abort)
    } finally {
      leave?.()
      abort.release()
    }
  }
}

/**
 * Returns the bytes to keep free for a response before it is read. Responses of other operations are small, or the same for
 * all callers.
 */
function responseBytes({ method, access, query }: Operation): number {
  if (method !== 'GET' || access === 'open') return 0
  return query?.properties.limit ? pageBeingRead : usualResponse
}

const noRoom = { enter: async (_?: number) => {}, leave: () => {} }

/** Makes the abort signal of a request only when an operation asks for it: few operations wait. */
export class Abort {
  readonly #request: FastifyRequest
  readonly #stopping: AbortSignal
  readonly #abort = () => this.#controller?.abort()
  #controller: AbortController | undefined

  constructor(request: FastifyRequest, stopping: AbortSignal) {
    this.#request = request
    this.#stopping = stopping
  }

  controller(): AbortController {
    if (this.#controller) return this.#controller
    this.#controller = new AbortController()
    this.#request.raw.socket.once('close', this.#abort)
    this.#stopping.addEventListener('abort', this.#abort, { once: true })
    if (this.#stopping.aborted || this.#request.raw.socket.destroyed) this.#abort()
    return this.#controller
  }

  /** Lets go of the connection and the server, which outlive the request. */
  release(): void {
    if (!this.#controller) return
    this.#request.raw.socket.off('close', this.#abort)
    this.#stopping.removeEventListener('abort', this.#abort)
  }
}

function callOf(
  request: KnownRequest,
  { parts, wantsStream, mediaType }: CheckedCall,
  { abort, room }: { readonly abort: Abort; readonly room: ResponseRoom },
) {
  const { caller, auditEntry } = request[knownFacts]
  return Object.assign(new CallSignal(abort), parts, {
    caller,
    wantsStream,
    mediaType,
    room,
    audit() {
      if (auditEntry) auditEntry.taken = true
      return auditEntry?.note
    },
    turn: {
      party: caller?.organizationId ?? 'operator',
      signal: new TurnSignal(request.raw.socket),
    },
  })
}

/** A getter of a class, like the one below: V8 keeps what a getter of one object refers to (decision 0078). */
class CallSignal {
  readonly #abort: Abort

  constructor(abort: Abort) {
    this.#abort = abort
  }

  get signal(): AbortSignal {
    return this.#abort.controller().signal
  }
}

/** Looks at the connection when it is asked, because a signal for each request would cost more. */
class TurnSignal {
  readonly #socket: Socket

  constructor(socket: Socket) {
    this.#socket = socket
  }

  get aborted(): boolean {
    return this.#socket.destroyed
  }
}
