import { createHash, timingSafeEqual } from 'node:crypto'
import type { Caller } from '../../contract/handler.ts'
import { type Access, isForKeys, type Operation, reachOf, roleSuffices } from '../../contract/operation.ts'
import { challenge, Problem, unauthenticated } from '../../contract/problem.ts'
import type { LinkPages } from '../../instances/link-pages/link-pages.ts'
import type { KeyRing } from '../../organizations/key-ring.ts'
import type { Identified } from '../../organizations/sessions.ts'
import { misplacedKey } from './misplaced-key.ts'
import type { BrowserSessions } from './sessions/browser-sessions.ts'
import type { RequestHead } from './sessions/same-origin.ts'

/** Tokens of the operator: one opens everything that is the operator's, the other only the metrics. */
export interface OperatorTokens {
  readonly operator: string
  readonly metrics: string
}

/** Identifies the caller, or throws the problem: 401 without a valid key or token. */
export class Authentication {
  readonly #keyRing: KeyRing
  readonly #operator: Buffer
  readonly #metrics: Buffer
  readonly #sessions: BrowserSessions
  readonly #linkPages: LinkPages | undefined

  constructor(
    keyRing: KeyRing,
    { operator, metrics }: OperatorTokens,
    sessions: BrowserSessions,
    linkPages?: LinkPages,
  ) {
    this.#keyRing = keyRing
    this.#operator = digest(operator)
    this.#metrics = digest(metrics)
    this.#sessions = sessions
    this.#linkPages = linkPages
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
    const isOperators = access === 'any' || !isForKeys(access)
    if (found === 'operator') {
      if (isOperators) return found
      throw new Problem('forbidden', { detail: ofNoOrganization })
    }
    if (isForKeys(access)) return living(found, found ? undefined : misplacedKey(request.headers))
    const asked = askedFor[access]
    if (found && found !== 'expired')
      throw new Problem('forbidden', { detail: `A key is not enough. ${asked}` })
    const misplaced = misplacedKey(request.headers)
    throw unauthenticated(misplaced === undefined ? asked : `${misplaced} ${asked}`)
  }

  async #find(access: Access, request: RequestHead, isUse: boolean): Promise<Identified> {
    const { authorization } = request.headers
    // A proxy may have credentials of its own there, in another scheme.
    if (!/^bearer\b/i.test(authorization ?? '')) return this.#sessions.identify(request, isUse)
    const token = bearer(authorization)
    if (isToken(token, this.#operator)) return 'operator'
    if (access === 'metrics' && isToken(token, this.#metrics)) return 'operator'
    return token === undefined ? undefined : this.#keyRing.identify(token)
  }

  /** Calls `then` whenever the key was just revoked, or a session of it ended, until the function that is returned is called. */
  whenInDoubt(keyId: string, then: () => void): () => void {
    const stops = [this.#keyRing.whenForgotten(keyId, then), this.#sessions.sessions.whenEnded(keyId, then)]
    return () => {
      for (const stop of stops) stop()
    }
  }

  /** The caller that the key belongs to. */
  async identifyKey(key: string): Promise<Caller> {
    return living(await this.#keyRing.identify(key))
  }

  /** Throws the problem unless it is the operator's token. */
  identifyOperator(token: string): 'operator' {
    if (!isToken(token, this.#operator)) throw unauthenticated(askedFor.operator)
    return 'operator'
  }

  /** The link page that the token belongs to. */
  async identifyLinkPage(authorization: string | undefined): Promise<Caller> {
    const token = bearer(authorization)
    const caller = token === undefined ? undefined : await this.#linkPages?.identify(token)
    if (caller === 'ended') throw new Problem('link_page_not_found')
    if (!caller) throw unauthenticated('Send the token of a link page as a bearer token.')
    return caller
  }
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

/** Throws the problem of a key whose role is too low, or that is limited to instances while the operation does not support that. */
export function authorize(operation: Operation, caller: Caller): void {
  if (!isForKeys(operation.access)) return
  if (!roleSuffices(caller.role, operation.access)) {
    throw new Problem('forbidden', {
      detail: `The operation requires the role \`${operation.access}\`; this key has the role \`${caller.role}\`.`,
    })
  }
  if (caller.instances !== null && reachOf(operation) === 'refused') {
    const detail =
      'The operation concerns the whole organization, and this key is limited to some instances. Use a key without that limit.'
    throw new Problem('forbidden', { detail })
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
