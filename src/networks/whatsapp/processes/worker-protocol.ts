import type { ProxySettings } from '../../../net/tunnel/proxy.ts'
import type { FoundAddress } from '../../driver/abilities/checking.ts'
import type { GroupChanged } from '../../driver/abilities/groups.ts'
import type { LinkWay } from '../../driver/abilities/linking.ts'
import type { KeyChange } from '../../driver/keys.ts'
import type { Observation } from '../../driver/observation.ts'
import type { Thumbnail } from '../content/content.ts'
import type { WhatsAppContent } from '../content/fields.ts'
import type { Close } from '../disconnects.ts'
import type { ReceiptObservation } from '../incoming/receipts.ts'
import type { MediaConnection } from '../media/upload.ts'
import type { AskAboutGroups } from './group-questions.ts'
import type { LineMessage } from './rpc-channel.ts'

/*
 * Messages between the server and its worker processes. A worker holds many clients, each with a number; the server gives
 * orders and stores, a worker speaks to WhatsApp. What one side says in a turn of its event loop goes as one array.
 */

/** The exit code of a worker without the library, which is optional. Node's own codes are below 64. */
export const libraryMissing = 64

/** From the server to a worker. */
export type ToWorker =
  | { readonly kind: 'open'; readonly client: number; readonly options: WorkerClientOptions }
  | { readonly kind: 'close'; readonly client: number }
  | { readonly kind: 'line'; readonly client: number; readonly message: LineMessage }
  /** Asks for a sign of life, as it does again after so many milliseconds. */
  | { readonly kind: 'beat'; readonly every: number }

/** From a worker to the server. */
export type FromWorker =
  | { readonly kind: 'line'; readonly client: number; readonly message: LineMessage }
  /** Events of a client on WhatsApp, in order. */
  | { readonly kind: 'event'; readonly client: number; readonly event: WorkerClientEvent }
  /** Nothing follows about this client, and its connection is gone. */
  | { readonly kind: 'closed'; readonly client: number }
  /** A sign of life. */
  | { readonly kind: 'beat' }
  /** An unexpected error, without secrets. `left_out`: number of others of the same client that were not told before it. */
  | { readonly kind: 'trouble'; readonly what: string; readonly stack: string; readonly left_out?: number }

/** The operator's settings for all clients. */
export interface ClientSettings {
  /** The WebSocket of WhatsApp. */
  readonly server: string
  /** Certificate authorities to trust instead of those that Node trusts, in PEM. */
  readonly ca: string | null
  /** The public key from which the server is certified, in hexadecimal; null for that of WhatsApp. */
  readonly rootKey: string | null
  /** Null for the version that the library knows. */
  readonly version: readonly [number, number, number] | null
  readonly browser: readonly [system: string, browser: string, version: string]
  /** Addresses that instances may reach besides public ones (CIDR). */
  readonly allowedCidrs: readonly string[]
  /** Name servers to ask instead of the system's. */
  readonly nameServers?: readonly string[]
  /** For how long each QR code is shown, in milliseconds; as long as WhatsApp Web does by default. */
  readonly codeLifetime?: number
  /** Milliseconds that WhatsApp may take to acknowledge a message; 20 seconds by default. */
  readonly ackTimeoutMs?: number
  /** Milliseconds after which clients of WhatsApp accept no edit of a message; 20 minutes by default. */
  readonly maxEditAgeMs?: number
}

export interface WorkerClientOptions extends ClientSettings {
  readonly proxy: ProxySettings | null
  /** True if people see the account as online. */
  readonly isShownOnline: boolean
  /** True if the account is linked, so that its keys are stored. */
  readonly isLinked: boolean
  /** The way in which a person wants to link the account, if it is not linked. */
  readonly link: LinkWay
}

/**
 * A dropped thing: a part of the history, a message or a stanza that exceeded a limit or could not be read; or the file of a
 * part of the history that could not be fetched, or is not the one that the phone announced.
 */
export type Dropped = 'history' | 'history_file' | 'message' | 'stanza'

export type WorkerClientEvent =
  | { readonly kind: 'observed'; readonly observations: readonly Observation[] }
  /** Connected and logged in. */
  | { readonly kind: 'opened' }
  /** Everything that came while there was no connection has been reported. */
  | { readonly kind: 'caught-up' }
  /** The connection ended by itself. */
  | { readonly kind: 'ended'; readonly close: Close }
  /** The account is linked, but its keys are not stored any more. */
  | { readonly kind: 'keys-missing' }
  /** Distance of the account to its limit of new chats, and the time when it may begin more; null if it is not near. */
  | {
      readonly kind: 'new-chats'
      readonly limit: 'new_chats_limit' | 'new_chats_limit_near' | null
      readonly endsAt: number | null
    }
  /** More came than can be held. */
  | { readonly kind: 'too-much-held' }
  /** Something was dropped, and the connection goes on. */
  | { readonly kind: 'dropped'; readonly what: Dropped }
  /** A part of the history was read: for how many people it brought privacy tokens, and for how many both addresses. */
  | { readonly kind: 'history-read'; readonly tokens: number; readonly addresses: number }
  /** WhatsApp links this account only with a passkey. */
  | { readonly kind: 'passkey-required' }
  /** WhatsApp gives no code to link this phone number. */
  | { readonly kind: 'link-refused' }
  /** A message could not be stored in time. Its keys are as they were before, and it comes again with the next connection. */
  | { readonly kind: 'message-not-stored' }
  /** Keys could not be stored. */
  | { readonly kind: 'keys-not-stored'; readonly limitReached: boolean }
  /** WhatsApp says whether the account may begin new chats, and until when it may not, in milliseconds since the epoch. */
  | { readonly kind: 'time-lock'; readonly isActive: boolean; readonly endsAt: number | null }

/** A message that is to be sent. */
export interface ToSend {
  /** Its id at WhatsApp. */
  readonly id: string
  /** The address in the form of WhatsApp: of a phone number, a LID or a group. */
  readonly jid: string
  /** The content to send, if this is the first attempt for the message; otherwise it was stored then. */
  readonly content: WhatsAppContent | null
}

/** The result of an attempt. */
export type SendingResult =
  /** WhatsApp acknowledged it. */
  | { readonly kind: 'acknowledged' }
  /** WhatsApp refused it, or a question about its recipient, with this code. `timeLock`: whether the account may not begin new chats now, if that is known. */
  | { readonly kind: 'refused'; readonly code: number; readonly timeLock: boolean | null }
  /** Nothing was sent: there is no such account, or none of its devices can be reached. */
  | { readonly kind: 'no_account' | 'no_devices' }
  /** Nothing was sent. */
  | { readonly kind: 'not_sent'; readonly detail: string }
  /** It may have been sent. `isLate`: WhatsApp did not acknowledge it in time. */
  | { readonly kind: 'unanswered'; readonly detail: string; readonly isLate: boolean }
  /** Nothing was sent: the message that it edits was sent too long ago. */
  | { readonly kind: 'too_late' }
  /** The content that was stored with the first attempt is gone. */
  | { readonly kind: 'forgotten' }

/** The answer of WhatsApp to a question about people. */
export type PeopleReply<T> =
  | { readonly kind: 'done'; readonly value: T }
  /** WhatsApp refused it with this code. */
  | { readonly kind: 'refused'; readonly code: number }
  /** WhatsApp did not answer in time, or not with what was asked for, or was not asked. */
  | { readonly kind: 'unanswered' }

/** Questions to a worker about a client. */
export interface AskWorker extends AskAboutGroups {
  send(asked: ToSend): SendingResult
  /** True if WhatsApp answered a ping in time. */
  ping(asked: null): boolean
  mediaHosts(asked: { readonly fresh: boolean }): MediaConnection
  thumbnail(asked: { readonly image: Uint8Array }): Thumbnail | null
  /** True if WhatsApp confirmed that the device is unlinked. */
  logOut(asked: null): boolean
  /** True if WhatsApp acknowledged the receipt. */
  markRead(asked: { readonly jid: string; readonly participant: string | null; readonly id: string }): boolean
  /** Asks which of these phone numbers, normalized, have an account. */
  findAccounts(asked: { readonly numbers: readonly string[] }): PeopleReply<readonly FoundAddress[]>
  /** The URL of a picture; null if there is none, or none for this account. */
  findPicture(asked: { readonly jid: string }): PeopleReply<string | null>
  showTyping(asked: { readonly jid: string; readonly seconds: number }): void
}

/** Questions to the server about a client. */
export interface AskServer {
  keys(asked: { readonly type: string; readonly ids: readonly string[] }): ReadonlyMap<string, Uint8Array>
  setKeys(asked: readonly KeyChange[]): void
  /** Answered when there is room for what comes in on this connection. */
  room(asked: null): void
  /** Answered when the observation is stored; never if the connection is over. */
  store(asked: Observation): void
  /** Answers true if all of them are stored, so that their stanzas may be acknowledged. */
  storeReceipts(asked: readonly ReceiptObservation[]): boolean
  /** As for receipts. */
  storeGroupChanges(asked: readonly GroupChanged[]): boolean
  /** Answers true if a message with this id is stored. */
  isStored(asked: string): boolean
  /** The account is linked now. */
  linked(asked: { readonly account: string }): void
}
