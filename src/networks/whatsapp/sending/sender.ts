import { type NetworkError, type Notice, type Outcome, rejected, uncertain } from '../../driver/outcome.ts'
import { isGroup, jidOf } from '../address.ts'
import type { ErrorCode } from '../codes.ts'
import { buildContent, type ContentOptions, noticesOf, type SendableMessage } from '../content/content.ts'
import type { WhatsAppContent } from '../content/fields.ts'
import { errorOf } from '../errors.ts'
import { whatsappIdOf } from '../message-id.ts'
import type { WorkerClient } from '../processes/worker-client.ts'
import type { SendingResult } from '../processes/worker-protocol.ts'
import { ackErrors } from './ack-errors.ts'

export interface SenderOptions
  extends Pick<ContentOptions, 'http' | 'mediaHosts' | 'inTurn' | 'hold' | 'signal'> {
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
  send(message: SendableMessage, attempt: number): Promise<Outcome> {
    const { id } = message
    const sending = this.#underWay.get(id) ?? this.#send(message, attempt)
    this.#underWay.set(id, sending)
    void sending.finally(() => {
      if (this.#underWay.get(id) === sending) this.#underWay.delete(id)
    })
    return sending
  }

  async #send(message: SendableMessage, attempt: number): Promise<Outcome> {
    const again = attempt > 1 ? await this.#hand(message, null) : null
    if (again && again.kind !== 'forgotten') return this.#outcomeOf(again, message.to, noticesOf(message))
    const thumbnail = (image: Uint8Array) => this.#options.ask('thumbnail', { image })
    const built = await buildContent(message, { ...this.#options, thumbnail })
    if (built.kind === 'failed') return built.outcome
    return this.#outcomeOf(await this.#hand(message, built.content), message.to, built.notices)
  }

  async #hand({ id, to }: SendableMessage, content: WhatsAppContent | null): Promise<SendingResult> {
    try {
      return await this.#options.ask('send', { id: whatsappIdOf(id), jid: jidOf(to), content })
    } catch {
      // The worker is gone, or the connection was closed; it may have handed the message over before.
      const detail = 'The connection ended before WhatsApp acknowledged the message.'
      return { kind: 'unanswered', detail, isLate: false }
    }
  }

  #outcomeOf(sent: SendingResult, to: string, notices: readonly Notice[]): Outcome {
    switch (sent.kind) {
      case 'acknowledged':
        return { kind: 'accepted', ...(notices.length > 0 && { notices }) }
      case 'no_account':
        return rejected(errorOf('recipient_not_on_network', true))
      case 'no_devices':
        return rejected(errorOf('recipient_unreachable', false))
      case 'too_late':
        return rejected(errorOf('edit_window_over', true))
      case 'not_sent':
      case 'forgotten':
        return rejected(errorOf('network_unreachable', false))
      case 'unanswered':
        if (sent.isLate) this.#options.onSilence()
        return uncertain(sent.detail)
      case 'refused':
        return rejected(this.#errorOf(sent, to))
    }
  }

  #errorOf({ code, timeLock }: Extract<SendingResult, { kind: 'refused' }>, to: string): NetworkError {
    const permanent = (error: ErrorCode) => errorOf(error, true, String(code))
    switch (code) {
      case ackErrors.restricted:
        if (timeLock !== true) return permanent('recipient_refused')
        this.#options.onRestriction()
        return permanent('reach_out_restricted')
      case ackErrors.newChatsCapped:
        return permanent('new_chats_limit')
      case ackErrors.malformed:
      case ackErrors.staleGroup:
        return permanent('message_malformed')
      case ackErrors.rateLimited:
        return errorOf('rate_limited', false, String(code))
      case ackErrors.forbidden:
      case ackErrors.notFound:
        return permanent(isGroup(to) ? 'not_in_group' : 'message_refused')
      default:
        return code >= 500 ? errorOf('server_error', false, String(code)) : permanent('message_refused')
    }
  }
}
