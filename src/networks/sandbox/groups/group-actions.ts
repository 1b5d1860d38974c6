import type {
  FoundGroup,
  FoundRequestPage,
  GroupActions,
  GroupAnswer,
  GroupChanged,
  GroupPageQuestion,
  MemberChange,
  MemberResults,
  NewGroup,
  RequestAnswer,
} from '../../driver/abilities/groups.ts'
import type { OutgoingMessage } from '../../driver/message.ts'
import type { MessageReceived } from '../../driver/observation.ts'
import type { NetworkError } from '../../driver/outcome.ts'
import { nameIn, parseAddress } from '../address.ts'
import { type ErrorCode, errorOf } from '../codes.ts'
import { groupBehaviour } from '../group-script.ts'
import { obeyWords } from './group-words.ts'
import {
  foundGroup,
  type GroupWorld,
  groupIn,
  makeGroup,
  maxPlayedGroups,
  type PlayedGroup,
} from './group-world.ts'
import { answerRequestsOf, changeMembersOf, fateOf } from './members.ts'

/** Parts of the connection of an account that its groups use. */
export interface GroupParts {
  readonly world: GroupWorld
  readonly instance: string
  /** The address of the account. */
  readonly account: string
  readonly now: () => number
  readonly isReachable: () => boolean
  /** Tells the core what happened in a group. */
  readonly report: (happened: GroupChanged | MessageReceived) => void
  /** Writes what was done into the transcript. */
  readonly record: (group: string, done: object) => void
  /** Breaks the connection. */
  readonly drop: () => void
}

const joinPrefix = 'https://sandbox.example/join/'

/** Plays the far end of what an account does with groups. */
export class PlayedGroups implements GroupActions {
  readonly #parts: GroupParts

  constructor(parts: GroupParts) {
    this.#parts = parts
  }

  async list({
    limit,
    after,
  }: GroupPageQuestion): Promise<GroupAnswer<{ groups: FoundGroup[]; next: string | null }>> {
    if (!this.#parts.isReachable()) return notAsked
    const start = /^[0-9]{1,4}$/.test(after ?? '0') ? Number(after ?? 0) : Number.MAX_SAFE_INTEGER
    const all = [...this.#own.values()].filter(({ role }) => role)
    const groups = all.slice(start, start + limit).map((group) => foundGroup(group))
    const next = start + limit < all.length ? String(start + limit) : null
    return { kind: 'done', value: { groups, next } }
  }

  async get(address: string): Promise<GroupAnswer<FoundGroup>> {
    if (!this.#parts.isReachable()) return notAsked
    if (groupBehaviour(address) === 'gone') return noGroup
    const group = groupIn(this.#own, address)
    return group.role ? { kind: 'done', value: foundGroup(group, this.#parts.account) } : noGroup
  }

  async create(
    { subject, description, approval, members }: NewGroup,
    signal: AbortSignal,
  ): Promise<GroupAnswer<FoundGroup>> {
    const { isReachable, account, now, drop } = this.#parts
    if (!isReachable()) return notAsked
    const fates = members.map(fateOf)
    if (fates.includes('silent')) return await noAnswer(signal)
    if ([...this.#own.values()].filter(({ role }) => role).length >= maxPlayedGroups)
      return rejected('too_many_groups')
    if (fates.includes('lost')) return lost
    const added = members.filter((_, at) => typeof fates[at] !== 'object')
    const group = makeGroup(this.#own, { subject, description, approval, members: added, at: now() })
    this.#tell(group, { change: 'created', subject, members: added })
    if (fates.includes('dropped')) setImmediate(drop)
    if (fates.includes('dropped') || fates.includes('arrived')) return lost
    return { kind: 'done', value: foundGroup(group, account) }
  }

  async join(invitation: string, signal: AbortSignal): Promise<GroupAnswer<FoundGroup>> {
    const { isReachable, account } = this.#parts
    if (!isReachable()) return notAsked
    const { address, link } = readInvitation(invitation)
    const parsed = parseAddress(address)
    if (!parsed.ok || groupBehaviour(parsed.address) === undefined) return rejected('invitation_invalid')
    const behaviour = groupBehaviour(parsed.address)
    if (behaviour === 'gone') return rejected('invitation_invalid')
    if (behaviour === 'silent') return await noAnswer(signal)
    const group = groupIn(this.#own, parsed.address)
    if (link !== null && link !== group.link) return rejected('invitation_invalid')
    if (!group.role) {
      group.role = 'member'
      this.#tell(group, { change: 'account_joined', subject: group.subject })
    }
    return behaviour === 'loses' ? lost : { kind: 'done', value: foundGroup(group, account) }
  }

  rename(address: string, subject: string, signal: AbortSignal): Promise<GroupAnswer<null>> {
    return this.#change(address, signal, (group) => {
      if (group.subject !== subject) {
        group.subject = subject
        this.#tell(group, { change: 'renamed', subject })
      }
      return null
    })
  }

  describe(address: string, description: string, signal: AbortSignal): Promise<GroupAnswer<null>> {
    return this.#change(address, signal, (group) => {
      const wanted = description || null
      if (group.description !== wanted) {
        group.description = wanted
        this.#tell(group, { change: 'changed' })
      }
      return null
    })
  }

  changeMembers(
    address: string,
    change: MemberChange,
    signal: AbortSignal,
  ): Promise<GroupAnswer<MemberResults>> {
    return this.#change(address, signal, (group) => {
      const { results, done } = changeMembersOf(group, change)
      if (done.length > 0) this.#tell(group, { change: changeOf[change.action], members: done })
      return results
    })
  }

  inviteLink(
    address: string,
    renew: boolean,
    signal: AbortSignal,
  ): Promise<GroupAnswer<{ readonly url: string }>> {
    return this.#change(address, signal, (group) => {
      if (renew) group.link++
      this.#parts.record(address, { link: group.link })
      return { url: `${joinPrefix}${address}${group.link > 1 ? `?${group.link}` : ''}` }
    })
  }

  async listRequests(
    address: string,
    { limit, after }: GroupPageQuestion,
  ): Promise<GroupAnswer<FoundRequestPage>> {
    if (!this.#parts.isReachable()) return notAsked
    const group = groupIn(this.#own, address)
    if (groupBehaviour(address) === 'gone' || !group.role) return noGroup
    const start = /^[0-9]{1,4}$/.test(after ?? '0') ? Number(after ?? 0) : Number.MAX_SAFE_INTEGER
    const all = [...group.requests].map(([person, at]) => ({ address: person, name: nameIn(person), at }))
    const next = start + limit < all.length ? String(start + limit) : null
    return { kind: 'done', value: { requests: all.slice(start, start + limit), next } }
  }

  answerRequests(
    address: string,
    answer: RequestAnswer,
    signal: AbortSignal,
  ): Promise<GroupAnswer<MemberResults>> {
    return this.#change(address, signal, (group) => {
      const { results, done } = answerRequestsOf(group, answer)
      if (done.length > 0 && answer.action === 'approve')
        this.#tell(group, { change: 'members_added', members: done })
      return results
    })
  }

  leave(address: string, signal: AbortSignal): Promise<GroupAnswer<null>> {
    return this.#change(address, signal, (group) => {
      group.role = null
      this.#tell(group, { change: 'account_left' })
      return null
    })
  }

  /** Has the members of a group do what a text to it says. */
  obey({ id, to, ...message }: OutgoingMessage): void {
    const text = message.kind === 'text' ? message.text : ''
    const happened = obeyWords(groupIn(this.#own, to), { id, text, at: this.#parts.now() })
    if (happened) this.#parts.report(happened)
  }

  get #own(): Map<string, PlayedGroup> {
    return this.#parts.world.of(this.#parts.instance)
  }

  async #change<T>(
    address: string,
    signal: AbortSignal,
    act: (group: PlayedGroup) => T,
  ): Promise<GroupAnswer<T>> {
    if (!this.#parts.isReachable()) return notAsked
    const behaviour = groupBehaviour(address)
    if (behaviour === 'silent') return await noAnswer(signal)
    const group = groupIn(this.#own, address)
    if (behaviour === 'gone' || !group.role) return noGroup
    if (behaviour === 'refuses' || group.role === 'member') return rejected('not_admin')
    const value = act(group)
    return behaviour === 'loses' ? lost : { kind: 'done', value }
  }

  #tell(group: PlayedGroup, changed: Pick<GroupChanged, 'change' | 'subject' | 'members'>): void {
    const { account: by, now, report, record } = this.#parts
    record(group.address, changed)
    const told = { kind: 'group-changed', group: group.address, ...changed, by, at: now() } as const
    // In a later tick, as networks do: the account has the answer first.
    setImmediate(() => report(told))
  }
}

const changeOf = {
  add: 'members_added',
  remove: 'members_removed',
  promote: 'members_promoted',
  demote: 'members_demoted',
} as const

function readInvitation(invitation: string): { address: string; link: number | null } {
  if (!invitation.startsWith(joinPrefix)) return { address: invitation, link: null }
  const [address = '', link = '1'] = invitation.slice(joinPrefix.length).split('?')
  return { address: decodeURIComponent(isEncoded(address) ? address : ''), link: Number(link) }
}

function isEncoded(text: string): boolean {
  try {
    decodeURIComponent(text)
    return true
  } catch {
    return false
  }
}

function rejected(code: ErrorCode): { kind: 'rejected'; error: NetworkError } {
  return { kind: 'rejected', error: errorOf(code, true) }
}

const noGroup = { kind: 'no-group' } as const
const notAsked = { kind: 'unanswered', detail: 'The connection is not open.', mayBeDone: false } as const
const lost = { kind: 'unanswered', detail: 'The answer of the sandbox was lost.', mayBeDone: true } as const

function noAnswer(signal: AbortSignal): Promise<typeof lost> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve(lost)
    else signal.addEventListener('abort', () => resolve(lost), { once: true })
  })
}
