import type { HttpClient } from '../../net/http/client.ts'
import type { Clock } from '../../runtime/clock.ts'
import type { Share } from '../../runtime/limits/share.ts'
import type { Log } from '../../runtime/log.ts'
import type { InstanceCallbacks, ReceiveCallback } from './abilities/callbacks.ts'
import type { StoredMessages } from './abilities/catching-up.ts'
import type { CheckAddresses } from './abilities/checking.ts'
import type { FileAccess } from './abilities/files.ts'
import type { GroupActions } from './abilities/groups.ts'
import type { LinkActions, LinkWay } from './abilities/linking.ts'
import type { FindPicture } from './abilities/pictures.ts'
import type { MarkRead } from './abilities/reading.ts'
import type { Remove } from './abilities/removal.ts'
import type { Resumption } from './abilities/resumption.ts'
import type { ListTemplates } from './abilities/templates.ts'
import type { ShowTyping } from './abilities/typing.ts'
import type { CredentialsAccess, Settings } from './account.ts'
import type { KeyStore } from './keys.ts'
import type { OutgoingMessage } from './message.ts'
import type { Observation, Restriction } from './observation.ts'
import type { Outcome } from './outcome.ts'

/** The instance of a connection, and the parts of the server that the connection uses. */
export interface ConnectContext {
  /** Names the instance: opaque, and the same for each of its connections. */
  readonly instance: string
  /** Counts the times that a node has taken the instance over. */
  readonly epoch: number
  readonly settings: Settings
  readonly credentials: CredentialsAccess
  /**
   * The store for protocols with many keys, such as those of Signal; small values that change rarely belong in the
   * credentials.
   */
  readonly keys: KeyStore
  /** Present if the network posts to a URL of this server. */
  readonly callbacks?: InstanceCallbacks
  /** The state that the previous connection left behind, if it broke in this process. */
  readonly resumption?: Resumption
  /**
   * The way in which a person wants to link the account; without it, the driver does it in its own way. Present on the
   * connection that they ordered, and on those that follow it, until the account is linked, the instance is stopped, or the
   * process ends. Only if `Linking.isLinked` says that the account is not linked, or if the network has just refused its
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
   * True while callers follow those who type (`typing-seen`): a network on which that must be asked for, person by person, is asked only
   * then. Otherwise such a report is dropped.
   */
  readonly wantsTyping: () => boolean
  readonly stored: StoredMessages
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

/** A connection of one instance to its network. */
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
  /** Present if the network has linking. */
  readonly linking?: LinkActions
  /** Present if files that are received are not all at public URLs. */
  readonly files?: FileAccess
  /** Present if the network has callbacks. */
  readonly receive?: ReceiveCallback
  /** Present if the network has templates. */
  readonly listTemplates?: ListTemplates
  /** Present if the network can do that (`DriverAbilities.marks_read`). */
  readonly markRead?: MarkRead
  /** Present if the network has address checks. */
  readonly checkAddresses?: CheckAddresses
  /** Present if the network can do that (`DriverAbilities.typing`). */
  readonly showTyping?: ShowTyping
  /** Present if the network has groups (`Driver.groups`). */
  readonly groups?: GroupActions
  /** Present if the network can do that (`DriverAbilities.pictures`). */
  readonly findPicture?: FindPicture
  /** Present if the network has a removal. */
  readonly remove?: Remove
}
