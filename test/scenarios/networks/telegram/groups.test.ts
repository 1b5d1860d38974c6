import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { listConversations } from '../../../../src/contract/operations/conversation-operations.ts'
import {
  changeGroupMembers,
  decideJoinRequests,
  getGroup,
  getInviteLink,
  leaveGroup,
  listGroups,
  listJoinRequests,
  updateGroup,
} from '../../../../src/contract/operations/conversations/group-operations.ts'
import { listEvents } from '../../../../src/contract/operations/event-operations.ts'
import { createInstance } from '../../../../src/contract/operations/instance-operations.ts'
import type { GroupEventData } from '../../../../src/contract/resources/event.ts'
import { problemOf } from '../../../kit/http/problem-of.ts'
import { eventually } from '../../../kit/play.ts'
import { type Posthorn, startPosthorn } from '../../../kit/posthorn.ts'
import { startTelegram, type TelegramProcess } from '../../../simulators/telegram/start-telegram.ts'

describe('a bot in groups at Telegram', { timeout: 120_000 }, () => {
  let telegram: TelegramProcess
  let posthorn: Posthorn
  let token: string
  let ana: number
  let ben: number
  let chat: number

  before(async () => {
    telegram = await startTelegram({ after: () => {} })
    await telegram.control.limit({ bot: null, chat: null, group: null })
    posthorn = await startPosthorn({ environment: { POSTHORN_TELEGRAM_API: telegram.url } })
    token = (await telegram.control.createBot({ username: 'Choir_bot' })).token
    ana = await telegram.control.createPerson({ first_name: 'Ana' })
    ben = await telegram.control.createPerson({ first_name: 'Ben' })
    const body = { name: 'choir', network: 'telegram', settings: {}, credentials: { token } }
    const created = await posthorn.admin.call(createInstance, { body, waitSeconds: 20 })
    assert.equal(created.body.status, 'connected', JSON.stringify(created.body.reason))
    // Telegram tells of groups once it is asked for that.
    await telegram.control.polling({ token })
    chat = await telegram.control.createGroup({ type: 'supergroup', title: 'Choir' })
    await telegram.control.appoint({ chat, from: ana, member: ana, status: 'creator' })
    await telegram.control.bring({ token, chat, from: ana })
    await telegram.control.promote({ token, chat })
  })
  after(async () => {
    await posthorn?.stop()
    await telegram?.stop()
  })

  const of = (group: number | string = chat) => ({ params: { name: 'choir', address: String(group) } })
  /** Returns all that events told of a group, once one of them fits. */
  const told = async (fits: (data: GroupEventData) => boolean, group = chat) => {
    const query = { types: ['group.changed' as const], limit: 200 }
    const list = async () => {
      const { data } = (await posthorn.admin.call(listEvents, { query })).body
      return data
        .map((event) => event.data as GroupEventData)
        .filter(({ group: changed }) => changed.address === String(group))
    }
    return eventually('news of the group', list, (all) => all.some(fits))
  }

  test('that it was added is an event, and the conversation is called like the group', async () => {
    const [joined] = await told(({ change }) => change === 'account_joined')
    assert.deepEqual([joined?.group.subject, joined?.by], ['Choir', String(ana)])
    await telegram.control.write({ chat, from: ben, text: 'Hello' })
    const conversations = async () => (await posthorn.admin.call(listConversations, {})).body.data
    const [seen] = await eventually('the conversation', conversations, ({ length }) => length > 0)
    assert.deepEqual([seen?.conversation, seen?.name], [String(chat), 'Choir'])
  })

  test('it shows the group, its administrators and its size', async () => {
    const { body } = await posthorn.admin.call(getGroup, of())
    assert.deepEqual([body.subject, body.size, body.role], ['Choir', 3, 'admin'])
    assert.deepEqual(
      body.members?.map(({ name, role }) => [name, role]),
      [
        ['Choir_bot', 'admin'],
        ['Ana', 'owner'],
      ],
    )
  })

  test('a member who joins is told once, though Telegram tells it twice', async () => {
    const cleo = await telegram.control.createPerson({ first_name: 'Cleo' })
    await telegram.control.join({ chat, from: ana, member: cleo })
    await telegram.control.rename({ chat, from: ana, title: 'Choir of 1908' })
    const all = await told(({ change }) => change === 'renamed')
    const added = all.filter(({ members }) => members.includes(String(cleo)))
    assert.deepEqual(
      added.map(({ change, by }) => [change, by]),
      [['members_added', String(ana)]],
    )
    assert.equal(all.at(-1)?.group.subject, 'Choir of 1908')
  })

  test('it renames the group, promotes, demotes and removes members, and gives a link', async () => {
    await posthorn.admin.call(updateGroup, { ...of(), body: { subject: 'Band' } })
    const change = async (action: 'promote' | 'demote' | 'remove', ...members: number[]) => {
      const body = { action, members: members.map(String) }
      const { data } = (await posthorn.admin.call(changeGroupMembers, { ...of(), body })).body
      return data.map(({ result, error }) => error?.code ?? result)
    }
    assert.deepEqual(await change('promote', ben), ['done'])
    assert.deepEqual(await change('remove', ben, ana, 6_000_000_001), [
      'member_protected',
      'member_protected',
      'member_unknown',
    ])
    assert.deepEqual(await change('demote', ben), ['done'])
    assert.deepEqual(await change('remove', ben), ['done'])
    const link = async (renew: boolean) =>
      (await posthorn.admin.call(getInviteLink, { ...of(), body: { renew } })).body.url
    const first = await link(false)
    assert.equal(await link(false), first)
    assert.notEqual(await link(true), first)
    const { body } = await posthorn.admin.call(getGroup, of())
    assert.deepEqual([body.subject, body.size], ['Band', 3])
    const changes = await told((data) => data.change === 'members_removed')
    const ofBen = changes.filter(({ members }) => members.includes(String(ben))).map((data) => data.change)
    assert.deepEqual(ofBen.slice(-3), ['members_promoted', 'members_demoted', 'members_removed'])
  })

  test('people who ask to join are told and listed, and it lets them in or not', async () => {
    const [cy, dan] = await Promise.all(
      ['Cy', 'Dan'].map((first_name) => telegram.control.createPerson({ first_name })),
    )
    for (const person of [cy, dan]) await telegram.control.ask({ chat, from: person ?? 0 })
    await told(({ change, members }) => change === 'join_requested' && members.includes(String(dan)))
    const names = async () =>
      (await posthorn.admin.call(listJoinRequests, of())).body.data.map(({ name }) => name)
    assert.deepEqual((await names()).toSorted(), ['Cy', 'Dan'])
    const decide = async (action: 'approve' | 'decline', ...people: unknown[]) => {
      const body = { action, people: people.map(String) }
      const { data } = (await posthorn.admin.call(decideJoinRequests, { ...of(), body })).body
      return data.map(({ result, error }) => error?.code ?? result)
    }
    assert.deepEqual(await decide('approve', cy, ana), ['done', 'done'])
    assert.deepEqual(await decide('decline', dan), ['done'])
    assert.deepEqual(await decide('decline', dan), ['join_request_missing'])
    assert.deepEqual(await names(), [])
    await told(({ change, members }) => change === 'members_added' && members.includes(String(cy)))
  })

  test('what it may not do, and what bots cannot do, is refused', async () => {
    await telegram.control.promote({ token, chat, rights: null })
    const rename = (group: number | string) =>
      problemOf(posthorn.admin.call(updateGroup, { ...of(group), body: { subject: 'Choir' } }))
    const refused = await rename(chat)
    assert.equal(refused.code, 'network_refused')
    assert.match(String(refused.problem.detail), /administrator/)
    assert.equal((await rename('-1009999999999')).code, 'network_refused')
    const list = posthorn.admin.call(listGroups, { params: { name: 'choir' } })
    assert.equal((await problemOf(list)).code, 'not_supported_by_network')
    assert.notEqual((await problemOf(posthorn.admin.call(getGroup, of(ana)))).code, 'network_refused')
  })

  test('a group that becomes a supergroup is told under its new address', async () => {
    const basic = await telegram.control.createGroup({ type: 'group', title: 'Family', bots: [token] })
    await telegram.control.write({ chat: basic, from: ana, text: 'Hi' })
    const moved = await telegram.control.migrate({ chat: basic })
    await told(({ change }) => change === 'changed', moved)
    await telegram.control.promote({ token, chat: moved })
    await posthorn.admin.call(updateGroup, { ...of(basic), body: { subject: 'Family of four' } })
    const { body } = await posthorn.admin.call(getGroup, of(moved))
    assert.deepEqual([body.address, body.subject], [String(moved), 'Family of four'])
  })

  test('it leaves, and hears that it did', async () => {
    await posthorn.admin.call(leaveGroup, of())
    await told(({ change }) => change === 'account_left')
    assert.equal((await problemOf(posthorn.admin.call(getGroup, of()))).code, 'network_refused')
  })
})
