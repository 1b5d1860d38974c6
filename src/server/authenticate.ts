import { createHash, timingSafeEqual } from 'node:crypto'
import type { Caller } from '../contract/handler.ts'
import { type Operation, reachOf, roleSuffices } from '../contract/operation.ts'
import { Problem } from '../contract/problem.ts'
import type { KeyRing } from '../organizations/key-ring.ts'

/** Identifies the caller, or throws the problem: 401 without a valid key. */
export class Authentication {
  readonly #keyRing: KeyRing
  readonly #operatorDigest: Buffer

  constructor(keyRing: KeyRing, operatorToken: string) {
    this.#keyRing = keyRing
    this.#operatorDigest = digest(operatorToken)
  }

  /** The caller, by a living key; undefined for the operator, whose token belongs to no organization. */
  async authenticate(
    access: 'operator' | 'any_key',
    authorization: string | undefined,
  ): Promise<Caller | undefined> {
    if (access === 'operator') {
      this.authenticateOperator(authorization)
      return undefined
    }
    return this.identify(authorization)
  }

  /** The caller that the key belongs to. */
  async identify(authorization: string | undefined): Promise<Caller> {
    const key = bearer(authorization)
    const caller = key === undefined ? undefined : await this.#keyRing.identify(key)
    if (!caller) throw unauthenticated()
    if (caller === 'expired') throw new Problem('key_expired', { headers: challenge })
    return caller
  }

  /** Throws the problem unless it is the operator's token. */
  authenticateOperator(authorization: string | undefined): void {
    const token = bearer(authorization)
    if (token === undefined || !timingSafeEqual(digest(token), this.#operatorDigest)) {
      throw unauthenticated(
        "Send the operator's token, which is in `metrics.token` in the data folder, as a bearer token.",
      )
    }
  }
}

/** Throws the problem of a key whose role is too low, or that is limited to instances while the operation does not support that. */
export function authorize(operation: Operation, caller: Caller): void {
  if (operation.access === 'open' || operation.access === 'operator') return
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

function bearer(authorization: string | undefined): string | undefined {
  return /^Bearer +([\x21-\x7e]{1,255})$/i.exec(authorization ?? '')?.[1]
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}

function unauthenticated(detail?: string): Problem {
  return new Problem('unauthenticated', {
    ...(detail === undefined ? {} : { detail }),
    headers: challenge,
  })
}

const challenge = { 'www-authenticate': 'Bearer realm="posthorn"' }
