import { NetFailure } from '../../net/failure.ts'
import type { Callback, CallbackReported } from '../driver/abilities/callbacks.ts'
import type { AddressesAnswer } from '../driver/abilities/checking.ts'
import type { FileAccess } from '../driver/abilities/files.ts'
import type { LinkActions } from '../driver/abilities/linking.ts'
import type { PictureAnswer } from '../driver/abilities/pictures.ts'
import type { ReadOutcome } from '../driver/abilities/reading.ts'
import type { TemplateQuestion, TemplatesAnswer } from '../driver/abilities/templates.ts'
import type { ConnectContext, DriverConnection } from '../driver/connection.ts'
import type { OutgoingFile, OutgoingMessage } from '../driver/message.ts'
import type { Observation } from '../driver/observation.ts'
import { accepted, type Outcome, rejected, uncertain } from '../driver/outcome.ts'
import { addressOf, bothAddresses, existenceOf, scriptOf, senderAt } from './address.ts'
import { endingOf, errorOf, type ReasonCode } from './codes.ts'
import { PlayedGroups } from './groups/group-actions.ts'
import type { GroupWorld } from './groups/group-world.ts'
import { LinkAttempt, logOut, needsLink } from './linking/link-attempt.ts'
import type { ScriptedMessage } from './people/answer.ts'
import { readCallback } from './people/callbacks.ts'
import type { FarEnd } from './people/far-end.ts'
import { FollowUps } from './people/follow-ups.ts'
import { openKeptFile } from './people/kept-file.ts'
import { pictureAt } from './people/picture.ts'
import { receiveFile } from './people/receive-file.ts'
import { PlayedRestriction } from './restriction.ts'
import {
  type Acceptance,
  answerTo,
  type ConnectionScript,
  connectionScript,
  type FollowUp,
  refusedToken,
  type ScriptedAnswer,
  type ScriptedEffect,
} from './script.ts'
import type { SandboxCredentials, SandboxSettings } from './settings.ts'
import { listTemplates, refusalOf } from './templates.ts'
import { Waits } from './waits.ts'

/** One promise for all messages that are accepted at once. */
const acceptedAtOnce = Promise.resolve(accepted)

/** The far side, which all connections of a driver share. */
export interface FarSide {
  readonly farEnd: FarEnd
  readonly world: GroupWorld
}

/**
 * One connection to the sandbox. Ten thousand of them live in one process, so it holds nothing that its script does not
 * need: neither a timer nor a listener exists before something waits.
 */
export class SandboxConnection implements DriverConnection {
  readonly #context: ConnectContext
  readonly #farEnd: FarEnd
  readonly #world: GroupWorld
  readonly #script: ConnectionScript
  #state: 'opening' | 'open' | 'ended' = 'opening'
  #silent = false
  readonly #restriction: PlayedRestriction
  readonly #waits: Waits
  #link: LinkAttempt | null = null
  #followUps: FollowUps | null = null

  constructor(context: ConnectContext, { farEnd, world }: FarSide) {
    this.#context = context
    this.#farEnd = farEnd
    this.#world = world
    this.#script = connectionScript(this.#settings.behaviour)
    this.#waits = new Waits(context.signal, () => this.#end())
    const report = (observation: Observation) => void this.#report(observation)
    this.#restriction = new PlayedRestriction({ clock: context.clock, waits: this.#waits, report })
  }

  /** Begins to follow the script; reports nothing before the current tick is over. */
  begin(): void {
    setImmediate(() => {
      if (this.#live) this.#begin()
    })
  }

  send(message: OutgoingMessage, attempt: number): Promise<Outcome> {
    if (!this.#live || this.#state !== 'open') {
      return Promise.resolve(uncertain(notOpen))
    }
    if (this.#silent) return this.#answerAtTheEnd()
    const deferred = this.#restriction.outcome
    if (deferred) return Promise.resolve(deferred)
    const script = scriptOf(message.to)
    if (!script) return Promise.resolve(rejected(errorOf('recipient_unknown', true)))
    if (this.#world.hasLeft(this.#context.instance, message.to))
      return Promise.resolve(rejected(errorOf('not_in_group', true)))
    const refusal = message.kind === 'template' ? refusalOf(message.template) : null
    if (refusal) return Promise.resolve(rejected(errorOf(refusal, true)))
    return this.#answer(message, answerTo(script, message.kind, attempt))
  }

  probe(): void {
    if (this.#state !== 'open' || this.#silent) return
    setImmediate(() => this.#report({ kind: 'connection-verified' }))
  }

  close(): Promise<void> {
    this.#end()
    return Promise.resolve()
  }

  get files(): FileAccess {
    return {
      open: async (reference, request) => {
        if (!this.#live || this.#state !== 'open' || this.#silent)
          throw new NetFailure('lost', false, 'the connection is not open')
        return openKeptFile(reference, request)
      },
    }
  }

  async listTemplates(question: TemplateQuestion): Promise<TemplatesAnswer> {
    return this.#live && !this.#silent ? listTemplates(question) : { kind: 'unanswered', detail: notOpen }
  }

  /** The sandbox knows every message that it brought. */
  async markRead(): Promise<ReadOutcome> {
    return this.#live && !this.#silent ? { kind: 'accepted' } : { kind: 'uncertain', detail: notOpen }
  }

  async checkAddresses(addresses: readonly string[]): Promise<AddressesAnswer> {
    if (!this.#isReachable) return { kind: 'unanswered', detail: notOpen }
    return { kind: 'checked', addresses: addresses.map(existenceOf) }
  }

  async findPicture(address: string): Promise<PictureAnswer> {
    return this.#isReachable ? pictureAt(address) : { kind: 'unanswered', detail: notOpen }
  }

  async showTyping(to: string, seconds: number): Promise<void> {
    if (!this.#isReachable) return
    const { clock, epoch } = this.#context
    this.#farEnd.sees({ to, seconds }, { at: clock.now(), instance: this.#settings.account, epoch })
  }

  get groups(): PlayedGroups {
    const { instance, clock, epoch } = this.#context
    const account = this.#settings.account
    return new PlayedGroups({
      ...{ world: this.#world, instance, account: addressOf(account ?? 'sandbox', 'delivers') },
      now: () => clock.now(),
      isReachable: () => this.#isReachable,
      report: (observation) => void this.#report(observation),
      record: (to, content) =>
        this.#farEnd.changes({ to, content }, { at: clock.now(), instance: account, epoch }),
      drop: () => this.drop(),
    })
  }

  get #isReachable(): boolean {
    return this.#live && this.#state === 'open' && !this.#silent
  }

  get linking(): LinkActions {
    return {
      answer: async (answer) => (this.#live && this.#link?.answer(answer)) || { kind: 'not_asked' },
      logOut: async () =>
        this.#live && this.#state === 'open' && !this.#silent ? logOut(this.#context) : 'unreachable',
    }
  }

  /** Breaks the connection from the far side. */
  drop(): void {
    this.#finish('connection_dropped')
  }

  /** Plays a person who writes a text to the account, or sends it a file. */
  say(network_message_id: string, from: string, said: ScriptedMessage): Promise<boolean> {
    const { text = null, file = null, content, relation } = said
    const at = this.#context.clock.now()
    const addresses = bothAddresses(from)
    const known = addresses ? { addresses } : {}
    return this.#report({
      kind: 'message-received',
      network_message_id,
      from,
      conversation: from,
      ...known,
      at,
      text,
      file,
      content: { sender: senderAt(from), ...content },
      ...(relation && { relation }),
    })
  }

  async receive({ id, body }: Callback): Promise<CallbackReported> {
    const read = readCallback(body)
    if ('said' in read) return { stored: this.say(id, read.said.from, read.said) }
    return { stored: this.#report({ ...read.news, at: this.#context.clock.now() }) }
  }

  get #settings(): SandboxSettings {
    // The core has validated the settings against the schema from which this type comes.
    return this.#context.settings as SandboxSettings
  }

  get #live(): boolean {
    return this.#state !== 'ended' && !this.#context.signal.aborted
  }

  #report(observation: Observation): Promise<boolean> {
    return this.#live ? this.#context.report(observation) : Promise.resolve(false)
  }

  #begin(): void {
    const { effect, opens } = this.#script
    const { token } = this.#context.credentials.read() as SandboxCredentials
    if (token === refusedToken && !this.#context.link) this.#finish('token_refused')
    else if (!opens) this.#waits.later(this.#scriptDelay, () => effect && this.#apply(effect))
    else if (needsLink(this.#context)) this.#beginLink()
    else if (effect) this.#open()
    else this.#waits.later(this.#scriptDelay, () => this.#open())
  }

  #beginLink(): void {
    this.#link = new LinkAttempt(this.#context, this.#waits, {
      report: (observation) => this.#report(observation),
      open: () => this.#live && this.#open(),
      end: () => this.#end(),
      fail: () => this.#finish('link_not_kept'),
    })
    this.#link.begin()
  }

  get #scriptDelay(): number {
    return (this.#settings.after_seconds ?? this.#script.after_seconds) * 1000
  }

  #open(): void {
    const { effect } = this.#script
    this.#state = 'open'
    this.#report({ kind: 'connection-opened' })
    this.#report({
      kind: 'account-known',
      address: addressOf(this.#settings.account ?? 'sandbox', 'delivers'),
      display_name: 'Sandbox account',
    })
    if (effect) this.#waits.later(this.#scriptDelay, () => this.#apply(effect))
  }

  /** Carries out what the script of the connection says. */
  #apply(effect: ScriptedEffect): void {
    if (effect.kind === 'silence') this.#silent = true
    else if (effect.kind === 'restriction') this.#restriction.begin(effect.code, effect.seconds)
    else this.#finish(effect.reason)
  }

  #answer(message: OutgoingMessage, answer: ScriptedAnswer): Promise<Outcome> {
    switch (answer.kind) {
      case 'accepts':
        if (answer.after_ms === 0) return this.#accept(message, answer)
        return this.#answerLater(answer.after_ms, () => this.#accept(message, answer))
      case 'refuses':
        return Promise.resolve(rejected(answer.error))
      case 'defers': {
        const until = this.#context.clock.now() + answer.seconds * 1000
        return Promise.resolve({ kind: 'deferred', until, scope: answer.scope, error: answer.error })
      }
      case 'uncertain':
        if (!answer.arrives) return Promise.resolve(answerLost)
        return this.#arrive(message, () => Promise.resolve(answerLost))
      case 'drops':
        return this.#arrive(message, () => {
          setImmediate(() => this.drop())
          return this.#answerAtTheEnd()
        })
      case 'silent':
        return this.#answerAtTheEnd()
    }
  }

  #accept(message: OutgoingMessage, { first = [], then, notice }: Acceptance): Promise<Outcome> {
    return this.#arrive(message, (repeat) => {
      for (const followUp of first) this.#followUp(message, followUp, repeat)
      if (then.length > 0) {
        // In a later tick, so that the caller has the answer before the recipient's confirmation.
        setImmediate(() => {
          for (const followUp of then) this.#followUp(message, followUp, repeat)
        })
      }
      return notice ? Promise.resolve({ kind: 'accepted', notices: [notice] }) : acceptedAtOnce
    })
  }

  /** Delivers a message to its recipient, then answers: a text at once, a file when its last byte has arrived. */
  #arrive(message: OutgoingMessage, answer: (repeat: boolean) => Promise<Outcome>): Promise<Outcome> {
    if (!('file' in message)) return this.#record(message, answer)
    return this.#receive(message.file).then((refusal) => refusal ?? this.#record(message, answer))
  }

  /** Accepts a message only if it could be written to the transcript. */
  #record(message: OutgoingMessage, answer: (repeat: boolean) => Promise<Outcome>): Promise<Outcome> {
    let repeat: boolean
    try {
      const { clock, epoch } = this.#context
      repeat = this.#farEnd.take(message, { at: clock.now(), instance: this.#settings.account, epoch })
    } catch (error) {
      return Promise.resolve(this.#notOnRecord(error))
    }
    return answer(repeat)
  }

  /** Reads a file to its end for the recipient; returns the outcome if that fails. No recipient sees an incomplete file. */
  async #receive(file: OutgoingFile): Promise<Outcome | null> {
    try {
      return await receiveFile(this.#farEnd, file, { waits: this.#waits, log: this.#context.log })
    } catch (error) {
      return this.#notOnRecord(error)
    }
  }

  #notOnRecord(error: unknown): Outcome {
    this.#context.log.error({ err: error }, 'could not write the transcript of the sandbox')
    return uncertain('The transcript cannot be written.')
  }

  #followUp(message: OutgoingMessage, followUp: FollowUp, repeat: boolean): void {
    this.#followUps ??= new FollowUps({
      waits: this.#waits,
      now: () => this.#context.clock.now(),
      report: (observation) => void this.#report(observation),
      say: (id, from, said) => void this.say(id, from, said),
      obey: (message) => this.groups.obey(message),
    })
    this.#followUps.play(message, followUp, repeat)
  }

  #answerAtTheEnd(): Promise<Outcome> {
    return new Promise((resolve) => this.#waits.until(() => resolve(endedFirst)))
  }

  #answerLater(milliseconds: number, answer: () => Promise<Outcome>): Promise<Outcome> {
    return new Promise((resolve) =>
      this.#waits.later(
        milliseconds,
        () => resolve(answer()),
        () => resolve(endedFirst),
      ),
    )
  }

  /** Reports how this connection ends, and ends it. */
  #finish(code: ReasonCode): void {
    this.#report(endingOf(code))
    this.#end()
  }

  #end(): void {
    if (this.#state === 'ended') return
    this.#state = 'ended'
    this.#waits.end()
  }
}

const notOpen = 'The connection is not open.'

const answerLost = uncertain('The answer of the sandbox was lost.')

const endedFirst = uncertain('The connection ended before the sandbox answered.')
