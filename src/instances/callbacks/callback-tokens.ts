import { timingSafeEqual } from 'node:crypto'
import { base32 } from '../../runtime/ids.ts'
import type { Seal } from '../../runtime/secrets/seal.ts'

/** Bytes of the part that cannot be guessed. */
const secretBytes = 20
const idLength = 26
const form = /^cb_([0-9a-hjkmnp-tv-z]{26})([0-9a-hjkmnp-tv-z]{32})$/

/** Stands for the operator, where an instance has its id. No instance has it. */
export const operatorId = `inst_${'0'.repeat(idLength)}`

/** The path that a network calls. */
export function callbackPathOf(network: string, token: string): string {
  return `/v1/callbacks/${network}/${token}`
}

/**
 * The tokens in the callback URLs of instances. A token follows from the master key, the network and the id of the instance, so none
 * is stored, and one that was made up is recognized without asking the store (docs/decisions/0040).
 */
export class CallbackTokens {
  readonly #seal: Pick<Seal, 'token'>

  constructor(seal: Pick<Seal, 'token'>) {
    this.#seal = seal
  }

  /** The token of an instance: `cb_`, the id of the instance without its prefix, and 160 bits. */
  of(network: string, instanceId: string): string {
    return `cb_${instanceId.slice(-idLength)}${this.#secret(network, instanceId)}`
  }

  /** The token in the URL of the operator. */
  ofOperator(network: string): string {
    return this.of(network, operatorId)
  }

  /** The id of the instance whose token it is; undefined if it is none of this network, and `operatorId` if it is that of the operator. */
  instanceOf(network: string, token: string): string | undefined {
    const [, id, secret] = form.exec(token) ?? []
    if (id === undefined || secret === undefined) return undefined
    const instanceId = `inst_${id}`
    const expected = Buffer.from(this.#secret(network, instanceId))
    return timingSafeEqual(expected, Buffer.from(secret)) ? instanceId : undefined
  }

  #secret(network: string, instanceId: string): string {
    return base32(this.#seal.token(`callbacks/${network}/${instanceId}`).subarray(0, secretBytes))
  }
}
