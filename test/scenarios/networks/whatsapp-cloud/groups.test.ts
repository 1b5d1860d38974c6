import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { listConversations } from '../../../../src/contract/operations/conversation-operations.ts'
import {
  changeGroupMembers,
  createGroup,
  getGroup,
  getInviteLink,
  joinGroup,
  leaveGroup,
  listGroups,
  updateGroup,
} from '../../../../src/contract/operations/conversations/group-operations.ts'
import { listNetworks } from '../../../../src/contract/operations/network-operations.ts'
import type { GroupEventData } from '../../../../src/contract/resources/event.ts'
import { allEvents } from '../../../kit/http/feed.ts'
import { problemOf } from '../../../kit/http/problem-of.ts'
import { type CloudNumber, CloudStage } from '../../../kit/networks/whatsapp-cloud/stage.ts'
import { eventually, everythingReceived, reaches, text } from '../../../kit/play.ts'

describe('groups of a number of the WhatsApp Cloud API', { timeout: 180_000 }, () => {
  let stage: CloudStage
  let shop: CloudNumber

  before(async () => {
    stage = await CloudStage.start()
    shop = await stage.number()
  })
  after(() => stage.stop())

  const admin = () => stage.posthorn.admin
  const named = () => ({ name: shop.instance })
  const at = (address: string) => ({ params: { ...named(), address } })
  const make = (subject: string, idempotencyKey?: string, members: string[] = []) =>
    admin().call(createGroup, {
      params: named(),
      body: { subject, members },
      ...(idempotencyKey !== undefined && { idempotencyKey }),
    })
  const groupsNamed = async (subject: string) =>
    (await stage.cloud.control('groups', {})).filter((one) => one.subject === subject)
  /** Returns what events told of a group, once there are so many. */
  const told = (address: string, count: number) =>
    eventually(
      `${count} changes of ${address}`,
      async () => {
        const all = (await allEvents(admin())).filter(({ type }) => type === 'group.changed')
        return all.map(({ data }) => data as GroupEventData).filter(({ group }) => group.address === address)
      },
      ({ length }) => length >= count,
    )
  const join = async (address: string, person: string) => {
    const { url } = (await admin().call(getInviteLink, at(address))).body
    return stage.cloud.control('join', { person, link: url })
  }

  /** A person writes in a group; resolves with the message that is received. */
  const hears = async (person: string, group: string, body: string) => {
    await stage.cloud.control('act', { person, number: shop.id, act: 'text', body, group })
    const received = () => everythingReceived(admin(), shop.instance)
    const all = await eventually('the message', received, ({ length }) => length > 0)
    return all.at(-1)
  }

  test('a group is made, joined by its link, written in, renamed, and deleted', async () => {
    const [ada, eve] = [await stage.person(), await stage.person()]
    const { body: made, headers } = await make('Trip')
    assert.deepEqual([made.subject, made.size, made.role], ['Trip', 1, 'owner'])
    const { address } = made
    assert.equal(headers.location, `/v1/instances/${shop.instance}/groups/${encodeURIComponent(address)}`)
    await join(address, ada)
    await join(address, eve)
    const hello = await text(admin(), { instance: shop.instance, to: address, text: 'Welcome' }, 20)
    await reaches(admin(), hello.id, 'read')
    const thanks = await hears(ada, address, 'Thanks')
    assert.deepEqual([thanks?.conversation, thanks?.from, thanks?.text], [address, ada, 'Thanks'])

    await admin().call(updateGroup, { ...at(address), body: { subject: 'Trip to Rome' } })
    const { body: shown } = await admin().call(getGroup, at(address))
    assert.deepEqual([shown.subject, shown.size], ['Trip to Rome', 3])
    assert.deepEqual(
      shown.members?.map((member) => [member.address, member.role]),
      [
        ['+15551000001', 'owner'],
        [ada, 'member'],
        [eve, 'member'],
      ],
    )
    const body = { action: 'remove' as const, members: [eve, '+49 151 00000000'] }
    const { data } = (await admin().call(changeGroupMembers, { ...at(address), body })).body
    assert.deepEqual(
      data.map(({ result, error }) => error?.code ?? result),
      ['done', 'group_member_missing'],
    )
    const list = (await admin().call(listConversations, { query: { instance: shop.instance } })).body.data
    const conversation = list.find((one) => one.conversation === address)
    assert.deepEqual([conversation?.kind, conversation?.name], ['group', 'Trip to Rome'])
    await stage.cloud.control('leave', { person: ada, group: address })
    await admin().call(leaveGroup, at(address))
    assert.equal((await problemOf(admin().call(getGroup, at(address)))).code, 'group_not_found')
    assert.deepEqual(
      (await told(address, 7)).map(({ change, members }) => [change, ...members]),
      [
        ['created'],
        ['members_added', ada],
        ['members_added', eve],
        ['renamed'],
        ['members_removed', eve],
        ['members_removed', ada],
        ['account_left'],
      ],
    )
  })

  test('what the network lacks is refused by its name, and nothing is made', async () => {
    const ada = await stage.person()
    const lacks = async (call: Promise<unknown>, ability: string) => {
      const { code, problem } = await problemOf(call)
      assert.equal(code, 'not_supported_by_network')
      assert.match(problem.detail ?? '', new RegExp(`\`${ability}\``))
    }
    await lacks(make('With Ada', undefined, [ada]), 'add')
    assert.deepEqual(await groupsNamed('With Ada'), [])
    const { address } = (await make('Alone')).body
    for (const action of ['add', 'promote', 'demote'] as const)
      await lacks(
        admin().call(changeGroupMembers, { ...at(address), body: { action, members: [ada] } }),
        action,
      )
    const invitation = 'https://chat.whatsapp.com/AbCdEfGhIjKlMnOpQrStUv'
    await lacks(admin().call(joinGroup, { params: named(), body: { invitation } }), 'join')
    const networks = (await admin().call(listNetworks)).body.data
    const cloud = networks.find(({ network }) => network === 'whatsapp-cloud')
    assert.ok(cloud?.abilities.groups.includes('create'))
    const long = await problemOf(make('x'.repeat(129)))
    assert.equal(long.problem.errors?.[0]?.pointer, '/subject')
    const alone = await text(admin(), { instance: shop.instance, to: address, text: 'Hello?' }, 20)
    assert.equal((await reaches(admin(), alone.id, 'failed')).error?.code, 'group_unusable')
  })

  test('the callback may come twice, and before the answer: one group, told once', async () => {
    await stage.cloud.fault('webhook', { kind: 'twice' })
    await stage.cloud.fault('group', { kind: 'before-answer' })
    const { body } = await make('Twice', 'twice')
    const again = await make('Twice', 'twice')
    assert.deepEqual([again.body, again.headers['idempotency-replayed']], [body, 'true'])
    assert.equal((await groupsNamed('Twice')).length, 1)
    await admin().call(updateGroup, { ...at(body.address), body: { subject: 'Once' } })
    const changes = (await told(body.address, 2)).map(({ change }) => change)
    assert.deepEqual(changes, ['created', 'renamed'])
  })

  test('a refusal says why, whenever it comes, and the same key can be used again', async () => {
    await stage.cloud.control('settings', { groups: 'not-eligible' })
    const refused = await problemOf(make('Second try', 'second-try'))
    assert.equal(refused.code, 'network_refused')
    assert.match(refused.problem.detail ?? '', /Official Business Account/)
    await stage.cloud.control('settings', { groups: 'allowed' })
    await stage.cloud.fault('group', { kind: 'failed', code: 131211 })
    const later = await problemOf(make('Second try', 'second-try'))
    assert.equal(later.code, 'network_refused')
    assert.match(later.problem.detail ?? '', /10,000/)
    assert.equal((await make('Second try', 'second-try')).body.subject, 'Second try')
    assert.equal((await groupsNamed('Second try')).length, 1)
  })

  test('if no callback comes, nothing is claimed: the same key makes no second group, and a late one is told', async () => {
    const { address: other } = (await make('Other')).body
    await stage.cloud.control('settings', { hold_webhooks: true })
    const slow = problemOf(make('Late', 'late'))
    await eventually(
      'the group',
      () => groupsNamed('Late'),
      ({ length }) => length === 1,
    )
    assert.equal((await problemOf(make('Late', 'late'))).code, 'idempotency_in_progress')
    // Neither the list nor another group waits for the creation, which is under way for seconds.
    assert.equal((await admin().call(listGroups, { params: named(), query: {} })).status, 200)
    assert.equal((await admin().call(getInviteLink, at(other))).status, 200)
    const { code, problem } = await slow
    assert.equal(code, 'outcome_unknown')
    assert.match(problem.detail ?? '', /group_lifecycle_update/)
    assert.equal((await problemOf(make('Late', 'late'))).code, 'outcome_unknown')
    const [late] = await groupsNamed('Late')
    const { data } = (await admin().call(listGroups, { params: named(), query: { limit: 200 } })).body
    assert.ok(data.some(({ address }) => address === late?.id))
    await stage.cloud.control('settings', { hold_webhooks: false })
    await stage.cloud.control('flush', {})
    const [created] = await told(late?.id ?? '', 1)
    assert.deepEqual([created?.change, created?.group.subject], ['created', 'Late'])
    assert.equal((await problemOf(make('Late', 'late'))).code, 'outcome_unknown')
    assert.equal((await groupsNamed('Late')).length, 1)
  })
})
