import type { Fetched } from '../../net/fetch/fetch.ts'
import type { HttpClient } from '../../net/http/client.ts'
import type { Clock } from '../../runtime/clock.ts'
import type { Share } from '../../runtime/limits/share.ts'
import type { Log } from '../../runtime/log.ts'
import type { Callback, CallbackReported, CallbackRequest, Claim } from './abilities/callbacks.ts'
import type { CaughtUp } from './abilities/catching-up.ts'
import type { FileRequest } from './abilities/files.ts'
import type { AnswerOutcome, LinkWay, LogOutOutcome } from './abilities/linking.ts'
import type { ReadOutcome, ReceivedName } from './abilities/reading.ts'
import type { Removal } from './abilities/removal.ts'
import type { Resumption } from './abilities/resumption.ts'
import type { TemplateQuestion, TemplatesAnswer } from './abilities/templates.ts'
import type { CredentialsAccess, Settings } from './account.ts'
import type { KeyStore } from './keys.ts'
import type { OutgoingMessage } from './message.ts'
import type { Observation, Restriction } from './observation.ts'
import type { Outcome } from './outcome.ts'

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
