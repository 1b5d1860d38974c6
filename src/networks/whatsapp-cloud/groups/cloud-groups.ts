import type {
  FoundGroup,
  FoundGroupPage,
  GroupActions,
  GroupAnswer,
  GroupFeatures,
  GroupPageQuestion,
  MemberChange,
  MemberResults,
  NewGroup,
  RequestAnswer,
} from '../../driver/abilities/groups.ts'
import { type Json, textIn } from '../../kit/json.ts'
import type { GraphTimeouts } from '../account.ts'
import { groupAddress } from '../address.ts'
import { errorOf } from '../errors.ts'
import type { GraphAnswer, GraphApi, GraphCallOptions } from '../graph/graph-api.ts'
import { type GroupOrderResult, requestIdIn, type ToldMember } from '../incoming/group-results.ts'
import {
  type AskedOfGroups,
  groupAnswerOf,
  groupError,
  isAboutAccount,
  type NoGroupValue,
  refusedWith,
} from './group-faults.ts'
import {
  type CloudRequest,
  groupFields,
  groupIn,
  groupPageIn,
  ownMember,
  requestsIn,
} from './group-reading.ts'
import { requestFates } from './join-requests.ts'
import type { OrderResults } from './order-results.ts'

/** People join by the invite link: an account can neither add them nor make them administrators (Groups API, Group management). */
export const groupFeatures: GroupFeatures = {
  abilities: [
    'list',
    'get',
    'create',
    'rename',
    'describe',
    'remove',
    'invite_link',
    'approval',
    'list_requests',
    'decide_requests',
    'leave',
  ],
  // Meta limits operations of a number "in a short period" (131208), and does not say how many.
  pace: { count: 20, seconds: 60 },
  // Groups API, Create group.
  maxSubject: 128,
  maxDescription: 2_048,
}

/** People whom one request may remove (Groups API, Remove group participants). */
const maxRemoved = 8

/** Requests to join that are looked through for those that are answered. */
const requestsInPage = 100
const maxRequestPages = 10

/** Groups of the longest page: each has up to a kilobyte. */
const longestPage = 512 * 1024

export interface CloudGroupsOptions {
  readonly api: GraphApi
  readonly phoneNumberId: string
  readonly timeouts: Pick<GraphTimeouts, 'question' | 'confirmation'>
  readonly results: OrderResults
  readonly isOpen: () => boolean
  /** The address of the account, if it is known. */
  readonly account: () => string | null
  /** Ends everything that waits. */
  readonly over: AbortSignal
  /** The API answered. */
  readonly onAnswer: () => void
  /** The API refused, for a reason that may be the token or the account. */
  readonly onDoubt: () => void
}

/** A setting of a group, and its new value. */
type Setting = { readonly subject: string } | { readonly description: string }

type Call = Pick<GraphCallOptions, 'method' | 'path'> & { readonly json?: Json }

/** The end of an order: Meta told it, or took the order and has not told it. */
type Ordered =
  | { readonly kind: 'told'; readonly result: GroupOrderResult }
  | { readonly kind: 'silent'; readonly answer: Json }
  | NoGroupValue

const closed: NoGroupValue = {
  kind: 'unanswered',
  detail: 'The connection is not open.',
  mayBeDone: false,
}
const done: GroupAnswer<null> = { kind: 'done', value: null }
const product = { messaging_product: 'whatsapp' }

/** The groups of a number (Groups API). Meta carries out most orders later, and tells by a callback what became of them. */
export class CloudGroups implements GroupActions {
  readonly #options: CloudGroupsOptions

  constructor(options: CloudGroupsOptions) {
    this.#options = options
  }

  async list({ limit, after }: GroupPageQuestion, signal: AbortSignal): Promise<GroupAnswer<FoundGroupPage>> {
    const query = new URLSearchParams({ limit: String(limit) })
    if (after !== null) query.set('after', after)
    const path = `${this.#options.phoneNumberId}/groups?${query}`
    const answer = await this.#read({ path, isOfGroup: false }, signal)
    return answer.kind === 'ok' ? { kind: 'done', value: groupPageIn(answer.json) } : answer
  }

  async get(group: string, signal: AbortSignal): Promise<GroupAnswer<FoundGroup>> {
    const answer = await this.#read({ path: `${at(group)}?fields=${groupFields}` }, signal)
    if (answer.kind !== 'ok') return answer
    return { kind: 'done', value: groupIn(answer.json, group, this.#options.account()) }
  }

  async create(
    { subject, description, approval }: NewGroup,
    signal: AbortSignal,
  ): Promise<GroupAnswer<FoundGroup>> {
    const path = `${this.#options.phoneNumberId}/groups`
    const about = {
      ...(description && { description }),
      ...(approval && { join_approval_mode: 'approval_required' }),
    }
    const order = { method: 'POST', path, json: { ...product, subject, ...about } } as const
    const ordered = await this.#order(order, { isOfGroup: false }, signal)
    if (ordered.kind === 'told') {
      const { group, code, hasFailed } = ordered.result
      if (hasFailed) return refusedWith(code)
      return group === null
        ? unconfirmed('group_lifecycle_update')
        : this.#made(group, { subject, description })
    }
    if (ordered.kind !== 'silent') return ordered
    // Resellers document answers that name the group at once.
    const { answer } = ordered
    const group = groupAddress(textIn(answer, 'group_id') ?? textIn(answer, 'id'))
    return group === null
      ? unconfirmed('group_lifecycle_update')
      : this.#made(group, { subject, description })
  }

  rename(group: string, subject: string, signal: AbortSignal): Promise<GroupAnswer<null>> {
    return this.#set(group, { subject }, signal)
  }

  describe(group: string, description: string, signal: AbortSignal): Promise<GroupAnswer<null>> {
    return this.#set(group, { description }, signal)
  }

  /** Changes one setting of a group (Groups API, Update group settings). */
  async #set(group: string, setting: Setting, signal: AbortSignal): Promise<GroupAnswer<null>> {
    const order = { method: 'POST', path: at(group), json: { ...product, ...setting } } as const
    const ordered = await this.#order(order, {}, signal)
    const [name, wanted] =
      'subject' in setting
        ? (['subject', setting.subject] as const)
        : (['description', setting.description] as const)
    if (ordered.kind === 'told') {
      const { [name]: told, hasFailed, code } = ordered.result
      if (told?.isDone) return done
      if (told || hasFailed) return refusedWith(told?.code ?? code)
    } else if (ordered.kind !== 'silent') return ordered
    const now = await this.get(group, signal)
    const isDone = now.kind === 'done' && (now.value[name] ?? '').trim() === wanted.trim()
    return isDone ? done : unconfirmed('group_settings_update')
  }

  async changeMembers(
    group: string,
    { action, members }: MemberChange,
    signal: AbortSignal,
  ): Promise<GroupAnswer<MemberResults>> {
    if (action !== 'remove') return { kind: 'rejected', error: groupError(null) }
    if (members.length > maxRemoved)
      return { kind: 'rejected', error: errorOf('group_members_too_many', true) }
    const participants = members.map((user) => ({ user }))
    const path = `${at(group)}/participants`
    const order = { method: 'DELETE', path, json: { ...product, participants } } as const
    const ordered = await this.#order(order, {}, signal)
    if (ordered.kind === 'told') return { kind: 'done', value: fatesOf(members, ordered.result) }
    // The fates that were not told are not known.
    return ordered.kind === 'silent' ? { kind: 'done', value: [] } : ordered
  }

  async inviteLink(
    group: string,
    renew: boolean,
    signal: AbortSignal,
  ): Promise<GroupAnswer<{ readonly url: string }>> {
    const path = `${at(group)}/invite_link`
    const answer = renew
      ? await this.#change({ method: 'POST', path, json: product }, {}, signal)
      : await this.#read({ path }, signal)
    if (answer.kind !== 'ok') return answer
    const url = textIn(answer.json, 'invite_link')
    if (url?.startsWith('https://')) return { kind: 'done', value: { url } }
    return { kind: 'unanswered', detail: 'Meta told no link.', mayBeDone: renew }
  }

  async listRequests(
    group: string,
    { limit, after }: GroupPageQuestion,
    signal: AbortSignal,
  ): Promise<GroupAnswer<{ requests: CloudRequest[]; next: string | null }>> {
    const query = new URLSearchParams({ limit: String(limit) })
    if (after !== null) query.set('after', after)
    const answer = await this.#read({ path: `${at(group)}/join_requests?${query}` }, signal)
    return answer.kind === 'ok' ? { kind: 'done', value: requestsIn(answer.json) } : answer
  }

  /** Meta names requests by ids, which the list tells; of more than `maxRequestPages` full pages, the rest are unknown to it. */
  async answerRequests(
    group: string,
    { action, people }: RequestAnswer,
    signal: AbortSignal,
  ): Promise<GroupAnswer<MemberResults>> {
    const ids = new Map<string, string>()
    for (let after: string | null = null, page = 0; page < maxRequestPages; page++) {
      const found = await this.listRequests(group, { limit: requestsInPage, after }, signal)
      if (found.kind !== 'done') return found
      for (const { address, id } of found.value.requests) if (people.includes(address)) ids.set(address, id)
      after = found.value.next
      if (after === null || ids.size === people.length) break
    }
    if (ids.size === 0) return { kind: 'done', value: requestFates(people, ids, {}) }
    const method = action === 'approve' ? 'POST' : 'DELETE'
    const json = { ...product, join_requests: [...ids.values()] }
    const answer = await this.#change({ method, path: `${at(group)}/join_requests`, json }, {}, signal)
    return answer.kind === 'ok' ? { kind: 'done', value: requestFates(people, ids, answer.json) } : answer
  }

  /** Deletes the group: a business cannot leave its groups otherwise (Groups API, Delete group). */
  async leave(group: string, signal: AbortSignal): Promise<GroupAnswer<null>> {
    const ordered = await this.#order({ method: 'DELETE', path: at(group) }, {}, signal)
    if (ordered.kind === 'told') return ordered.result.hasFailed ? refusedWith(ordered.result.code) : done
    if (ordered.kind !== 'silent') return ordered
    const now = await this.get(group, signal)
    return now.kind === 'no-group' ? done : unconfirmed('group_lifecycle_update')
  }

  #made(address: string, about: Pick<NewGroup, 'subject' | 'description'>): GroupAnswer<FoundGroup> {
    const members = ownMember(this.#options.account())
    const [subject, description] = [about.subject.trim(), about.description || null]
    return { kind: 'done', value: { address, subject, description, size: 1, members, role: 'owner' } }
  }

  /** Gives an order, and waits for what a callback tells of it. */
  async #order(call: Call, asked: Partial<AskedOfGroups>, signal: AbortSignal): Promise<Ordered> {
    const { results, timeouts, over } = this.#options
    return await results.during<Ordered>(async (resultOf) => {
      const answer = await this.#change(call, asked, signal)
      if (answer.kind !== 'ok') return answer
      const id = requestIdIn(answer.json)
      const inTime = AbortSignal.any([signal, over, AbortSignal.timeout(timeouts.confirmation)])
      const result = id === null ? null : await resultOf(id, inTime)
      return result ? { kind: 'told', result } : { kind: 'silent', answer: answer.json }
    })
  }

  async #change(
    { method, path, json }: Call,
    { isOfGroup = true }: Partial<AskedOfGroups>,
    given: AbortSignal,
  ) {
    const { api } = this.#options
    const body = json && { body: { json } }
    return await this.#ask({ isChange: true, isOfGroup }, given, (rest) =>
      api.call({ method, path, ...body, ...rest }),
    )
  }

  /** Asks a question, which changes nothing. */
  async #read({ path, isOfGroup = true }: { path: string; isOfGroup?: boolean }, given: AbortSignal) {
    const { api } = this.#options
    return await this.#ask({ isChange: false, isOfGroup }, given, (rest) =>
      api.ask({ path, maxBytes: longestPage, ...rest }),
    )
  }

  async #ask(
    asked: AskedOfGroups,
    given: AbortSignal,
    ask: (rest: Pick<GraphCallOptions, 'limits' | 'signal'>) => Promise<GraphAnswer>,
  ) {
    const { isOpen, over, timeouts, onAnswer, onDoubt } = this.#options
    if (!isOpen()) return closed
    const limits = { headers: timeouts.question, total: timeouts.question }
    const answer = await ask({ limits, signal: AbortSignal.any([given, over]) })
    if (answer.kind === 'ok') {
      onAnswer()
      return answer
    }
    const shown = groupAnswerOf(answer, asked)
    if (isAboutAccount(shown)) onDoubt()
    return shown
  }
}

/** The id of a group as a part of a path: it may contain what separates others. */
function at(group: string): string {
  return encodeURIComponent(group)
}

/** Meta took an order, and no callback told its end. */
function unconfirmed(field: string): NoGroupValue {
  return {
    kind: 'unanswered',
    detail: `Meta took the order, and did not tell in time what became of it. It tells that by \`${field}\`, a webhook field to which the app must be subscribed.`,
    mayBeDone: true,
  }
}

/** The fate of each member: of those of whom nothing is told, nothing is known, unless the order failed as a whole. */
function fatesOf(
  members: readonly string[],
  { removed, notRemoved, hasFailed, code }: GroupOrderResult,
): MemberResults {
  const isWhole = removed.length === 0 && notRemoved.length === 0
  return members.flatMap((address): MemberResults => {
    const isThis = ({ address: told, input }: ToldMember) => told === address || input === address
    if (removed.some(isThis)) return [{ address, error: null }]
    const failed = notRemoved.find(isThis)
    if (!failed && !(hasFailed && isWhole)) return []
    return [{ address, error: groupError(failed?.code ?? code) }]
  })
}
