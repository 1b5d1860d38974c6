import { type Deadline, setDeadline } from '../../../runtime/timers/deadline.ts'
import { isFromServer } from '../stanzas/stanza-sender.ts'
import type { Xml } from '../stanzas/xml.ts'
import { unregistration } from './registration.ts'

const requestId = 'unregistration'

/** Deletes the account at its server. */
export class AccountRemoval {
  readonly #write: (xml: string) => void
  #waiting: { readonly deadline: Deadline; settle(confirmed: boolean): void } | null = null

  constructor(write: (xml: string) => void) {
    this.#write = write
  }

  /** Resolves to whether the server confirmed it within so many milliseconds. */
  async ask(timeout: number): Promise<boolean> {
    if (this.#waiting) return false
    const { promise, resolve } = Promise.withResolvers<boolean>()
    this.#waiting = { deadline: setDeadline(timeout, () => this.end()), settle: resolve }
    this.#write(unregistration(requestId))
    return await promise
  }

  /** Takes the answer; ignores what is none. */
  take(iq: Xml, account: string): void {
    if (iq.attrs.id === requestId && isFromServer(iq, account)) this.end(iq.attrs.type === 'result')
  }

  end(confirmed = false): void {
    const waiting = this.#waiting
    this.#waiting = null
    waiting?.deadline.cancel()
    waiting?.settle(confirmed)
  }
}
