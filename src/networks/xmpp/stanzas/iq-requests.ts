import { randomBytes } from 'node:crypto'
import { featuresFor } from './own-features.ts'
import { isFromServer } from './stanza-sender.ts'
import { attribute, element, ns, type Xml } from './xml.ts'

/** A request that waits for its answer. */
interface PendingRequest {
  readonly to: string
  answer(iq: Xml): void
}

/** Requests by iq (RFC 6120 section 8.2.3) to the server and its services, on an open connection. */
export class IqRequests {
  readonly #account: string
  readonly #write: (xml: string) => void
  readonly #pending = new Map<string, PendingRequest>()

  /** `account` is the address that asks. */
  constructor(account: string, write: (xml: string) => void) {
    this.#account = account
    this.#write = write
  }

  /** Asks and resolves to the answer, an iq of type `result` or `error`. Rejects when the signal aborts before. */
  async ask(type: 'get' | 'set', to: string, payload: Xml, signal: AbortSignal): Promise<Xml> {
    signal.throwIfAborted()
    // Any sender may forge an answer; none but the receiver of the request can know this id.
    const id = randomBytes(12).toString('base64url')
    const { promise, resolve, reject } = Promise.withResolvers<Xml>()
    const give = () => reject(signal.reason)
    signal.addEventListener('abort', give)
    this.#pending.set(id, { to, answer: resolve })
    this.#write(element('iq', { type, id, to }, payload).toString())
    try {
      return await promise
    } finally {
      signal.removeEventListener('abort', give)
      this.#pending.delete(id)
    }
  }

  /** Handles the answer to a request; false if the stanza is not one. */
  take(iq: Xml): boolean {
    const request = this.#pending.get(attribute(iq, 'id') ?? '')
    const answers = iq.attrs.type === 'result' || iq.attrs.type === 'error'
    if (!request || !answers || !this.#isFrom(iq, request.to)) return false
    request.answer(iq)
    return true
  }

  #isFrom(iq: Xml, asked: string): boolean {
    const from = attribute(iq, 'from')
    return from?.toLowerCase() === asked.toLowerCase() || isFromServer(iq, this.#account)
  }
}

/** The answer that RFC 6120 section 8.2.3 demands for every iq request: to pings and questions for features the good one, else "not here". */
export function answerTo(iq: Xml): string | null {
  const type = attribute(iq, 'type')
  const id = attribute(iq, 'id')
  if ((type !== 'get' && type !== 'set') || id === undefined) return null
  const to = attribute(iq, 'from')
  if (type === 'get' && iq.getChild('ping', ns.ping))
    return element('iq', { type: 'result', id, to }).toString()
  const features = type === 'get' ? featuresFor(iq.getChild('query', ns.discoInfo)) : null
  if (features) return element('iq', { type: 'result', id, to }, features).toString()
  const condition = element('service-unavailable', { xmlns: ns.stanzaErrors })
  const error = element('error', { type: 'cancel' }, condition)
  return element('iq', { type: 'error', id, to }, error).toString()
}
