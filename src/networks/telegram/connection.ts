import { FetchFailure } from '../../runtime/outbound/failure.ts'
import type { Fetched } from '../../runtime/outbound/guarded-fetch.ts'
import type { HttpClient } from '../../runtime/outbound/http-client.ts'
import type { CaughtUp, ConnectContext, Connection, FileRequest, FreeFormMessage } from '../driver.ts'
import { asObject, integerIn, type Json, textIn } from '../json.ts'
import { memoryReasonAt } from '../memory-reasons.ts'
import type { Observation } from '../observation.ts'
import { type Outcome, rejected } from '../outcome.ts'
import { type ApiAnswer, BotApi } from './bot-api.ts'
import type { ReasonCode } from './codes.ts'
import { endingOf, errorOf, reasonFor } from './errors.ts'
import { openFile } from './files.ts'
import { limits } from './limits.ts'
import { Polling } from './polling.ts'
import { Sender } from './sender.ts'
import type { TelegramCredentials } from './settings.ts'

export interface ConnectionOptions {
  readonly http: HttpClient
  /** The base URL of the Bot API. */
  readonly baseUrl: string
}

/** How long Telegram may take to say who the bot is, in milliseconds. */
const questionTime = limits.probe_timeout_seconds * 1000

/** How long fetching a file may take, in milliseconds. */
const fileTime = 300_000

/**
 * One connection of one bot: it begins when Telegram knows the token, and lasts as long as the polls are answered. Messages are
 * requests of their own; those under way when a poll breaks go on.
 */
export class TelegramConnection implements Connection {
  readonly #context: ConnectContext
  readonly #api: BotApi
  readonly #sender: Sender
  /** Ends the polls and the probes. */
  readonly #over = new AbortController()
  /** Ends everything. */
  readonly #closed = new AbortController()
  #open = false
  #silent = false
  #probing = false

  constructor(context: ConnectContext, { http, baseUrl }: ConnectionOptions) {
    this.#context = context
    const { token } = context.credentials.read() as TelegramCredentials
    this.#api = new BotApi(http, baseUrl, token)
    this.#sender = new Sender({
      api: this.#api,
      clock: context.clock,
      signal: this.#closed.signal,
      onTokenRefused: () => this.#end('token_refused'),
    })
    const abort = () => void this.close()
    context.signal.addEventListener('abort', abort, { once: true })
    this.#over.signal.addEventListener('abort', () => {
      // The next connection of the instance may have its own by now.
      if (context.share.onExceeded === this.#exceeded) context.share.onExceeded = null
    })
    this.#closed.signal.addEventListener('abort', () => context.signal.removeEventListener('abort', abort))
    queueMicrotask(() => (context.signal.aborted ? abort() : void this.#begin()))
  }

  send(message: FreeFormMessage, _attempt: number): Promise<Outcome> {
    if (!this.#open) return Promise.resolve(rejected(errorOf('not_connected', false)))
    return this.#sender.send(message)
  }

  async openFile(reference: string, request: FileRequest): Promise<Fetched> {
    if (this.#closed.signal.aborted) throw new FetchFailure('lost', false, 'the connection is not open')
    const signal = AbortSignal.any([request.signal, this.#closed.signal])
    return openFile(this.#api, reference, { ...request, signal }, fileTime)
  }

  probe(): void {
    if (!this.#open || this.#probing) return
    this.#probing = true
    void this.#whoAmI().then((answer) => {
      this.#probing = false
      if (this.#over.signal.aborted) return
      if (answer.kind === 'ok') this.#report({ kind: 'connection-verified' })
      else this.#end(reasonFor(answer))
    })
  }

  async close(): Promise<void> {
    this.#silent = true
    this.#stop()
    this.#closed.abort()
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
      this.#context.share.onExceeded = this.#exceeded
      const stored = this.#context.caughtUp()
      this.#open = true
      this.#report(accountOf(user, bot))
      this.#report({ kind: 'connection-opened' })
      await this.#poll(String(bot), stored)
    } catch (caught) {
      if (signal.aborted) return
      this.#context.log.error({ err: caught }, 'a connection to Telegram failed internally')
      this.#end('internal_error')
    }
  }

  async #poll(bot: string, stored: Promise<CaughtUp | null>): Promise<void> {
    const { share, clock } = this.#context
    const { signal } = this.#over
    const polling = new Polling({
      api: this.#api,
      bot,
      share,
      clock,
      signal,
      report: (observation) => this.#report(observation),
      caughtUp: () => this.#context.caughtUp(),
    })
    const position = await stored
    signal.throwIfAborted()
    this.#end(await polling.run(position))
  }

  #whoAmI(): Promise<ApiAnswer> {
    const options = { limits: { headers: questionTime, total: questionTime }, signal: this.#over.signal }
    return this.#api.call('getMe', options)
  }

  #report(observation: Observation): void {
    if (!this.#silent) this.#context.report(observation)
  }

  #end(code: ReasonCode): void {
    if (this.#over.signal.aborted) return
    this.#stop()
    const ending = endingOf(code)
    const { kind, reason } = ending
    this.#report(
      kind === 'connection-lost' ? { kind, reason, takenOver: code === 'replaced' } : { kind, reason },
    )
  }

  #stop(): void {
    this.#open = false
    this.#over.abort()
  }
}

/** The account is the user name of the bot: people find it at `https://t.me/` and the name. */
function accountOf(user: Json, bot: number): Observation {
  const username = textIn(user, 'username')
  const name = textIn(user, 'first_name')
  const isName = username !== null && /^[a-z][a-z0-9_]{4,31}$/i.test(username)
  return {
    kind: 'account-known',
    address: isName ? `@${username.toLowerCase()}` : String(bot),
    ...(name !== null && { display_name: name.slice(0, 255) }),
  }
}
