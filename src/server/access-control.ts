import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyRequest } from 'fastify'
import type { Caller } from '../contract/handler.ts'
import type { Access } from '../contract/operation.ts'
import { Problem } from '../contract/problem.ts'
import type { ProblemCode } from '../contract/problems.ts'
import type { Alarms } from '../runtime/alarms.ts'
import type { Authentication } from './authenticate.ts'
import type { Connections } from './connections/connections.ts'
import type { RateLimit } from './rate-limit.ts'

export interface AccessControlContext {
  readonly authentication: Authentication
  readonly connections: Connections
  /** Of the requests that come without a valid key, by address. */
  readonly strangerLimit: RateLimit | undefined
  readonly alarms: Pick<Alarms, 'in'>
}

/** True of problems that only who has no living key gets. */
const isStranger = (code: ProblemCode) => code === 'unauthenticated' || code === 'key_expired'

/** The average delay of refusals for addresses without a key that ask too much, in milliseconds: it slows down loops. */
const refusalDelay = 1_000

/**
 * Lets callers with a valid key in, always, and counts the requests of all others by their address: what they ask without a
 * key, and with one that is none.
 */
export class AccessControl {
  readonly #authentication: Authentication
  readonly #connections: Connections
  readonly #strangers: RateLimit | undefined
  readonly #alarms: Pick<Alarms, 'in'>
  readonly #delayed = new WeakSet<Socket>()

  constructor({ authentication, connections, strangerLimit, alarms }: AccessControlContext) {
    this.#authentication = authentication
    this.#connections = connections
    this.#strangers = strangerLimit
    this.#alarms = alarms
  }

  /**
   * The caller, whose key may have any role; or the operator; undefined for who needs no key. Throws the problem of who is not let
   * in.
   */
  async enter(request: FastifyRequest, access: Access): Promise<Caller | 'operator' | undefined> {
    if (access === 'open') return void (await this.#enterOpen(request))
    try {
      const caller = await this.#authentication.authenticate(access, request.headers.authorization)
      const party = caller === 'operator' ? caller : caller.organizationId
      this.#connections.knows(request.raw.socket, party)
      return caller
    } catch (problem) {
      if (problem instanceof Problem && isStranger(problem.code)) await this.#count(request.raw)
      throw problem
    }
  }

  /** The origin of the request, if known: an address, or the /64 of an IPv6 address. */
  addressOf(request: FastifyRequest): string {
    return this.#connections.networkOf(request.raw)
  }

  async #enterOpen(request: FastifyRequest): Promise<void> {
    if (!this.#strangers) return
    const network = this.#connections.networkOf(request.raw)
    // Who has a key is let in here as well, even if the address has asked for too much.
    if (!this.#strangers.isSpent(network)) this.#strangers.take(network)
    else await this.enter(request, 'any')
  }

  /** Throws the problem of too many requests, after a while. */
  async #count(request: IncomingMessage): Promise<void> {
    try {
      this.#strangers?.take(this.#connections.networkOf(request))
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
      // Spreads the answers to a crowd that came at once.
      const end = this.#alarms.in(refusalDelay * (0.5 + Math.random()), resolve)
      socket.once('close', () => end.cancel())
    })
    this.#delayed.delete(socket)
  }
}
