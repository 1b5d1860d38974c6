import assert from 'node:assert/strict'
import { beforeEach, describe, test } from 'node:test'
import { memoryKeys } from '../../../../test/kit/networks/memory-keys.ts'
import { conversations } from '../../../../test/kit/networks/telegram/conversation.ts'
import { storedBy } from '../../../../test/kit/networks/telegram/plays.ts'
import { StoreUnavailable } from '../../../store/store.ts'
import type { GroupActions } from '../../driver/abilities/groups.ts'
import { KeyLimitReached, type KeyStore } from '../../driver/keys.ts'
import type { Observation } from '../../driver/observation.ts'

/* People who ask to join a group of a bot: Telegram tells of each once, lists none, and does not tell how requests end. */

const at = conversations()
const never = new AbortController().signal
let ana: number
let ben: number
let chat: number

beforeEach(async () => {
  // Telegram tells of requests once it is asked for them.
  await at().control.polling({ token: at().bot.token })
  ana = at().chat
  ben = await at().control.createPerson({ first_name: 'Ben', last_name: 'Lima' })
  chat = await at().control.createGroup({ type: 'supergroup', title: 'Choir', bots: [at().bot.token] })
  await at().control.promote({ token: at().bot.token, chat })
})

const groups = () => at().session.connection.groups ?? assert.fail()
/** Has a person ask, and waits until that is told. */
async function ask(person: number, session = at().session): Promise<void> {
  const told = session.sees('group-changed', ({ change, members }) => {
    return change === 'join_requested' && members?.[0] === String(person)
  })
  await at().control.ask({ chat, from: person })
  await told
}
async function listed(
  group: number | string = chat,
  of: GroupActions = groups(),
  page = { limit: 50, after: null as string | null },
) {
  const answer = await of.listRequests?.(String(group), page, never)
  assert.ok(answer?.kind === 'done', JSON.stringify(answer))
  return answer.value
}
const names = async () => (await listed()).requests.map(({ name }) => name)

/** The fate of each person, in a word. */
async function answered(action: 'approve' | 'decline', ...people: (number | string)[]) {
  const answer = await groups().answerRequests?.(String(chat), { action, people: people.map(String) }, never)
  if (answer?.kind !== 'done') return answer?.kind === 'rejected' ? answer.error.code : answer?.kind
  return answer.value.map(({ address, error }) => [address, error?.code ?? 'done'])
}

test('people who ask are told, listed, and let in or not', async () => {
  await ask(ana)
  await ask(ben)
  const { requests, next } = await listed()
  assert.deepEqual(
    requests.map(({ address, name }) => [address, name]),
    [
      [String(ana), 'Ada'],
      [String(ben), 'Ben Lima'],
    ],
  )
  assert.equal(next, null)
  assert.ok(Math.abs(Date.now() - (requests[0]?.at ?? 0)) < 60_000)
  assert.deepEqual(await answered('approve', ana), [[String(ana), 'done']])
  assert.deepEqual(await names(), ['Ben Lima'])
  await at().session.sees('group-changed', ({ change }) => change === 'members_added')
  assert.deepEqual(await answered('decline', ben), [[String(ben), 'done']])
  assert.deepEqual(await names(), [])
})

test('a request that was withdrawn is listed until it is answered', async () => {
  await ask(ana)
  await at().control.withdraw({ chat, from: ana })
  assert.deepEqual(await names(), ['Ada'])
  for (const action of ['approve', 'decline'] as const)
    assert.deepEqual(await answered(action, ana), [[String(ana), 'join_request_missing']])
  assert.deepEqual(await names(), [])
})

test('a person whom another administrator let in is not listed, and is let in already', async () => {
  await ask(ana)
  await at().control.join({ chat, from: ben, member: ana })
  assert.deepEqual(await names(), [])
  assert.deepEqual(await answered('approve', ana), [[String(ana), 'done']])
  assert.deepEqual(await answered('decline', ana), [[String(ana), 'join_request_missing']])
})

test('what is no person, or none whom Telegram knows, is refused', async () => {
  await ask(ana)
  assert.deepEqual(await answered('approve', '@ada_lima', 6_000_000_001, ana), [
    ['@ada_lima', 'member_unknown'],
    ['6000000001', 'member_unknown'],
    [String(ana), 'done'],
  ])
})

test('a bot that may not invite is told so, and is asked nothing more', async () => {
  for (const rights of [null, ['can_change_info'] as const]) {
    await at().control.promote({ token: at().bot.token, chat, rights })
    const list = await groups().listRequests?.(String(chat), { limit: 5, after: null }, never)
    assert.ok(list?.kind === 'rejected' && list.error.code === 'right_missing', JSON.stringify(list))
    assert.equal(await answered('approve', ana), 'right_missing')
  }
  assert.equal(await at().bot.calls('approveChatJoinRequest'), 0)
})

test('a group may be named as people see it', async () => {
  const username = `choir_of_${at().bot.id}`
  const bots = [at().bot.token]
  chat = await at().control.createGroup({ type: 'channel', title: 'News', username, bots })
  await at().control.promote({ token: at().bot.token, chat })
  await ask(ben)
  const { requests } = await listed(`@${username}`)
  assert.deepEqual(requests, (await listed()).requests)
  assert.equal(requests.length, 1)
})

test('a list comes in pages, and a place that is none has nothing behind it', async () => {
  const people: number[] = []
  for (let count = 0; count < 22; count++) {
    people.push(await at().control.createPerson({ first_name: `P${count}` }))
    await at().control.ask({ chat, from: people[count] ?? 0 })
  }
  await at().session.sees('group-changed', ({ members }) => members?.[0] === String(people.at(-1)))
  const first = await listed()
  assert.equal(first.requests.length, 20)
  await answered('approve', first.requests.at(-1)?.address ?? '')
  const rest = await listed(chat, groups(), { limit: 50, after: first.next })
  const all = [...first.requests, ...rest.requests].map(({ address }) => address)
  assert.deepEqual(
    all.filter((address, index) => all.indexOf(address) === index),
    people.map(String),
  )
  assert.equal(rest.next, null)
  for (const after of ['', 'x', '1.2.3', `${Date.now() + 1e6}.5`])
    assert.deepEqual(await listed(chat, groups(), { limit: 50, after }), { requests: [], next: null })
})

describe('a Telegram that fails', () => {
  test('may have let a person in, and the others are not asked for', async () => {
    await ask(ana)
    await ask(ben)
    await at().bot.fault('approveChatJoinRequest', { kind: 'cut', taken: true })
    assert.deepEqual(await answered('approve', ana, ben), [[String(ben), 'network_unreachable']])
    assert.equal(await at().bot.calls('approveChatJoinRequest'), 1)
    assert.deepEqual(await names(), ['Ben Lima'])
    assert.deepEqual(await answered('approve', ana), [[String(ana), 'done']])
  })

  test('and does not say what the bot may do, is not asked for more', async () => {
    await ask(ana)
    await at().bot.fault('getChatMember', { kind: 'error' }, 2)
    const list = await groups().listRequests?.(String(chat), { limit: 5, after: null }, never)
    assert.ok(list?.kind === 'unanswered' && !list.mayBeDone)
    assert.equal(await answered('approve', ana), 'unanswered')
    assert.equal(await at().bot.calls('approveChatJoinRequest'), 0)
    assert.deepEqual(await names(), ['Ada'])
  })
})

describe('a store', () => {
  const withKeys = (change: Partial<KeyStore>): KeyStore => ({ ...memoryKeys(), ...change })

  test('that keeps the requests shows them to the next connection', async () => {
    const keys = memoryKeys()
    await at().session.close()
    const first = await at().bot.open({ keys })
    await at().control.polling({ token: at().bot.token })
    await ask(ben, first)
    await first.close()
    const next = await at().bot.open({ keys })
    const { requests } = await listed(chat, next.connection.groups)
    assert.deepEqual(
      requests.map(({ name }) => name),
      ['Ben Lima'],
    )
  })

  test('that cannot take a request has it come again', async () => {
    await at().session.close()
    const keys = memoryKeys()
    const failing = withKeys({ set: () => Promise.reject(new StoreUnavailable('not now')) })
    const first = await at().bot.open({ keys: failing })
    await at().control.ask({ chat, from: ben })
    assert.equal((await first.sees('connection-lost')).reason.code, 'messages_not_kept')
    const isAsked = (seen: Observation) => seen.kind === 'group-changed' && seen.change === 'join_requested'
    assert.ok(!first.observations.some(isAsked))
    const next = await at().bot.open({ keys, caughtUp: async () => storedBy(first) })
    await next.sees('group-changed', isAsked)
    assert.equal((await listed(chat, next.connection.groups)).requests.length, 1)
  })

  test('that has no room for it tells of it, and does not list it', async () => {
    await at().session.close()
    const keys = withKeys({ set: () => Promise.reject(new KeyLimitReached(10)) })
    const session = await at().bot.open({ keys })
    await at().control.polling({ token: at().bot.token })
    await ask(ben, session)
    assert.deepEqual((await listed(chat, session.connection.groups)).requests, [])
    assert.ok(at().plays.logged('will not be listed'))
  })
})
