import type { ProblemCode } from '../../../contract/problems.ts'
import type { Words } from '../core/translation.ts'

/**
 * What only programs meet: the console sends well-formed requests of the contract, networks post callbacks, and whoever opens a
 * link page is told so there.
 */
type MetByPrograms =
  | 'callback_not_accepted'
  | 'idempotency_mismatch'
  | 'link_page_not_found'
  | 'malformed_body'
  | 'method_not_allowed'
  | 'not_acceptable'
  | 'problem_not_found'
  | 'range_not_satisfiable'
  | 'unsupported_media_type'

/** What happened and what to do, for people. */
export interface ProblemWords {
  readonly title: Words
  readonly next: Words
  /** The server's own sentences, which are English, add something: what is missing, or what the limit is. */
  readonly adds?: true
}

/** The problems that people meet in the console. */
export type MetProblem = Exclude<ProblemCode, MetByPrograms>
