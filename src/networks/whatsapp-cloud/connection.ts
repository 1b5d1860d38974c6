import { NetFailure } from '../../net/failure.ts'
import type { Fetched } from '../../net/fetch/fetch.ts'
import { TokenBucket } from '../../runtime/limits/token-bucket.ts'
import type { Callback, CallbackReported } from '../driver/abilities/callbacks.ts'
import type { FileAccess, FileRequest } from '../driver/abilities/files.ts'
import type { GroupActions } from '../driver/abilities/groups.ts'
import type { ReadOutcome, ReceivedName } from '../driver/abilities/reading.ts'
import type { TemplateQuestion, TemplatesAnswer } from '../driver/abilities/templates.ts'
import type { ConnectContext, DriverConnection } from '../driver/connection.ts'
import type { OutgoingMessage } from '../driver/message.ts'
import type { AccountKnown, Observation, Restriction } from '../driver/observation.ts'
import { type Outcome, rejected } from '../driver/outcome.ts'
import { eachObjectIn, type Json, textIn } from '../kit/json.ts'
import { memoryReasonAt } from '../kit/memory-reasons.ts'
import { cutText } from '../kit/received-text.ts'
import { allStored } from '../kit/reports.ts'
import { WorkInTurn } from '../kit/work-in-turn.ts'
import { type ApiOptions, apiOf, askForNumber, questionsOf } from './account.ts'
import { phoneAddress } from './address.ts'
import type { ReasonCode } from './codes.ts'
import { endingOf, errorOf, restrictedBy, type Trouble, troubleIn, type Unanswered } from './errors.ts'
import { openFile } from './files.ts'
import type { GraphApi } from './graph/graph-api.ts'
import type { Restricted } from './graph/graph-codes.ts'
import type { Questions } from './graph/questions.ts'
import { Restrictions, restrictionOf, wider } from './graph/restrictions.ts'
import { CloudGroups } from './groups/cloud-groups.ts'
import { OrderResults } from './groups/order-results.ts'
import { errorCodesIn, newsIn } from './incoming/account-news.ts'
import { restrictionsIn } from './incoming/account-updates.ts'
import { groupFieldNames, groupNewsIn } from './incoming/group-news.ts'
import { echoIn, messageIn } from './incoming/incoming-message.ts'
import { changesIn, type NotifiedChange } from './incoming/notifications.ts'
import { choiceIn, observationIn, recipientKnown, restrictionIn } from './incoming/statuses.ts'
import { profilesIn } from './incoming/writer-names.ts'
import { movedContactsIn } from './people.ts'
import { Sender } from './sending/sender.ts'
import { listTemplates } from './sending/templates.ts'
import type { CloudCredentials, CloudSettings } from './settings.ts'

/**
 * Observations that are reported before those before them must be stored: few, so that others have their turn in between.
 */
const together = 10

/** Milliseconds, at least, between two responses to messages that are reported as signs of life. */
const signOfLife = 60_000

/** Rate of the probes that follow callbacks about the account. Beyond it, the next probe is the regular one. */
const looks = { count: 4, seconds: 60 }

/** The fields about the account, or about how it uses the number, from which a restriction may follow. */
const aboutAccount = new Set(['account_update', 'account_review_update', 'phone_number_quality_update'])

/** In UTF-16 units. */
const longestName = 255

/** Work that is done in turns: yields an observation to report, or null if there is none this time. */
type Steps = Generator<Observation | null, void, undefined>

/**
 * One connection of one phone number. Nothing lasts between requests: it is open while the API accepts the token for the number.
 * What happens comes by callbacks.
 */
export class CloudConnection implements DriverConnection {
  readonly files: FileAccess = { open: (reference, request) => this.#openFile(reference, request) }
  readonly groups: GroupActions
  readonly #context: ConnectContext
  readonly #api: GraphApi
  readonly #questions: Questions
  readonly #sender: Sender
  readonly #restrictions: Restrictions
  /** Resolves with true if the restriction that was reported last is stored. */
  #restricted = Promise.resolve(true)
  readonly #timeouts: ApiOptions['timeouts']
  /** Ends everything. */
  readonly #closed = new AbortController()
  readonly #work: WorkInTurn
  readonly #orderResults = new OrderResults()
  /** The phone number, as an address. */
  #address: string | null = null
  #state: 'opening' | 'open' | 'ended' = 'opening'
  readonly #isWithoutApp: boolean
  #probing = false
  readonly #looks: TokenBucket
  /** Something was said of the account since the probe under way began. */
  #looksAgain = false
  /** When it was last reported that the API answered, on the monotonic clock. */
  #verifiedAt = 0

  constructor(context: ConnectContext, options: ApiOptions) {
    this.#context = context
    this.#timeouts = options.timeouts
    this.#work = new WorkInTurn(context.share)
    this.#looks = new TokenBucket(looks, context.clock.monotonic())
    const credentials = context.credentials.read() as CloudCredentials
    const asking = { settings: this.#settings, credentials, http: context.http, signal: this.#closed.signal }
    this.#isWithoutApp = credentials.app_secret === undefined && options.app === undefined
    this.#api = apiOf(options, asking)
    this.#questions = questionsOf(this.#api, options, asking)
    this.#restrictions = new Restrictions(context.clock, context.restriction ?? null, (restriction) => {
      this.#restricted = this.#report({ kind: 'restriction', restriction })
    })
    this.#sender = new Sender({
      api: this.#api,
      phoneNumberId: this.#settings.phone_number_id,
      clock: context.clock,
      log: context.log,
      answerTime: options.timeouts.answer,
      signal: this.#closed.signal,
      onAnswer: () => this.#lives(),
      onRestriction: (restriction) => this.#restrictions.change({ restricted: [restriction] }),
      onContact: (contact) => this.#report(contact),
      onEnd: (code) => this.#end({ code }),
    })
    this.groups = new CloudGroups({
      api: this.#api,
      phoneNumberId: this.#settings.phone_number_id,
      timeouts: options.timeouts,
      results: this.#orderResults,
      isOpen: () => this.#state === 'open',
      account: () => this.#address,
      over: this.#closed.signal,
      onAnswer: () => this.#lives(),
      onDoubt: () => this.#look(),
    })
    context.signal.addEventListener('abort', this.#abort, { once: true })
    queueMicrotask(() => (context.signal.aborted ? this.#abort() : void this.#begin()))
  }

  send(message: OutgoingMessage, attempt: number): Promise<Outcome> {
    if (this.#state !== 'open') return Promise.resolve(rejected(errorOf('not_connected', false)))
    return this.#sender.send(message, attempt)
  }

  async markRead({ network_message_id }: ReceivedName): Promise<ReadOutcome> {
    if (this.#state !== 'open') return { kind: 'uncertain', detail: 'The connection is not open.' }
    const outcome = await this.#sender.markRead(network_message_id)
    return outcome.kind === 'deferred' ? { kind: 'rejected', error: outcome.error } : outcome
  }

  /** Marks the message as read, too: Meta knows no other way. */
  async showTyping(_to: string, _seconds: number, _topic?: string, answering?: string): Promise<void> {
    if (this.#state === 'open' && answering !== undefined) await this.#sender.showTyping(answering)
  }

  async listTemplates(question: TemplateQuestion): Promise<TemplatesAnswer> {
    if (this.#state !== 'open') return { kind: 'unanswered', detail: 'The connection is not open.' }
    const options = {
      api: this.#api,
      accountId: this.#settings.business_account_id,
      answerTime: this.#timeouts.question,
      log: this.#context.log,
    }
    const signal = AbortSignal.any([question.signal, this.#closed.signal])
    const answer = await listTemplates(options, { ...question, signal })
    // It may be about the account alone; what it means for the number, the API says itself.
    if (answer.kind === 'rejected' && answer.error.permanent) this.#look()
    return answer
  }

  async #openFile(reference: string, request: FileRequest): Promise<Fetched> {
    if (this.#closed.signal.aborted) throw new NetFailure('lost', false, 'the connection is not open')
    const signal = AbortSignal.any([request.signal, this.#closed.signal])
    const options = {
      api: this.#api,
      phoneNumberId: this.#settings.phone_number_id,
      answerTime: this.#timeouts.answer,
      onEnd: (code: ReasonCode) => this.#end({ code }),
      onRestriction: (restricted: Restricted) => this.#restrict(restricted),
    }
    return openFile(options, reference, { ...request, signal })
  }

  probe(): void {
    if (this.#state !== 'open' || this.#probing) return
    this.#probing = true
    void this.#questions.ofNumber().then((answer) => {
      this.#probing = false
      if (answer.kind === 'ok') {
        this.#verified()
        this.#rate(answer.json)
      } else this.#doubt(answer)
      if (this.#looksAgain) this.#look()
    })
  }

  /** A probe was not answered with what was asked: a limit and a restriction are answers, too. */
  #doubt(answer: Unanswered): void {
    const trouble = troubleIn(answer)
    const restricted = restrictedBy(answer)
    if (restricted) this.#restrict(restricted)
    if (restricted || trouble.code === 'rate_limited') this.#verified()
    else this.#end(trouble)
  }

  #restrict({ restriction, scope, time }: Restricted): void {
    const since = this.#context.clock.now()
    this.#restrictions.change({
      restricted: [restrictionOf(restriction, { scope, since, ends_at: since + time })],
    })
  }

  async receive({ body }: Callback): Promise<CallbackReported> {
    const steps = this.#stepsOf(body)
    const reports: Promise<boolean>[] = []
    let areStored = true
    const step = () => {
      const { done, value: observation } = steps.next()
      if (done) return 'done'
      if (this.#state !== 'open') throw new Error('the connection ended while a callback was handled')
      if (!observation) return undefined
      reports.push(this.#report(observation))
      return reports.length === together ? 'full' : undefined
    }
    while ((await this.#work.until(step)) === 'full')
      areStored = (await allStored(reports.splice(0))) && areStored
    return { stored: allStored([areStored, ...reports, this.#restricted]) }
  }

  /** Yields the observations in a callback, in their order, and null after every little piece of work. */
  *#stepsOf(body: Buffer): Steps {
    let strange = 0
    for (const change of changesIn(body, this.#context.clock.now())) {
      yield null
      if (change === null) continue
      if (this.#isOwn(change)) {
        yield* this.#noteRestrictions(change)
        this.#noteErrors(change)
        yield* this.#observationsIn(change)
      } else strange += 1
    }
    if (strange > 0)
      this.#context.log.warn(
        { count: strange },
        'a callback was about another phone number or account, and that part of it was left out',
      )
  }

  async close(): Promise<void> {
    const wasOver = this.#state === 'ended'
    this.#ended()
    // Messages that were handed over before the API refused the token or the number keep their time to be answered.
    if (!wasOver) this.#closed.abort()
    this.#context.signal.removeEventListener('abort', this.#abort)
  }

  get #settings(): CloudSettings {
    // The core has validated the settings against the schema from which this type comes.
    return this.#context.settings as CloudSettings
  }

  async #begin(): Promise<void> {
    if (this.#isWithoutApp) return this.#end({ code: 'app_missing' })
    const { claim } = this.#context.callbacks ?? {}
    const { phone_number_id: account, business_account_id: group = null } = this.#settings
    const answer = await askForNumber(this.#questions, claim ? group : null)
    if (this.#state !== 'opening') return
    if ('trouble' in answer) return this.#end(answer.trouble)
    if (claim && !(await claim({ account, group }))) return
    if (this.#state !== 'opening') return
    this.#state = 'open'
    this.#context.share.onExceeded = this.#exceeded
    this.#verifiedAt = this.#context.clock.monotonic()
    const known = accountOf(answer.number)
    if (known) this.#report(known)
    this.#address = known?.address ?? null
    this.#report({ kind: 'connection-opened' })
    // Messages that came while there was no connection wait as callbacks.
    this.#report({ kind: 'caught-up', through: null })
    this.#rate(answer.number)
  }

  #isOwn({ number, account }: NotifiedChange): boolean {
    const { phone_number_id, business_account_id } = this.#settings
    if (number !== null) return number === phone_number_id
    return business_account_id === undefined || account === business_account_id
  }

  *#observationsIn(change: NotifiedChange): Steps {
    const { field, value, number } = change
    const { clock } = this.#context
    if (field === 'messages' && number !== null) {
      // Contacts in a row are stored together.
      for (const status of eachObjectIn(value, 'statuses')) yield recipientKnown(status)
      for (const status of eachObjectIn(value, 'statuses')) {
        yield observationIn(status)
        yield choiceIn(status, clock.now())
      }
      const profiles = yield* profilesIn(value)
      for (const message of eachObjectIn(value, 'messages')) {
        yield* movedContactsIn(message)
        yield messageIn(message, clock.now(), profiles)
      }
    } else if (field === 'smb_message_echoes' && number !== null) {
      for (const echo of eachObjectIn(value, 'message_echoes')) yield echoIn(echo, clock.now())
    } else {
      yield* newsIn(change)
      if (number === null) return
      if (groupFieldNames.has(field))
        for (const about of eachObjectIn(value, 'groups')) yield this.#orderResults.tell(about)
      yield* groupNewsIn(change)
    }
  }

  /**
   * Sets and lifts the restrictions that a change names. The API itself says if the number may still be used, and how it is
   * rated.
   */
  *#noteRestrictions(change: NotifiedChange): Steps {
    if (change.field === 'messages') {
      const now = this.#context.clock.now()
      let widest: Restriction | null = null
      for (const status of eachObjectIn(change.value, 'statuses')) {
        yield null
        const restriction = restrictionIn(status, now)
        if (restriction) widest = wider(widest, restriction)
      }
      if (widest) this.#restrictions.change({ restricted: [widest] })
    } else if (aboutAccount.has(change.field)) {
      this.#restrictions.change(restrictionsIn(change))
      this.#look()
    }
  }

  /** An error that is about no message: the API itself says if the number may still be used. */
  #noteErrors(change: NotifiedChange): void {
    const codes = errorCodesIn(change)
    if (codes.length === 0) return
    this.#context.log.warn({ codes }, 'the Cloud API reported errors that are about no message')
    this.#look()
  }

  /** Asks how things are with the number now, unless that was asked too often of late: callbacks may come without end. */
  #look(): void {
    this.#looksAgain = this.#probing
    if (this.#probing || this.#looks.wait(this.#context.clock.monotonic()) > 0) return
    this.#looks.take(1)
    this.probe()
  }

  /** Notes Meta's rating of the number, as the API states it. */
  #rate(number: Json): void {
    const rating = textIn(number, 'quality_rating')
    if (rating === 'RED') {
      const since = this.#context.clock.now()
      const low = restrictionOf('quality_low', { scope: 'none', since, ends_at: null })
      this.#restrictions.change({ restricted: [low] })
    } else if (rating !== null) this.#restrictions.change({ lifted: ['quality_low'] })
  }

  /** The API answered to something else than a probe. */
  #lives(): void {
    if (this.#context.clock.monotonic() - this.#verifiedAt >= signOfLife) this.#verified()
  }

  #verified(): void {
    this.#verifiedAt = this.#context.clock.monotonic()
    this.#report({ kind: 'connection-verified' })
  }

  #report(observation: Observation): Promise<boolean> {
    return this.#state === 'open' ? this.#context.report(observation) : Promise.resolve(false)
  }

  readonly #exceeded = (scope: keyof typeof memoryReasonAt): void =>
    this.#end({ code: memoryReasonAt[scope] })

  readonly #abort = (): void => void this.close()

  /** Reports why the connection ends. Messages under way keep their time to be answered. */
  #end({ code, more }: Trouble): void {
    if (this.#state === 'ended' || this.#context.signal.aborted) return
    this.#ended()
    this.#context.report(endingOf(this.#restrictions.explain(code), more))
  }

  #ended(): void {
    this.#state = 'ended'
    this.#work.end()
    const { share } = this.#context
    // The next connection of the instance may have its own by now.
    if (share.onExceeded === this.#exceeded) share.onExceeded = null
  }
}

function accountOf(number: Json): AccountKnown | null {
  const address = phoneAddress((textIn(number, 'display_phone_number') ?? '').replaceAll(/[^0-9]/g, ''))
  const name = textIn(number, 'verified_name')
  if (address === null) return null
  return {
    kind: 'account-known',
    address,
    ...(name !== null && { display_name: cutText(name, longestName) }),
    url: `https://wa.me/${address.slice(1)}`,
  }
}
