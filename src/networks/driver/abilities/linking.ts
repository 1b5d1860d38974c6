import type { LinkKind } from '../../../contract/resources/instance.ts'
import type { SealedCredentials, Settings } from '../account.ts'
import type { ReadOutcome } from './reading.ts'

/** A network whose accounts a person links, and unlinks. */
export interface Linking {
  /** The kinds of steps that a person may have to take, as callers see them. */
  readonly kinds: readonly LinkKind[]
  /**
   * True if the account of an instance with these settings and credentials is linked, or needs no link: a connection would then ask
   * no person. It may still find that the network has ended the link.
   */
  isLinked(settings: Settings, credentials: SealedCredentials): boolean
}

/** Actions of a person on the link of the account, through its connection. */
export interface LinkActions {
  /**
   * Passes on what a person answered to the last link step, which asked a `question`. `rejected`: the answer is wrong, and the
   * question stays. Present if the network asks any.
   */
  answer?(answer: string): Promise<AnswerOutcome>
  /**
   * Unlinks the account at the network, while the connection is open. Once it resolves to `confirmed`, `Linking.isLinked` is false
   * for the credentials that the driver has saved. Until then, the driver does not report that this very order has ended the
   * connection. Never rejects, and answers at the latest when the network had its time.
   */
  logOut(): Promise<LogOutOutcome>
}

/**
 * A step that a person must take to link the account, and its end (milliseconds since the epoch). A secret while it lasts.
 */
export interface LinkStep {
  /** `url`: a page to open; `question`: what the network asks, answered through `LinkActions.answer`. */
  readonly kind: LinkKind
  readonly value: string
  readonly expires_at: number
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

/** Outcome of answering a question of the network; `not_asked` if nothing was asked, or no longer is. */
export type AnswerOutcome = ReadOutcome | { readonly kind: 'not_asked' }
