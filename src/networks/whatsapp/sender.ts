import type { FreeFormMessage } from '../driver.ts'
import { type NetworkError, type Notice, type Outcome, rejected, uncertain } from '../outcome.ts'
import { jidOf } from './address.ts'
import { buildContent, type Content, type ContentOptions, noticesOf } from './content.ts'
import { errorOf } from './errors.ts'
import { whatsappIdOf } from './message-id.ts'
import type { Sent } from './worker-protocol.ts'
import type { WorkerClient } from './workers.ts'

/** The error codes of an acknowledgement. */
const accountRestricted = 463
const malformed = 479
const rateLimited = 429

export interface SenderOptions extends Pick<ContentOptions, 'http' | 'mediaHosts' | 'inTurn' | 'signal'> {
  readonly ask: WorkerClient['line']['ask']
  /** WhatsApp does not let the account write to new people. */
  readonly onRestriction: () => void
  /** WhatsApp did not acknowledge a message: the connection may be dead. */
  readonly onSilence: () => void
}

/** Sends the messages of one connection: prepares what is sent, and says what became of it. */
export class Sender {
  readonly #options: SenderOptions
  /** The attempts that have no outcome yet, by the id of the message. */
  readonly #underWay = new Map<string, Promise<Outcome>>()

  constructor(options: SenderOptions) {
    this.#options = options
  }

  /**
   * The content of a message is fixed by its first attempt; later ones send the same under the same id. One that begins while another
   * is under way gets the same outcome.
   */
  send(message: FreeFormMessage, attempt: number): Promise<Outcome> {
    const { id } = message
    const sending = this.#underWay.get(id) ?? this.#send(message, attempt)
    this.#underWay.set(id, sending)
    void sending.finally(() => {
      if (this.#underWay.get(id) === sending) this.#underWay.delete(id)
    })
    return sending
  }

  async #send(message: FreeFormMessage, attempt: number): Promise<Outcome> {
    const again = attempt > 1 ? await this.#hand(message, null) : null
    if (again && again.kind !== 'forgotten') return this.#outcomeOf(again, noticesOf(message))
    const thumbnail = (image: Uint8Array) => this.#options.ask('thumbnail', { image })
    const built = await buildContent(message, { ...this.#options, thumbnail })
    if (built.kind === 'failed') return built.outcome
    return this.#outcomeOf(await this.#hand(message, built.content), built.notices)
  }

  async #hand({ id, to }: FreeFormMessage, content: Content | null): Promise<Sent> {
    try {
      return await this.#options.ask('send', { id: whatsappIdOf(id), jid: jidOf(to), content })
    } catch {
      // The worker is gone, or the connection was closed; it may have handed the message over before.
      const detail = 'The connection ended before WhatsApp acknowledged the message.'
      return { kind: 'unanswered', detail, isLate: false }
    }
  }

  #outcomeOf(sent: Sent, notices: readonly Notice[]): Outcome {
    switch (sent.kind) {
      case 'acknowledged':
        return { kind: 'accepted', ...(notices.length > 0 && { notices }) }
      case 'no_account':
        return rejected(errorOf('recipient_not_on_network', true))
      case 'no_devices':
        return rejected(errorOf('recipient_unreachable', false))
      case 'not_sent':
      case 'forgotten':
        return rejected(errorOf('network_unreachable', false))
      case 'unanswered':
        if (sent.isLate) this.#options.onSilence()
        return uncertain(sent.detail)
      case 'refused':
        return rejected(this.#errorOf(sent))
    }
  }

  #errorOf({ code, timeLock }: Extract<Sent, { kind: 'refused' }>): NetworkError {
    const networkCode = String(code)
    if (code === accountRestricted) {
      if (timeLock !== true) return errorOf('recipient_refused', true, networkCode)
      this.#options.onRestriction()
      return errorOf('reach_out_restricted', true, networkCode)
    }
    if (code === malformed) return errorOf('message_malformed', true, networkCode)
    if (code === rateLimited) return errorOf('rate_limited', false, networkCode)
    if (code >= 500) return errorOf('server_error', false, networkCode)
    return errorOf('message_refused', true, networkCode)
  }
}
