import { type GroupMetadata, generateMessageIDV2, jidNormalizedUser, type WASocket } from 'baileys'
import type { JoinDecision } from '../../../../contract/statuses.ts'
import type {
  FoundGroup,
  FoundGroupPage,
  FoundRequestPage,
  GroupPageQuestion,
} from '../../../driver/abilities/groups.ts'
import { addressOf } from '../../address.ts'
import { groupIn, type ToldGroup } from '../../groups/group-node.ts'
import { placeOf, requestsAfter, requestsIn, type ToldRequest } from '../../groups/join-requests.ts'
import type { OwnNames } from '../../incoming/receipts.ts'
import { firstPart, partsOf, type Stanza } from '../../incoming/stanza.ts'
import type { AskAboutGroups, GroupReply, MemberReply } from '../../processes/group-questions.ts'
import type { Answers } from '../../processes/rpc-channel.ts'
import { refusalOf } from '../baileys/acknowledgements.ts'
import { userOf } from '../baileys/signal.ts'
import { Cache } from '../cache.ts'

/** Milliseconds that WhatsApp may take: a list of many groups takes longer than other answers. */
const groupsTime = 20_000

/** The address of the server of groups. */
const groupServer = '@g.us'

/** For how long a list of groups is continued without being asked for again, in milliseconds. */
const listedFor = 60_000

/** Communities that are remembered, and the milliseconds for which they are. */
const maxCommunities = 500
const communitiesFor = 24 * 60 * 60 * 1000

/** Characters of the end of a link: WhatsApp's have 22. */
const inviteEnd = /^[\w-]{1,64}$/

export interface GroupQuestionsOptions {
  /** The socket, if it is open. */
  readonly socket: () => WASocket | null
  readonly own: () => OwnNames
  /** A group and its members, which may be remembered. Rejects with the error of WhatsApp. */
  readonly groupOf: (group: string) => Promise<GroupMetadata>
  /** The LID of a phone number, if it is known. */
  readonly storedLidOf: (jid: string) => Promise<string | null>
}

/** The questions and orders about groups of one client. */
export class GroupQuestions {
  readonly #options: GroupQuestionsOptions
  readonly #lists = new Cache(1, listedFor)
  readonly #communities = new Cache(maxCommunities, communitiesFor)
  readonly answers: Answers<AskAboutGroups>

  constructor(options: GroupQuestionsOptions) {
    this.#options = options
    this.answers = {
      listGroups: ({ limit, after }) => this.#list(limit, after),
      getGroup: ({ group }) => this.#get(group),
      createGroup: ({ subject, approval, members }) => this.#create(subject, members, approval),
      joinGroup: ({ code }) => this.#join(code),
      renameGroup: ({ group, subject }) =>
        this.#order(group, { tag: 'subject', attrs: {}, content: Buffer.from(subject) }, () => null),
      describeGroup: ({ group, description }) => this.#describe(group, description),
      listRequests: ({ group, ...page }) => this.#listRequests(group, page),
      answerRequests: ({ group, action, people }) => this.#answerRequests(group, action, people),
      changeMembers: ({ group, action, members }) => this.#changeMembers(group, action, members),
      inviteCode: ({ group, renew }) => this.#inviteCode(group, renew),
      leaveGroup: ({ group }) => this.#leave(group),
    }
  }

  /** True for a community, or its announcements, if that was told. */
  readonly isCommunity = (address: string): boolean => this.#communities.get(address) === true

  readonly noteCommunity = (address: string): void => this.#communities.set(address, true)

  /** The groups of the account, which WhatsApp tells all at once; each page continues after an address. */
  async #list(limit: number, after: string | null): Promise<GroupReply<FoundGroupPage>> {
    const known = after === null ? undefined : this.#lists.get<readonly FoundGroup[]>('groups')
    const listed = known ? ({ kind: 'done', value: known } as const) : await this.#listAll()
    if (listed.kind !== 'done') return listed
    const rest = after === null ? listed.value : listed.value.filter(({ address }) => address > after)
    const groups = rest.slice(0, limit)
    const next = rest.length > limit ? (groups.at(-1)?.address ?? null) : null
    if (next === null) this.#lists.flushAll()
    return { kind: 'done', value: { groups, next } }
  }

  async #listAll(): Promise<GroupReply<readonly FoundGroup[]>> {
    const wanted = ['participants', 'description'].map((tag) => ({ tag, attrs: {} }))
    const question = { tag: 'participating', attrs: {}, content: wanted }
    return await this.#ask(groupServer, question, (answer) => {
      const list = firstPart(answer, 'groups')
      if (!list) return undefined
      const groups = partsOf(list, 'group')
        .map((stanza) => this.#read(stanza, false))
        .flatMap((told) => (told?.kind === 'group' ? told.group : []))
        .sort((one, other) => (one.address < other.address ? -1 : 1))
      this.#lists.set('groups', groups)
      return groups
    })
  }

  async #get(group: string): Promise<GroupReply<FoundGroup>> {
    const question = { tag: 'query', attrs: { request: 'interactive' } }
    return wholeGroup(await this.#ask(group, question, (answer) => this.#toldIn(answer)))
  }

  async #create(
    subject: string,
    members: readonly string[],
    approval: boolean,
  ): Promise<GroupReply<FoundGroup>> {
    const key = this.#options.socket()?.generateMessageTag() ?? ''
    const participants = (await this.#named(members)).map((jid) => ({ tag: 'participant', attrs: { jid } }))
    const content = approval ? [...participants, guarded] : participants
    const order = { tag: 'create', attrs: { subject, key }, content }
    return wholeGroup(await this.#order(groupServer, order, (answer) => this.#toldIn(answer)))
  }

  /** A description names the one before, so that of two that come at the same time one is refused. */
  async #describe(group: string, description: string): Promise<GroupReply<null>> {
    const question = { tag: 'query', attrs: { request: 'interactive' } }
    const found = await this.#ask(group, question, (answer) => {
      const told = firstPart(answer, 'group')
      return told && { prev: firstPart(told, 'description')?.attrs.id }
    })
    // Nothing was changed so far.
    if (found.kind === 'unanswered') return { kind: 'unanswered', mayBeDone: false }
    if (found.kind !== 'done') return found
    const { prev } = found.value
    const before = prev === undefined ? {} : { prev }
    const order =
      description === ''
        ? { tag: 'description', attrs: { delete: 'true', ...before } }
        : {
            ...{ tag: 'description', attrs: { id: generateMessageIDV2(), ...before } },
            content: [{ tag: 'body', attrs: {}, content: Buffer.from(description) }],
          }
    return await this.#order(group, order, () => null)
  }

  /** WhatsApp tells all requests at once; each page continues after a place. */
  async #listRequests(
    group: string,
    { limit, after }: GroupPageQuestion,
  ): Promise<GroupReply<FoundRequestPage>> {
    const all = await this.#askForRequests(group)
    if (all.kind !== 'done') return all
    const rest = after === null ? all.value : requestsAfter(all.value, after)
    const requests = rest.slice(0, limit).map(({ address, at = null }) => ({ address, at }))
    const last = rest.length > limit ? requests.at(-1) : undefined
    return { kind: 'done', value: { requests, next: last ? placeOf(last) : null } }
  }

  #askForRequests(group: string): Promise<GroupReply<readonly ToldRequest[]>> {
    return this.#ask(group, { tag: 'membership_approval_requests', attrs: {} }, (answer) => {
      const list = firstPart(answer, 'membership_approval_requests')
      return list && requestsIn(list)
    })
  }

  /** People are named as they asked. */
  async #answerRequests(
    group: string,
    action: JoinDecision,
    people: readonly string[],
  ): Promise<GroupReply<readonly MemberReply[]>> {
    const all = await this.#askForRequests(group)
    // Nothing was changed so far.
    if (all.kind === 'unanswered') return { kind: 'unanswered', mayBeDone: false }
    if (all.kind !== 'done') return all
    const ids = await this.#named(people)
    const found = people.map((jid, index) => {
      const names = [jid, ids[index] ?? ''].map(addressOf)
      return all.value.find(({ addresses }) => addresses.some((each) => names.includes(each)))
    })
    const missing = people.filter((_, index) => !found[index]).map((jid) => ({ jid, code: 404 }))
    const asking = found.filter((request) => request !== undefined)
    if (asking.length === 0) return { kind: 'done', value: missing }
    const asked = new Map(people.flatMap((jid, index) => [[found[index]?.jid ?? jid, jid] as const]))
    const tag = action === 'approve' ? 'approve' : 'reject'
    const content = asking.map(({ jid }) => ({ tag: 'participant', attrs: { jid } }))
    const order = { tag: 'membership_requests_action', attrs: {}, content: [{ tag, attrs: {}, content }] }
    return await this.#order(group, order, (answer) => {
      const answered = firstPart(firstPart(answer, 'membership_requests_action'), tag)
      if (!answered) return undefined
      return [...missing, ...partsOf(answered, 'participant').flatMap((part) => fateIn(part, asked))]
    })
  }

  async #join(code: string): Promise<GroupReply<FoundGroup | 'requested'>> {
    if (!inviteEnd.test(code)) return { kind: 'refused', code: 406 }
    const order = { tag: 'invite', attrs: { code } }
    const joined = await this.#order(groupServer, order, (answer) =>
      firstPart(answer, 'membership_approval_request') ? 'requested' : firstPart(answer, 'group')?.attrs.jid,
    )
    if (joined.kind !== 'done') return joined
    if (joined.value === 'requested') return { kind: 'done', value: 'requested' }
    const found = await this.#get(joined.value)
    // The account is in it, whether WhatsApp describes it or not.
    return found.kind === 'unanswered' ? { ...found, mayBeDone: true } : found
  }

  async #changeMembers(
    group: string,
    action: string,
    members: readonly string[],
  ): Promise<GroupReply<readonly MemberReply[]>> {
    const names = await this.#namedIn(group, members)
    const asked = new Map(members.flatMap((jid, index) => [[jid, jid] as const, [names[index] ?? '', jid]]))
    const participants = names.map((jid) => ({ tag: 'participant', attrs: { jid } }))
    return await this.#order(group, { tag: action, attrs: {}, content: participants }, (answer) => {
      const changed = firstPart(answer, action)
      return changed && partsOf(changed, 'participant').flatMap((part) => fateIn(part, asked))
    })
  }

  async #inviteCode(group: string, renew: boolean): Promise<GroupReply<string>> {
    const question = { tag: 'invite', attrs: {} }
    const codeIn = (answer: Stanza) => {
      const code = firstPart(answer, 'invite')?.attrs.code ?? ''
      return inviteEnd.test(code) ? code : undefined
    }
    return await (renew ? this.#order(group, question, codeIn) : this.#ask(group, question, codeIn))
  }

  async #leave(group: string): Promise<GroupReply<null>> {
    const order = { tag: 'leave', attrs: {}, content: [{ tag: 'group', attrs: { id: group } }] }
    const left = await this.#order(groupServer, order, (answer) => {
      const error = firstPart(firstPart(answer, 'leave'), 'group')?.attrs.error
      return error === undefined ? 0 : Number(error)
    })
    if (left.kind !== 'done') return left
    return left.value === 0 ? { kind: 'done', value: null } : { kind: 'refused', code: left.value }
  }

  /** People as the group names them; new ones as it would. */
  async #namedIn(group: string, members: readonly string[]): Promise<readonly string[]> {
    const known = await this.#options.groupOf(group).catch(() => null)
    const names = known?.addressingMode === 'pn' ? members : await this.#named(members)
    return names.map((name, index) => {
      const users = [name, members[index] ?? ''].map(userOf)
      const member = known?.participants.find(({ id, lid, phoneNumber }) =>
        [id, lid, phoneNumber].some((each) => each !== undefined && users.includes(userOf(each))),
      )
      return member ? jidNormalizedUser(member.id) : name
    })
  }

  /** People by their LIDs if they are known, as new groups name them. */
  async #named(members: readonly string[]): Promise<readonly string[]> {
    return await Promise.all(
      members.map(async (jid) => (await this.#options.storedLidOf(jid).catch(() => null)) ?? jid),
    )
  }

  #toldIn(answer: Stanza): ToldGroup | undefined {
    const stanza = firstPart(answer, 'group')
    return (stanza && this.#read(stanza, true)) ?? undefined
  }

  #read(stanza: Stanza, isWhole: boolean): ToldGroup | null {
    const told = groupIn(stanza, { own: this.#options.own(), isWhole })
    if (told?.kind === 'community') this.noteCommunity(told.address)
    return told
  }

  #ask<T>(to: string, question: AskedNode, read: (answer: Stanza) => T | undefined): Promise<GroupReply<T>> {
    return this.#query(to, 'get', question, read)
  }

  #order<T>(to: string, order: AskedNode, read: (answer: Stanza) => T | undefined): Promise<GroupReply<T>> {
    // The list may be of the time before.
    this.#lists.flushAll()
    return this.#query(to, 'set', order, read)
  }

  /** `read` returns nothing for an answer that makes no sense. */
  async #query<T>(
    to: string,
    type: 'get' | 'set',
    content: AskedNode,
    read: (answer: Stanza) => T | undefined,
  ): Promise<GroupReply<T>> {
    const sock = this.#options.socket()
    if (!sock) return { kind: 'unanswered', mayBeDone: false }
    const mayBeDone = type === 'set'
    try {
      const iq = { tag: 'iq', attrs: { type, xmlns: 'w:g2', to }, content: [content] }
      const answer = (await sock.query(iq, groupsTime)) as Stanza | undefined
      const value = answer && read(answer)
      return value === undefined ? { kind: 'unanswered', mayBeDone } : { kind: 'done', value }
    } catch (error) {
      const code = refusalOf(error)
      return code === null ? { kind: 'unanswered', mayBeDone } : { kind: 'refused', code: code || 0 }
    }
  }
}

/** Has administrators let people in (`CreateGroup` of whatsmeow). */
const guarded: AskedNode = {
  tag: 'membership_approval_mode',
  attrs: {},
  content: [{ tag: 'group_join', attrs: { state: 'on' } }],
}

/** A question as the library takes it. */
interface AskedNode {
  readonly tag: string
  readonly attrs: Record<string, string>
  readonly content?: AskedNode[] | Uint8Array
}

function wholeGroup(reply: GroupReply<ToldGroup>): GroupReply<FoundGroup> {
  if (reply.kind !== 'done') return reply
  const told = reply.value
  return told.kind === 'community' ? { kind: 'community' } : { kind: 'done', value: told.group }
}

/** The fate of a member in the answer to a change, by the name with which it was asked for. */
function fateIn({ attrs }: Stanza, asked: ReadonlyMap<string, string>): MemberReply[] {
  const names = [attrs.jid, attrs.phone_number, attrs.lid].filter((name) => name !== undefined)
  const jid = names.map((name) => asked.get(name)).find((each) => each !== undefined)
  if (jid === undefined || addressOf(jid) === null) return []
  return [{ jid, code: attrs.error === undefined ? null : Number(attrs.error) || 0 }]
}
