import {
  type Group,
  type GroupWithMembers,
  type JoinRequest,
  maxInvitation,
} from '../../contract/resources/people/group.ts'
import type {
  FoundGroup,
  FoundGroupPage,
  FoundRequestPage,
  GroupActions,
  GroupAnswer,
  GroupFeatures,
  GroupPageQuestion,
  MemberChange,
  NewGroup,
  RequestAnswer,
} from '../../networks/driver/abilities/groups.ts'
import { placePattern } from '../../networks/driver/abilities/templates.ts'
import type { DriverConnection } from '../../networks/driver/connection.ts'
import type { NetworkError } from '../../networks/driver/outcome.ts'
import type { Clock } from '../../runtime/clock.ts'
import type { Log } from '../../runtime/log.ts'
import type { Alarms } from '../../runtime/timers/alarms.ts'
import { answerInTime } from '../answer-in-time.ts'
import { Paces } from '../paces.ts'
import { fitFates, fitGroup, fitGroupWithMembers, fitRequest, type MemberFate } from './fit-group.ts'

/** A question about groups, or an order, with its argument. */
export type GroupQuestion =
  | ({ readonly do: 'list' } & GroupPageQuestion)
  | { readonly do: 'get'; readonly group: string }
  | ({ readonly do: 'create' } & NewGroup)
  | { readonly do: 'join'; readonly invitation: string }
  | { readonly do: 'rename'; readonly group: string; readonly subject: string }
  | { readonly do: 'describe'; readonly group: string; readonly description: string }
  | ({ readonly do: 'change-members'; readonly group: string } & MemberChange)
  | { readonly do: 'invite'; readonly group: string; readonly renew: boolean }
  | ({ readonly do: 'list-requests'; readonly group: string } & GroupPageQuestion)
  | ({ readonly do: 'answer-requests'; readonly group: string } & RequestAnswer)
  | { readonly do: 'leave'; readonly group: string }

/** True for orders, which change something. */
export function isGroupChange(question: Pick<GroupQuestion, 'do'>): boolean {
  return question.do !== 'list' && question.do !== 'get' && question.do !== 'list-requests'
}

/** The answer of a network to each, within the bounds of the contract. */
export interface GroupAnswers {
  readonly list: { readonly groups: readonly Group[]; readonly next: string | null }
  readonly get: GroupWithMembers
  readonly create: GroupWithMembers
  readonly join: GroupWithMembers
  readonly rename: null
  readonly describe: null
  readonly 'change-members': readonly MemberFate[]
  readonly invite: string
  readonly 'list-requests': { readonly requests: readonly JoinRequest[]; readonly next: string | null }
  readonly 'answer-requests': readonly MemberFate[]
  readonly leave: null
}

export type GroupsAnswer =
  | { readonly kind: 'done'; readonly value: GroupAnswers[keyof GroupAnswers] }
  | { readonly kind: 'rejected'; readonly error: NetworkError }
  | { readonly kind: 'no-group' }
  | { readonly kind: 'unanswered'; readonly detail: string; readonly mayBeDone: boolean }
  /** So much changed that the next change must wait. */
  | { readonly kind: 'paced'; readonly seconds: number }
  /** Too many wait for their turns. */
  | { readonly kind: 'busy' }

export interface GroupTask extends Pick<GroupFeatures, 'pace'> {
  readonly question: GroupQuestion
  /** That of the instance when it was asked: a node that was started again must not do the same once more. */
  readonly epoch: number
}

/** The side of a runner that is asked. */
interface AskedInstance {
  readonly instance: { readonly id: string; readonly epoch: number }
  readonly connection: Pick<DriverConnection, 'groups'> | undefined
}

interface Lane {
  /** Those that wait, and the one whose turn it is. */
  count: number
  /** Resolves when the last of them is done. */
  last: Promise<void>
}

/** Questions of one lane that wait, besides the one that its network is asked. */
const maxWaiting = 10
/** Milliseconds that one waits for its turn: it must be answered while its caller, on whichever node, still waits. */
const longestWait = 5_000

interface Context {
  readonly clock: Clock
  readonly alarms: Pick<Alarms, 'in'>
  readonly log: Log
}

/**
 * Asks networks about groups, one question at a time for each instance, and has them changed no faster than each allows. Creations have a lane
 * of their own: a network may take many seconds to make a group, and all other questions are about groups that exist already.
 */
export class GroupAsker {
  readonly #context: Context
  readonly #paces: Paces
  readonly #lanes = new Map<string, Lane>()

  constructor(context: Context) {
    this.#context = context
    this.#paces = new Paces(context.clock)
  }

  /** Never rejects. A change that was begun is waited for, even if its caller has gone. */
  async ask(asked: AskedInstance, task: GroupTask, signal: AbortSignal): Promise<GroupsAnswer> {
    const { id, epoch } = asked.instance
    const isChange = isGroupChange(task.question)
    if (isChange && epoch !== task.epoch) return { kind: 'unanswered', detail: takenOver, mayBeDone: true }
    const lane = task.question.do === 'create' ? `${id} create` : id
    return await this.#inTurn(lane, async () => {
      // It may have closed meanwhile.
      const groups = asked.connection?.groups
      if (!groups) return { kind: 'unanswered', detail: notOpen, mayBeDone: false }
      const seconds = isChange ? this.#paces.take(id, task.pace, 1) : 0
      if (seconds > 0) return { kind: 'paced', seconds }
      const ask = (inTime: AbortSignal) => this.#answer(id, groups, task.question, inTime)
      const late = { kind: 'unanswered', detail: tooLate, mayBeDone: isChange } as const
      return await answerInTime(this.#context.alarms, isChange ? never : signal, { ask, tooLate: late })
    })
  }

  async #inTurn(name: string, ask: () => Promise<GroupsAnswer>): Promise<GroupsAnswer> {
    const lane = this.#lanes.get(name) ?? { count: 0, last: Promise.resolve() }
    if (lane.count > maxWaiting) return { kind: 'busy' }
    this.#lanes.set(name, lane)
    lane.count++
    const before = lane.last
    const { promise: isDone, resolve: done } = Promise.withResolvers<void>()
    lane.last = before.then(() => isDone)
    const { promise: late, resolve: giveUp } = Promise.withResolvers<'late'>()
    const alarm = this.#context.alarms.in(longestWait, () => giveUp('late'))
    try {
      const turn = await Promise.race([before, late])
      alarm.cancel()
      return turn === 'late' ? { kind: 'busy' } : await ask()
    } finally {
      done()
      lane.count--
      if (lane.count === 0) this.#lanes.delete(name)
    }
  }

  async #answer(
    id: string,
    groups: GroupActions,
    question: GroupQuestion,
    signal: AbortSignal,
  ): Promise<GroupsAnswer> {
    try {
      return (await answerOf(groups, question, signal)) ?? cannot
    } catch (error) {
      this.#context.log.error(
        { err: error, instance_id: id, question: question.do },
        'a driver threw about groups',
      )
      return { kind: 'unanswered', detail: unreadable, mayBeDone: true }
    }
  }
}

const never = new AbortController().signal
const notOpen = 'The connection is not open.'
const tooLate = 'The network did not respond in time.'
const unreadable = 'The answer of the network could not be read.'
const takenOver = 'Another node took the instance over.'
const cannot: GroupsAnswer = {
  kind: 'unanswered',
  detail: 'The connection cannot do this.',
  mayBeDone: false,
}

/** Undefined if the connection has no such function. */
function answerOf(
  groups: GroupActions,
  question: GroupQuestion,
  signal: AbortSignal,
): Promise<GroupsAnswer> | undefined {
  switch (question.do) {
    case 'list': {
      const { limit, after } = question
      return shown(groups.list?.({ limit, after }, signal), (page) => fitPage(page, limit))
    }
    case 'get':
      return shown(groups.get?.(question.group, signal), fitGroupWithMembers)
    case 'create': {
      const { do: _, ...group } = question
      return shown(groups.create?.(group, signal), fitGroupWithMembers)
    }
    case 'join':
      return shown(groups.join?.(question.invitation, signal), fitGroupWithMembers)
    case 'rename':
      return shown(groups.rename?.(question.group, question.subject, signal), () => null)
    case 'describe':
      return shown(groups.describe?.(question.group, question.description, signal), () => null)
    case 'change-members': {
      const { group, action, members } = question
      return shown(groups.changeMembers?.(group, { action, members }, signal), (told) =>
        fitFates(members, told),
      )
    }
    case 'invite':
      return shown(groups.inviteLink?.(question.group, question.renew, signal), ({ url }) =>
        url.length <= maxInvitation && URL.canParse(url) ? url : undefined,
      )
    case 'list-requests': {
      const { group, limit, after } = question
      return shown(groups.listRequests?.(group, { limit, after }, signal), (page) => fitRequests(page, limit))
    }
    case 'answer-requests': {
      const { group, action, people } = question
      return shown(groups.answerRequests?.(group, { action, people }, signal), (told) =>
        fitFates(people, told),
      )
    }
    case 'leave':
      return shown(groups.leave?.(question.group, signal), () => null)
  }
}

/** The answer, with its value as callers see it; if that cannot be shown, it counts as unread. */
function shown<T>(
  answer: Promise<GroupAnswer<T>> | undefined,
  fit: (value: T) => GroupAnswers[keyof GroupAnswers] | undefined,
): Promise<GroupsAnswer> | undefined {
  return answer?.then((given) => {
    if (given.kind !== 'done') return given
    const value = fit(given.value)
    return value === undefined
      ? { kind: 'unanswered', detail: unreadable, mayBeDone: true }
      : { kind: 'done', value }
  })
}

function fitRequests({ requests, next }: FoundRequestPage, limit: number): GroupAnswers['list-requests'] {
  return { requests: requests.slice(0, limit).flatMap(fitRequest), next: fitPlace(next) }
}

function fitPlace(next: string | null): string | null {
  return next !== null && new RegExp(placePattern).test(next) ? next : null
}

function fitPage({ groups, next }: FoundGroupPage, limit: number): GroupAnswers['list'] {
  const fitting = groups.slice(0, limit).flatMap((group: FoundGroup) => fitGroup(group) ?? [])
  return { groups: fitting, next: fitPlace(next) }
}
