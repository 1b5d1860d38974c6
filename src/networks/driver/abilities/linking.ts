import type { LinkKind } from '../../../contract/resources/instance.ts'
import type { ReadOutcome } from './reading.ts'

/**
 * A step that a person must take to link the account, and its end (milliseconds since the epoch). A secret while it lasts.
 */
export interface LinkStep {
  /** `url`: a page to open; `question`: what the network asks, answered through `Connection.answerLink`. */
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
