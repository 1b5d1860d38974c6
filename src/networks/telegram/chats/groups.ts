import type {
  FoundGroup,
  FoundMember,
  FoundRequestPage,
  GroupActions,
  GroupAnswer,
  GroupFeatures,
  GroupPageQuestion,
  MemberChange,
  MemberResults,
  RequestAnswer,
} from '../../driver/abilities/groups.ts'
import type { NetworkError } from '../../driver/outcome.ts'
import { asObject, integerIn, type Json, objectIn, textIn } from '../../kit/json.ts'
import { isBasicGroup } from '../address.ts'
import { errorOf } from '../errors.ts'
import { fullName } from '../incoming/people.ts'
import type { KeptJoinRequests } from '../join-requests.ts'
import { type ChatAnswer, type ChatQuestions, notConnected } from './chat-questions.ts'
import { JoinRequests } from './join-requests.ts'
import { oneByOne } from './one-by-one.ts'

/** The abilities of bots in groups: they cannot list, make or join groups, nor add people. */
export const groupFeatures: GroupFeatures = {
  abilities: [
    ...(['get', 'rename', 'describe', 'remove', 'promote', 'demote'] as const),
    ...(['invite_link', 'list_requests', 'decide_requests', 'leave'] as const),
  ],
  pace: { count: 60, seconds: 60 },
  // https://core.telegram.org/bots/api#setchattitle
  maxSubject: 128,
  // https://core.telegram.org/bots/api#setchatdescription
  maxDescription: 255,
}

/**
 * Rights of an administrator whom the bot promotes, as far as it has them itself
 * (https://core.telegram.org/bots/api#chatadministratorrights). They do not include the right to promote others.
 */
const promotedRights = [
  ...['can_manage_chat', 'can_change_info', 'can_delete_messages', 'can_invite_users'],
  ...['can_restrict_members', 'can_pin_messages', 'can_manage_topics', 'can_manage_video_chats'],
  ...['can_post_messages', 'can_edit_messages'],
] as const

export interface TelegramGroupsOptions {
  readonly questions: ChatQuestions
  readonly kept: KeptJoinRequests
  /** The id of the bot. */
  readonly bot: number
  readonly isOpen: () => boolean
}

/** The groups and channels that a bot is in. */
export class TelegramGroups implements GroupActions {
  readonly #options: TelegramGroupsOptions
  readonly #requests: JoinRequests

  constructor(options: TelegramGroupsOptions) {
    this.#options = options
    const { kept, bot } = options
    this.#requests = new JoinRequests({ ask: (...asked) => this.#ask(...asked), kept, bot })
  }

  async get(group: string, signal: AbortSignal): Promise<GroupAnswer<FoundGroup>> {
    const asked = await this.#read('getChat', group, signal)
    if (asked.kind !== 'done') return asked
    const chat = asObject(asked.value) ?? {}
    const id = integerIn(chat, 'id')
    const address = id === null ? group : String(id)
    const [administrators, count] = await Promise.all([
      this.#read('getChatAdministrators', address, signal),
      this.#read('getChatMemberCount', address, signal),
    ])
    for (const answer of [administrators, count]) if (answer.kind === 'unanswered') return answer
    const found = administrators.kind === 'done' ? membersIn(administrators.value) : null
    const own = found?.find((member) => member.address === String(this.#options.bot))
    return {
      kind: 'done',
      value: {
        address,
        subject: textIn(chat, 'title'),
        description: textIn(chat, 'description'),
        size: count.kind === 'done' ? integerIn({ count: count.value }, 'count') : null,
        ...(found && { members: found }),
        role: found && (own?.role ?? 'member'),
      },
    }
  }

  async rename(group: string, subject: string, signal: AbortSignal): Promise<GroupAnswer<null>> {
    const answer = await this.#ask('setChatTitle', group, { fields: { title: subject }, signal })
    if (answer.kind === 'rejected' && isUnchanged(answer.error)) return done
    return answer.kind === 'done' ? done : answer
  }

  async describe(group: string, description: string, signal: AbortSignal): Promise<GroupAnswer<null>> {
    const answer = await this.#ask('setChatDescription', group, { fields: { description }, signal })
    if (answer.kind === 'rejected' && isUnchanged(answer.error)) return done
    return answer.kind === 'done' ? done : answer
  }

  async changeMembers(
    group: string,
    { action, members }: MemberChange,
    signal: AbortSignal,
  ): Promise<GroupAnswer<MemberResults>> {
    const method = await this.#methodFor(action, group, signal)
    if ('kind' in method) return method
    return await oneByOne(members, (member) => this.#changeOne(method, group, member, signal))
  }

  listRequests(
    group: string,
    page: GroupPageQuestion,
    signal: AbortSignal,
  ): Promise<GroupAnswer<FoundRequestPage>> {
    return this.#requests.list(group, page, signal)
  }

  answerRequests(
    group: string,
    answer: RequestAnswer,
    signal: AbortSignal,
  ): Promise<GroupAnswer<MemberResults>> {
    return this.#requests.answer(group, answer, signal)
  }

  /** Each administrator has a link of their own; a new one ends that of the bot alone. */
  async inviteLink(
    group: string,
    renew: boolean,
    signal: AbortSignal,
  ): Promise<GroupAnswer<{ readonly url: string }>> {
    if (!renew) {
      const asked = await this.#read('getChat', group, signal)
      if (asked.kind !== 'done') return asked
      const url = linkIn(asObject(asked.value)?.invite_link)
      if (url !== null) return { kind: 'done', value: { url } }
    }
    const made = await this.#ask('exportChatInviteLink', group, { signal })
    if (made.kind !== 'done') return made
    const url = linkIn(made.value)
    return url === null
      ? { kind: 'unanswered', detail: 'Telegram told no link.', mayBeDone: true }
      : { kind: 'done', value: { url } }
  }

  async leave(group: string, signal: AbortSignal): Promise<GroupAnswer<null>> {
    const answer = await this.#ask('leaveChat', group, { signal })
    return answer.kind === 'done' ? done : answer
  }

  /** A question that changes nothing. */
  async #read(method: string, group: string, signal: AbortSignal, fields: object = {}): Promise<ChatAnswer> {
    const answer = await this.#ask(method, group, { fields, signal })
    return answer.kind === 'unanswered' ? { ...answer, mayBeDone: false } : answer
  }

  #ask(
    method: string,
    group: string,
    options: { readonly fields?: object; readonly signal: AbortSignal },
  ): Promise<ChatAnswer> {
    const { isOpen, questions } = this.#options
    return isOpen() ? questions.ask(method, group, options) : Promise.resolve(notConnected)
  }

  async #methodFor(
    action: MemberChange['action'],
    group: string,
    signal: AbortSignal,
  ): Promise<MemberMethod | Exclude<ChatAnswer, { kind: 'done' }>> {
    // https://core.telegram.org/bots/api#unbanchatmember: a member is removed, and may join again. In basic groups, a ban is the same.
    if (action === 'remove')
      return { name: isBasicGroup(group) ? 'banChatMember' : 'unbanChatMember', fields: {} }
    const none = Object.fromEntries(promotedRights.map((right) => [right, false]))
    if (action !== 'promote') return { name: 'promoteChatMember', fields: none }
    const own = await this.#read('getChatMember', group, signal, { user_id: this.#options.bot })
    if (own.kind !== 'done') return own
    const held = asObject(own.value) ?? {}
    const fields = Object.fromEntries(promotedRights.map((right) => [right, held[right] === true]))
    // Without any right, it would be a demotion.
    if (!Object.values(fields).includes(true))
      return { kind: 'rejected', error: errorOf('right_missing', true) }
    return { name: 'promoteChatMember', fields }
  }

  #changeOne(
    { name, fields }: MemberMethod,
    group: string,
    member: string,
    signal: AbortSignal,
  ): Promise<ChatAnswer> {
    return this.#ask(name, group, { fields: { user_id: Number(member), ...fields }, signal })
  }
}

interface MemberMethod {
  readonly name: string
  readonly fields: object
}

/** True if the group has this title already, for example by an attempt before. */
function isUnchanged({ network_code = '' }: NetworkError): boolean {
  return /not[ _]modified/i.test(network_code)
}

const done = { kind: 'done', value: null } as const

/** Administrators, whom Telegram shows: bots do not see other members. */
function membersIn(value: unknown): FoundMember[] {
  const all = Array.isArray(value) ? value : []
  return all.flatMap((each) => memberIn(asObject(each) ?? {}) ?? [])
}

function memberIn(member: Json): FoundMember | null {
  const user = objectIn(member, 'user') ?? {}
  const id = integerIn(user, 'id')
  if (id === null || id <= 0) return null
  const role = member.status === 'creator' ? 'owner' : 'admin'
  return { address: String(id), name: fullName(user) || null, role }
}

function linkIn(value: unknown): string | null {
  return typeof value === 'string' && /^https:\/\/[\x21-\x7e]{1,200}$/.test(value) ? value : null
}
