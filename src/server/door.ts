import type { FastifyRequest } from 'fastify'
import type { Caller } from '../contract/handler.ts'
import type { Operation } from '../contract/operation.ts'
import { Problem, type ProblemCode } from '../contract/problem.ts'
import type { Authentication } from './authenticate.ts'
import type { Connections } from './connections.ts'
import type { RateLimit } from './rate-limit.ts'

/** What must be shown to be let in: nothing, the operator's token, or any valid key. */
type Access = 'open' | 'operator' | 'any_key'

/** True of problems that only who has no living key gets. */
const isStranger = (code: ProblemCode) => code === 'unauthenticated' || code === 'key_expired'

/** What must be shown to be let in to an operation, whatever the key may do there. */
export function accessTo(access: Operation['access'] | undefined): Access {
  return access === 'open' || access === 'operator' ? access : 'any_key'
}

/**
 * Lets callers with a valid key in, always, and counts the requests of all others by their address: what they ask without a
 * key, and with one that is none.
 */
export class Door {
  readonly #authentication: Authentication
  readonly #connections: Connections
  readonly #strangers: RateLimit | undefined

  constructor(authentication: Authentication, connections: Connections, strangers: RateLimit | undefined) {
    this.#authentication = authentication
    this.#connections = connections
    this.#strangers = strangers
  }

  /** The caller; undefined for who needs no key, or has the operator's token. Throws the problem of who is not let in. */
  async enter(request: FastifyRequest, access: Access): Promise<Caller | undefined> {
    if (access === 'open') return void (await this.#enterOpen(request))
    try {
      const caller = await this.#authentication.authenticate(access, request.headers.authorization)
      this.#connections.knows(request.raw.socket, caller?.organizationId ?? 'operator')
      return caller
    } catch (problem) {
      if (problem instanceof Problem && isStranger(problem.code))
        this.#strangers?.take(this.#connections.networkOf(request.raw))
      throw problem
    }
  }

  /** Where the request comes from, as far as it is known: an address, or the /64 of an IPv6 address. */
  addressOf(request: FastifyRequest): string {
    return this.#connections.networkOf(request.raw)
  }

  async #enterOpen(request: FastifyRequest): Promise<void> {
    if (!this.#strangers) return
    const network = this.#connections.networkOf(request.raw)
    // Who has a key is let in here as well, even if the address has asked for too much.
    if (!this.#strangers.isSpent(network)) this.#strangers.take(network)
    else await this.enter(request, 'any_key')
  }
}
