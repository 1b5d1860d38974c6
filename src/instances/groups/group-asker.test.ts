import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FakeTime } from '../../../test/kit/fake-time.ts'
import { maxGroupMembers, maxGroupSubject } from '../../contract/resources/people/group.ts'
import type { FoundGroup, GroupActions, GroupAnswer } from '../../networks/driver/abilities/groups.ts'
import { silentLog } from '../../runtime/log.ts'
import { type GroupAnswers, GroupAsker, type GroupQuestion, type GroupsAnswer } from './group-asker.ts'

const pace = { count: 3, seconds: 30 }
const never = new AbortController().signal
const done = () => new Promise(setImmediate)

/** A network whose functions the play replaces, and a clock that goes when the play says so. */
function stage(groups: GroupActions) {
  const time = new FakeTime()
  const asker = new GroupAsker({ clock: time.clock, alarms: time.alarms, log: silentLog })
  const runner = { instance: { id: 'inst_a', epoch: 1 }, connection: { groups } as { groups?: GroupActions } }
  const ask = (question: GroupQuestion, { epoch = 1, signal = never, of = runner } = {}) =>
    asker.ask(of, { question, pace, epoch }, signal)
  return { time, asker, runner, ask }
}

const leave = { do: 'leave', group: 'g' } as const
const get = { do: 'get', group: 'g' } as const

/** The value of an answer, which the question determines. */
function valueIn<V>(answer: GroupsAnswer): V {
  assert.equal(answer.kind, 'done')
  return (answer as { value: unknown }).value as V
}

test('a network is asked one thing at a time for each instance, in order, and too many are turned away', async () => {
  const answers: (() => void)[] = []
  const asked: string[] = []
  const { time, ask } = stage({
    get: (group) => {
      asked.push(group)
      return new Promise((resolve) =>
        answers.push(() => resolve({ kind: 'done', value: { address: group, subject: null } })),
      )
    },
  })
  const other = {
    instance: { id: 'inst_b', epoch: 1 },
    connection: { groups: { get: async () => ({ kind: 'no-group' }) } },
  } as never
  const waiting = Array.from({ length: 11 }, (_, at) => ask({ do: 'get', group: `g${at}` }))
  await done()
  assert.deepEqual(asked, ['g0'])
  assert.equal((await ask(get)).kind, 'busy')
  assert.equal((await ask(get, { of: other })).kind, 'no-group')
  for (let at = 0; at < 11; at++) {
    answers[at]?.()
    await done()
  }
  for (const answer of await Promise.all(waiting)) assert.equal(answer.kind, 'done')
  assert.deepEqual(
    asked,
    Array.from({ length: 11 }, (_, at) => `g${at}`),
  )
  const slow = ask(get)
  const late = ask({ do: 'get', group: 'late' })
  await done()
  time.pass(5_000)
  assert.equal((await late).kind, 'busy')
  answers.at(-1)?.()
  assert.equal((await slow).kind, 'done')
  const after = ask(get)
  await done()
  assert.equal(asked.filter((group) => group === 'late').length, 0)
  answers.at(-1)?.()
  assert.equal((await after).kind, 'done')
})

test('while a group is made, only another creation waits', async () => {
  const made: ((answer: GroupAnswer<FoundGroup>) => void)[] = []
  const { time, ask } = stage({
    create: () => new Promise((resolve) => made.push(resolve)),
    get: async () => ({ kind: 'no-group' }),
    leave: async () => ({ kind: 'done', value: null }),
  })
  const create = { do: 'create', subject: 's', members: [] } as const
  const slow = ask(create)
  const next = ask(create)
  const late = ask(create)
  assert.equal((await ask(get)).kind, 'no-group')
  assert.equal((await ask(leave)).kind, 'done')
  assert.equal(made.length, 1)
  const group = { kind: 'done', value: { address: 'g', subject: 's' } } as const
  made[0]?.(group)
  assert.equal((await slow).kind, 'done')
  await done()
  assert.equal(made.length, 2)
  time.pass(5_000)
  assert.equal((await late).kind, 'busy')
  made[1]?.(group)
  assert.equal((await next).kind, 'done')
})

test('a network that never answers is given up: a change may be done, a question is not', async () => {
  const signals: AbortSignal[] = []
  const silent = (_: string, signal: AbortSignal) => {
    signals.push(signal)
    return new Promise<never>(() => {})
  }
  const { time, ask } = stage({ get: silent, leave: silent })
  const question = ask(get)
  await done()
  time.pass(30_000)
  assert.deepEqual(await question, {
    kind: 'unanswered',
    detail: 'The network did not respond in time.',
    mayBeDone: false,
  })
  const change = ask(leave)
  await done()
  time.pass(30_000)
  const answer = await change
  assert.ok(answer.kind === 'unanswered' && answer.mayBeDone)
  assert.ok(signals.every(({ aborted }) => aborted))
})

test('a caller who hangs up takes a question back, and no change', async () => {
  const signals: AbortSignal[] = []
  const silent = (_: string, signal: AbortSignal) => {
    signals.push(signal)
    return new Promise<never>(() => {})
  }
  const { time, ask } = stage({ get: silent, leave: silent })
  const leaving = new AbortController()
  const question = ask(get, { signal: leaving.signal })
  const change = ask(leave, { signal: leaving.signal })
  await done()
  leaving.abort()
  assert.equal((await question).kind, 'unanswered')
  await done()
  assert.deepEqual(
    signals.map(({ aborted }) => aborted),
    [true, false],
  )
  time.pass(30_000)
  await change
})

test('changes have a pace, questions have none, and what could not be asked costs nothing', async () => {
  const { time, ask, runner } = stage({
    get: async () => ({ kind: 'no-group' }),
    leave: async () => ({ kind: 'done', value: null }),
  })
  const { groups } = runner.connection
  delete runner.connection.groups
  for (let count = 0; count < 5; count++) assert.equal((await ask(leave)).kind, 'unanswered')
  Object.assign(runner.connection, { groups })
  for (let count = 0; count < 3; count++) assert.equal((await ask(leave)).kind, 'done')
  assert.deepEqual(await ask(leave), { kind: 'paced', seconds: 10 })
  assert.equal((await ask(get)).kind, 'no-group')
  time.pass(10_000)
  assert.equal((await ask(leave)).kind, 'done')
})

test('a change that was asked of an earlier run of the instance is not done once more', async () => {
  let times = 0
  const { ask } = stage({
    get: async () => ({ kind: 'no-group' }),
    leave: async () => {
      times++
      return { kind: 'done', value: null }
    },
  })
  const answer = await ask(leave, { epoch: 0 })
  assert.ok(answer.kind === 'unanswered' && answer.mayBeDone)
  assert.equal(times, 0)
  assert.equal((await ask(get, { epoch: 0 })).kind, 'no-group')
})

test('a driver that throws has left it open whether it is done, and the next has its turn', async () => {
  const { ask } = stage({
    leave: () => {
      throw new Error('a mistake')
    },
    rename: async () => ({ kind: 'done', value: null }),
  })
  const answer = await ask(leave)
  assert.ok(answer.kind === 'unanswered' && answer.mayBeDone)
  assert.equal((await ask({ do: 'rename', group: 'g', subject: 's' })).kind, 'done')
  const missing = await ask({ do: 'invite', group: 'g', renew: false })
  assert.ok(missing.kind === 'unanswered' && !missing.mayBeDone)
})

test('what a network says about groups is cut: a million members, a subject of a megabyte, texts no store carries', async () => {
  const found: FoundGroup = {
    address: 'g',
    subject: `\u0000${'😀'.repeat(500_000)}`,
    description: 'x'.repeat(1_000_000),
    size: Number.NaN,
    created_at: Number.POSITIVE_INFINITY,
    members: Array.from({ length: 1_000_000 }, (_, at) => ({
      address: at === 1 ? 'x'.repeat(2_000) : `m${at}`,
      name: 'n'.repeat(10_000),
      role: 'member',
    })),
  }
  const { ask } = stage({
    get: async () => ({ kind: 'done', value: found }),
    list: async () => ({
      kind: 'done',
      value: { groups: Array.from({ length: 1_000_000 }, () => found), next: 'no\nplace' },
    }),
    create: async () => ({ kind: 'done', value: { ...found, address: 'x'.repeat(2_000) } }),
    inviteLink: async () => ({ kind: 'done', value: { url: 'x'.repeat(10_000) } }),
    changeMembers: async () => ({ kind: 'done', value: [{ address: 'stranger', error: null }] }),
  })
  const group = valueIn<GroupAnswers['get']>(await ask(get))
  assert.equal(group.members?.length, maxGroupMembers - 1)
  assert.equal(group.members_left_out, 1_000_000 - maxGroupMembers + 1)
  assert.ok(group.subject && group.subject.length <= maxGroupSubject && group.subject.isWellFormed())
  assert.deepEqual([group.subject.includes('\0'), group.size, group.created_at], [false, null, null])
  assert.ok(JSON.stringify(group).length < 600_000)
  const page = valueIn<GroupAnswers['list']>(await ask({ do: 'list', limit: 50, after: null }))
  assert.deepEqual([page.groups.length, page.next], [50, null])
  const made = await ask({ do: 'create', subject: 's', members: [] })
  assert.ok(made.kind === 'unanswered' && made.mayBeDone)
  const link = await ask({ do: 'invite', group: 'g', renew: true })
  assert.ok(link.kind === 'unanswered' && link.mayBeDone)
  const fates = valueIn(await ask({ do: 'change-members', group: 'g', action: 'add', members: ['ana'] }))
  assert.deepEqual(fates, [{ address: 'ana', result: 'unknown', error: null }])
})
