import type { HttpBody } from '../../../net/http/request.ts'
import type { Clock } from '../../../runtime/clock.ts'
import { slowestTransfer } from '../../driver/limits.ts'
import type { OutgoingMedia, PlainMessage } from '../../driver/message.ts'
import type { ContactKnown } from '../../driver/observation.ts'
import { type Notice, type Outcome, rejected, uncertain } from '../../driver/outcome.ts'
import { asObject, integerIn, type Json, objectIn } from '../../kit/json.ts'
import { CheckedFile, UploadFault } from '../../kit/transfer.ts'
import type { ApiAnswer, ApiRefusal, BotApi } from '../bot-api.ts'
import { errorOf, noticeOf, permanentError, unreachable } from '../errors.ts'
import { movedChat } from '../incoming/incoming-message.ts'
import { largestPhoto } from '../limits.ts'
import { isRepresentable } from './text.ts'

export interface SenderOptions {
  readonly api: BotApi
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

  async send(message: PlainMessage, attempt: number): Promise<Outcome> {
    const texts = message.kind === 'text' ? [message.text] : [message.caption ?? '', message.file.filename]
    if (!texts.every(isRepresentable)) return rejected(errorOf('text_not_representable', true))
    if (message.kind !== 'text' && message.file.size === 0) return rejected(errorOf('file_empty', true))
    const first = await this.#attempt(message, attempt)
    if (first.movedTo === undefined) return first.outcome
    this.#options.onContact(movedChat(message.to, first.movedTo))
    // The refusal says that nothing was sent.
    const { outcome } = await this.#attempt({ ...message, to: first.movedTo }, attempt)
    if (outcome.kind !== 'accepted') return outcome
    const notice = noticeOf('recipient_moved', ` It is \`${first.movedTo}\`.`)
    return { ...outcome, notices: [...(outcome.notices ?? []), notice] }
  }

  #attempt(message: PlainMessage, attempt: number): Promise<Attempted> {
    if (message.kind !== 'text') return this.#sendMedia(message, attempt)
    const json = { chat_id: message.to, text: message.text, link_preview_options: { is_disabled: true } }
    return this.#call({ method: 'sendMessage', body: { json } }, message, attempt)
  }

  async #sendMedia(message: OutgoingMedia, attempt: number): Promise<Attempted> {
    const method = methodFor(message)
    const sent = await this.#upload(method, message, attempt)
    if (method !== 'sendPhoto' || sent.refusal === undefined || !isAboutPhoto(sent.refusal)) return sent
    return this.#upload('sendDocument', message, attempt)
  }

  async #upload(method: MediaMethod, message: OutgoingMedia, attempt: number): Promise<Attempted> {
    const { filename, mime_type: type, size } = message.file
    const file = new CheckedFile(message.file)
    const name = fieldOf[method]
    const form = {
      fields: {
        chat_id: message.to,
        ...(message.caption !== null && message.caption !== '' && { caption: message.caption }),
        // Telegram would make a video or a song of some documents.
        ...(message.kind === 'document' && { disable_content_type_detection: 'true' }),
      },
      file: { name, filename, type, size, open: () => file.open() },
    }
    return this.#call({ method, body: { form }, file }, message, attempt)
  }

  async #call({ method, body, file }: Request, message: PlainMessage, attempt: number): Promise<Attempted> {
    const size = message.kind === 'text' ? 0 : message.file.size
    const limits = { headers: answerTime, total: answerTime + size / slowestTransfer }
    const answer = await this.#options.api.call(method, { body, limits, signal: this.#options.signal })
    if (answer.kind === 'refused') {
      const { migratedTo } = answer
      return {
        outcome: this.#refused(answer, message.to, attempt),
        refusal: answer,
        ...(migratedTo !== null && migratedTo !== message.to && { movedTo: migratedTo }),
      }
    }
    return { outcome: outcomeOf(answer, message, file) }
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

interface Request {
  readonly method: string
  readonly body: HttpBody
  readonly file?: CheckedFile
}

interface Attempted {
  readonly outcome: Outcome
  readonly refusal?: ApiRefusal
  /** The supergroup that the group has become. */
  readonly movedTo?: string
}

const fieldOf = {
  sendPhoto: 'photo',
  sendDocument: 'document',
  sendAudio: 'audio',
  sendVoice: 'voice',
} as const
type MediaMethod = keyof typeof fieldOf

/** The types of images that stay as they are as photos; others lose their motion, or are refused. */
const photoTypes = new Set(['image/jpeg', 'image/png', 'image/webp'])

function methodFor({ kind, voice, file }: OutgoingMedia): MediaMethod {
  if (kind === 'audio') return voice ? 'sendVoice' : 'sendAudio'
  const isPhoto = kind === 'image' && photoTypes.has(file.mime_type) && file.size <= largestPhoto
  return isPhoto ? 'sendPhoto' : 'sendDocument'
}

/** Telegram takes no photo that is too long and narrow, or that it cannot read. */
function isAboutPhoto({ code, description }: ApiRefusal): boolean {
  return code === 400 && /photo|image/i.test(description) && !/not enough rights/i.test(description)
}

function outcomeOf(
  answer: Exclude<ApiAnswer, ApiRefusal>,
  message: PlainMessage,
  file: CheckedFile | undefined,
): Outcome {
  switch (answer.kind) {
    case 'ok':
      return accepted(asObject(answer.result) ?? {}, message)
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

function accepted(sent: Json, message: PlainMessage): Outcome {
  const chat = integerIn(objectIn(sent, 'chat') ?? {}, 'id')
  const id = integerIn(sent, 'message_id')
  const notices = noticesFor(sent, message)
  return {
    kind: 'accepted',
    ...(chat !== null && id !== null && { network_message_id: `${chat}:${id}` }),
    ...(notices.length > 0 && { notices }),
  }
}

/** Returns notices if Telegram made something else of the message. */
function noticesFor(sent: Json, message: PlainMessage): Notice[] {
  if (message.kind === 'text' || message.kind === 'document') return []
  const has = (name: string) => objectIn(sent, name) !== null
  if (has('document')) return [noticeOf('sent_as_document')]
  return message.kind === 'audio' && message.voice && has('audio') ? [noticeOf('sent_as_audio')] : []
}
