import { createHash, timingSafeEqual } from 'node:crypto'
import type { Caller } from '../contract/handler.ts'
import { type Role, roleSuffices } from '../contract/operation.ts'
import { Problem } from '../contract/problem.ts'
import type { KeyRing } from '../organizations/key-ring.ts'

/** Tells who calls, or throws the problem: 401 without a living key, 403 with one whose role does not suffice. */
export class Authentication {
  readonly #keyRing: KeyRing
  readonly #operatorDigest: Buffer

  constructor(keyRing: KeyRing, operatorToken: string) {
    this.#keyRing = keyRing
    this.#operatorDigest = digest(operatorToken)
  }

  /** The caller, by a key of at least this role; undefined for the operator, whose token belongs to no organization. */
  async authenticate(
    access: Role | 'operator' | 'any_key',
    authorization: string | undefined,
  ): Promise<Caller | undefined> {
    if (access === 'operator') {
      this.authenticateOperator(authorization)
      return undefined
    }
    const caller = await this.identify(authorization)
    if (access !== 'any_key' && !roleSuffices(caller.role, access)) {
      throw new Problem('forbidden', {
        detail: `The operation asks for the role \`${access}\`; this key has the role \`${caller.role}\`.`,
      })
    }
    return caller
  }

  /** The caller that the key belongs to. */
  async identify(authorization: string | undefined): Promise<Caller> {
    const key = bearer(authorization)
    const caller = key === undefined ? undefined : await this.#keyRing.identify(key)
    if (!caller) throw unauthenticated()
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

function bearer(authorization: string | undefined): string | undefined {
  return /^Bearer +([\x21-\x7e]{1,255})$/i.exec(authorization ?? '')?.[1]
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}

function unauthenticated(detail?: string): Problem {
  return new Problem('unauthenticated', {
    ...(detail === undefined ? {} : { detail }),
    headers: { 'www-authenticate': 'Bearer realm="posthorn"' },
  })
}
