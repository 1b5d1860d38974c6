import type { TObject } from 'typebox'
import type { InvalidValue } from '../../../contract/problem.ts'
import type { MessageTemplate, Template } from '../../../contract/resources/template.ts'
import type { NetworkError } from '../outcome.ts'

/** The driver's description of the templates of its network. */
export interface Templates {
  /** The shape of one component of a template with its parameters, as a caller gives it. */
  readonly component: TObject
  /**
   * Finds what the schema cannot say. Whether the account has such a template is for the network to say. Pointers are relative to
   * the request body.
   */
  faults(template: MessageTemplate): readonly InvalidValue[]
}

/**
 * Asks the network for templates of the account, while the connection is open. Never rejects, and answers at the latest when the network
 * had its time.
 */
export type ListTemplates = (question: TemplateQuestion) => Promise<TemplatesAnswer>

/** A question to the network for templates of the account. */
export interface TemplateQuestion {
  /** Templates that are wanted at most; the network may give fewer at once. */
  readonly limit: number
  /**
   * The place to continue: `next` of the previous answer; null for the first. It comes from a caller, and may be anything.
   */
  readonly after: string | null
  /** Present if only templates of this name are wanted. */
  readonly name?: string
  /** Aborts when no caller waits any longer. */
  readonly signal: AbortSignal
}

/** The network's answer to a question for templates. */
export type TemplatesAnswer =
  | {
      readonly kind: 'listed'
      readonly templates: readonly Template[]
      /** The place to continue, as an opaque string of the driver that fits `placePattern`; null if these were the last. */
      readonly next: string | null
    }
  | { readonly kind: 'rejected'; readonly error: NetworkError }
  /** The network could not be asked, or did not answer. */
  | { readonly kind: 'unanswered'; readonly detail: string }
  /** The instance lacks a setting that says which account has the templates. */
  | { readonly kind: 'setting-missing'; readonly detail: string }

/** A place in a list of templates: visible ASCII. */
export const placePattern = '^[\\x21-\\x7e]{1,1024}$'
