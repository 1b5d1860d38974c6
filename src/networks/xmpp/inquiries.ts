import { randomBytes } from 'node:crypto'
import { isFromServer } from './stanza-sender.ts'
import { attribute, element, ns, type Xml } from './xml.ts'

/** A question that waits for its answer. */
interface Question {
  readonly to: string
  answer(iq: Xml): void
}

/** Questions by iq (RFC 6120 section 8.2.3) to the server and the services beside it, on a connection that is open. */
export class Inquiries {
  readonly #account: string
  readonly #write: (xml: string) => void
  readonly #questions = new Map<string, Question>()

  /** `account` is the address that asks. */
  constructor(account: string, write: (xml: string) => void) {
    this.#account = account
    this.#write = write
  }

  /** Asks and resolves to the answer, an iq of type `result` or `error`. Rejects when the signal aborts before. */
  async ask(type: 'get' | 'set', to: string, payload: Xml, signal: AbortSignal): Promise<Xml> {
    signal.throwIfAborted()
    // Anybody may send an iq that looks like an answer; nobody else can know this id.
    const id = randomBytes(12).toString('base64url')
    const { promise, resolve, reject } = Promise.withResolvers<Xml>()
    const give = () => reject(signal.reason)
    signal.addEventListener('abort', give)
    this.#questions.set(id, { to, answer: resolve })
    this.#write(element('iq', { type, id, to }, payload).toString())
    try {
      return await promise
    } finally {
      signal.removeEventListener('abort', give)
      this.#questions.delete(id)
    }
  }

  /** Takes the answer to a question; false where it is none. */
  take(iq: Xml): boolean {
    const question = this.#questions.get(attribute(iq, 'id') ?? '')
    const answers = iq.attrs.type === 'result' || iq.attrs.type === 'error'
    if (!question || !answers || !this.#isFrom(iq, question.to)) return false
    question.answer(iq)
    return true
  }

  #isFrom(iq: Xml, asked: string): boolean {
    const from = attribute(iq, 'from')
    return from?.toLowerCase() === asked.toLowerCase() || isFromServer(iq, this.#account)
  }
}

/** The answer that RFC 6120 section 8.2.3 demands for every iq request: to pings the good one, else "not here". */
export function answerTo(iq: Xml): string | null {
  const type = attribute(iq, 'type')
  const id = attribute(iq, 'id')
  if ((type !== 'get' && type !== 'set') || id === undefined) return null
  const to = attribute(iq, 'from')
  if (type === 'get' && iq.getChild('ping', ns.ping))
    return element('iq', { type: 'result', id, to }).toString()
  const condition = element('service-unavailable', { xmlns: ns.stanzaErrors })
  const error = element('error', { type: 'cancel' }, condition)
  return element('iq', { type: 'error', id, to }, error).toString()
}
