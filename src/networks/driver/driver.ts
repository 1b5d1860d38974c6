import type { TObject } from 'typebox'
import type { CodeMeaning } from '../../contract/codes.ts'
import type { ContactCard, Interactive, Location } from '../../contract/resources/content.ts'
import type { Abilities as PublishedAbilities } from '../../contract/resources/network.ts'
import type { Tally } from '../../runtime/counts.ts'
import type { Log } from '../../runtime/log.ts'
import type { Callbacks } from './abilities/callbacks.ts'
import type { AddressChecks } from './abilities/checking.ts'
import type { GroupFeatures } from './abilities/groups.ts'
import type { Linking } from './abilities/linking.ts'
import type { Removal } from './abilities/removal.ts'
import type { Templates } from './abilities/templates.ts'
import type { SealedCredentials, Settings, SettingsFault } from './account.ts'
import type { ConnectContext, DriverConnection } from './connection.ts'
import type { DriverLimits } from './limits.ts'
import type { EndingKind } from './observation.ts'

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
  readonly isSimulated?: true
  /** Markdown for the reference: what it is, what an address looks like, what it can promise. Headings are of level two. */
  readonly description: string
  /** The shapes of the caller's `settings` and `credentials`. Unknown fields are refused; credentials are sealed. */
  readonly settings: TObject
  /** Fields that a driver saves in addition to this schema stay when a caller replaces the credentials. */
  readonly credentials: TObject
  /**
   * Settings that cannot be changed: which account it is, what must be undone when the instance is removed, and `reply_window_seconds`,
   * by which the instances of a network may have a reply window of their own (`DriverAbilities.reply_window_seconds`).
   */
  readonly fixedSettings: readonly string[]
  readonly abilities: DriverAbilities
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
  /** Returns the processes beside this one that hold accounts, if the network has any. */
  workers?(): WorkerCounts

  /** Checks what the schemas cannot express, for example that two fields exclude each other. An empty list means no fault. */
  check(settings: Settings, credentials: SealedCredentials): readonly SettingsFault[]
  /** Checks an address in the network's own format and normalizes it, so that one recipient has one spelling. */
  parseAddress(input: string): ParsedAddress
  /**
   * The account at the network that an instance with these settings uses, spelled in one way for each account. No second
   * instance of an organization may use it. Null if that is not known before it is linked, or if many may use one.
   */
  accountIn(settings: Settings): string | null
  /** Tells whether a normalized address is that of a group. Present if the network has groups. */
  isGroup?(address: string): boolean
  /**
   * Names the part of a text, or of a caption, that the network cannot carry, and says what to do about it, in sentences
   * that do not repeat the text; null if the network can carry all of it.
   */
  textFault(text: string, part: 'text' | 'caption'): string | null
  /**
   * Names what the network cannot carry of a content that is within its limits, and says what to do about it, in sentences that do not
   * repeat it; null if it can carry all of it. Present if there is such a content.
   */
  contentFault?(content: ContentToSend): string | null
  /**
   * Says why a text, or a caption, does not mention the person with a normalized address, and how it would; null if it does. Present if
   * the network drops a mention that the text does not have.
   */
  mentionFault?(address: string, text: string): string | null
  /**
   * Opens a connection and returns at once. Errors are reported through `context.report`, never thrown. After
   * `context.signal` aborts, or `close()` was called, nothing more is reported.
   */
  connect(context: ConnectContext): DriverConnection
  /**
   * Begins early what the next connection would wait for, such as the start of a process: another node is about to give instances of the
   * network away, perhaps to this one. Present if there is something of the kind.
   */
  prepare?(log: Log): void

  /** Present if a person links accounts. */
  readonly linking?: Linking
  /** Present if the network posts what happens to a URL of this server. */
  readonly callbacks?: Callbacks
  readonly templates?: Templates
  /** Present if the network can tell whether addresses exist. */
  readonly addressChecks?: AddressChecks
  readonly groups?: GroupFeatures
  readonly removal?: Removal
}

/** Processes that hold accounts of a network. */
export interface WorkerCounts {
  readonly running: number
  readonly accounts: number
  /** Those that fell since the server was started. */
  readonly ended: number
}

/** A reason why a connection may end: the observation that reports it, and its meaning to a person. */
export interface DescribedReason extends CodeMeaning {
  readonly ends: EndingKind
}

/** The place, the people, the choices, or the topic of a message that is to be sent. */
export interface ContentToSend {
  readonly location?: Location
  readonly contacts?: readonly ContactCard[]
  readonly interactive?: Pick<Interactive, 'buttons' | 'list'>
  readonly topic?: string
}

export type ParsedAddress =
  | { readonly ok: true; readonly address: string }
  | { readonly ok: false; readonly detail: string }

/**
 * The abilities of a network, as data that callers see; those that have a declaration of their own are not repeated here. A network
 * with a reply window must tell of messages by callbacks, or at once: the window counts as over only while no callback waits.
 */
export type DriverAbilities = Readonly<
  Omit<
    PublishedAbilities,
    'links' | 'logs_out' | 'templates' | 'callbacks' | 'checks_addresses' | 'typing' | 'groups' | 'pictures'
  > & {
    /** Present if the account can show that it is writing; `answering` if only as an answer to a message. */
    typing?: true | 'answering'
    /** Present if the account can see the pictures of people. */
    pictures?: true
  }
>
