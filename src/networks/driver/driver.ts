import type { Readable } from 'node:stream'
import type { TObject } from 'typebox'
import type { CodeMeaning } from '../../contract/codes.ts'
import type { MediaKind } from '../../contract/resources/message.ts'
import type { Pace, Pause, Limits as PublishedLimits, WarmUp } from '../../contract/resources/network.ts'
import type { MessageTemplate } from '../../contract/resources/template.ts'
import type { Fetched, FetchRequest } from '../../net/fetch/fetch.ts'
import type { HttpClient } from '../../net/http/client.ts'
import type { Clock } from '../../runtime/clock.ts'
import type { Tally } from '../../runtime/counts.ts'
import type { Share } from '../../runtime/limits/share.ts'
import type { Log } from '../../runtime/log.ts'
import type { DriverAbilities } from './abilities.ts'
import type { Callback, CallbackReported, CallbackRequest, Callbacks, Claim } from './callbacks.ts'
import type { KeyStore } from './keys.ts'
import type { EndingKind, Observation, Restriction, Resumption } from './observation.ts'
import type { Outcome } from './outcome.ts'
import type { TemplateQuestion, Templates, TemplatesAnswer } from './templates.ts'

/**
 * The interface of every network. A driver reports facts and performs orders; it never decides: it has no state beyond one
 * connection, no retries, no storage but its credentials and keys, and no timeouts except those of its protocol. While no answer is due, it has no timer. The
 * suite in `test/conformance/networks/` checks everything that is required here.
 */
export interface Driver {
  /** The slug by which callers name the network, for example `xmpp`. */
  readonly network: string
  readonly title: string
  /** Present if nothing that is sent leaves this server: the network is for trying the API. */
  readonly forTrying?: true
  /** Markdown for the reference: what it is, what an address looks like, what it can promise. Headings are of level two. */
  readonly description: string
  /** The shapes of the caller's `settings` and `credentials`. Unknown fields are refused; credentials are sealed. */
  readonly settings: TObject
  /** Fields that a driver saves in addition to this schema stay when a caller replaces the credentials. */
  readonly credentials: TObject
  /**
   * Settings that cannot be changed: which account it is, what must be undone when the instance is removed, and everything that
   * `accountIn` and `replyWindowIn` read.
   */
  readonly fixedSettings: readonly string[]
  readonly abilities: DriverAbilities
  /** Present if the network has templates (`Abilities.templates`). */
  readonly templates?: Templates
  /** Present if the network posts what happens to a URL of this server. */
  readonly callbacks?: Callbacks
  readonly limits: DriverLimits
  /**
   * Connections of `POSTHORN_CONNECT_RATE` that one of this network counts as, because it takes so much more; 1 if missing.
   */
  readonly connectWeight?: number
  /** Every code that a `Reason` of the network may have, and every code of a `NetworkError`: the reference shows them all. */
  readonly reasons: Readonly<Record<string, DescribedReason>>
  readonly errors: Readonly<Record<string, CodeMeaning>>
  /** Every code of a `Notice`, if the network has any: the reference shows them like errors. */
  readonly notices?: Readonly<Record<string, CodeMeaning>>
  /** Every code of a `Restriction`, if the network has any: the reference shows them like errors. */
  readonly restrictions?: Readonly<Record<string, CodeMeaning>>
  /** Events that the driver counts for the operator, if any: metrics of this server. */
  readonly counts?: readonly Tally[]

  /** Checks what the schemas cannot express, for example that two fields exclude each other. An empty list means no fault. */
  check(settings: Settings, credentials: SealedCredentials): readonly SettingsFault[]
  /** Checks an address in the network's own format and normalizes it, so that one recipient has one spelling. */
  parseAddress(input: string): ParsedAddress
  /**
   * The account at the network that an instance with these settings uses, spelled in one way for each account. No second
   * instance of an organization may use it. Null if that is not known before it is linked, or if many may use one.
   */
  accountIn(settings: Settings): string | null
  /**
   * Names the part of a text, or of a caption, that the network cannot carry, and says what to do about it, in sentences
   * that do not repeat the text; null if the network can carry all of it.
   */
  textFault(text: string, part: 'text' | 'caption'): string | null
  /**
   * The reply window of an instance with these settings, in seconds, or null; `Abilities.reply_window_seconds` if missing. It counts as
   * over only while no callback waits, so a network with a window must tell of messages by callbacks, or at once.
   */
  replyWindowIn?(settings: Settings): number | null
  /**
   * True if removing an instance with these settings and credentials must also undo something at the network: see `Removal`.
   * Reading the credentials throws if they no longer open, so it reads them only if the settings do not decide.
   */
  needsDeprovisioning(settings: Settings, credentials: Pick<CredentialsAccess, 'read'>): boolean
  /**
   * True if the account of an instance with these settings and credentials is linked, or needs no link: a connection would then ask no
   * person. It may still find that the network has ended the link. Present if accounts are linked by a QR code or a pairing code
   * (`Abilities.links`).
   */
  isLinked?(settings: Settings, credentials: SealedCredentials): boolean
  /**
   * Opens a connection and returns at once. Errors are reported through `context.report`, never thrown. After
   * `context.signal` aborts, or `close()` was called, nothing more is reported.
   */
  connect(context: ConnectContext): DriverConnection
}

/** A reason why a connection may end: the observation that reports it, and its meaning to a person. */
export interface DescribedReason extends CodeMeaning {
  readonly ends: EndingKind
}

/**
 * A way in which a person wants to link the account. `code`: they type a code into the app of this phone number: digits with
 * the country code, without `+`.
 */
export type LinkWay = { readonly kind: 'qr' } | { readonly kind: 'code'; readonly phone: string }

/**
 * Outcome of logging out: `confirmed` if the network took the account back; `unreachable` if it did not respond in time, and
 * the account is still linked.
 */
export type LogOutOutcome = 'confirmed' | 'unreachable'

export type Settings = Readonly<Record<string, unknown>>
export type SealedCredentials = Readonly<Record<string, unknown>>

/** A fault in settings or credentials; the pointer (RFC 6901) is relative to the request body. */
export interface SettingsFault {
  readonly pointer: string
  readonly code: string
  readonly detail: string
}

export type ParsedAddress =
  | { readonly ok: true; readonly address: string }
  | { readonly ok: false; readonly detail: string }

/**
 * The limits of the network, as data that callers see: enforced by the outbox, never by the driver.
 *
 * More than one message may be in flight for one recipient only if the network handles the texts of one connection in order, and
 * answers in order, too: once it has accepted one, those before it have their answers (docs/decisions/0038). An attempt that is
 * not answered in time is given up: it counts as uncertain, and no longer as in flight; a file gets, in addition, the time that it
 * needs at `slowestTransfer`. If as many attempts of a connection were given up as may be in flight, the connection is closed, so
 * that nothing accumulates in it.
 */
export type DriverLimits = Readonly<PublishedLimits>

/** The slowest transfer of a file for which an attempt gets more time, in bytes a millisecond. */
export const slowestTransfer = 100

/** At most so many messages in so many seconds. */
export type Pacing = Readonly<Pace>

/** A random pause after each message, and how much longer it is while the account was linked only recently. */
export interface Pausing extends Readonly<Pause> {
  readonly warm_up: readonly Readonly<WarmUp>[]
}

export interface ConnectContext {
  /** Names the instance: opaque, and the same for each of its connections. */
  readonly instance: string
  readonly settings: Settings
  readonly credentials: CredentialsAccess
  /**
   * The store for protocols with many keys, such as those of Signal; small values that change rarely belong in the
   * credentials.
   */
  readonly keys: KeyStore
  /**
   * The URL at which the network can call this instance back, as `Callbacks` describes. Null if the driver has no callbacks,
   * or the operator did not say at which URL the server is reached.
   */
  readonly callbackUrl: string | null
  /**
   * Resolves with true if `url`, which the network calls, is a callback URL of this server that has no use any more: its
   * instance is removed, or would refuse this request, for example because it uses another account by now. False if that is
   * not known. Never rejects.
   */
  isAbandoned(url: string, request: CallbackRequest): Promise<boolean>
  /** The state that the previous connection left behind, if it broke in this process. */
  readonly resumption?: Resumption
  /**
   * The way in which a person wants to link the account; without it, the driver does it in its own way. Present on the
   * connection that they ordered, and on those that follow it, until the account is linked, the instance is stopped, or the
   * process ends. Only if `Driver.isLinked` says that the account is not linked, or if the network has just refused its
   * credentials: what is left of an earlier link is then worth nothing.
   */
  readonly link?: LinkWay
  /** The restriction that earlier connections reported last; missing if there was none. It may be over. */
  readonly restriction?: Restriction
  /**
   * Reports a fact. Resolves to true once it is stored, or if there is nothing to store; only then the driver acknowledges it to its
   * network. Resolves to false if it is not stored: there is no room for it, the connection is over, or the store found a
   * fault in it, which is logged. Waits while the store is unavailable. Never rejects. Facts are stored in the order in which they
   * are reported, those of a moment in one commit: so a driver reports what belongs together before it waits for any of it. Of
   * what waits to be stored only so much is held; with more, the connection is ended.
   */
  report(observation: Observation): Promise<boolean>
  /**
   * The point up to which the incoming messages of the account are stored, once everything that was reported so far is. Null
   * if it was never caught up before (messages older than the instance are not its own), or if nothing hears the
   * connection any longer. Call it before `connection-opened` is reported. Waits while the store is unavailable, and while the
   * organization's quota is used up: a driver that opens nevertheless can send meanwhile. Never rejects.
   */
  caughtUp(): Promise<CaughtUp | null>
  /**
   * Resolves with true if a message that was reported with this id is stored with its content, not as `undecryptable`. False
   * if that is not known. Never rejects.
   */
  isStored(networkMessageId: string): Promise<boolean>
  /**
   * Claims the account for the instance: from then on, it gets what is posted to the URL of the operator about it. Call it once
   * the network has shown that the credentials reach the account, and before `connection-opened` is reported. Resolves to false
   * if the connection is over, for example because another instance has the account; then nothing more is to be reported. Never
   * rejects. Present if the instance is called back at that URL. A connection may be begun for this proof alone, beside another one
   * of the same instance: until the claim, it only asks the network.
   */
  readonly claim?: (claim: Claim) => Promise<boolean>
  /** Aborts when the instance is stopped, removed or taken over. */
  readonly signal: AbortSignal
  /**
   * The share of this connection in what all connections use. Everything that the other side makes it read, hold or do counts
   * here: it reads no faster than allowed, works in turns, and ends at once if it is warned that it holds too much.
   */
  readonly share: Share
  /** The guarded client for networks with an HTTP API; there is one for all connections. */
  readonly http: HttpClient
  readonly clock: Clock
  /** A number in [0, 1). */
  readonly random: () => number
  readonly log: Log
}

/**
 * The point up to which the incoming messages of an account are stored without a gap. A driver reports those after it,
 * oldest first, and then `caught-up`. Until then, the mark does not move, even if the driver reports other messages.
 */
export interface CaughtUp {
  /**
   * Before which nothing is missing, as an opaque string of the driver, of at most `longestMark`: the id of the last message,
   * of an entry of the network's archive, or the number of an update. Null if none is known.
   */
  readonly mark: string | null
  /**
   * Up to when nothing was missed, in milliseconds since the epoch: at the latest, when it was last known to be connected; 0 if
   * only the mark is known.
   * This is by the clock of this machine, and messages may have been on their way, so a driver that asks by time begins some
   * minutes earlier.
   */
  readonly at: number
}

/** The longest mark, in bytes of UTF-8. */
export const longestMark = 1024

export interface CredentialsAccess {
  read(): SealedCredentials
  /** Durable when the promise resolves. Rejects when this node no longer owns the instance. */
  save(credentials: SealedCredentials): Promise<void>
}

export interface DriverConnection {
  /**
   * Hands one message to the network and answers once the network has answered, or certainly never will. The same
   * message may come again with a higher `attempt` (counted from 1) and the same id, even while an earlier attempt that was
   * given up is still waiting here. The answer to that one counts too, if it is `accepted`.
   */
  send(message: OutgoingMessage, attempt: number): Promise<Outcome>
  /** Probes the network; the result is reported as `connection-verified` or `connection-lost`. */
  probe(): void
  /**
   * Ends the connection without logging out; sends that wait for their answer become uncertain. Idempotent; resolves when
   * the socket is closed or abandoned. A connection that was reported lost is not closed: its sends continue when it is resumed.
   */
  close(): Promise<void>
  /**
   * Returns the address at which the account's server keeps a received file: if `url` leads to its own upload service, at a
   * private address that is also the connection's, this address; otherwise null. Never rejects.
   */
  ownFileAddress?(url: URL): Promise<string | null>
  /**
   * Opens a received file that was reported by `reference`, perhaps by an earlier process. Rejects with a `NetFailure`.
   * Present if the driver reports such files.
   */
  openFile?(reference: string, request: FileRequest): Promise<Fetched>
  /**
   * Reports what a callback says, and resolves when all of it is reported. The callbacks of an instance come one after the other, in
   * the order in which they were stored, while the connection is open. One may come again until everything that was reported for
   * it is stored. If there is much in it, the driver waits now and then until what it has reported is stored. Rejects if
   * it cannot be handled: with an UnreadableCallback if it never can be. Present if the driver has callbacks.
   */
  receive?(callback: Callback): Promise<CallbackReported>
  /**
   * Asks the network for templates of the account, while the connection is open. Never rejects, and answers at the latest when
   * the network had its time. Present if the network has templates.
   */
  listTemplates?(question: TemplateQuestion): Promise<TemplatesAnswer>
  /** Tells the sender of a received message that it was read. Present if the network can do that (`Abilities.marks_read`). */
  markRead?(message: ReceivedName): Promise<ReadOutcome>
  /**
   * Passes on what a person answered to the last link step, which asked a `question`. `rejected`: the answer is wrong, and the
   * question stays. Present if the network asks any (`Abilities.links`).
   */
  answerLink?(answer: string): Promise<AnswerOutcome>
  /**
   * Unlinks the account at the network, while the connection is open. Once it resolves to `confirmed`, `Driver.isLinked` is false for
   * the credentials that the driver has saved. Until then, the driver does not report that this very order has ended the
   * connection. Never rejects, and answers at the latest when the network had its time. Present if the network can do that
   * (`Abilities.logs_out`).
   */
  logOut?(): Promise<LogOutOutcome>
  /** Present if the driver's `needsDeprovisioning` says so; also works, by waiting, while the connection is being opened. */
  readonly removal?: Removal
}

/** A received message as its network knows it. */
export interface ReceivedName {
  readonly network_message_id: string
  /** The id that its sender gave it, if that is another. */
  readonly sender_message_id: string | null
  readonly conversation: string
  readonly from: string
}

/** Outcome of telling the network that a message was read; `accepted` if it knows that now. */
export type ReadOutcome = Extract<Outcome, { kind: 'accepted' | 'rejected' | 'uncertain' }>

/** Outcome of answering a question of the network; `not_asked` if nothing was asked, or no longer is. */
export type AnswerOutcome = ReadOutcome | { readonly kind: 'not_asked' }

/** The file must have at most `largest` bytes. */
export type FileRequest = Pick<FetchRequest, 'largest' | 'signal'>

export interface Removal {
  /** Resolves to `true` if the network confirmed, and to `false` if it cannot be reached now; then it is called again later. */
  remove(): Promise<boolean>
}

/**
 * A message as a driver needs it. `id` is our id of the message: 26 digits and lower-case letters
 * (`src/messages/network-id.ts`), unique, time-ordered, and the same for every attempt. Unless the network assigns ids, it is
 * the id of the message there.
 */
export type OutgoingMessage = FreeFormMessage | OutgoingTemplate

/** A message that its sender worded: the only kind for a network without templates. */
export type FreeFormMessage = OutgoingText | OutgoingMedia

export interface OutgoingText {
  readonly id: string
  readonly to: string
  readonly kind: 'text'
  readonly text: string
}

export interface OutgoingTemplate {
  readonly id: string
  readonly to: string
  readonly kind: 'template'
  /** Its components fit the schema of the driver, and have none of its faults. */
  readonly template: MessageTemplate
}

export interface OutgoingMedia {
  readonly id: string
  readonly to: string
  readonly kind: MediaKind
  readonly caption: string | null
  /** True for audio that should be played as a voice note, if the network has voice notes. */
  readonly voice: boolean
  readonly file: OutgoingFile
}

/** The file of a media message: its bytes are stored, and can be read as often as attempts need. */
export interface OutgoingFile {
  /** Cleaned: no path, no control characters. */
  readonly filename: string
  /** Detected from the bytes. */
  readonly mime_type: string
  /** In bytes. */
  readonly size: number
  /** In hexadecimal. */
  readonly sha256: string
  /**
   * Opens the bytes for reading once, from the beginning; destroying the stream closes the file. The memory of what is read
   * belongs to the reader, who may free it.
   */
  open(): Readable
}
