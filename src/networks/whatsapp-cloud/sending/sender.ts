import type { HttpLimits } from '../../../net/http/request.ts'
import type { Clock } from '../../../runtime/clock.ts'
import type { Log } from '../../../runtime/log.ts'
import { slowestTransfer } from '../../driver/limits.ts'
import type { OutgoingMedia, OutgoingMessage } from '../../driver/message.ts'
import type { ContactKnown, Restriction } from '../../driver/observation.ts'
import { type NetworkError, type Outcome, rejected, uncertain } from '../../driver/outcome.ts'
import { type Json, objectsIn, textIn } from '../../kit/json.ts'
import { CheckedFile, UploadFault } from '../../kit/transfer.ts'
import { isGroup } from '../address.ts'
import type { ErrorCode, ReasonCode } from '../codes.ts'
import { errorOf, noticeOf } from '../errors.ts'
import type { GraphAnswer, GraphApi, GraphRefusal } from '../graph/graph-api.ts'
import { type Delayed, graphCode, meaningOf, type Restricted } from '../graph/graph-codes.ts'
import { hour, restrictionOf } from '../graph/restrictions.ts'
import { recipientIn } from '../people.ts'
import { type CloudContent, contentOf, contextOf, mediaContentOf } from './contents.ts'
import { faultOf, isMedia } from './message-faults.ts'

export interface SenderOptions {
  readonly api: GraphApi
  readonly phoneNumberId: string
  readonly clock: Clock
  readonly log: Log
  /** Milliseconds that the API may take to answer. */
  readonly answerTime: number
  /** Ends every request; its message is then uncertain, unless it certainly was not sent. */
  readonly signal: AbortSignal
  /** The API answered. */
  readonly onAnswer: () => void
  readonly onRestriction: (restriction: Restriction) => void
  /** The API told other addresses of a recipient. */
  readonly onContact: (contact: ContactKnown) => void
  /** The API refuses the token or the number. */
  readonly onEnd: (code: ReasonCode) => void
}

const second = 1_000
const minute = 60_000

/** A file that could not be uploaded, so that nothing was sent. */
interface NotUploaded {
  readonly outcome: Outcome
}

/** Hands messages to the Cloud API, each in one request after the upload of its file, and says what is known of it. */
export class Sender {
  readonly #options: SenderOptions

  constructor(options: SenderOptions) {
    this.#options = options
  }

  async send(message: OutgoingMessage, attempt: number): Promise<Outcome> {
    const fault = await faultOf(message).catch(fileFaultIn)
    if (fault !== null) return rejected(typeof fault === 'string' ? errorOf(fault, true) : fault)
    if (isMedia(message)) {
      const uploaded = await this.#upload(message, attempt)
      if (typeof uploaded !== 'string') return uploaded.outcome
      return this.#post(message, mediaContentOf(message, uploaded), attempt)
    }
    const content = contentOf(message)
    if (content === null) return rejected(errorOf('message_type_not_supported', true))
    return this.#post(message, content, attempt)
  }

  /** Tells the sender of a message that it was read. */
  async markRead(messageId: string): Promise<Outcome> {
    const answer = await this.#call('messages', {
      messaging_product: 'whatsapp',
      status: 'read',
      message_id: messageId,
    })
    if (answer.kind === 'ok') return { kind: 'accepted' }
    return this.#outcomeOf(answer, 1)
  }

  /**
   * Shows the writer of a message, which counts as read then, that an answer is being written: until it comes, or for 25 seconds. Source:
   * Messages, Typing indicators.
   */
  async showTyping(messageId: string): Promise<void> {
    await this.#call('messages', {
      messaging_product: 'whatsapp',
      status: 'read',
      message_id: messageId,
      typing_indicator: { type: 'text' },
    })
  }

  async #post(message: OutgoingMessage, content: CloudContent, attempt: number): Promise<Outcome> {
    const { id, to } = message
    const answer = await this.#call('messages', {
      messaging_product: 'whatsapp',
      ...recipientOf(to),
      ...contextOf(message),
      ...content,
      // It comes back with every status, also if this answer is lost.
      biz_opaque_callback_data: id,
    })
    if (answer.kind !== 'ok') return this.#outcomeOf(answer, attempt)
    const contact = isGroup(to) ? null : recipientIn(answer.json, to)
    if (contact) this.#options.onContact(contact)
    return accepted(answer.json)
  }

  async #call(edge: string, json: Json): Promise<GraphAnswer> {
    const { api, phoneNumberId, answerTime, signal, onAnswer } = this.#options
    const limits = { headers: answerTime, total: answerTime }
    const path = `${phoneNumberId}/${edge}`
    const answer = await api.call({ method: 'POST', path, body: { json }, limits, signal })
    if (answer.kind === 'ok') onAnswer()
    return answer
  }

  /** Uploads the file of a message; returns its id. */
  async #upload({ file }: OutgoingMedia, attempt: number): Promise<string | NotUploaded> {
    const { api, phoneNumberId, answerTime, signal } = this.#options
    const { filename, mime_type: type, size } = file
    const checked = new CheckedFile(file)
    const form = {
      fields: { messaging_product: 'whatsapp', type },
      file: { name: 'file', filename, type, size, open: () => checked.open() },
    }
    const limits: Partial<HttpLimits> = { headers: answerTime, total: answerTime + size / slowestTransfer }
    const path = `${phoneNumberId}/media`
    const answer = await api.call({ method: 'POST', path, body: { form }, limits, signal })
    if (answer.kind === 'ok') {
      const id = textIn(answer.json, 'id')
      return id !== null && /^[\w-]{1,64}$/.test(id) ? id : notUploaded('not_cloud_api')
    }
    if (answer.kind === 'failed' && answer.error instanceof UploadFault)
      return { outcome: rejected(answer.error.error) }
    if (answer.kind === 'refused' && meaningOf(answer) === graphCode(100))
      return { outcome: rejected(this.#errorFor(answer, 'file_type_not_supported', true)) }
    const outcome = this.#outcomeOf(answer, attempt)
    return outcome.kind === 'uncertain' ? notUploaded('upload_failed') : { outcome }
  }

  #outcomeOf(answer: Exclude<GraphAnswer, { readonly kind: 'ok' }>, attempt: number): Outcome {
    switch (answer.kind) {
      case 'refused':
        return this.#refused(answer, attempt)
      case 'unusable':
        // A redirect or a refusal of the request itself comes from something in front of the API.
        return answer.status >= 300 && answer.status < 500 && answer.status !== 408
          ? rejected(errorOf('not_cloud_api', false, `HTTP ${answer.status}`))
          : uncertain('Something answered that does not say whether WhatsApp took the message.')
      case 'failed':
        return answer.phase === 'before-sending'
          ? rejected(errorOf('network_unreachable', false))
          : uncertain('The connection to the Cloud API ended before its answer came.')
    }
  }

  #refused(refusal: GraphRefusal, attempt: number): Outcome {
    const { error, effect } = meaningOf(refusal)
    switch (effect) {
      case 'uncertain':
        this.#log(refusal)
        return uncertain('The Cloud API failed, and did not say whether it took the message.')
      case 'permanent':
        return rejected(this.#errorFor(refusal, error, true))
      case 'once':
        return rejected(this.#errorFor(refusal, error, attempt > 1))
      case 'temporary':
        return rejected(this.#errorFor(refusal, error, false))
    }
    const reported = this.#errorFor(refusal, error, false)
    if (typeof effect === 'string') return this.#deferred(effect, reported, attempt)
    if ('restriction' in effect) return this.#restricted(effect, reported)
    this.#options.onEnd(effect.reason)
    return rejected(reported)
  }

  #restricted({ restriction, scope, time }: Restricted, error: NetworkError): Outcome {
    const since = this.#options.clock.now()
    const until = since + time
    this.#options.onRestriction(restrictionOf(restriction, { scope, since, ends_at: until }))
    return { kind: 'deferred', until, scope: scope === 'all_messages' ? 'instance' : 'recipient', error }
  }

  #deferred(limit: Delayed, error: NetworkError, attempt: number): Outcome {
    const { scope, first, factor } = backoffs[limit]
    const delay = Math.min(hour, first * factor ** (attempt - 1))
    return { kind: 'deferred', until: this.#options.clock.now() + delay, scope, error }
  }

  #errorFor(refusal: GraphRefusal, error: ErrorCode, permanent: boolean): NetworkError {
    this.#log(refusal)
    return errorOf(error, permanent, String(refusal.code))
  }

  /** Meta finds the request by its trace. */
  #log({ code, subcode, trace }: GraphRefusal): void {
    this.#options.log.info({ code, subcode, fbtrace_id: trace }, 'the Cloud API rejected a request')
  }
}

/** For how long a limit defers, in milliseconds: longer with each attempt. */
const backoffs = {
  /** A pair may have one message every six seconds, and pays bursts back. Source: Messages, Pair rate limits. */
  recipient: { scope: 'recipient', first: 6 * second, factor: 4 },
  number: { scope: 'instance', first: 5 * second, factor: 2 },
  account: { scope: 'instance', first: minute, factor: 2 },
  /** A flow of poor health may be sent ten times an hour. Source: Flows, Error codes. */
  flow: { scope: 'recipient', first: 10 * minute, factor: 2 },
} as const satisfies Record<Delayed, object>

/** Returns the error of a file that cannot be read. */
function fileFaultIn(caught: unknown): NetworkError {
  if (caught instanceof UploadFault) return caught.error
  throw caught
}

function recipientOf(to: string): Json {
  if (isGroup(to)) return { recipient_type: 'group', to }
  return { recipient_type: 'individual', ...(to.startsWith('+') ? { to } : { recipient: to }) }
}

function notUploaded(code: 'upload_failed' | 'not_cloud_api'): NotUploaded {
  return { outcome: rejected(errorOf(code, false)) }
}

function accepted(json: Json): Outcome {
  const [message = {}] = objectsIn(json, 'messages')
  const id = textIn(message, 'id')
  if (id === null || !isMessageId(id))
    return uncertain('The answer does not name the message, so nobody knows whether WhatsApp took it.')
  const isHeld = ['held_for_quality_assessment', 'paused'].includes(String(message.message_status))
  return {
    kind: 'accepted',
    network_message_id: id,
    ...(isHeld && { notices: [noticeOf('held_for_quality_assessment')] }),
  }
}

/** The id of a message at WhatsApp, as it is stored and compared: visible ASCII, and not for ever. */
export function isMessageId(id: string): boolean {
  return /^[\x21-\x7e]{1,255}$/.test(id)
}
