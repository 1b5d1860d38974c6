import { Writable } from 'node:stream'
import type { MessageTemplate } from '../../../src/contract/resources/template.ts'
import { readConfig } from '../../../src/networks/config.ts'
import type { CaughtUp } from '../../../src/networks/driver/abilities/catching-up.ts'
import type { LinkWay } from '../../../src/networks/driver/abilities/linking.ts'
import type { Resumption } from '../../../src/networks/driver/abilities/resumption.ts'
import type { SealedCredentials } from '../../../src/networks/driver/account.ts'
import type { DriverConnection } from '../../../src/networks/driver/connection.ts'
import type { Driver } from '../../../src/networks/driver/driver.ts'
import type { KeyStore } from '../../../src/networks/driver/keys.ts'
import type { OutgoingMedia, OutgoingMessage } from '../../../src/networks/driver/message.ts'
import type {
  MessageReceived,
  Observation,
  ObservationKind,
} from '../../../src/networks/driver/observation.ts'
import type { Outcome } from '../../../src/networks/driver/outcome.ts'
import { systemClock } from '../../../src/runtime/clock.ts'
import { Shares, shareLimits } from '../../../src/runtime/limits/share.ts'
import { type Log, openLog } from '../../../src/runtime/log.ts'
import { httpForTests } from '../../kit/networks/http.ts'
import { memoryKeys } from '../../kit/networks/memory-keys.ts'
import { newMessageId } from '../../kit/networks/new-message-id.ts'
import type { Account } from './harness.ts'
import { Signals, within } from './signals.ts'
import { faultOfObservation, faultOfOutcome } from './validity.ts'

export type Seen<Kind extends ObservationKind> = Extract<Observation, { kind: Kind }>

/** A file with everything except its recipient; by default without a caption, and not a voice note. */
export type Media = Pick<OutgoingMedia, 'kind' | 'file'> & Partial<Pick<OutgoingMedia, 'caption' | 'voice'>>

/** A message and the number of its attempt; by default a new one, and the first. */
export interface Attempt {
  readonly id?: string
  readonly attempt?: number
}

export interface SessionOptions {
  readonly driver: Driver
  readonly account: Account
  readonly timeout_ms: number
  /** Credentials that earlier sessions of this account saved. */
  readonly saved: Map<Account, SealedCredentials>
  /** The keys that earlier sessions of each account set; none by default. */
  readonly keys?: Map<Account, KeyStore>
  /** The ids of all messages of this law: only these may be confirmed or given back. */
  readonly sent: Set<string>
  readonly resumption?: Resumption
  /** The way in which a person wants to link the account. */
  readonly link?: LinkWay
  /** Mark up to which the incoming messages are stored; by default the account was never connected before. */
  readonly caughtUp?: CaughtUp
  /** A signal that has aborted before the connection begins. */
  readonly aborted?: true
}

/** One connection under test, with everything that it reported, and a list of the laws of form that it broke. */
export class Session {
  readonly observations: Signals<Observation>
  readonly connection: DriverConnection
  readonly faults: string[] = []
  readonly #options: SessionOptions
  readonly #abort = new AbortController()
  #ended = false
  /** Mark up to which everything is stored: a report takes no time here. */
  #stored: CaughtUp | null
  #isCaughtUp = false
  /** The link steps: each lets its holder link the account, so the log must not have it. */
  readonly #shown: string[] = []

  constructor(options: SessionOptions) {
    this.#options = options
    const { driver, account, resumption, timeout_ms, saved } = options
    this.observations = new Signals(timeout_ms)
    this.#stored = options.caughtUp ?? null
    if (options.aborted) this.abort()
    let connecting = true
    this.connection = driver.connect({
      epoch: 1,
      settings: account.settings,
      credentials: {
        read: () => credentialsOf(account, saved),
        save: async (credentials) => void saved.set(account, credentials),
      },
      keys: keysOf(account, options.keys),
      wantsTyping: () => true,
      instance: 'inst_1',
      callbacks: { url: account.callbackUrl ?? null, isAbandoned: async () => false },
      ...(resumption && { resumption }),
      ...(options.link && { link: options.link }),
      report: (observation) => {
        if (connecting) this.faults.push(`${observation.kind} was reported before connect returned`)
        this.#observe(observation)
        return Promise.resolve(true)
      },
      stored: { upTo: async () => this.#stored, has: async () => false },
      signal: this.#abort.signal,
      share: new Shares(shareLimits(readConfig({}))).of('org_1'),
      http: httpForTests,
      clock: systemClock,
      random: Math.random,
      log: this.#watchedLog(account.secrets),
    })
    connecting = false
  }

  #observe(observation: Observation): void {
    if (this.#ended) this.faults.push(`${observation.kind} was reported after the end`)
    const { driver, account, sent } = this.#options
    const fault = faultOfObservation(driver, observation)
    if (fault) this.faults.push(fault)
    if (observation.kind === 'link-step') this.#shown.push(observation.step.value)
    const answersMessage =
      observation.kind === 'receipt' ||
      observation.kind === 'message-returned' ||
      observation.kind === 'message-acknowledged'
    if (answersMessage && !sent.has(observation.network_message_id)) {
      this.faults.push(`${observation.kind} names the id of a message that was never sent`)
    }
    if (observation.kind === 'message-received') {
      this.#compare(observation)
      if (this.#isCaughtUp) this.#store(observation.mark ?? observation.network_message_id)
    }
    if (observation.kind === 'caught-up') {
      this.#isCaughtUp ||= observation.through === null
      if (observation.through !== null) this.#store(observation.through)
    }
    this.#watch('an observation', JSON.stringify(observation), account.secrets)
    this.observations.add(observation)
  }

  #store(mark: string): void {
    this.#stored = { mark, at: this.#stored?.at ?? 0 }
  }

  /** A message that comes again under its id is the same; only about the time the network may say more later. */
  #compare(received: MessageReceived): void {
    const first = this.observations.all.find(
      (seen) => seen.kind === 'message-received' && seen.network_message_id === received.network_message_id,
    )
    if (first && JSON.stringify({ ...first, at: 0 }) !== JSON.stringify({ ...received, at: 0 }))
      this.faults.push('two messages to the account have one id')
  }

  /** A log at its most talkative that is searched for secrets line by line. */
  #watchedLog(secrets: readonly string[]): Log {
    const destination = new Writable({
      write: (line: Buffer, _encoding, done) => {
        this.#watch('the log', line.toString(), [...secrets, ...this.#shown, textMark])
        done()
      },
    })
    return openLog('trace', destination)
  }

  #watch(where: string, what: string, secrets: readonly string[]): void {
    for (const secret of secrets) {
      if (what.includes(secret))
        this.faults.push(`${where} carries a secret or the text of a message: ${secret}`)
    }
  }

  /** The first observation of this kind, once it was reported. */
  seen<Kind extends ObservationKind>(
    kind: Kind,
    fits: (observation: Seen<Kind>) => boolean = () => true,
  ): Promise<Seen<Kind>> {
    return this.observations.first(
      kind,
      (observation): observation is Seen<Kind> =>
        observation.kind === kind && fits(observation as Seen<Kind>),
    )
  }

  /** True if both are addresses of one person, as far as the driver told. */
  areOne(one: string, other: string): boolean {
    const told = this.observations.all.flatMap((seen) =>
      seen.kind === 'contact-known' ? [seen.addresses] : [],
    )
    return one === other || told.some((addresses) => addresses.includes(one) && addresses.includes(other))
  }

  count(kind: ObservationKind): number {
    return this.observations.all.filter((observation) => observation.kind === kind).length
  }

  /** Sends a text and checks the form of the outcome. A rejection or an answer that never comes fails the test. */
  async send(to: string, text: string, attempt: Attempt = {}): Promise<Outcome> {
    return await this.#send({ id: attempt.id ?? newMessageId(), to, kind: 'text', text }, attempt)
  }

  /** Sends a file, like `send`. */
  async sendFile(to: string, media: Media, attempt: Attempt = {}): Promise<Outcome> {
    const id = attempt.id ?? newMessageId()
    return await this.#send({ id, to, caption: null, voice: false, ...media }, attempt)
  }

  /** Sends a message from a template, like `send`. */
  async sendTemplate(to: string, template: MessageTemplate, id = newMessageId()): Promise<Outcome> {
    return await this.#send({ id, to, kind: 'template', template }, {})
  }

  /** Sends a message of any kind, like `send`. */
  async sendMessage(message: OutgoingMessage): Promise<Outcome> {
    return await this.#send(message, {})
  }

  async #send(message: OutgoingMessage, { attempt = 1 }: Attempt): Promise<Outcome> {
    this.#options.sent.add(message.id)
    const answer = this.connection.send(message, attempt)
    const outcome = await within(this.#options.timeout_ms, `the outcome of ${message.id}`, answer)
    const fault = faultOfOutcome(this.#options.driver, outcome)
    if (fault) throw new Error(fault)
    return outcome
  }

  abort(): void {
    this.#ended = true
    this.#abort.abort()
  }

  /** Gives up what the connection left behind, if it was lost. */
  abandon(): void {
    for (const seen of this.observations.all) {
      if (seen.kind === 'connection-lost') seen.resumption?.abandon()
    }
  }

  async close(): Promise<void> {
    this.#ended = true
    await within(this.#options.timeout_ms, 'the connection to close', this.connection.close())
  }
}

/** Returns the credentials of an account after its connections saved some. */
export function credentialsOf(
  account: Account,
  saved: ReadonlyMap<Account, SealedCredentials>,
): SealedCredentials {
  return saved.get(account) ?? account.link?.credentials ?? account.credentials
}

function keysOf(account: Account, all = new Map<Account, KeyStore>()): KeyStore {
  const keys = account.link?.keys ?? all.get(account) ?? memoryKeys()
  all.set(account, keys)
  return keys
}

/** Stands in the text of every ordinary message of the suite, so that the log can be searched for texts. */
export const textMark = 'conformance-text'

let texts = 0

/** A text that no other message of this run has. */
export function newText(): string {
  texts += 1
  return `${textMark} ${texts}`
}
