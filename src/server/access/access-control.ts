import { createHash, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { isIP, type Socket } from 'node:net'
import { domainToASCII } from 'node:url'
import type { FastifyRequest } from 'fastify'
import type { Caller } from '../../contract/handler.ts'
import {
  type Access,
  isForKeys,
  type Operation,
  reachOf,
  roleSuffices,
  roles,
} from '../../contract/operation.ts'
import { challenge, invalid, Problem, unauthenticated } from '../../contract/problem.ts'
import type { ProblemCode } from '../../contract/problems.ts'
import type { LinkPages } from '../../instances/link-pages/link-pages.ts'
import type { KeyRing } from '../../organizations/key-ring.ts'
import type { Identified } from '../../organizations/sessions.ts'
import type { Alarms } from '../../runtime/timers/alarms.ts'
import type { Connections } from '../connections/connections.ts'
import { keyFault, misplacedKey } from './misplaced-key.ts'
import type { RateLimit } from './rate-limit.ts'
import type { BrowserSessions } from './sessions/browser-sessions.ts'
import type { RequestHead } from './sessions/same-origin.ts'

/** Tokens of the operator: one opens everything that is the operator's, the other only the metrics. */
export interface OperatorTokens {
  readonly operator: string
  readonly metrics: string
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
 * Decides who may come in. Callers with a valid key are let in always, and the requests of all others are counted by their
 * address: what they ask without a key, and with one that is none.
 */
export class AccessControl {
  readonly #context
  readonly #tokens: { readonly operator: Buffer; readonly metrics: Buffer }
  readonly #hosts: ReadonlySet<string>
  readonly #delayed = new WeakSet<Socket>()

  constructor(context: {
    readonly keyRing: KeyRing
    readonly operatorTokens: OperatorTokens
    readonly browserSessions: BrowserSessions
    readonly linkPages?: LinkPages
    readonly connections: Connections
    /** Of the requests that come without a valid key, by address. */
    readonly anonymousLimit: RateLimit | undefined
    readonly alarms: Pick<Alarms, 'in'>
    /** Names by which callers may reach the server besides `localhost`; `*` stands for every name. */
    readonly hosts: readonly string[]
  }) {
    const { operator, metrics } = context.operatorTokens
    this.#context = context
    this.#tokens = { operator: digest(operator), metrics: digest(metrics) }
    this.#hosts = new Set(['localhost', ...context.hosts].map(plain))
  }

  /**
   * Throws the problem of a request that names no server, several, or one that is not this; health checks may call it anything.
   * Any web page can make its own name resolve to this machine (DNS rebinding), and its visitors' browsers then ask here in
   * that name; no browser lets it ask in another one.
   */
  checkHost({ headers: { host }, httpVersion, rawHeaders }: IncomingMessage, isHealthCheck = false): void {
    const given = hostsIn(rawHeaders)
    if (given === 0 && httpVersion === '1.1') throw unfit('missing', 'HTTP/1.1 requires the header.')
    if (given > 1) throw unfit('too_many', 'The header appears in the request more than once.')
    if (host !== undefined && !isHealthCheck && !this.allowsHost(host))
      throw new Problem('misdirected_request')
  }

  /** True for the value of a `Host` header that is allowed: a name or an address, with any port. */
  allowsHost(host: string): boolean {
    const [, bracketed, name = ''] = /^(?:\[([^\]]+)\]|([^:]*))(?::\d*)?$/.exec(host) ?? []
    if (isIP(bracketed ?? name) !== 0) return true
    return this.#hosts.has('*') || (bracketed === undefined && this.#hosts.has(plain(name)))
  }

  /**
   * Resolves with the caller, whose key may have any role, or the operator; undefined if the operation needs no key. Throws
   * the problem of a caller who is not let in.
   */
  enter(request: FastifyRequest, access: Access): Promise<Caller | 'operator' | undefined> {
    if (access === 'open') return this.#enterOpen(request)
    if (access === 'link_page') return this.#enterLinkPage(request)
    return this.letIn(request, () => this.authenticate(access, request.raw))
  }

  /** The caller that `identify` finds; if it throws that there is none, the caller is anonymous. */
  async letIn<Found extends Caller | 'operator'>(
    request: FastifyRequest,
    identify: () => Promise<Found>,
  ): Promise<Found> {
    try {
      const caller = await identify()
      this.#context.connections.markAuthenticated(
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
    return this.#context.connections.addressBlockOf(request.raw)
  }

  async #enterOpen(request: FastifyRequest): Promise<undefined> {
    const { anonymousLimit } = this.#context
    if (!anonymousLimit) return
    const address = this.addressOf(request)
    // A caller with a key is let in here even if the address has sent too many requests.
    if (!anonymousLimit.isSpent(address)) anonymousLimit.take(address)
    else await this.enter(request, 'any')
  }

  /** Visitors of a link page are anonymous all the same: a key made the page, but all to whom its link is sent on may call. */
  async #enterLinkPage(request: FastifyRequest): Promise<Caller> {
    await this.#count(request.raw)
    return this.#identifyLinkPage(request.headers.authorization)
  }

  /** Throws the problem of too many requests, after a while. */
  async #count(request: IncomingMessage): Promise<void> {
    try {
      this.#context.anonymousLimit?.take(this.#context.connections.addressBlockOf(request))
    } catch (problem) {
      await this.#delay(request.socket)
      throw problem
    }
  }

  /** One request of a connection at a time; what it sends meanwhile is refused at once. Never resolves when it is cut. */
  async #delay(socket: Socket): Promise<void> {
    if (this.#delayed.has(socket) || !this.#context.connections.mayWait(socket)) return
    this.#delayed.add(socket)
    await new Promise<void>((resolve) => {
      // Spreads the responses to a crowd that came at once.
      const end = this.#context.alarms.in(refusalDelay * (0.5 + Math.random()), () => {
        socket.off('close', cancel)
        resolve()
      })
      const cancel = () => end.cancel()
      socket.once('close', cancel)
    })
    this.#delayed.delete(socket)
  }

  /**
   * Resolves with the caller, by a living key; with the operator, who belongs to no organization; or, if the request has
   * neither token, with the caller of its session. Throws `forbidden` if the operation asks for the other of the two, and
   * the problem of a request that a page of another origin made in a session. Without `isUse`, no session lasts longer for
   * it.
   */
  async authenticate(
    access: Exclude<Access, 'open' | 'link_page'>,
    request: RequestHead,
    isUse = true,
  ): Promise<Caller | 'operator'> {
    const found = await this.#find(access, request, isUse)
    const asked = access === 'operator' || access === 'metrics' ? askedFor[access] : undefined
    if (found === 'operator') {
      if (asked !== undefined || access === 'any') return found
      throw new Problem('forbidden', { detail: ofNoOrganization })
    }
    if (asked === undefined) return living(found, found ? undefined : keyFault(request.headers))
    if (found && found !== 'expired')
      throw new Problem('forbidden', { detail: `A key is not enough. ${asked}` })
    const misplaced = misplacedKey(request.headers)
    throw unauthenticated(misplaced === undefined ? asked : `${misplaced} ${asked}`)
  }

  async #find(access: Access, request: RequestHead, isUse: boolean): Promise<Identified> {
    const { authorization } = request.headers
    // A proxy may have credentials of its own there, in another scheme.
    if (!/^bearer\b/i.test(authorization ?? '')) return this.#context.browserSessions.identify(request, isUse)
    const token = bearer(authorization)
    if (token === undefined) return undefined
    // Nearly every token is a key, and most keys are known without a digest.
    const found = await this.#context.keyRing.identify(token)
    if (found) return found
    if (isToken(token, this.#tokens.operator)) return 'operator'
    return access === 'metrics' && isToken(token, this.#tokens.metrics) ? 'operator' : undefined
  }

  /** Calls `then` whenever the key was just revoked, or a session of it ended, until the function that is returned is called. */
  whenInDoubt(keyId: string, then: () => void): () => void {
    const stops = [
      this.#context.keyRing.whenForgotten(keyId, then),
      this.#context.browserSessions.sessions.whenEnded(keyId, then),
    ]
    return () => {
      for (const stop of stops) stop()
    }
  }

  /** The caller that the key belongs to. */
  async identifyKey(key: string): Promise<Caller> {
    return living(await this.#context.keyRing.identify(key))
  }

  /** Throws the problem unless it is the operator's token. */
  identifyOperator(token: string): 'operator' {
    if (!isToken(token, this.#tokens.operator)) throw unauthenticated(askedFor.operator)
    return 'operator'
  }

  /** The link page that the token belongs to. */
  async #identifyLinkPage(authorization: string | undefined): Promise<Caller> {
    const token = bearer(authorization)
    const caller = token === undefined ? undefined : await this.#context.linkPages?.identify(token)
    if (caller === 'ended') throw new Problem('link_page_not_found')
    if (!caller) throw unauthenticated('Send the token of a link page as a bearer token.')
    return caller
  }
}

function plain(name: string): string {
  const lower = name.toLowerCase().replace(/\.$/, '')
  return lower === '*' ? lower : domainToASCII(lower)
}

/** Node keeps the first `Host` and drops the others. */
function hostsIn(rawHeaders: readonly string[]): number {
  let hosts = 0
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] as string
    if (name.length === 4 && name.toLowerCase() === 'host') hosts++
  }
  return hosts
}

function unfit(code: string, detail: string): Problem {
  return invalid({ pointer: 'header/Host', code, detail })
}

/** Takes the same time however much of the token is right. */
function isToken(given: string | undefined, known: Buffer): boolean {
  return given !== undefined && timingSafeEqual(digest(given), known)
}

const askedFor = {
  operator: "Send the operator's token, which is in `operator.token` in the data folder, as a bearer token.",
  metrics: 'Send the token for metrics, which is in `metrics.token` in the data folder, as a bearer token.',
} as const

const ofNoOrganization =
  'The token of the operator belongs to no organization, and this operation is for the keys of one. Create a key with ' +
  '`POST /v1/organizations/{organization}/keys`, and send that.'

/**
 * Makes the check of an operation, which throws the problem of a key whose role is too low, or that is limited to instances while
 * the operation does not support that.
 */
export function authorizer(operation: Operation): (caller: Caller) => void {
  const { access } = operation
  if (!isForKeys(access)) return () => {}
  const sufficient = roles.filter((role) => roleSuffices(role, access))
  const takesLimited = reachOf(operation) !== 'refused'
  return ({ role, instances }) => {
    if (!sufficient.includes(role)) {
      throw new Problem('forbidden', {
        detail: `The operation requires the role \`${access}\`; this key has the role \`${role}\`.`,
      })
    }
    if (instances !== null && !takesLimited) {
      const detail =
        'The operation concerns the whole organization, and this key is limited to some instances. Use a key without that limit.'
      throw new Problem('forbidden', { detail })
    }
  }
}

function living<Found extends Caller | 'operator'>(
  caller: Found | 'expired' | undefined,
  misplaced?: string,
): Found {
  if (!caller) throw unauthenticated(misplaced)
  if (caller === 'expired') throw new Problem('key_expired', { headers: challenge })
  return caller
}

function bearer(authorization: string | undefined): string | undefined {
  return /^Bearer +([\x21-\x7e]{1,255})$/i.exec(authorization ?? '')?.[1]
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
