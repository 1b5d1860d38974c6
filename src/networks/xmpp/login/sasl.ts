import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { saslError, XmppError } from '../errors.ts'
import { element, ns, type Xml } from '../stanzas/xml.ts'
import type { Stream } from '../stream/stream.ts'
import type { Derivation, Keys, ScramHash } from './scram-keys.ts'

export interface Login {
  readonly username: string
  readonly password: string
}

/** Derives the keys of a login; see `ScramKeys`. */
export type DeriveKeys = (derivation: Derivation) => Promise<Keys>

/** One way to log in: what to say first, then what to say to each challenge, and whether success may be believed. */
interface Mechanism {
  readonly first: string
  respond(challenge: string): Promise<string>
  /** Checks what came with the success; without it a server that does not know the password could claim to. */
  confirm(additional: string): void
}

/**
 * Logs in by the strongest mechanism both sides have: SCRAM-SHA-256, SCRAM-SHA-1 (RFC 5802, 7677), PLAIN (RFC 4616).
 * `exposed` says that the connection is unencrypted on purpose, on this machine; otherwise it is always encrypted here.
 *
 * The library has SCRAM-SHA-1 only, verifies neither the server's nonce nor its signature, and derives the key by
 * thousands of promises on the event loop for as long as the server likes; here it is derived off the loop.
 */
export async function authenticate(
  stream: Stream,
  features: Xml,
  login: Login,
  { exposed, derive }: { readonly exposed: boolean; readonly derive: DeriveKeys },
): Promise<void> {
  if (!stream.secure && !exposed) throw new XmppError('encryption_required')
  const offered = new Set(
    features
      .getChild('mechanisms', ns.sasl)
      ?.getChildren('mechanism')
      .map((mechanism) => mechanism.text()),
  )
  const name = ['SCRAM-SHA-256', 'SCRAM-SHA-1', 'PLAIN'].find((known) => offered.has(known))
  if (name === undefined) throw new XmppError('no_common_mechanism')
  const mechanism =
    name === 'PLAIN' ? plain(login) : scram(name === 'SCRAM-SHA-256' ? 'sha256' : 'sha1', login, derive)
  stream.send(element('auth', { xmlns: ns.sasl, mechanism: name }, base64(mechanism.first)).toString())
  for (;;) {
    const answer = await stream.next()
    if (answer.getNS() !== ns.sasl) continue
    if (answer.name === 'failure') throw saslError(answer)
    if (answer.name === 'success') return mechanism.confirm(decoded(answer.text()))
    if (answer.name !== 'challenge') continue
    const response = await mechanism.respond(decoded(answer.text()))
    stream.send(element('response', { xmlns: ns.sasl }, base64(response)).toString())
  }
}

function plain(login: Login): Mechanism {
  return {
    first: `\0${login.username}\0${login.password}`,
    respond: async () => '',
    confirm: () => {},
  }
}

/** RFC 5802 section 3, without channel binding. The nonce is given in tests only. */
export function scram(
  hash: ScramHash,
  login: Login,
  derive: DeriveKeys,
  nonce = randomBytes(24).toString('base64').replaceAll(',', ''),
): Mechanism {
  const name = login.username.normalize('NFKC').replaceAll('=', '=3D').replaceAll(',', '=2C')
  const firstBare = `n=${name},r=${nonce}`
  let signature: Buffer | null = null

  async function respond(challenge: string): Promise<string> {
    // The server's final data may come as a separate challenge, to which the response is empty (RFC 6120 section 6.3.9).
    if (signature) {
      confirm(challenge)
      return ''
    }
    const fields = fieldsOf(challenge)
    const iterations = Number(fields.get('i'))
    const common = fields.get('r') ?? ''
    const salt = Buffer.from(fields.get('s') ?? '', 'base64')
    if (!common.startsWith(nonce) || common === nonce) throw mistrust('it answered another login')
    if (!Number.isInteger(iterations) || salt.length === 0) {
      throw mistrust('it asked for an impossible computation')
    }
    const keys = await derive({ hash, password: login.password.normalize('NFKC'), salt, iterations })
    const final = `c=biws,r=${common}`
    const signed = `${firstBare},${challenge},${final}`
    signature = hmac(keys.server, signed)
    const mask = hmac(createHash(hash).update(keys.client).digest(), signed)
    const proof = Buffer.from(keys.client.map((byte, index) => byte ^ (mask[index] ?? 0)))
    return `${final},p=${proof.toString('base64')}`
  }

  function confirm(additional: string): void {
    const verifier = Buffer.from(fieldsOf(additional).get('v') ?? '', 'base64')
    if (!signature || verifier.length !== signature.length || !timingSafeEqual(verifier, signature)) {
      // If the proof came as a challenge, the success that follows it is empty.
      if (additional === '' && confirmed) return
      throw new XmppError('server_not_trusted')
    }
    confirmed = true
  }

  let confirmed = false
  const hmac = (key: Buffer, text: string) => createHmac(hash, key).update(text).digest()
  return { first: `n,,${firstBare}`, respond, confirm }
}

function fieldsOf(message: string): Map<string, string> {
  return new Map(message.split(',').map((field) => [field.slice(0, 1), field.slice(2)]))
}

function mistrust(word: string): XmppError {
  return new XmppError('server_not_trusted', word)
}

/** RFC 6120 section 6.4.2: an empty answer is written as “=”. */
function base64(text: string): string {
  return text === '' ? '=' : Buffer.from(text).toString('base64')
}

function decoded(text: string): string {
  return text === '=' ? '' : Buffer.from(text, 'base64').toString('utf8')
}
