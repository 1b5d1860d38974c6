import type { Readable } from 'node:stream'
import type { TObject } from 'typebox'
import type { CodeMeaning } from '../contract/codes.ts'
import type { MediaKind } from '../contract/resources/message.ts'
import type { Clock } from '../runtime/clock.ts'
import type { Log } from '../runtime/log.ts'
import type { Share } from '../runtime/shares/share.ts'
import type { Ending, Observation, Resumption } from './observation.ts'
import type { Outcome } from './outcome.ts'

/**
 * The law of every network. A driver reports facts and performs orders; it never decides: it owns no state beyond one
 * connection, no retry and no storage, and times nothing but the steps of its protocol. Everything here is also checked by
 * the suite in `test/conformance/networks/`.
 */
export interface Driver {
  /** The slug by which callers name the network, for example `xmpp`. */
  readonly network: string
  readonly title: string
  /** Markdown for the reference: what it is, what an address looks like, what it can promise. Headings are of level two. */
  readonly description: string
  /** The shapes of the caller's `settings` and `credentials`. Unknown fields are refused; credentials are sealed. */
  readonly settings: TObject
  /** What a driver saves in them beside the fields of this schema stays when a caller replaces them. */
  readonly credentials: TObject
  readonly limits: Limits
  /** Every code that a `Reason` of the network may have, and every code of a `NetworkError`: the reference shows them all. */
  readonly reasons: Readonly<Record<string, DescribedReason>>
  readonly errors: Readonly<Record<string, CodeMeaning>>

  /** What the schemas cannot say, for example that two fields exclude each other. An empty list means fine. */
  check(settings: Settings, credentials: Credentials): readonly SettingsFault[]
  /** Checks an address in the network's own form and normalises it, so that one recipient has one spelling. */
  parseAddress(input: string): ParsedAddress
  /**
   * The account at the network that an instance with these settings uses, spelled in one way for each account. No second instance
   * of an organization may use it. Null if that is not known before it is linked, or if many may use one.
   */
  accountIn(settings: Settings): string | null
  /**
   * What of a text the network cannot carry, and what to do about it, in sentences that do not repeat the text; null if it can
   * carry all of it.
   */
  textFault(text: string): string | null
  /** True where removing an instance with these settings must also undo something at the network: see `Removal`. */
  mustUndo(settings: Settings): boolean
  /** A fresh id for one message, fixed when the message is accepted and used by every attempt. Time-ordered. */
  newMessageId(): string
  /**
   * Opens a connection and returns at once. Trouble is reported through `context.report`, never thrown. After
   * `context.signal` aborts, or `close()` was called, nothing more is reported.
   */
  connect(context: ConnectContext): Connection
}

/** Why a connection may end: which observation tells it, and what it means to a person. */
export interface DescribedReason extends CodeMeaning {
  readonly ends: Ending
}

export type Settings = Readonly<Record<string, unknown>>
export type Credentials = Readonly<Record<string, unknown>>

/** A fault in settings or credentials; the pointer (RFC 6901) is relative to the request body. */
export interface SettingsFault {
  readonly pointer: string
  readonly code: string
  readonly detail: string
}

export type ParsedAddress =
  | { readonly ok: true; readonly address: string }
  | { readonly ok: false; readonly detail: string }

/** What the network bears, as data: visible in the reference, enforced by the outbox and never by the driver. */
export interface Limits {
  /** In Unicode characters. */
  readonly text_characters: number
  /** The largest file of each kind, in bytes; a kind that is missing cannot be sent. */
  readonly media_bytes: Readonly<Partial<Record<MediaKind, number>>>
  /** The longest caption, in Unicode characters. */
  readonly caption_characters: number
  /**
   * True where a message sent twice with one id reaches the recipient once, or can be told apart by its id there. An
   * uncertain attempt is then repeated with that id; elsewhere it becomes `unknown` and is left to the caller.
   */
  readonly dedupes_by_id: boolean
  /** How many messages of one instance may wait for their answer at once. To one recipient it is always one. */
  readonly in_flight: number
  /**
   * How long an attempt may stay without an answer; a file has the time in addition that it takes at `slowestTransfer`. Then
   * it is given up: it counts as uncertain, and its place is free. A connection that leaves as many given up as may be in
   * flight is closed, so that nothing waits in it without bound.
   */
  readonly answer_timeout_seconds: number
  /** At most so many messages in so many seconds, for one instance; null for no limit. Callers may set their own. */
  readonly pacing: Pacing | null
  /** How long a silent connection is believed before it is probed, and how long a probe may take; in seconds. */
  readonly probe_after_seconds: number
  readonly probe_timeout_seconds: number
}

/** What a file has to move at least to be given time, in bytes a millisecond. */
export const slowestTransfer = 100

export interface Pacing {
  readonly messages: number
  readonly seconds: number
}

export interface ConnectContext {
  readonly settings: Settings
  readonly credentials: CredentialsAccess
  /** What the connection before this one left behind, if it broke in this process. */
  readonly resumption?: Resumption
  report(observation: Observation): void
  /**
   * How far the incoming messages of the account are kept, once everything that was reported so far is; null where it never
   * was caught up before: what is older than the instance is none of its messages. To be asked before `connection-opened` is
   * reported, and again between the pages of an archive, so that no more is read than can be kept. Waits while the store is
   * away, and while the organization has no room for more: a driver that opens all the same can send meanwhile. Never rejects; null where nobody listens to the connection any more.
   */
  caughtUp(): Promise<CaughtUp | null>
  /** Aborts when the instance is stopped, removed or taken over. */
  readonly signal: AbortSignal
  /**
   * What the connection may take of what all connections use. What it reads, holds and does at the other side's will counts
   * here: it reads no faster than this says, works in turns, and ends at once when it is told that too much is held.
   */
  readonly share: Share
  readonly clock: Clock
  /** A number in [0, 1). */
  readonly random: () => number
  readonly log: Log
}

/**
 * Up to where the incoming messages of an account are kept without a gap. A driver reports those behind it, oldest first, and
 * `caught-up`. Until it says so, this stays as it is, whatever is reported.
 */
export interface CaughtUp {
  /** The last message, or entry of the network's archive, before which nothing is missing; null where none is known. */
  readonly network_message_id: string | null
  /**
   * Up to when nothing was missed, in milliseconds since the epoch: at the latest, when it was last known to be connected. By
   * the clock of this machine, and what was under way then came later: who asks by time begins some minutes before.
   */
  readonly at: number
}

export interface CredentialsAccess {
  read(): Credentials
  /** Durable when the promise resolves. Rejects when this node no longer owns the instance. */
  save(credentials: Credentials): Promise<void>
}

export interface Connection {
  /**
   * Hands one message to the network and answers once the network did, or once it is sure that it never will. The same
   * message may come again with a higher `attempt` (counted from 1) and then carries the same id, also while an earlier
   * attempt that was given up still waits here. That one's answer is heard too: where it is `accepted`, it counts.
   */
  send(message: OutgoingMessage, attempt: number): Promise<Outcome>
  /** Asks the network for a sign of life; the answer is a `connection-verified` or `connection-lost`. */
  probe(): void
  /**
   * Ends the connection without logging out; sends that wait for their answer become uncertain. Idempotent; resolves when
   * the socket is gone or given up. A connection that was reported lost is not closed: its sends go on in its resumption.
   */
  close(): Promise<void>
  /**
   * Where the server of the account has a file that somebody sent. If it has files in a place of its own, at an address that
   * is not public and at which the connection itself is, and `url` leads to that place: this address. Else null. Never rejects.
   */
  ownFileAddress?(url: URL): Promise<string | null>
  /** Present where the driver's `mustUndo` says so; works, and waits, also while the connection is being opened. */
  readonly removal?: Removal
}

export interface Removal {
  /** Resolves `true` when the network confirmed, `false` when it could not be reached now; asked again later. */
  remove(): Promise<boolean>
}

/** A message as a driver needs it. `id` is the network message id. */
export type OutgoingMessage = OutgoingText | OutgoingMedia

export interface OutgoingText {
  readonly id: string
  readonly to: string
  readonly kind: 'text'
  readonly text: string
}

export interface OutgoingMedia {
  readonly id: string
  readonly to: string
  readonly kind: MediaKind
  readonly caption: string | null
  /** True for audio that is to be played as a voice note, where the network has such a thing. */
  readonly voice: boolean
  readonly file: OutgoingFile
}

/** What a media message carries: its bytes are kept, and can be read as often as attempts need. */
export interface OutgoingFile {
  /** Cleaned: no path, no control characters. */
  readonly filename: string
  /** Found from the bytes. */
  readonly mime_type: string
  /** In bytes. */
  readonly size: number
  /** In hexadecimal. */
  readonly sha256: string
  /**
   * Opens the bytes for reading once, from the beginning; destroying the stream lets go of them. The memory of what is read
   * belongs to the reader, who may give it back.
   */
  open(): Readable
}
