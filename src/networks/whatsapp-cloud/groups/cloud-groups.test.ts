import assert from 'node:assert/strict'
import { after, afterEach, before, beforeEach, describe, test } from 'node:test'
import type { ObservedConnection } from '../../../../test/kit/networks/observed-connection.ts'
import { CloudDriver, type CloudPerson } from '../../../../test/kit/networks/whatsapp-cloud/driver.ts'
import type { HttpFault } from '../../../../test/simulators/whatsapp-cloud/faults.ts'
import type { ErrorCode as MetaCode } from '../../../../test/simulators/whatsapp-cloud/graph-error.ts'
import type { GroupActions, GroupAnswer, GroupChanged } from '../../driver/abilities/groups.ts'

/* Orders about groups, each with the answer of Meta and the callback that tells its end, in any order. */

let far: CloudDriver
let ada: CloudPerson
let eve: CloudPerson
let session: ObservedConnection
let groups: Required<GroupActions>
const { signal } = new AbortController()

before(async () => {
  far = await CloudDriver.start()
})
after(() => far.stop())
beforeEach(async () => {
  ;[ada, eve] = [await far.person(), await far.person()]
  session = await far.open()
  groups = session.connection.groups as Required<GroupActions>
})
afterEach(async () => {
  await far.cloud.control('clear-faults', {})
  await session.close()
})

/** Gives an order, and hands over the callback that follows it; returns the answer, and what was reported. */
async function told<T>(
  order: () => Promise<GroupAnswer<T>>,
): Promise<{ answer: GroupAnswer<T>; news: string[] }> {
  await far.handOver(session)
  const { length } = await far.cloud.control('webhooks', {})
  const answer = order()
  await far.cloud.control('webhooks', { at_least: length + 1 })
  const seen = await far.handOver(session)
  const news = seen.filter((one): one is GroupChanged => one.kind === 'group-changed')
  return {
    answer: await answer,
    news: news.map(({ change, subject }) => `${change} ${subject ?? ''}`.trim()),
  }
}

const made = async (subject = 'Trip') => {
  const { answer } = await told(() => groups.create({ subject, members: [] }, signal))
  assert.ok(answer.kind === 'done', answer.kind)
  return answer.value.address
}
const groupsNow = () => far.cloud.control('groups', {})
const groupNow = async (id: string) => (await groupsNow()).find((one) => one.id === id)
const join = async (group: string, ...people: CloudPerson[]) => {
  const link = await groups.inviteLink(group, false, signal)
  assert.ok(link.kind === 'done', link.kind)
  for (const { user_id: person } of people) await far.cloud.control('join', { person, link: link.value.url })
}
const summary = <T>(answer: GroupAnswer<T>): string => {
  if (answer.kind === 'rejected') return answer.error.code
  return answer.kind === 'unanswered'
    ? `unanswered, ${answer.mayBeDone ? 'may' : 'not'} be done`
    : answer.kind
}

describe('a group is made', () => {
  test('once Meta tells its id, and is told once as news', async () => {
    const { answer, news } = await told(() => groups.create({ subject: ' Trip ', members: [] }, signal))
    assert.ok(answer.kind === 'done')
    const { address, subject, size, role, members } = answer.value
    assert.deepEqual(
      [subject, size, role, members],
      ['Trip', 1, 'owner', [{ address: `+${far.cloud.displayPhoneNumber}`, role: 'owner' }]],
    )
    assert.deepEqual(news, ['created Trip'])
    assert.equal((await groupNow(address))?.subject, 'Trip')
  })

  test('if its callback comes before the answer', async () => {
    await far.cloud.fault('group', { kind: 'before-answer' })
    await far.cloud.fault('http', { kind: 'delay', operation: 'create-group', ms: 400 })
    const { answer, news } = await told(() => groups.create({ subject: 'Early', members: [] }, signal))
    assert.deepEqual([summary(answer), news], ['done', ['created Early']])
  })

  test('if its callback has fields that no document names', async () => {
    await far.cloud.fault('group', { kind: 'unknown-fields' })
    const { answer, news } = await told(() => groups.create({ subject: 'Odd', members: [] }, signal))
    assert.deepEqual([summary(answer), news], ['done', ['created Odd']])
  })

  test('if its callback comes twice, and late', async () => {
    await far.cloud.control('settings', { hold_webhooks: true })
    await far.cloud.fault('webhook', { kind: 'twice' })
    const answer = groups.create({ subject: 'Twice', members: [] }, signal)
    const { length } = await far.cloud.control('webhooks', {})
    await far.cloud.control('settings', { hold_webhooks: false })
    const flushed = async () => (await far.cloud.control('flush', {})).callbacks > 0
    while (!(await flushed()));
    await far.cloud.control('webhooks', { at_least: length + 2 })
    await far.handOver(session)
    assert.equal(summary(await answer), 'done')
  })

  test('as far as is known: no callback, an answer that is lost, or one that does not name the request', async () => {
    for (const kind of ['lost', 'unnamed'] as const) {
      await far.cloud.fault('group', { kind })
      const answer = await groups.create({ subject: 'Gone', members: [] }, signal)
      assert.ok(answer.kind === 'unanswered' && answer.mayBeDone)
      assert.match(answer.detail, /group_lifecycle_update/)
    }
    const faults: readonly (readonly [HttpFault, boolean])[] = [
      [{ kind: 'cut' }, true],
      [{ kind: 'hang' }, true],
      [{ kind: 'invalid-json' }, true],
      [{ kind: 'status', status: 502 }, true],
      [{ kind: 'redirect' }, false],
      [{ kind: 'status', status: 404 }, false],
      [{ kind: 'graph-error', code: 131000 }, true],
      [{ kind: 'graph-error', code: 2 }, true],
    ]
    for (const [fault, may] of faults) {
      await far.cloud.fault('http', { operation: 'create-group', ...fault })
      const answer = await groups.create({ subject: 'Gone', members: [] }, signal)
      assert.equal(summary(answer), `unanswered, ${may ? 'may' : 'not'} be done`, JSON.stringify(fault))
    }
  })

  test('by no one who aborts, and by no connection that closes, as far as is known', async () => {
    for (const end of [(abort: AbortController) => abort.abort(), () => void session.close()]) {
      await far.cloud.fault('group', { kind: 'lost' })
      const abort = new AbortController()
      const { length } = await groupsNow()
      const answer = groups.create({ subject: 'Gone', members: [] }, abort.signal)
      while ((await groupsNow()).length === length);
      end(abort)
      assert.equal(summary(await answer), 'unanswered, may be done')
    }
    assert.equal(
      summary(await groups.create({ subject: 'x', members: [] }, signal)),
      'unanswered, not be done',
    )
  })

  test('not if Meta refuses, at once or later, which says what to do', async () => {
    const refusals = [
      [131215, 'groups_not_available'],
      [131211, 'group_limit_reached'],
      [131214, 'group_creation_paused'],
      [131208, 'group_changes_limited'],
      [131204, 'group_full'],
      [100, 'group_change_refused'],
      [10, 'groups_refused'],
    ] as const
    for (const [code, ours] of refusals) {
      await far.cloud.fault('http', { kind: 'graph-error', operation: 'create-group', code })
      assert.equal(summary(await groups.create({ subject: 'No', members: [] }, signal)), ours)
      await far.cloud.fault('group', { kind: 'failed', code })
      const { answer, news } = await told(() => groups.create({ subject: 'No', members: [] }, signal))
      assert.equal(summary(answer), codeLater(code) ?? ours)
      assert.ok(answer.kind === 'rejected' && answer.error.network_code === String(code))
      assert.deepEqual(news, [])
    }
    await session.sees('connection-verified')
  })
})

/** Of orders that fail later, codes about the token have no meaning of their own. */
const codeLater = (code: MetaCode) => (code === 10 ? 'group_change_refused' : undefined)

describe('a group is read', () => {
  test('with its members, the business among them, and those who hide their phones', async () => {
    const group = await made()
    const hidden = await far.person({ username: 'hidden' })
    await join(group, ada, hidden)
    const answer = await groups.get(group, signal)
    assert.ok(answer.kind === 'done')
    const { subject, size, role, members, created_at, description } = answer.value
    assert.deepEqual([subject, size, role, description], ['Trip', 3, 'owner', null])
    assert.ok(Math.abs((created_at ?? 0) - Date.now()) < 60_000)
    assert.deepEqual(members, [
      { address: `+${far.cloud.displayPhoneNumber}`, role: 'owner' },
      { address: ada.address, role: 'member' },
      { address: hidden.user_id, role: 'member' },
    ])
  })

  test('in pages, and a place that Meta does not know is refused', async () => {
    for (let count = 0; count < 3; count++) await made(`Page ${count}`)
    const seen = new Set<string>()
    for (let after: string | null = null; ; ) {
      const answer: Awaited<ReturnType<typeof groups.list>> = await groups.list({ limit: 2, after }, signal)
      assert.ok(answer.kind === 'done' && answer.value.groups.length <= 2)
      for (const { address } of answer.value.groups) seen.add(address)
      after = answer.value.next
      if (after === null) break
    }
    assert.deepEqual(seen, new Set((await groupsNow()).map(({ id }) => id)))
    for (const after of ['!', '../me', 'a&limit=1'])
      assert.equal(summary(await groups.list({ limit: 2, after }, signal)), 'group_place_expired')
  })

  test('if there is one: an id leads nowhere else, whatever is in it', async () => {
    for (const group of [
      'Y2FwaV9ncm91cDoxNTU1MDAwMTExMTo5OTk5OTk5OTk5',
      `${'A'.repeat(30)}/messages`,
      `${'A/'.repeat(20)}`,
      `${'A'.repeat(40)}==`,
    ]) {
      assert.equal(summary(await groups.get(group, signal)), 'no-group', group)
      assert.equal(summary(await groups.leave(group, signal)), 'no-group', group)
      assert.equal(summary(await groups.inviteLink(group, true, signal)), 'no-group', group)
    }
    assert.deepEqual(
      session.observations.filter(({ kind }) => kind === 'connection-lost'),
      [],
    )
  })
})

describe('a group is changed', () => {
  test('its subject: told, refused, and proven if no callback came', async () => {
    const group = await made()
    const { answer, news } = await told(() => groups.rename(group, 'Trip to Rome', signal))
    assert.deepEqual([summary(answer), news], ['done', ['renamed Trip to Rome']])
    await far.cloud.fault('group', { kind: 'failed', code: 131207 })
    const refused = await told(() => groups.rename(group, 'Sale', signal))
    assert.deepEqual([summary(refused.answer), refused.news], ['group_suspended', []])
    for (const kind of ['lost', 'unnamed'] as const) {
      await far.cloud.fault('group', { kind })
      assert.equal(summary(await groups.rename(group, `Trip ${kind}`, signal)), 'done')
      assert.equal((await groupNow(group))?.subject, `Trip ${kind}`)
    }
    await far.cloud.control('suspend', { group })
    assert.equal(summary(await groups.rename(group, 'Other', signal)), 'group_suspended')
  })

  test('its description: made with it, told as a change, refused, and proven if no callback came', async () => {
    const { answer: created } = await told(() =>
      groups.create({ subject: 'Trip', description: 'To Rome, in May.', members: [] }, signal),
    )
    assert.ok(created.kind === 'done')
    const { address: group, description } = created.value
    const shown = async () => {
      const answer = await groups.get(group, signal)
      return answer.kind === 'done' ? answer.value.description : summary(answer)
    }
    assert.deepEqual([description, await shown()], ['To Rome, in May.', 'To Rome, in May.'])
    const { answer, news } = await told(() => groups.describe(group, 'To Rome, in June.', signal))
    assert.deepEqual([summary(answer), news, await shown()], ['done', ['changed'], 'To Rome, in June.'])
    await far.cloud.fault('group', { kind: 'failed', code: 131208 })
    const refused = await told(() => groups.describe(group, 'Sale', signal))
    assert.deepEqual([summary(refused.answer), refused.news], ['group_changes_limited', []])
    for (const kind of ['lost', 'unnamed'] as const) {
      await far.cloud.fault('group', { kind })
      assert.equal(summary(await groups.describe(group, `By ${kind}`, signal)), 'done')
      assert.equal(await shown(), `By ${kind}`)
    }
  })

  test('those who ask to join are listed, let in and declined, and those who do not are told', async () => {
    const { answer: created } = await told(() =>
      groups.create({ subject: 'Club', approval: true, members: [] }, signal),
    )
    assert.ok(created.kind === 'done')
    const group = created.value.address
    const hidden = await far.person({ username: 'asks' })
    await join(group, ada, eve, hidden)
    const seen = (await far.handOver(session)).flatMap((one) =>
      one.kind === 'group-changed' ? [[one.change, one.members?.[0]]] : [],
    )
    assert.deepEqual(
      seen,
      [ada.address, eve.address, hidden.user_id].map((one) => ['join_requested', one]),
    )
    const asking = async () => {
      const addresses: string[] = []
      for (let after: string | null = null; ; ) {
        const page = await groups.listRequests(group, { limit: 2, after }, signal)
        assert.ok(page.kind === 'done' && page.value.requests.length <= 2)
        addresses.push(...page.value.requests.map(({ address }) => address))
        after = page.value.next
        if (after === null) return addresses
      }
    }
    assert.deepEqual(await asking(), [ada.address, eve.address, hidden.user_id])
    const fates = async (action: 'approve' | 'decline', ...people: string[]) => {
      const answer = await groups.answerRequests(group, { action, people }, signal)
      assert.ok(answer.kind === 'done', summary(answer))
      return answer.value.map(({ address, error }) => [address, error?.code ?? 'done'])
    }
    const unknown = '+4915100000000'
    assert.deepEqual(await fates('approve', hidden.user_id, ada.address, unknown), [
      [hidden.user_id, 'done'],
      [ada.address, 'done'],
      [unknown, 'join_request_missing'],
    ])
    assert.deepEqual(await fates('decline', eve.address), [[eve.address, 'done']])
    assert.deepEqual([await asking(), (await groupNow(group))?.members], [[], [ada.user_id, hidden.user_id]])
    const now = await groups.get(group, signal)
    assert.ok(now.kind === 'done' && now.value.approval === true)
    await far.cloud.fault('http', { kind: 'cut', operation: 'approve-requests' })
    await join(group, eve)
    const lost = await groups.answerRequests(group, { action: 'approve', people: [eve.address] }, signal)
    assert.equal(summary(lost), 'unanswered, may be done')
  })

  test('its members are removed, as far as they were in it, and cannot be added', async () => {
    const group = await made()
    await join(group, ada, eve)
    await far.handOver(session)
    const members = [ada.address, '+4915100000000']
    const { answer, news } = await told(() =>
      groups.changeMembers(group, { action: 'remove', members }, signal),
    )
    assert.ok(answer.kind === 'done')
    assert.deepEqual(
      answer.value.map(({ address, error }) => [address, error?.code ?? 'done']),
      [
        [ada.address, 'done'],
        ['+4915100000000', 'group_member_missing'],
      ],
    )
    assert.deepEqual(news, ['members_removed'])
    const removed = session.observations.filter((one): one is GroupChanged => one.kind === 'group-changed')
    assert.deepEqual(removed.at(-1)?.members, [ada.address])
    assert.deepEqual((await groupNow(group))?.members, [eve.user_id])
    for (const action of ['add', 'promote', 'demote'] as const)
      assert.equal(
        summary(await groups.changeMembers(group, { action, members: [ada.address] }, signal)),
        'group_change_refused',
      )
    const many = Array.from({ length: 9 }, (_, at) => `+4915100000${at}00`)
    const tooMany = await groups.changeMembers(group, { action: 'remove', members: many }, signal)
    assert.equal(summary(tooMany), 'group_members_too_many')
  })

  test('its members are all refused, or nothing is known of them', async () => {
    const group = await made()
    await join(group, ada)
    const change = { action: 'remove', members: [ada.user_id] } as const
    await far.cloud.fault('group', { kind: 'failed', code: 131208 })
    const { answer } = await told(() => groups.changeMembers(group, change, signal))
    assert.ok(answer.kind === 'done')
    assert.deepEqual(
      answer.value.map(({ error }) => error?.code),
      ['group_changes_limited'],
    )
    await far.cloud.fault('group', { kind: 'lost' })
    const unknown = await groups.changeMembers(group, change, signal)
    assert.deepEqual(unknown, { kind: 'done', value: [] })
  })

  test('its link: a new one ends the old one', async () => {
    const group = await made()
    const link = async (renew: boolean) => {
      const answer = await groups.inviteLink(group, renew, signal)
      return answer.kind === 'done' ? answer.value.url : summary(answer)
    }
    const first = await link(false)
    assert.match(first, /^https:\/\/chat\.whatsapp\.com\//)
    assert.equal(await link(false), first)
    assert.notEqual(await link(true), first)
    await far.cloud.fault('http', { kind: 'cut', operation: 'new-group-link' })
    assert.equal(await link(true), 'unanswered, may be done')
    await far.cloud.fault('http', { kind: 'cut', operation: 'group-link' })
    assert.equal(await link(false), 'unanswered, not be done')
  })

  test('it is deleted: told, refused, and proven if no callback came', async () => {
    const [one, other] = [await made(), await made()]
    await far.cloud.fault('group', { kind: 'failed' })
    const refused = await told(() => groups.leave(one, signal))
    assert.deepEqual([summary(refused.answer), refused.news], ['group_change_refused', []])
    const { answer, news } = await told(() => groups.leave(one, signal))
    assert.deepEqual([summary(answer), news], ['done', ['account_left']])
    assert.equal(summary(await groups.leave(one, signal)), 'no-group')
    await far.cloud.fault('group', { kind: 'lost' })
    assert.equal(summary(await groups.leave(other, signal)), 'done')
    assert.equal(await groupNow(other), undefined)
  })
})
