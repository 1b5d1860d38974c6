import type {
  FoundRequest,
  FoundRequestPage,
  GroupAnswer,
  GroupPageQuestion,
  MemberResults,
  RequestAnswer,
} from '../../driver/abilities/groups.ts'
import { asObject, integerIn, type Json, objectIn } from '../../kit/json.ts'
import { errorOf } from '../errors.ts'
import { fullName } from '../incoming/people.ts'
import { byTime, type KeptJoinRequests, type KeptRequest } from '../join-requests.ts'
import type { ChatAnswer } from './chat-questions.ts'
import { oneByOne } from './one-by-one.ts'

/** The most requests of a page, each of which is a question to Telegram, and how many of these are asked at once. */
const maxPage = 20
const askedAtOnce = 5

/** Asks Telegram about a group, or has it do something; as `ChatQuestions.ask`. */
export type AskOfGroup = (
  method: string,
  group: string,
  options: { readonly fields?: object; readonly signal: AbortSignal },
) => Promise<ChatAnswer>

export interface JoinRequestsOptions {
  readonly ask: AskOfGroup
  readonly kept: KeptJoinRequests
  /** The id of the bot. */
  readonly bot: number
}

type NoAnswer = Exclude<GroupAnswer<never>, { readonly kind: 'done' }>

/** The people who ask to join the groups of a bot, as far as Telegram told it. */
export class JoinRequests {
  readonly #options: JoinRequestsOptions

  constructor(options: JoinRequestsOptions) {
    this.#options = options
  }

  /** Those who are in the group meanwhile are left out: another administrator let them in. */
  async list(
    group: string,
    { limit, after }: GroupPageQuestion,
    signal: AbortSignal,
  ): Promise<GroupAnswer<FoundRequestPage>> {
    const place = await this.#placeOf(group, signal)
    if (place.kind !== 'done') return place
    const kept = await this.#options.kept.of(place.value).catch(() => null)
    if (!kept) return { kind: 'unanswered', detail: 'The requests could not be read.', mayBeDone: false }
    const rest = after === null ? kept : requestsAfter(kept, after)
    const page = rest.slice(0, Math.min(limit, maxPage))
    const requests: FoundRequest[] = []
    const over: string[] = []
    for (let start = 0; start < page.length; start += askedAtOnce) {
      const some = page.slice(start, start + askedAtOnce)
      const found = await Promise.all(some.map(({ person }) => this.#find(place.value, person, signal)))
      for (const [index, { person, at }] of some.entries()) {
        if (found[index]?.isIn) over.push(person)
        else requests.push({ address: person, name: found[index]?.name ?? null, at })
      }
    }
    await this.#options.kept.forget(place.value, over)
    const last = page.at(-1)
    return {
      kind: 'done',
      value: { requests, next: last && rest.length > page.length ? markOf(last) : null },
    }
  }

  async answer(
    group: string,
    { action, people }: RequestAnswer,
    signal: AbortSignal,
  ): Promise<GroupAnswer<MemberResults>> {
    const place = await this.#placeOf(group, signal)
    if (place.kind !== 'done') return place
    const method = action === 'approve' ? 'approveChatJoinRequest' : 'declineChatJoinRequest'
    const over: string[] = []
    const answered = await oneByOne(people, async (person) => {
      const answer = await this.#options.ask(method, place.value, {
        fields: { user_id: Number(person) },
        signal,
      })
      const isMember = answer.kind === 'rejected' && isAlreadyIn(answer.error.network_code)
      if (answer.kind === 'done' || isMember || isMissing(answer)) over.push(person)
      if (!isMember) return answer
      // The person is where an approval would have brought them, for example by an attempt before.
      return action === 'approve'
        ? { kind: 'done', value: null }
        : { kind: 'rejected', error: errorOf('join_request_missing', true, answer.error.network_code) }
    })
    await this.#options.kept.forget(place.value, over)
    return answered
  }

  /** The id of a group in which the bot may let people in: of others, Telegram does not tell it who asks. */
  async #placeOf(group: string, signal: AbortSignal): Promise<{ kind: 'done'; value: string } | NoAnswer> {
    const { bot } = this.#options
    const own = await this.#read('getChatMember', group, signal, { user_id: bot })
    if (own.kind !== 'done') return own
    const { status, can_invite_users } = asObject(own.value) ?? {}
    // A member whose rights are restricted may have this one, too, and is told of no requests.
    if (status !== 'administrator' || can_invite_users !== true)
      return { kind: 'rejected', error: errorOf('right_missing', true) }
    if (!group.startsWith('@')) return { kind: 'done', value: group }
    const chat = await this.#read('getChat', group, signal)
    if (chat.kind !== 'done') return chat
    const id = integerIn(asObject(chat.value) ?? {}, 'id')
    return { kind: 'done', value: id === null ? group : String(id) }
  }

  /** Asks who a person is, and whether they are in the group; both are unknown if Telegram does not answer. */
  async #find(
    group: string,
    person: string,
    signal: AbortSignal,
  ): Promise<{ isIn: boolean; name: string | null }> {
    const answer = await this.#read('getChatMember', group, signal, { user_id: Number(person) })
    const member = answer.kind === 'done' ? (asObject(answer.value) ?? {}) : {}
    return { isIn: isIn(member), name: fullName(objectIn(member, 'user') ?? {}) || null }
  }

  /** A question that changes nothing. */
  async #read(method: string, group: string, signal: AbortSignal, fields: object = {}): Promise<ChatAnswer> {
    const answer = await this.#options.ask(method, group, { fields, signal })
    return answer.kind === 'unanswered' ? { ...answer, mayBeDone: false } : answer
  }
}

/** A member who is restricted may be in the group or not (https://core.telegram.org/bots/api#chatmember). */
function isIn({ status, is_member }: Json): boolean {
  if (status === 'restricted') return is_member === true
  return status === 'member' || status === 'administrator' || status === 'creator'
}

/** Telegram's servers say so (https://core.telegram.org/method/messages.hideChatJoinRequest). */
function isAlreadyIn(said: string | undefined): boolean {
  return /user[ _]already[ _]participant/i.test(said ?? '')
}

function isMissing(answer: ChatAnswer): boolean {
  return (
    answer.kind === 'rejected' &&
    (answer.error.code === 'join_request_missing' || answer.error.code === 'member_unknown')
  )
}

function markOf({ person, at }: KeptRequest): string {
  return `${at}.${person}`
}

/** Those after a place, which may be anything, and stays the same if the one that it names is gone. */
function requestsAfter(kept: readonly KeptRequest[], after: string): readonly KeptRequest[] {
  const [, time, person] = /^(\d{1,15})\.(\d{1,16})$/.exec(after) ?? []
  if (time === undefined || person === undefined) return []
  return kept.filter((request) => byTime(request, { at: Number(time), person }) > 0)
}
