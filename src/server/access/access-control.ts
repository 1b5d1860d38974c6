import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyRequest } from 'fastify'
import type { Caller } from '../../contract/handler.ts'
import type { Access } from '../../contract/operation.ts'
import { Problem } from '../../contract/problem.ts'
import type { ProblemCode } from '../../contract/problems.ts'
import type { Alarms } from '../../runtime/timers/alarms.ts'
import type { Connections } from '../connections/connections.ts'
import type { Authentication } from './authenticate.ts'
import type { RateLimit } from './rate-limit.ts'

export interface AccessControlContext {
  readonly authentication: Authentication
  readonly connections: Connections
  /** Of the requests that come without a valid key, by address. */
  readonly anonymousLimit: RateLimit | undefined
  readonly alarms: Pick<Alarms, 'in'>
}

/** The problems that callers have before they are let in. `forbidden`: a key for what is the operator's, or the other way round. */
const problemsOfAnonymous: readonly ProblemCode[] = [
  'unauthenticated',
  'key_expired',
  'cross_origin',
  'session_changed',
  'forbidden',
]
const isOfAnonymous = (code: ProblemCode) => problemsOfAnonymous.includes(code)

/** The average delay of refusals for addresses without a key that ask too much, in milliseconds: it slows down loops. */
const refusalDelay = 1_000

/**
 * Lets callers with a valid key in, always, and counts the requests of all others by their address: what they ask without a
 * key, and with one that is none.
 */
export class AccessControl {
  readonly #authentication: Authentication
  readonly #connections: Connections
  readonly #anonymousLimit: RateLimit | undefined
  readonly #alarms: Pick<Alarms, 'in'>
  readonly #delayed = new WeakSet<Socket>()

  constructor({ authentication, connections, anonymousLimit, alarms }: AccessControlContext) {
    this.#authentication = authentication
    this.#connections = connections
    this.#anonymousLimit = anonymousLimit
    this.#alarms = alarms
  }

  /**
   * Resolves with the caller, whose key may have any role, or the operator; undefined if the operation needs no key. Throws
   * the problem of a caller who is not let in.
   */
  async enter(request: FastifyRequest, access: Access): Promise<Caller | 'operator' | undefined> {
    if (access === 'open') return void (await this.#enterOpen(request))
    if (access === 'link_page') return this.#enterLinkPage(request)
    return this.letIn(request, () => this.#authentication.authenticate(access, request.raw))
  }

  /** The caller that `identify` finds; if it throws that there is none, the caller is anonymous. */
  async letIn<Found extends Caller | 'operator'>(
    request: FastifyRequest,
    identify: () => Promise<Found>,
  ): Promise<Found> {
    try {
      const caller = await identify()
      this.#connections.markAuthenticated(
        request.raw.socket,
        caller === 'operator' ? caller : caller.organizationId,
      )
      return caller
    } catch (problem) {
      return this.refuse(request, problem)
    }
  }

  /** Throws the problem or, if it is one of anonymous callers and their address asks too much, the problem of that. */
  async refuse(request: FastifyRequest, problem: unknown): Promise<never> {
    if (problem instanceof Problem && isOfAnonymous(problem.code)) await this.#count(request.raw)
    throw problem
  }

  /** The origin of the request, if known: an address, or the /64 of an IPv6 address. */
  addressOf(request: FastifyRequest): string {
    return this.#connections.addressBlockOf(request.raw)
  }

  async #enterOpen(request: FastifyRequest): Promise<void> {
    if (!this.#anonymousLimit) return
    const network = this.#connections.addressBlockOf(request.raw)
    // A caller with a key is let in here even if the address has sent too many requests.
    if (!this.#anonymousLimit.isSpent(network)) this.#anonymousLimit.take(network)
    else await this.enter(request, 'any')
  }

  /** Visitors of a link page are anonymous all the same: a key made the page, but all to whom its link is sent on may call. */
  async #enterLinkPage(request: FastifyRequest): Promise<Caller> {
    await this.#count(request.raw)
    return this.#authentication.identifyLinkPage(request.headers.authorization)
  }

  /** Throws the problem of too many requests, after a while. */
  async #count(request: IncomingMessage): Promise<void> {
    try {
      this.#anonymousLimit?.take(this.#connections.addressBlockOf(request))
    } catch (problem) {
      await this.#delay(request.socket)
      throw problem
    }
  }

  /** One request of a connection at a time; what it sends meanwhile is refused at once. Never resolves when it is cut. */
  async #delay(socket: Socket): Promise<void> {
    if (this.#delayed.has(socket) || !this.#connections.mayWait(socket)) return
    this.#delayed.add(socket)
    await new Promise<void>((resolve) => {
      // Spreads the responses to a crowd that came at once.
      const end = this.#alarms.in(refusalDelay * (0.5 + Math.random()), () => {
        socket.off('close', cancel)
        resolve()
      })
      const cancel = () => end.cancel()
      socket.once('close', cancel)
    })
    this.#delayed.delete(socket)
  }
}
