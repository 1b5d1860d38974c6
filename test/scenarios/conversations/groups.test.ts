import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import {
  getContact,
  listContacts,
  listConversations,
} from '../../../src/contract/operations/conversation-operations.ts'
import {
  changeGroupMembers,
  createGroup,
  decideJoinRequests,
  getGroup,
  getInviteLink,
  joinGroup,
  leaveGroup,
  listGroups,
  listJoinRequests,
  updateGroup,
} from '../../../src/contract/operations/conversations/group-operations.ts'
import { listEvents } from '../../../src/contract/operations/event-operations.ts'
import { retractMessage } from '../../../src/contract/operations/following-operations.ts'
import { createInstance, stopInstance } from '../../../src/contract/operations/instance-operations.ts'
import type { GroupEventData } from '../../../src/contract/resources/event.ts'
import type { TranscriptLine } from '../../../src/networks/sandbox/people/far-end.ts'
import { problemOf } from '../../kit/http/problem-of.ts'
import { create, eventually, reaches, startObserved, text } from '../../kit/play.ts'
import type { Posthorn } from '../../kit/posthorn.ts'

describe('groups, in the sandbox', { timeout: 120_000 }, () => {
  let posthorn: Posthorn
  let transcript: () => TranscriptLine[]
  const at = (address: string, name = 'trial') => ({ params: { name, address } })
  const make = (subject: string, members: string[] = ['ana@delivers.sandbox'], idempotencyKey?: string) =>
    posthorn.admin.call(createGroup, {
      params: { name: 'trial' },
      body: { subject, members },
      ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
    })
  const look = async (address: string) => (await posthorn.admin.call(getGroup, at(address))).body
  const made = (subject: string) =>
    transcript().filter(
      ({ kind, content }) =>
        kind === 'group' && JSON.stringify(content).includes(`"created","subject":"${subject}"`),
    )
  /** Returns what events told of a group, oldest first, once there are so many. */
  const told = (address: string, count: number) =>
    eventually(
      `${count} changes of ${address}`,
      async () => {
        const { body } = await posthorn.admin.call(listEvents, {
          query: { types: ['group.changed'], limit: 200 },
        })
        const all = body.data.map(({ data }) => data as GroupEventData)
        return all.filter(({ group }) => group.address === address)
      },
      (changes) => changes.length >= count,
    )

  before(async () => {
    const observed = await startObserved()
    posthorn = observed.posthorn
    transcript = observed.transcript
    await create(posthorn.admin, 'trial')
  })
  after(() => posthorn.stop())

  test('one is made, changed and left, and each change is an event', async () => {
    const { body: group, headers } = await make('Crew', ['Ana@delivers.sandbox', 'bo@delivers.sandbox'])
    assert.equal(headers.location, `/v1/instances/trial/groups/${encodeURIComponent(group.address)}`)
    assert.deepEqual([group.subject, group.size, group.role], ['Crew', 3, 'owner'])
    await posthorn.admin.call(updateGroup, { ...at(group.address), body: { subject: 'Crew two' } })
    const change = (action: 'add' | 'remove' | 'promote' | 'demote', ...members: string[]) =>
      posthorn.admin.call(changeGroupMembers, { ...at(group.address), body: { action, members } })
    const added = await change('add', 'cy@delivers.sandbox', 'Dan@unknown.sandbox', 'eve@stuck.sandbox')
    assert.deepEqual(
      added.body.data.map(({ input, address, result, error }) => [input, address, result, error?.code]),
      [
        ['cy@delivers.sandbox', 'cy@delivers.sandbox', 'done', undefined],
        ['Dan@unknown.sandbox', 'dan@unknown.sandbox', 'refused', 'recipient_unknown'],
        ['eve@stuck.sandbox', 'eve@stuck.sandbox', 'unknown', undefined],
      ],
    )
    await change('promote', 'cy@delivers.sandbox')
    await change('remove', 'bo@delivers.sandbox')
    const { subject, members, members_left_out } = await look(group.address)
    assert.deepEqual([subject, members_left_out], ['Crew two', 0])
    assert.deepEqual(
      members?.map(({ address, role }) => [address, role]),
      [
        ['sandbox@delivers.sandbox', 'owner'],
        ['ana@delivers.sandbox', 'member'],
        ['cy@delivers.sandbox', 'admin'],
      ],
    )
    await posthorn.admin.call(leaveGroup, at(group.address))
    assert.equal((await problemOf(look(group.address))).code, 'group_not_found')
    const changes = await told(group.address, 6)
    assert.deepEqual(
      changes.map((one) => [one.change, one.group.subject, one.members]),
      [
        ['created', 'Crew', ['ana@delivers.sandbox', 'bo@delivers.sandbox']],
        ['renamed', 'Crew two', []],
        ['members_added', 'Crew two', ['cy@delivers.sandbox']],
        ['members_promoted', 'Crew two', ['cy@delivers.sandbox']],
        ['members_removed', 'Crew two', ['bo@delivers.sandbox']],
        ['account_left', 'Crew two', []],
      ],
    )
    assert.deepEqual(changes[0]?.instance.name, 'trial')
    assert.equal(changes[0]?.by, 'sandbox@delivers.sandbox')
  })

  test('the account is not named among those whom it adds, removes or promotes: it is in the group already', async () => {
    const own = 'Sandbox@delivers.sandbox'
    const faultsOf = async (call: Promise<unknown>) =>
      (await problemOf(call)).problem.errors?.map(({ pointer, code, detail }) => [
        `${pointer} ${code}`,
        detail,
      ])
    const [twice] = (await faultsOf(make('Twice', ['ana@delivers.sandbox', own]))) ?? []
    assert.equal(twice?.[0], '/members/1 recipient_invalid')
    assert.match(String(twice?.[1]), /a member of each group that it creates/)
    assert.equal(made('Twice').length, 0)
    const { address, size } = (await make('Pair')).body
    assert.equal(size, 2)
    const change = (action: 'add' | 'remove' | 'promote' | 'demote') =>
      posthorn.admin.call(changeGroupMembers, { ...at(address), body: { action, members: [own] } })
    for (const [action, words] of [
      ['add', /Leave its address out/],
      ['remove', /leaves: use `POST …\/leave`/],
      ['promote', /Another administrator can/],
    ] as const) {
      const [fault] = (await faultsOf(change(action))) ?? []
      assert.equal(fault?.[0], '/members/0 recipient_invalid', action)
      assert.match(String(fault?.[1]), words)
    }
    // An administrator may step down where the network lets them.
    assert.deepEqual(
      (await change('demote')).body.data.map(({ result }) => result),
      ['refused'],
    )
    assert.equal((await look(address)).members?.length, 2)
  })

  test('it says something about itself, which is changed and taken away', async () => {
    const body = { subject: 'Lisbon', description: 'For all who travel.', members: [] }
    const { address, description } = (
      await posthorn.admin.call(createGroup, { params: { name: 'trial' }, body })
    ).body
    assert.equal(description, 'For all who travel.')
    const describe = (words: string) =>
      posthorn.admin.call(updateGroup, { ...at(address), body: { description: words } })
    await describe('For all who stay.')
    assert.equal((await look(address)).description, 'For all who stay.')
    await describe('')
    assert.equal((await look(address)).description, null)
    assert.deepEqual(
      (await told(address, 3)).map(({ change }) => change),
      ['created', 'changed', 'changed'],
    )
    const { problem: long } = await problemOf(describe('x'.repeat(501)))
    assert.deepEqual([long.errors?.[0]?.pointer, long.errors?.[0]?.code], ['/description', 'too_long'])
    for (const none of [{}, { subject: 'Two', description: 'things' }]) {
      const { code } = await problemOf(posthorn.admin.call(updateGroup, { ...at(address), body: none }))
      assert.equal(code, 'invalid_request')
    }
  })

  test('those who ask to join are listed, and let in or not', async () => {
    const body = { subject: 'Club', approval: true, members: ['ana@delivers.sandbox'] }
    const { address, approval } = (
      await posthorn.admin.call(createGroup, { params: { name: 'trial' }, body })
    ).body
    assert.equal(approval, true)
    const [cy, dan, eve] = ['cy@delivers.sandbox', 'dan@delivers.sandbox', 'eve@delivers.sandbox']
    for (const word of [`/ask ${cy}`, `/ask ${dan}`, `/ask ${eve}`, `/withdraw ${eve}`])
      await text(posthorn.admin, { instance: 'trial', to: address, text: word }, 10)
    await told(address, 5)
    const asking = async (limit: number, cursor?: string) =>
      (
        await posthorn.admin.call(listJoinRequests, {
          ...at(address),
          query: { limit, ...(cursor !== undefined && { cursor }) },
        })
      ).body
    const first = await asking(1)
    const second = await asking(1, first.next_cursor ?? '')
    assert.deepEqual(
      [...first.data, ...second.data].map((one) => one.address),
      [cy, dan],
    )
    assert.equal(second.next_cursor, null)
    const answer = async (action: 'approve' | 'decline', ...people: string[]) => {
      const given = { ...at(address), body: { action, people } }
      const { data } = (await posthorn.admin.call(decideJoinRequests, given)).body
      return data.map(({ result, error }) => error?.code ?? result)
    }
    assert.deepEqual(await answer('approve', cy, eve), ['done', 'not_asked_to_join'])
    assert.deepEqual(await answer('decline', 'Dan@delivers.sandbox'), ['done'])
    assert.deepEqual((await asking(10)).data, [])
    const { members } = await look(address)
    assert.ok(members?.some((one) => one.address === cy) && !members.some((one) => one.address === dan))
    assert.deepEqual(
      (await told(address, 6)).map((one) => [one.change, one.members[0]]),
      [
        ['created', 'ana@delivers.sandbox'],
        ...[cy, dan, eve].map((one) => ['join_requested', one]),
        ['join_request_withdrawn', eve],
        ['members_added', cy],
      ],
    )
    const wrong = { ...at(address), body: { action: 'approve' as const, people: ['no address'] } }
    const { problem } = await problemOf(posthorn.admin.call(decideJoinRequests, wrong))
    assert.equal(problem.errors?.[0]?.pointer, '/people/0')
  })

  test('they are listed page by page, and joined by an invitation that still holds', async () => {
    const params = { name: 'trial' }
    const first = (await posthorn.admin.call(listGroups, { params, query: { limit: 1 } })).body
    assert.equal(first.data.length, 1)
    const cursor = String(first.next_cursor)
    const second = (await posthorn.admin.call(listGroups, { params, query: { limit: 1, cursor } })).body
    assert.notEqual(second.data[0]?.address, first.data[0]?.address)
    const { url } = (await posthorn.admin.call(getInviteLink, at('club@group.sandbox'))).body
    const renew = { ...at('club@group.sandbox'), body: { renew: true } }
    const { url: renewed } = (await posthorn.admin.call(getInviteLink, renew)).body
    assert.notEqual(renewed, url)
    await posthorn.admin.call(leaveGroup, at('club@group.sandbox'))
    const join = (invitation: string) => posthorn.admin.call(joinGroup, { params, body: { invitation } })
    assert.equal((await problemOf(join(url))).code, 'network_refused')
    assert.equal((await join(renewed)).body.role, 'member')
    assert.equal((await problemOf(join('https://elsewhere.example/x'))).code, 'network_refused')
  })

  test('a conversation in a group is one, is called like it, and never like the person who wrote', async () => {
    const to = 'friends@group.sandbox'
    const conversation = async () =>
      (await posthorn.admin.call(listConversations, { query: { instance: 'trial' } })).body.data.find(
        (one) => one.conversation === to,
      )
    await text(posthorn.admin, { instance: 'trial', to, text: '/say hello all' })
    const before = await eventually('the words of Ana', conversation, (one) => one?.unread === 1)
    assert.deepEqual([before?.kind, before?.name], ['group', null])
    await text(posthorn.admin, { instance: 'trial', to, text: '/rename Old friends' })
    await told(to, 1)
    assert.deepEqual(((await conversation()) as { name: string }).name, 'Old friends')
    const asContact = posthorn.admin.call(getContact, at(to))
    assert.equal((await problemOf(asContact)).code, 'contact_not_found')
    const { data: people } = (await posthorn.admin.call(listContacts, { params: { name: 'trial' } })).body
    assert.ok(people.every(({ address }) => !address.endsWith('@group.sandbox')))
    await text(posthorn.admin, { instance: 'trial', to: 'ana@replies.sandbox', text: 'Are you there?' })
    const list = await posthorn.admin.call(listConversations, { query: { instance: 'trial' } })
    assert.equal(list.body.data[0]?.kind, 'person')
  })

  test('a repeated request never makes a second group', async () => {
    const one = await make('Once', undefined, 'once')
    const again = await make('Once', undefined, 'once')
    assert.deepEqual(again.body, one.body)
    assert.equal(again.headers['idempotency-replayed'], 'true')
    assert.equal(made('Once').length, 1)
    assert.equal((await problemOf(make('Other', undefined, 'once'))).code, 'idempotency_mismatch')
    const lost = () => problemOf(make('Lost', ['ana@uncertain.sandbox'], 'lost'))
    for (const { code, problem } of [await lost(), await lost()]) {
      assert.equal(code, 'outcome_unknown')
      assert.match(problem.detail, /With the same `Idempotency-Key` nothing is done/)
    }
    assert.equal(made('Lost').length, 1)
  })

  test('what cannot be is refused, with a reason', async () => {
    const rename = (address: string, subject = 'New') =>
      problemOf(posthorn.admin.call(updateGroup, { ...at(address), body: { subject } }))
    assert.equal((await rename('ana@delivers.sandbox')).code, 'group_not_found')
    assert.equal((await rename('not an address')).code, 'group_not_found')
    assert.equal((await rename('team@group-gone.sandbox')).code, 'group_not_found')
    assert.equal((await rename('team@group-refuses.sandbox')).code, 'network_refused')
    const unsure = await rename('team@group-loses.sandbox')
    assert.equal(unsure.code, 'outcome_unknown')
    assert.doesNotMatch(unsure.problem.detail, /Idempotency-Key/, 'only creations take it')
    const keyless = await problemOf(make('Lost', ['ana@uncertain.sandbox']))
    assert.doesNotMatch(keyless.problem.detail, /Idempotency-Key/)
    const { problem: long } = await rename('team@group.sandbox', 'x'.repeat(101))
    assert.equal(long.errors?.[0]?.pointer, '/subject')
    assert.equal((await rename('team@group.sandbox', ' ')).code, 'invalid_request')
    const { problem } = await problemOf(
      make('Wrong', ['ana@delivers.sandbox', 'team@group.sandbox', 'no address']),
    )
    assert.deepEqual(
      problem.errors?.map(({ pointer }) => pointer),
      ['/members/1', '/members/2'],
    )
    await create(posthorn.admin, 'closed')
    await posthorn.admin.call(stopInstance, { params: { name: 'closed' }, waitSeconds: 10 })
    const asked = posthorn.admin.call(getGroup, at('team@group.sandbox', 'closed'))
    const { code, problem: answered } = await problemOf(asked)
    assert.deepEqual([code, answered.retryable], ['instance_not_connected', true])
    const body = { name: 'bot', network: 'telegram', credentials: { token: `1:${'a'.repeat(35)}` } }
    await posthorn.admin.call(createInstance, { body })
    const listed = await problemOf(
      posthorn.admin.call(createGroup, { params: { name: 'bot' }, body: { subject: 'x', members: [] } }),
    )
    assert.equal(listed.code, 'not_supported_by_network')
    assert.match(listed.problem.detail, /`create`/)
    const both = { subject: 'Team', description: 'For all' }
    const changed = posthorn.admin.call(updateGroup, { ...at('team@group.sandbox'), body: both })
    assert.match(
      (await problemOf(changed)).problem.detail,
      /Give only 1 of `subject`, `description` in a request, and the others in requests of their own\./,
    )
  })

  test('a group that was left gets nothing more, until it is joined again', async () => {
    const group = 'left@group.sandbox'
    const { url } = (await posthorn.admin.call(getInviteLink, at(group))).body
    const say = (words: string) => text(posthorn.admin, { instance: 'trial', to: group, text: words })
    const before = await say('Good bye')
    await reaches(posthorn.admin, before.id, 'delivered')
    await posthorn.admin.call(leaveGroup, at(group))
    const after = await reaches(posthorn.admin, (await say('Anyone?')).id, 'failed')
    assert.equal(after.error?.code, 'not_in_group')
    const retract = async () =>
      (await posthorn.admin.call(retractMessage, { params: { id: before.id }, body: {} })).body
    await reaches(posthorn.admin, (await retract()).id, 'failed')
    await posthorn.admin.call(joinGroup, { params: { name: 'trial' }, body: { invitation: url } })
    await reaches(posthorn.admin, (await retract()).id, 'delivered')
  })

  test('changes are paced, and each instance has its own pace', async () => {
    await create(posthorn.admin, 'busy')
    const rename = (name: string) =>
      posthorn.admin.call(updateGroup, { ...at('team@group.sandbox', name), body: { subject: 'Busy' } })
    // One more may be made each second while it goes on.
    let count = 0
    let refusal: unknown
    const refuse = (error: unknown) => {
      refusal = error
    }
    for (; refusal === undefined && count < 200; count++) await rename('busy').catch(refuse)
    const { code, headers } = await problemOf(Promise.reject(refusal))
    assert.equal(code, 'too_many_group_changes')
    assert.ok(count > 60, `only ${count} were made`)
    assert.ok(Number(headers['retry-after']) >= 1)
    await rename('trial')
    await posthorn.admin.call(getGroup, at('team@group.sandbox', 'busy'))
  })
})
