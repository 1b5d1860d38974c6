import type { HttpBody } from '../../../net/http/request.ts'
import type { Clock } from '../../../runtime/clock.ts'
import { slowestTransfer } from '../../driver/limits.ts'
import type { FreeFormMessage } from '../../driver/message.ts'
import type { ContactKnown } from '../../driver/observation.ts'
import { accepted, type Notice, type Outcome, rejected, uncertain } from '../../driver/outcome.ts'
import { asObject, integerIn, type Json, objectIn, textIn } from '../../kit/json.ts'
import { CheckedFile, UploadFault } from '../../kit/transfer.ts'
import type { ApiAnswer, ApiRefusal, BotApi } from '../bot-api.ts'
import { errorOf, noticeOf, permanentError, unreachable } from '../errors.ts'
import { movedChat } from '../incoming/incoming-message.ts'
import { messageId } from '../message-id.ts'
import type { SentPolls } from '../polls.ts'
import { asDocument, requestFor, type SendRequest } from './requests.ts'

export interface SenderOptions {
  readonly api: BotApi
  readonly polls: SentPolls
  readonly clock: Clock
  /** Ends every request; its message is then uncertain, unless it certainly was not sent. */
  readonly signal: AbortSignal
  /** Telegram told the new address of a group. */
  readonly onContact: (contact: ContactKnown) => void
  /** Telegram refused the token. */
  readonly onTokenRefused: () => void
}

/** Milliseconds that Telegram may take for a message, besides the time for the bytes of a file. */
const answerTime = 30_000

/** If two chats are refused for now within this time, the limit is that of the bot. In milliseconds. */
const together = 10_000

/** The longest time that a refusal for now may ask for, in seconds. */
const longestWait = 86_400

/** For how long a refusal for now defers that names no time, in seconds: it doubles with each attempt. */
const [firstBackoff, longestBackoff] = [5, 300]

/** Hands messages to Telegram, each in one request, and says what is known of it. */
export class Sender {
  readonly #options: SenderOptions
  /** The last refusal for now. */
  #limited: { readonly to: string; readonly at: number } | null = null

  constructor(options: SenderOptions) {
    this.#options = options
  }

  async send(message: FreeFormMessage, attempt: number): Promise<Outcome> {
    const first = await this.#attempt(message, attempt)
    const { movedTo } = first
    if (movedTo === undefined) return first.outcome
    this.#options.onContact(movedChat(message.to, movedTo))
    if ('target' in message || message.replyTo) return rejected(errorOf('target_unknown', true))
    // The refusal says that nothing was sent.
    const { outcome } = await this.#attempt({ ...message, to: movedTo }, attempt)
    if (outcome.kind !== 'accepted') return outcome
    const notice = noticeOf('recipient_moved', ` It is \`${movedTo}\`.`)
    return { ...outcome, notices: [...(outcome.notices ?? []), notice] }
  }

  async #attempt(message: FreeFormMessage, attempt: number): Promise<Attempted> {
    const request = requestFor(message)
    if (typeof request === 'string') return { outcome: rejected(errorOf(request, true)) }
    const calling = this.#call(request, message, attempt)
    const sent = await (message.kind === 'poll' ? this.#options.polls.sending(calling) : calling)
    const isOtherPhoto =
      request.method === 'sendPhoto' && sent.refusal !== undefined && isAboutPhoto(sent.refusal)
    return isOtherPhoto && 'file' in message ? this.#call(asDocument(message), message, attempt) : sent
  }

  async #call(request: SendRequest, message: FreeFormMessage, attempt: number): Promise<Attempted> {
    const file = request.file && new CheckedFile(request.file.of)
    const size = request.file?.of.size ?? 0
    const limits = { headers: answerTime, total: answerTime + size / slowestTransfer }
    const { api, signal } = this.#options
    const answer = await api.call(request.method, { body: bodyOf(request, file), limits, signal })
    if (answer.kind === 'refused') {
      if (isDone(message, answer)) return { outcome: accepted }
      const { migratedTo } = answer
      // The messages of a group stay behind when it becomes a supergroup.
      if (migratedTo !== null && 'target' in message)
        return { outcome: rejected(errorOf('target_unknown', true)) }
      return {
        outcome: this.#refused(answer, message.to, attempt),
        refusal: answer,
        ...(migratedTo !== null && migratedTo !== message.to && { movedTo: migratedTo }),
      }
    }
    if (answer.kind === 'ok') await this.#keepPoll(answer.result, message)
    return { outcome: outcomeOf(answer, message, file) }
  }

  async #keepPoll(result: unknown, message: FreeFormMessage): Promise<void> {
    if (message.kind !== 'poll') return
    const sent = asObject(result) ?? {}
    const [poll, place] = [textIn(objectIn(sent, 'poll') ?? {}, 'id'), nameOf(sent)]
    if (poll === null || place === null) return
    await this.#options.polls.keep(poll, { message: place, options: message.poll.options })
  }

  #refused(refusal: ApiRefusal, to: string, attempt: number): Outcome {
    const { code, description } = refusal
    if (code === 429) return this.#deferred(refusal, to, attempt)
    if (code >= 500) return uncertain('The Bot API failed, and did not say if it had taken the message.')
    if (code === 401 || (code === 404 && !/method/i.test(description))) {
      this.#options.onTokenRefused()
      return rejected(errorOf('token_refused', false))
    }
    return rejected(permanentError(refusal))
  }

  /** Telegram does not say whether the limit is that of the chat or of the bot. */
  #deferred({ retryAfter, description }: ApiRefusal, to: string, attempt: number): Outcome {
    const { clock } = this.#options
    const at = clock.monotonic()
    const isOfBot = this.#limited !== null && this.#limited.to !== to && at - this.#limited.at < together
    this.#limited = { to, at }
    const named = retryAfter ?? secondsIn(description)
    const seconds =
      named === null
        ? Math.min(longestBackoff, firstBackoff * 2 ** (attempt - 1))
        : Math.min(longestWait, Math.max(1, named))
    return {
      kind: 'deferred',
      until: clock.now() + seconds * 1000,
      scope: isOfBot ? 'instance' : 'recipient',
      error: errorOf('rate_limited', false, description),
    }
  }
}

/** The time that a refusal names only in its words, in seconds; null if it names none. */
function secondsIn(description: string): number | null {
  const [, seconds] = /retry after (\d{1,9})/i.exec(description) ?? []
  return seconds === undefined ? null : Number(seconds)
}

interface Attempted {
  readonly outcome: Outcome
  readonly refusal?: ApiRefusal
  /** The supergroup that the group has become. */
  readonly movedTo?: string
}

function bodyOf({ fields, file }: SendRequest, checked: CheckedFile | undefined): HttpBody {
  if (!file || !checked) return { json: fields }
  const texts = Object.entries(fields).map(([name, value]) => {
    return [name, typeof value === 'string' ? value : JSON.stringify(value)]
  })
  const { filename, mime_type: type, size } = file.of
  const form = { name: file.name, filename, type, size, open: () => checked.open() }
  return { form: { fields: Object.fromEntries(texts), file: form } }
}

/** True if a change was refused because the message is already as it would make it, for example by an attempt before. */
function isDone({ kind }: FreeFormMessage, { description }: ApiRefusal): boolean {
  if (kind === 'retraction') return /message to delete not found/i.test(description)
  return (kind === 'correction' || kind === 'reaction') && /not[ _]modified/i.test(description)
}

/** Telegram takes no photo that is too long and narrow, or that it cannot read. */
function isAboutPhoto({ code, description }: ApiRefusal): boolean {
  return code === 400 && /photo|image/i.test(description) && !/not enough rights/i.test(description)
}

function outcomeOf(
  answer: Exclude<ApiAnswer, ApiRefusal>,
  message: FreeFormMessage,
  file: CheckedFile | undefined,
): Outcome {
  switch (answer.kind) {
    case 'ok':
      return acceptedAs(asObject(answer.result) ?? {}, message)
    case 'unusable':
      if (answer.status === 413) return rejected(errorOf('file_too_large', true))
      if (answer.status < 300 || answer.status >= 500)
        return uncertain('Something answered that does not say if Telegram has taken the message.')
      return rejected(errorOf('answer_unusable', false, `HTTP ${answer.status}`))
    case 'failed':
      if (answer.reason === 'file')
        return rejected(
          answer.error instanceof UploadFault ? answer.error.error : errorOf('file_unreadable', false),
        )
      if (answer.phase === 'before-sending') return rejected(unreachable(answer))
      if (file && !file.wasRead) return rejected(errorOf('upload_interrupted', false))
      return uncertain('The connection to the Bot API ended before its answer came.')
  }
}

/** A change of a message has no id of its own. */
function acceptedAs(sent: Json, message: FreeFormMessage): Outcome {
  const id = 'target' in message ? null : nameOf(sent)
  const notices = noticesFor(sent, message)
  return {
    kind: 'accepted',
    ...(id !== null && { network_message_id: id }),
    ...(notices.length > 0 && { notices }),
  }
}

function nameOf(sent: Json): string | null {
  const chat = integerIn(objectIn(sent, 'chat') ?? {}, 'id')
  const number = integerIn(sent, 'message_id')
  return chat === null || number === null ? null : messageId(chat, number)
}

/** Returns notices if Telegram made something else of the file. */
function noticesFor(sent: Json, message: FreeFormMessage): Notice[] {
  if (!('file' in message) || message.kind === 'document') return []
  const has = (name: string) => objectIn(sent, name) !== null
  // A video without sound becomes an animation, which comes as a document, too.
  if (has('document') && !has('animation')) return [noticeOf('sent_as_document')]
  return message.kind === 'audio' && message.voice && has('audio') ? [noticeOf('sent_as_audio')] : []
}
