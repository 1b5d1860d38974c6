import type { AnswerOutcome, LinkWay, LogOutOutcome } from '../../networks/driver/abilities/linking.ts'
import type { MarkRead, ReceivedName } from '../../networks/driver/abilities/reading.ts'
import type { TemplateQuestion, TemplatesAnswer } from '../../networks/driver/abilities/templates.ts'
import { AddressChecker, type AddressQuestion, type ChecksAnswer } from '../address-checks.ts'
import { GroupAsker, type GroupsAnswer, type GroupTask } from '../groups/group-asker.ts'
import { PictureFinder, type PictureResult } from '../pictures/picture-finder.ts'
import { TemplateQuestions } from '../template-questions.ts'
import type { Runner } from './runner.ts'

/** An order about an instance, as it was stored before it is carried out. */
export type InstanceOrder = 'start' | 'stop' | 'restart' | 'remove'

export interface TaskContext {
  readonly questions: TemplateQuestions
  readonly checks: AddressChecker
  readonly groups: GroupAsker
  readonly pictures: PictureFinder
  /** Aborts when no caller waits for the result any longer. */
  readonly signal: AbortSignal
}

/** Makes the parts that ask networks for the instances of a node. */
export function newAskers(
  context: ConstructorParameters<typeof PictureFinder>[0] & ConstructorParameters<typeof GroupAsker>[0],
): Omit<TaskContext, 'signal'> {
  return {
    questions: new TemplateQuestions(context.alarms),
    checks: new AddressChecker(context),
    groups: new GroupAsker(context),
    pictures: new PictureFinder(context),
  }
}

interface TypingShown {
  readonly to: string
  readonly seconds: number
  readonly topic?: string
  readonly answering?: string
}

type MarkOutcome = Awaited<ReturnType<MarkRead>>

/*
 * What is asked of the runner of an instance, wherever that runs. Arguments and results are JSON, because they cross to the node that
 * runs it.
 */

export const instanceTasks = {
  order: (runner: Runner, order: InstanceOrder) => runner.order(order).then(() => null),
  link: (runner: Runner, way: LinkWay): Promise<boolean> => runner.linking.begin(way),
  'answer-link': (runner: Runner, answer: string): Promise<AnswerOutcome> => runner.linking.answer(answer),
  'decline-link': (runner: Runner, _: null) => runner.linking.decline().then(() => null),
  /** Null while the instance is not connected. */
  'log-out': async (runner: Runner, _: null): Promise<LogOutOutcome | null> =>
    (await runner.linking.logOut()) ?? null,
  reconnect: (runner: Runner, _: null) => runner.settings.reconnect().then(() => null),
  repace: (runner: Runner, _: null) => runner.settings.repace().then(() => null),
  'lose-account': async (runner: Runner, _: null) => {
    runner.loseAccount()
    return null
  },
  'list-templates': (
    runner: Runner,
    question: Omit<TemplateQuestion, 'signal'>,
    { questions, signal }: TaskContext,
  ): Promise<TemplatesAnswer | { readonly kind: 'busy' }> =>
    questions.ask(runner.id, runner.connection, { ...question, signal }),
  'mark-read': async (
    { connection }: Runner,
    message: ReceivedName,
  ): Promise<MarkOutcome | { readonly kind: 'not-supported' | 'not-connected' }> => {
    if (!connection) return { kind: 'not-connected' }
    return (await connection.markRead?.(message)) ?? { kind: 'not-supported' }
  },
  'check-addresses': (
    runner: Runner,
    question: AddressQuestion,
    { checks, signal }: TaskContext,
  ): Promise<ChecksAnswer> => checks.ask(runner, question, signal),
  'ask-groups': (runner: Runner, task: GroupTask, { groups, signal }: TaskContext): Promise<GroupsAnswer> =>
    groups.ask(runner, task, signal),
  'find-picture': (runner: Runner, address: string, { pictures }: TaskContext): Promise<PictureResult> =>
    pictures.ask(runner, address),
  'forget-pictures': async (runner: Runner, _: null, { pictures }: TaskContext): Promise<null> => {
    pictures.forget(runner)
    return null
  },
  /** Null whether it could be shown or not. */
  'show-typing': async (
    { connection }: Runner,
    { to, seconds, topic, answering }: TypingShown,
  ): Promise<null> => {
    await connection?.showTyping?.(to, seconds, topic, answering)
    return null
  },
} as const

type Tasks = typeof instanceTasks
export type TaskName = keyof Tasks
export type TaskArgument<T extends TaskName> = Parameters<Tasks[T]>[1]
export type TaskResult<T extends TaskName> = Awaited<ReturnType<Tasks[T]>>
