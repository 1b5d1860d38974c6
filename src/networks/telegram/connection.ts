import { NetFailure } from '../../net/failure.ts'
import type { Fetched } from '../../net/fetch/fetch.ts'
import type { HttpClient } from '../../net/http/client.ts'
import { type Callback, type CallbackReported, UnreadableCallback } from '../driver/abilities/callbacks.ts'
import type { CaughtUp } from '../driver/abilities/catching-up.ts'
import type { FileAccess, FileRequest } from '../driver/abilities/files.ts'
import type { GroupActions } from '../driver/abilities/groups.ts'
import type { PictureAnswer } from '../driver/abilities/pictures.ts'
import type { ConnectContext, DriverConnection } from '../driver/connection.ts'
import type { FreeFormMessage } from '../driver/message.ts'
import type { ContactKnown, Observation, Restriction } from '../driver/observation.ts'
import { type Outcome, rejected } from '../driver/outcome.ts'
import {
  asObject,
  integerIn,
  type Json,
  type JsonLimits,
  looksWithin,
  parseObject,
  textIn,
} from '../kit/json.ts'
import { memoryReasonAt } from '../kit/memory-reasons.ts'
import { allStored } from '../kit/reports.ts'
import { ShownWords } from '../kit/shown-words.ts'
import { WorkInTurn } from '../kit/work-in-turn.ts'
import { type ApiAnswer, BotApi } from './bot-api.ts'
import { requestFor, secretsOf } from './callbacks.ts'
import { ChatQuestions, notConnected } from './chats/chat-questions.ts'
import { TelegramGroups } from './chats/groups.ts'
import { findPicture } from './chats/pictures.ts'
import { TypingShown } from './chats/typing.ts'
import type { ReasonCode } from './codes.ts'
import { endingOf, errorOf, failingSince, reasonFor } from './errors.ts'
import { openFile } from './files.ts'
import { Polling } from './incoming/polling.ts'
import { Updates } from './incoming/updates.ts'
import { TelegramWebhook, type Trouble, tokenIn } from './incoming/webhook.ts'
import { KeptJoinRequests } from './join-requests.ts'
import { limits } from './limits.ts'
import { SentPolls } from './polls.ts'
import { Sender } from './sending/sender.ts'
import { botOf, isCalledBack, type TelegramCredentials } from './settings.ts'

export interface ConnectionOptions {
  readonly http: HttpClient
  /** The base URL of the Bot API. */
  readonly baseUrl: string
}

/** Milliseconds in which Telegram must say who the bot is. */
const questionTime = limits.probe_timeout_seconds * 1000

/** One update has some hundred parts, and some thousand if it has many buttons or entities. */
const updateLimits: JsonLimits = { structure: 30_000, depth: 50 }

/**
 * One connection of one bot: it begins when Telegram knows the token, and lasts as long as the polls are answered, or, if Telegram
 * calls back, as long as the webhook is that of the instance. Messages are requests of their own; those under way when a poll breaks go on.
 */
export class TelegramConnection implements DriverConnection {
  readonly #context: ConnectContext
  readonly #api: BotApi
  readonly #sender: Sender
  readonly #work: WorkInTurn
  readonly #updates: Updates
  readonly #questions: ChatQuestions
  readonly #typing: TypingShown
  readonly groups: GroupActions
  /** Null if there is no callback URL. */
  readonly #webhook: TelegramWebhook | null
  readonly files: FileAccess = { open: (reference, request) => this.#openFile(reference, request) }
  /** Settles when the connection is open, or has ended. */
  #begun = Promise.resolve()
  /** Settles when no probe is under way. */
  #probed = Promise.resolve()
  #removing = false
  /** Ends the polls and the probes. */
  readonly #over = new AbortController()
  /** Ends everything. */
  readonly #closed = new AbortController()
  #open = false
  #silent = false
  #probing = false
  /** The warning that was reported last. */
  #warning: Restriction | null

  constructor(context: ConnectContext, { http, baseUrl }: ConnectionOptions) {
    this.#context = context
    this.#warning = context.restriction ?? null
    const { token } = context.credentials.read() as TelegramCredentials
    this.#work = new WorkInTurn(context.share)
    const { clock, callbacks } = context
    const url = callbacks?.url ?? null
    const words = new ShownWords([...secretsOf(token), ...(url === null ? [] : [tokenIn(url)])])
    this.#api = new BotApi(http, baseUrl, token, words)
    const isAbandoned = async (other: string) =>
      (await callbacks?.isAbandoned(other, requestFor(token))) ?? false
    const asking = { time: questionTime, signal: this.#closed.signal }
    this.#webhook =
      url === null ? null : new TelegramWebhook({ api: this.#api, url, token, isAbandoned, clock, ...asking })
    const polls = new SentPolls(context)
    const requests = new KeptJoinRequests(context)
    this.#updates = new Updates({
      ...{ api: this.#api, polls, requests, bot: botOf(token), clock, signal: this.#over.signal },
      report: (observation) => this.#report(observation),
    })
    const told = {
      signal: this.#closed.signal,
      onTokenRefused: () => this.#end('token_refused'),
      onContact: (contact: ContactKnown) => this.#report(contact),
    }
    this.#sender = new Sender({ ...{ api: this.#api, polls, clock }, ...told })
    this.#questions = new ChatQuestions({ api: this.#api, ...told })
    this.#typing = new TypingShown(this.#api, this.#over.signal)
    const isOpen = () => this.#open
    const groups = { questions: this.#questions, kept: requests, bot: botOf(token), isOpen }
    this.groups = new TelegramGroups(groups)
    const abort = () => void this.close()
    context.signal.addEventListener('abort', abort, { once: true })
    this.#over.signal.addEventListener('abort', () => {
      this.#work.end()
      // The next connection of the instance may have its own by now.
      if (context.share.onExceeded === this.#exceeded) context.share.onExceeded = null
    })
    this.#closed.signal.addEventListener('abort', () => context.signal.removeEventListener('abort', abort))
    queueMicrotask(() => {
      if (context.signal.aborted) abort()
      else this.#begun = this.#begin()
    })
  }

  send(message: FreeFormMessage, attempt: number): Promise<Outcome> {
    if (!this.#open) return Promise.resolve(rejected(errorOf('not_connected', false)))
    this.#typing.end(message.to)
    return this.#sender.send(message, attempt)
  }

  showTyping(to: string, seconds: number, topic?: string): Promise<void> {
    return this.#open ? this.#typing.show(to, seconds, topic) : Promise.resolve()
  }

  async findPicture(address: string, signal: AbortSignal): Promise<PictureAnswer> {
    if (!this.#open) return notConnected
    const either = AbortSignal.any([signal, this.#closed.signal])
    return findPicture(this.#questions, this.#api, address, either)
  }

  async #openFile(reference: string, request: FileRequest): Promise<Fetched> {
    if (this.#closed.signal.aborted) throw new NetFailure('lost', false, 'the connection is not open')
    const signal = AbortSignal.any([request.signal, this.#closed.signal])
    return openFile(this.#api, reference, { ...request, signal })
  }

  probe(): void {
    if (!this.#open || this.#probing) return
    this.#probing = true
    this.#probed = this.#check().then((trouble) => {
      this.#probing = false
      if (this.#over.signal.aborted) return
      if (trouble !== null) return this.#end(trouble.code, trouble.said)
      this.#report({ kind: 'connection-verified' })
      this.#warn()
    })
  }

  async receive({ body, received_at }: Callback): Promise<CallbackReported> {
    const steps = looksWithin(body, updateLimits)
    const isReadable = await this.#work.until(() => steps.next().value ?? undefined)
    const update = isReadable ? await this.#work.do(() => parseObject(body)) : null
    if (!update) throw new UnreadableCallback('the callback is no update')
    const polls = await this.#updates.prepare([update])
    if (!this.#open) throw new Error('the connection ended before a callback was handled')
    this.#webhook?.delivered(received_at)
    const warned = this.#webhook?.failure === null ? this.#warn() : true
    const { news, message } = this.#updates.report(update, polls)
    return { stored: allStored([warned, news, message]) }
  }

  async close(): Promise<void> {
    const wasOver = this.#over.signal.aborted
    this.#silent = true
    this.#stop()
    // Messages that were handed over before Telegram refused the token keep their time to be answered.
    if (!wasOver) this.#closed.abort()
  }

  async remove(): Promise<boolean> {
    this.#removing = true
    await this.#begun
    await this.#probed
    return this.#webhook === null || this.#webhook.remove()
  }

  readonly #exceeded = (scope: keyof typeof memoryReasonAt): void => this.#end(memoryReasonAt[scope])

  async #begin(): Promise<void> {
    const { signal } = this.#over
    try {
      const answer = await this.#whoAmI()
      if (signal.aborted) return
      if (answer.kind !== 'ok') return this.#end(reasonFor(answer))
      const user = asObject(answer.result) ?? {}
      const bot = integerIn(user, 'id')
      if (bot === null || user.is_bot !== true) return this.#end('not_telegram')
      const isCalled = isCalledBack(this.#context.settings)
      const trouble = isCalled ? await this.#setWebhook() : null
      if (signal.aborted) return
      if (trouble) return this.#end(trouble.code, trouble.said)
      this.#context.share.onExceeded = this.#exceeded
      const stored = isCalled ? null : this.#context.stored.upTo()
      this.#open = true
      this.#report(accountOf(user, bot))
      this.#report({ kind: 'connection-opened' })
      this.#warn()
      if (stored) void this.#poll(String(bot), stored).catch((error) => this.#failed(error))
      // Messages that came while there was no connection wait as callbacks.
      else this.#report({ kind: 'caught-up', through: null })
    } catch (error) {
      this.#failed(error)
    }
  }

  #failed(error: unknown): void {
    if (this.#over.signal.aborted) return
    this.#context.log.error({ err: error }, 'a connection to Telegram failed internally')
    this.#end('internal_error')
  }

  async #setWebhook(): Promise<Trouble | null> {
    if (!this.#webhook) return { code: 'callback_url_missing' }
    // It would be deleted at once.
    return this.#removing ? null : this.#webhook.set()
  }

  /** Tells whether Telegram can deliver, if that has changed. Messages can be sent in either case. */
  #warn(): Promise<boolean> {
    const failure = this.#webhook?.failure
    const since = this.#warning?.since ?? failure?.at ?? 0
    const warning = failure ? failingSince(since, failure.said) : null
    if (warning?.detail === this.#warning?.detail) return Promise.resolve(true)
    this.#warning = warning
    return this.#report({ kind: 'restriction', restriction: warning })
  }

  /** Returns the trouble with the connection, from Telegram's present state; null if there is none. */
  async #check(): Promise<Trouble | null> {
    // It would set the webhook that is being deleted.
    if (this.#removing) return null
    if (this.#webhook && isCalledBack(this.#context.settings)) return this.#webhook.check()
    const answer = await this.#whoAmI()
    return answer.kind === 'ok' ? null : { code: reasonFor(answer) }
  }

  async #poll(bot: string, stored: Promise<CaughtUp | null>): Promise<void> {
    const { share, clock } = this.#context
    const { signal } = this.#over
    const position = await stored
    signal.throwIfAborted()
    const polling = new Polling({
      api: this.#api,
      bot,
      share,
      clock,
      signal,
      work: this.#work,
      updates: this.#updates,
      log: this.#context.log,
      report: (observation) => this.#report(observation),
    })
    const end = await polling.run(position)
    // This instance, or one that has another bot by now, was called back before.
    if (end === 'webhook_set' && (await this.#webhook?.isSet()) && (await this.#webhook?.remove()))
      this.#end(await polling.run(position))
    else this.#end(end)
  }

  #whoAmI(): Promise<ApiAnswer> {
    const options = { limits: { headers: questionTime, total: questionTime }, signal: this.#over.signal }
    return this.#api.call('getMe', options)
  }

  #report(observation: Observation): Promise<boolean> {
    return this.#silent ? Promise.resolve(false) : this.#context.report(observation)
  }

  #end(code: ReasonCode, said?: string): void {
    if (this.#over.signal.aborted) return
    this.#stop()
    const { kind, reason } = endingOf(code, said)
    this.#report(
      kind === 'connection-lost' ? { kind, reason, takenOver: code === 'replaced' } : { kind, reason },
    )
  }

  #stop(): void {
    this.#open = false
    this.#over.abort()
  }
}

/** The account is the user name of the bot, by which people find it. */
function accountOf(user: Json, bot: number): Observation {
  const username = textIn(user, 'username')
  const name = textIn(user, 'first_name')
  const isName = username !== null && /^[a-z][a-z0-9_]{4,31}$/i.test(username)
  return {
    kind: 'account-known',
    address: isName ? `@${username.toLowerCase()}` : String(bot),
    ...(name !== null && { display_name: name.slice(0, 255) }),
    ...(isName && { url: `https://t.me/${username}` }),
  }
}
