import { type Deadline, setDeadline } from '../../../runtime/timers/deadline.ts'
import { bareOf, isRoom } from '../address.ts'
import { element, ns } from '../stanzas/xml.ts'

/** Conversations in which the account shows at a time that it is writing. */
const maxShown = 100

/** Shows people that the account is writing to them (XEP-0085). */
export class Composing {
  readonly #write: (xml: string) => void
  readonly #shown = new Map<string, Deadline>()

  constructor(write: (xml: string) => void) {
    this.#write = write
  }

  /** Shows it for so many seconds, to a person or in a room. */
  show(to: string, seconds: number): void {
    const before = this.#shown.get(to)
    if (!before && this.#shown.size >= maxShown) return
    before?.cancel()
    if (!before) this.#write(stateXml(to, 'composing'))
    const ending = setDeadline(seconds * 1_000, () => {
      this.#shown.delete(to)
      this.#write(stateXml(to, 'paused'))
    })
    this.#shown.set(to, ending)
  }

  /** A message to them is sent, which says the same as the end of writing (XEP-0085 section 5.3). */
  messageSent(to: string): void {
    this.#shown.get(to)?.cancel()
    this.#shown.delete(to)
  }

  end(): void {
    for (const ending of this.#shown.values()) ending.cancel()
    this.#shown.clear()
  }
}

/** No server keeps it for a client that is away (XEP-0085 section 5.6, XEP-0334). */
function stateXml(to: string, state: 'composing' | 'paused'): string {
  const type = isRoom(to) ? 'groupchat' : 'chat'
  const sign = element(state, { xmlns: ns.chatStates })
  return element(
    'message',
    { to: bareOf(to), type },
    sign,
    element('no-store', { xmlns: ns.hints }),
  ).toString()
}
