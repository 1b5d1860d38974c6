import type {
  GroupAbility,
  GroupChange,
  GroupRole,
  JoinDecision,
  MemberAction,
} from '../../../contract/statuses.ts'
import type { Rate } from '../../../runtime/config/setting-values.ts'
import type { NetworkError } from '../outcome.ts'

/** The driver's description of the groups of its network. */
export interface GroupFeatures {
  /** Things that accounts can do with groups. The connection has a function for each. */
  readonly abilities: readonly GroupAbility[]
  /** Changes that one account may make, and in which time; each call of a function but `list` and `get` is one: networks ban accounts that change much. */
  readonly pace: Rate
  /** UTF-16 units of the longest subject. */
  readonly maxSubject: number
  /** UTF-16 units of the longest description; needed to describe groups. */
  readonly maxDescription?: number
}

/**
 * Functions that ask the network, each of them present if the driver declares its ability. They never reject, and answer at the latest
 * when the network had its time, or the signal aborts. Addresses are normalized, and those of groups are groups (`Driver.isGroup`).
 */
export interface GroupActions {
  /** Groups of the account, without their members. `after` is `next` of the previous answer; it comes from a caller, and may be anything. */
  list?(page: GroupPageQuestion, signal: AbortSignal): Promise<GroupAnswer<FoundGroupPage>>
  get?(group: string, signal: AbortSignal): Promise<GroupAnswer<FoundGroup>>
  create?(group: NewGroup, signal: AbortSignal): Promise<GroupAnswer<FoundGroup>>
  /** Joins the group that an invitation leads to: a link, or the address of a group that is open. */
  join?(invitation: string, signal: AbortSignal): Promise<GroupAnswer<FoundGroup>>
  rename?(group: string, subject: string, signal: AbortSignal): Promise<GroupAnswer<null>>
  /** Changes what a group says about itself; an empty text takes it away. */
  describe?(group: string, description: string, signal: AbortSignal): Promise<GroupAnswer<null>>
  /** `add`, `remove`, `promote` or `demote`. */
  changeMembers?(
    group: string,
    change: MemberChange,
    signal: AbortSignal,
  ): Promise<GroupAnswer<MemberResults>>
  /** A link by which people join; with `renew`, earlier ones no longer work. */
  inviteLink?(
    group: string,
    renew: boolean,
    signal: AbortSignal,
  ): Promise<GroupAnswer<{ readonly url: string }>>
  /** People who ask to join; `after` as in `list`. */
  listRequests?(
    group: string,
    page: GroupPageQuestion,
    signal: AbortSignal,
  ): Promise<GroupAnswer<FoundRequestPage>>
  /** Lets people in who asked to join, or declines. */
  answerRequests?(
    group: string,
    answer: RequestAnswer,
    signal: AbortSignal,
  ): Promise<GroupAnswer<MemberResults>>
  leave?(group: string, signal: AbortSignal): Promise<GroupAnswer<null>>
}

export type GroupAnswer<T> =
  | { readonly kind: 'done'; readonly value: T }
  | { readonly kind: 'rejected'; readonly error: NetworkError }
  /** The network knows no such group, or does not show it to the account; callers get `group_not_found`. */
  | { readonly kind: 'no-group' }
  /** The network could not be asked, or did not answer. `mayBeDone`: what was asked for may have happened. */
  | { readonly kind: 'unanswered'; readonly detail: string; readonly mayBeDone: boolean }

export interface GroupPageQuestion {
  readonly limit: number
  readonly after: string | null
}

export interface FoundGroupPage {
  readonly groups: readonly FoundGroup[]
  /** The place to continue, of visible ASCII, at most 1024; null if these were the last. */
  readonly next: string | null
}

/** A page of people who ask to join a group; `next` as in a page of groups. */
export interface FoundRequestPage {
  readonly requests: readonly FoundRequest[]
  readonly next: string | null
}

export interface FoundRequest {
  readonly address: string
  readonly name?: string | null
  /** Milliseconds since the epoch. */
  readonly at?: number | null
}

export interface RequestAnswer {
  readonly action: JoinDecision
  readonly people: readonly string[]
}

/** A group as the network shows it. The server cuts what is too long, and members beyond `maxGroupMembers`. */
export interface FoundGroup {
  readonly address: string
  readonly subject: string | null
  readonly description?: string | null
  readonly created_at?: number | null
  /** Number of members, if the network tells it. */
  readonly size?: number | null
  /** Missing in a list, or if the network does not show them. */
  readonly members?: readonly FoundMember[]
  /** The account's own role; null if it is not known. */
  readonly role?: GroupRole | null
  /** True if people join only after they are let in. */
  readonly approval?: boolean | null
}

export interface FoundMember {
  readonly address: string
  readonly name?: string | null
  readonly role: GroupRole
}

export interface NewGroup {
  readonly subject: string
  /** Only if groups can be described. */
  readonly description?: string | undefined
  /** Only with the ability. */
  readonly approval?: boolean | undefined
  readonly members: readonly string[]
}

export interface MemberChange {
  readonly action: MemberAction
  readonly members: readonly string[]
}

/** The fate of each member that was named: null if it is done. One that is left out is not known. */
export type MemberResults = readonly { readonly address: string; readonly error: NetworkError | null }[]

/**
 * The network told that a group changed: its subject, its members, or whether the account is in it. It may be reported more than once. The
 * server cuts what is too long.
 */
export interface GroupChanged {
  readonly kind: 'group-changed'
  /** The normalized address of the group. */
  readonly group: string
  readonly change: GroupChange
  /** The new subject of `created`, `renamed` and `account_joined`, if it is known. */
  readonly subject?: string
  /** The members that changed, normalized; without the account itself, for which there are changes of their own. */
  readonly members?: readonly string[]
  /** The person who changed it; null if that is not known. */
  readonly by?: string | null
  /** Milliseconds since the epoch, never in the future. */
  readonly at: number
}
