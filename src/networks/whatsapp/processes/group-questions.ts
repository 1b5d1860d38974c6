import type { JoinDecision, MemberAction } from '../../../contract/statuses.ts'
import type {
  FoundGroup,
  FoundGroupPage,
  FoundRequestPage,
  GroupPageQuestion,
} from '../../driver/abilities/groups.ts'

/** The answer of WhatsApp to a question about groups. */
export type GroupReply<T> =
  | { readonly kind: 'done'; readonly value: T }
  /** WhatsApp refused it with this code. */
  | { readonly kind: 'refused'; readonly code: number }
  /** It is a community, or its announcements. */
  | { readonly kind: 'community' }
  /** WhatsApp did not answer in time, or not with what was asked for, or was not asked. */
  | { readonly kind: 'unanswered'; readonly mayBeDone: boolean }

/** The fate of a member that was named; an address. */
export interface MemberReply {
  readonly jid: string
  /** The code with which WhatsApp refused it; null if it is done. */
  readonly code: number | null
}

/** Questions to a worker about the groups of a client. Groups and members are named as WhatsApp does. */
export interface AskAboutGroups {
  listGroups(asked: GroupPageQuestion): GroupReply<FoundGroupPage>
  getGroup(asked: { readonly group: string }): GroupReply<FoundGroup>
  createGroup(asked: {
    readonly subject: string
    readonly approval: boolean
    readonly members: readonly string[]
  }): GroupReply<FoundGroup>
  /** `requested`: an administrator must approve first. */
  joinGroup(asked: { readonly code: string }): GroupReply<FoundGroup | 'requested'>
  renameGroup(asked: { readonly group: string; readonly subject: string }): GroupReply<null>
  /** An empty description takes it away. */
  describeGroup(asked: { readonly group: string; readonly description: string }): GroupReply<null>
  listRequests(asked: GroupPageQuestion & { readonly group: string }): GroupReply<FoundRequestPage>
  answerRequests(asked: {
    readonly group: string
    readonly action: JoinDecision
    readonly people: readonly string[]
  }): GroupReply<readonly MemberReply[]>
  changeMembers(asked: {
    readonly group: string
    readonly action: MemberAction
    readonly members: readonly string[]
  }): GroupReply<readonly MemberReply[]>
  /** The end of the link. */
  inviteCode(asked: { readonly group: string; readonly renew: boolean }): GroupReply<string>
  leaveGroup(asked: { readonly group: string }): GroupReply<null>
}
