import type {
  DeliveryFailureCode,
  InstanceReasonCode,
  MediaErrorCode,
  MessageErrorCode,
  WebhookDisabledCode,
} from '../contract/codes.ts'
import type { FindingCode } from '../contract/operations/operator/findings.ts'
import type { ProblemCode } from '../contract/problems.ts'

type Sentences<Code extends string = string> = Readonly<Record<Code, string>>

/**
 * Translations of the server's English, by its codes: no other English is needed, and every other language has all of it.
 * Codes of a single network stand in the folder of that network.
 */
export interface ServerWords {
  readonly reasons: Sentences<InstanceReasonCode>
  readonly errors: Sentences<MessageErrorCode | MediaErrorCode>
  readonly notices: Sentences
  readonly faults: Sentences
  readonly delivery_failures: Sentences<DeliveryFailureCode>
  readonly disabled: Sentences<WebhookDisabledCode>
  /** Findings about the server, each with what the operator can do. */
  readonly findings: Readonly<Record<FindingCode, { readonly happened: string; readonly next: string }>>
  /** Meanings of the fields that every network has. */
  readonly hints: Sentences
}

/**
 * Problems that only programs meet: the console sends well-formed requests of the contract, networks post callbacks, and the
 * link page has words of its own.
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

/** The problems that people meet in the console, each with what happened and what to do next. */
export type ProblemWords = Readonly<
  Record<Exclude<ProblemCode, MetByPrograms>, { readonly title: string; readonly next: string }>
>
