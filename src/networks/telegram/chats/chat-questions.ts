import type { ContactKnown } from '../../driver/observation.ts'
import type { NetworkError } from '../../driver/outcome.ts'
import type { ApiAnswer, BotApi } from '../bot-api.ts'
import { chatError, errorOf } from '../errors.ts'
import { movedChat } from '../incoming/incoming-message.ts'

export interface ChatQuestionsOptions {
  readonly api: BotApi
  /** Ends every question. */
  readonly signal: AbortSignal
  /** Telegram told the new address of a group. */
  readonly onContact: (contact: ContactKnown) => void
  /** Telegram refused the token. */
  readonly onTokenRefused: () => void
}

/** The answer to a question about a chat, or to an order. */
export type ChatAnswer =
  | { readonly kind: 'done'; readonly value: unknown }
  /** The error has the words of Telegram as its `network_code`. */
  | { readonly kind: 'rejected'; readonly error: NetworkError }
  | Unanswered

interface Unanswered {
  readonly kind: 'unanswered'
  readonly detail: string
  readonly mayBeDone: boolean
}

/** Milliseconds that Telegram may take for an answer. */
const answerTime = 10_000

/** Bytes that an answer may have: a group has at most 50 administrators. */
const maxAnswer = 256 * 1024

/** Questions and orders about chats, besides messages: each is one request, which is not repeated. */
export class ChatQuestions {
  readonly #options: ChatQuestionsOptions

  constructor(options: ChatQuestionsOptions) {
    this.#options = options
  }

  /** Asks about a chat; if that is a group that has become a supergroup, about the supergroup. Never rejects. */
  async ask(
    method: string,
    chat: string,
    { fields = {}, signal }: { readonly fields?: object; readonly signal: AbortSignal },
  ): Promise<ChatAnswer> {
    const { onContact } = this.#options
    const answer = await this.#call(method, { chat_id: chat, ...fields }, signal)
    const movedTo = answer.kind === 'refused' ? answer.migratedTo : null
    if (movedTo === null || movedTo === chat) return this.#read(answer)
    onContact(movedChat(chat, movedTo))
    return this.#read(await this.#call(method, { chat_id: movedTo, ...fields }, signal))
  }

  #call(method: string, json: object, signal: AbortSignal): Promise<ApiAnswer> {
    return this.#options.api.call(method, {
      body: { json },
      limits: { headers: answerTime, total: answerTime },
      maxBytes: maxAnswer,
      signal: AbortSignal.any([signal, this.#options.signal]),
    })
  }

  #read(answer: ApiAnswer): ChatAnswer {
    switch (answer.kind) {
      case 'ok':
        return { kind: 'done', value: answer.result }
      case 'failed':
        return unanswered('The Bot API did not answer.', answer.phase === 'after-sending')
      case 'unusable':
        return unanswered(
          'A server other than the Bot API answered.',
          answer.status < 400 || answer.status >= 500,
        )
      case 'refused': {
        const { code, description } = answer
        if (code >= 500) return unanswered('The Bot API failed.', true)
        if (code !== 401 && (code !== 404 || /method/i.test(description)))
          return { kind: 'rejected', error: chatError(answer) }
        this.#options.onTokenRefused()
        return { kind: 'rejected', error: errorOf('token_refused', false) }
      }
    }
  }
}

function unanswered(detail: string, mayBeDone: boolean): Unanswered {
  return { kind: 'unanswered', detail, mayBeDone }
}

/** The answer while the bot is not connected. */
export const notConnected = unanswered('The bot is not connected.', false)
