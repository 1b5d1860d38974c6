import type { TemplateStatus, TypingState } from '../../contract/statuses.ts'
import type { GroupChanged } from './abilities/groups.ts'

/**
 * News from the network besides messages: of groups, of templates, of what people want, and of those who are writing. The last is shown to
 * callers who listen, and not stored.
 */
export type AccountNews =
  | GroupChanged
  | TemplateCategorized
  | TemplateChanged
  | MarketingChoiceMade
  | TypingSeen

/** The network decided on a template of the account, or changed its mind. It may be reported more than once. */
export interface TemplateChanged {
  readonly kind: 'template-changed'
  readonly name: string
  readonly language: string
  readonly status: TemplateStatus
  /** The network's own category, in lower case, if it says it. */
  readonly category?: string | null
  /** The network's own word for the status. */
  readonly network_status: string | null
  /** The reason for its rejection in the network's own words, if it says one. */
  readonly rejected_reason: string | null
  /** Milliseconds since the epoch, never in the future. */
  readonly at: number
}

/** The network has another category for a template of the account. It may be reported more than once. */
export interface TemplateCategorized {
  readonly kind: 'template-categorized'
  readonly name: string
  readonly language: string
  /** The network's own category, in lower case. */
  readonly category: string
  /** Milliseconds since the epoch, never in the future. */
  readonly at: number
}

/** A person told the network whether the account may send them marketing. It may be reported more than once. */
export interface MarketingChoiceMade {
  readonly kind: 'marketing-choice'
  /** The normalized address of the person. */
  readonly address: string
  readonly choice: 'opted_out' | 'opted_in'
  /** Milliseconds since the epoch, never in the future. */
  readonly at: number
}

/** A person begins or ends to write to the account, or in a group. */
export interface TypingSeen {
  readonly kind: 'typing-seen'
  /** The normalized address of the conversation. */
  readonly conversation: string
  /** The normalized address of the person. */
  readonly from: string
  readonly state: TypingState
}
