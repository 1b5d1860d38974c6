import type { MessageContent } from '../../../src/contract/resources/content.ts'
import type { MediaKind } from '../../../src/contract/resources/message.ts'
import type { MessageTemplate } from '../../../src/contract/resources/template.ts'
import type { RelationType } from '../../../src/contract/statuses.ts'
import type { LinkStep } from '../../../src/networks/driver/abilities/linking.ts'
import type { SealedCredentials, Settings } from '../../../src/networks/driver/account.ts'
import type { Driver } from '../../../src/networks/driver/driver.ts'
import type { KeyStore } from '../../../src/networks/driver/keys.ts'

/**
 * The far end of a driver, as the suite needs it: accounts, recipients, and a hand on the line. What a far end cannot
 * do is left out, and so are the laws about it. Addresses are returned in normalised form. A method
 * resolves when what it is asked for is in force.
 */
export interface Harness {
  /** The driver under test; one value for the whole suite. */
  readonly driver: Driver
  /** Why the far end cannot run here, for example "Prosody is not installed". */
  readonly unavailable?: string
  /** Addresses as people write them, each with its normalised form; at least one that is not normalised yet. */
  readonly spellings: readonly Spelling[]
  /** Receipts that recipients send by themselves, in their order. */
  readonly confirms: readonly ('delivered' | 'read')[]

  start(): Promise<void>
  stop(): Promise<void>
  /** A fresh account, ready to connect. */
  newAccount(): Promise<Account>
  /** A person who is there and can be written to. Every message that reaches them is told to `arrived`, in order. */
  newRecipient(arrived: (arrival: Arrival) => void): Promise<string>
  /**
   * Takes back an account that is no longer used and is as it was when it was new, except that it may not be linked any
   * more. For harnesses whose accounts are expensive.
   */
  takeBack?(account: Account, credentials: SealedCredentials): void
  /** Breaks the line under every open connection of the account, as a failing network would; no farewell is said. */
  cut(account: Account): Promise<void>

  /** A well-formed address which the network itself does not know. */
  unknownRecipient?(): Promise<string>
  /** An account whose credentials the network refuses. */
  refusedAccount?(): Promise<Account>
  /** An account whose network cannot be reached at all. */
  unreachableAccount?(): Promise<Account>
  /** An account for which the driver must undo something at the network when its instance is removed. */
  removableAccount?(): Promise<Account>
  /** An account that is not linked yet; required if a person can link one by a QR code or a pairing code. */
  unlinkedAccount?(): Promise<UnlinkedAccount>
  /** Has the person of the account unlink it, as on a phone. */
  unlink?(account: Account): Promise<void>
  /** Has another client with the same keys take over the account's open connection. */
  takeOver?(account: Account): Promise<void>
  /** An account that is linked by a question, and the right answer to what is asked; required if the network asks any. */
  askedAccount?(): Promise<{ readonly account: Account; answer(question: string): string }>
  /**
   * Sees to it that the next message of the account's open connection stays without an answer, and returns whom to
   * send it to. A connection opened later is answered again.
   */
  unanswered?(account: Account): Promise<string>
  /** Templates of every account, on a network that has them: one that may be sent as it is, and some that may not. */
  readonly templates?: Readonly<
    Record<'approved' | 'paused' | 'unknown' | 'wrong_parameters', MessageTemplate>
  >
  /** A text as recipients get it, if the network changes some, for example by cutting off the space around them. */
  asKept?(text: string): string
  /** The network keeps messages that were reported, and shows them again by time. */
  readonly archived?: true
  /** Has a person write to the account, which is connected; returns the address of the writer. */
  writeTo?(account: Account, text: string): Promise<string>
  /** Like `writeTo`, for an account that is not connected, at a network that keeps the message for it. */
  writeToAbsent?(account: Account, text: string): Promise<string>
  /**
   * Has a person with several addresses write this to the account, which is connected, from each of them; returns the
   * addresses, the most lasting first.
   */
  writeFromEach?(account: Account, text: string): Promise<readonly string[]>
  /** Has the account, which is connected, send this from another client; returns the address that it goes to. */
  sendElsewhere?(account: Account, text: string): Promise<string>
  /** Has a person send a file to the account, which is connected, on a network that refers to files by URL. */
  sendFileTo?(account: Account, file: SharedFile): Promise<string>
  /**
   * Has a person send a file with this text to the account, which is connected, on a network that refers to files otherwise.
   */
  sendReferencedFileTo?(account: Account, text: string): Promise<string>
}

export interface SharedFile {
  readonly url: string
  readonly caption: string | null
}

export interface Spelling {
  readonly written: string
  readonly address: string
}

export interface Account {
  readonly settings: Settings
  readonly credentials: SealedCredentials
  /** Credentials and keys that the driver kept when the account was linked, if a person must link accounts. */
  readonly link?: { readonly credentials: SealedCredentials; readonly keys: KeyStore }
  /** URL that the network calls back, if it does. */
  readonly callbackUrl?: string
  /** Secrets that must never appear in a log or an observation, for example the password; the suite watches for them. */
  readonly secrets: readonly string[]
}

export interface UnlinkedAccount {
  readonly account: Account
  /** The number of the phone that has the account, as digits. */
  readonly phone: string
  /** Does what a step of the kind `qr` or `code` says. */
  link(step: LinkStep): Promise<void>
}

/** A message as its recipient saw it; `id` is the network message id by which the recipient deduplicates messages. */
export interface Arrival {
  readonly id: string
  /** Empty for a file; of a reaction its emoji. */
  readonly text: string
  readonly file?: ArrivedFile
  /** Present if it is about another message. */
  readonly about?: ArrivedAbout
  /** Its content, if it is more than a text or a file, in the words of the contract. */
  readonly content?: Pick<MessageContent, 'location' | 'contacts' | 'interactive' | 'poll'>
}

/** The message that another one is about, by the id under which its recipient has it. */
export interface ArrivedAbout {
  readonly as: RelationType
  readonly id: string
}

/** A file as its recipient has it once it was read to its end, in the way in which the network has files read. */
export interface ArrivedFile {
  /** Null if the network shows no names of files of this kind. */
  readonly filename: string | null
  readonly mime_type: string
  /** In bytes. */
  readonly size: number
  /** In hexadecimal. */
  readonly sha256: string
  readonly caption: string | null
  /** Present if the network shows recipients as what kind a file was sent. */
  readonly kind?: MediaKind
  readonly voice?: boolean
}
