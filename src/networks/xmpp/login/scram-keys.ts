import { createHash, createHmac, pbkdf2 } from 'node:crypto'
import { promisify } from 'node:util'
import { FairSemaphore } from '../../../runtime/limits/fair-semaphore.ts'
import type { Share } from '../../../runtime/limits/share.ts'
import { XmppError } from '../errors.ts'

export type ScramHash = 'sha1' | 'sha256'

/** The password, and the server's parameters to derive keys from it. */
export interface Derivation {
  readonly hash: ScramHash
  readonly password: string
  readonly salt: Buffer
  readonly iterations: number
}

/** The keys that prove a login, and with which the server proves itself (RFC 5802 section 3). */
export interface Keys {
  readonly client: Buffer
  readonly server: Buffer
}

/** RFC 7677 section 4. With fewer, an impostor of the server could find the password too easily. */
const fewestIterations = 4_096

/** Derivations that run at a time, of the four threads that files and name look-ups need as well. */
const atOnce = 2

const derive = promisify(pbkdf2)

/**
 * Derives keys off the event loop, one at a time for each organization. Each connection's last keys are remembered, as RFC
 * 7677 section 4 recommends, so that connecting again costs nothing; the password is not.
 */
export class ScramKeys {
  readonly maxIterations: number
  readonly #turns = new FairSemaphore({ limit: atOnce, limitPerParty: 1 })
  readonly #known = new WeakMap<Share, { readonly id: string; readonly keys: Keys }>()

  constructor(mostIterations: number) {
    this.maxIterations = mostIterations
  }

  /** Throws an `XmppError` if the server asks for too much or too little; rejects when the signal aborts before it begins. */
  async derive(derivation: Derivation, share: Share, signal: AbortSignal): Promise<Keys> {
    const { iterations } = derivation
    if (iterations > this.maxIterations) throw new XmppError('login_too_costly')
    if (iterations < fewestIterations) throw new XmppError('login_too_weak')
    const id = idOf(derivation)
    const known = this.#known.get(share)
    if (known?.id === id) return known.keys
    const keys = await this.#turns.run(share.party, () => keysFor(derivation), signal)
    this.#known.set(share, { id, keys })
    return keys
  }
}

async function keysFor({ hash, password, salt, iterations }: Derivation): Promise<Keys> {
  const length = hash === 'sha1' ? 20 : 32
  const salted = await derive(password, salt, iterations, length, hash)
  const key = (name: string) => createHmac(hash, salted).update(name).digest()
  return { client: key('Client Key'), server: key('Server Key') }
}

function idOf({ hash, password, salt, iterations }: Derivation): string {
  return createHash('sha256')
    .update(JSON.stringify([hash, password, salt.toString('base64'), iterations]))
    .digest('base64')
}
