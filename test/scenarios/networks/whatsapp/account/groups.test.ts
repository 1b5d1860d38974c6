import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type {
  FoundGroup,
  FoundGroupPage,
  GroupActions,
  GroupAnswer,
} from '../../../../../src/networks/driver/abilities/groups.ts'
import type { Driver } from '../../../../../src/networks/driver/driver.ts'
import type { ObservedConnection } from '../../../../kit/networks/observed-connection.ts'
import { linkedConnection } from '../../../../kit/networks/whatsapp/linked.ts'
import { hastyDriver } from '../../../../kit/networks/whatsapp/stage.ts'
import type { Fault } from '../../../../simulators/whatsapp/faults.ts'
import { startWhatsApp, type WhatsAppProcess } from '../../../../simulators/whatsapp/start-whatsapp.ts'

const shop = '4915100000001'
const never = new AbortController().signal

let whatsapp: WhatsAppProcess
let driver: Driver
let session: ObservedConnection
let groups: Required<GroupActions>
let people = 0

const newPerson = async () => {
  const phone = `4915100${String(1000 + people++).padStart(6, '0')}`
  await whatsapp.control.createPerson({ phone })
  return phone
}
const newGroup = (members: readonly string[], more: object = {}) =>
  whatsapp.control.createGroup({ subject: 'Market', members, ...more })
const jid = (group: string) => `${group}@g.us`

function done<T>(answer: GroupAnswer<T>): T {
  assert.equal(answer.kind, 'done', JSON.stringify(answer))
  return (answer as { value: T }).value
}
function refusal(answer: GroupAnswer<unknown>): string {
  if (answer.kind === 'no-group') return answer.kind
  assert.equal(answer.kind, 'rejected', JSON.stringify(answer))
  return answer.kind === 'rejected' ? answer.error.code : ''
}
const rolesOf = ({ members = [] }: FoundGroup) =>
  Object.fromEntries(members.map(({ address, role }) => [address, role]))
/** The change of this group that fits. */
const change = (group: string, kind: string, among = session) =>
  among.sees('group-changed', (seen) => seen.group === jid(group) && seen.change === kind)

before(async () => {
  whatsapp = await startWhatsApp({ after: () => {} })
  driver = hastyDriver(whatsapp, {})
  await whatsapp.control.createPerson({ phone: shop, name: 'Shop' })
  const linked = await linkedConnection(whatsapp, driver, { phone: shop })
  session = linked.session
  groups = session.connection.groups as Required<GroupActions>
})
after(async () => {
  await session?.close()
  await whatsapp?.stop()
})

/** Has a person ask to join, and waits until that is told. */
async function ask(group: string, person: string): Promise<void> {
  const told = session.sees(
    'group-changed',
    (seen) => seen.change === 'join_requested' && seen.members?.[0] === `+${person}`,
  )
  await whatsapp.control.ask({ group, person })
  assert.equal((await told).group, jid(group))
}
const askers = async (group: string) =>
  done(await groups.listRequests(jid(group), { limit: 50, after: null }, never)).requests.map(
    ({ address }) => address,
  )

describe('what an account does with its groups', { timeout: 120_000 }, () => {
  test('it lists them page by page, without communities, and each says its role', async () => {
    const ana = await newPerson()
    const [first, second] = [await newGroup([shop, ana]), await newGroup([ana, shop])]
    const third = await newGroup([ana, shop], { admins: [shop], description: 'Fish' })
    for (const community of ['parent', 'announcements'] as const)
      await newGroup([ana, shop], { traits: { community } })
    await newGroup([ana])
    const found: FoundGroup[] = []
    for (let after: string | null = null; ; ) {
      const page: FoundGroupPage = done(await groups.list({ limit: 2, after }, never))
      assert.ok(page.groups.length <= 2)
      found.push(...page.groups)
      after = page.next
      if (after === null) break
    }
    assert.deepEqual(
      found.map(({ address, subject, role, size }) => ({ address, subject, role, size })),
      [
        { address: jid(first), subject: 'Market', role: 'owner', size: 2 },
        { address: jid(second), subject: 'Market', role: 'member', size: 2 },
        { address: jid(third), subject: 'Market', role: 'admin', size: 2 },
      ],
    )
    assert.ok(found.every((group) => group.members === undefined))
    const strange = done(await groups.list({ limit: 10, after: '~ nowhere' }, never))
    assert.deepEqual(strange, { groups: [], next: null })
  })

  test('it sees the members of one, by number if that is told, and what it is not in, it does not see', async () => {
    const [ana, ben] = [await newPerson(), await newPerson()]
    await whatsapp.control.change({ person: ben, hidesNumber: true })
    const group = await newGroup([ana, ben, shop], { description: 'Fish & chips' })
    const found = done(await groups.get(jid(group), never))
    assert.equal(found.description, 'Fish & chips')
    assert.ok((found.created_at ?? 0) > Date.now() - 60_000)
    assert.deepEqual(rolesOf(found), {
      [`+${ana}`]: 'owner',
      [`9${ben}7@lid`]: 'member',
      [`+${shop}`]: 'member',
    })
    assert.equal(refusal(await groups.get(jid(await newGroup([ana])), never)), 'no-group')
    assert.equal(refusal(await groups.get('120363999999999999@g.us', never)), 'no-group')
    const community = await newGroup([ana, shop], { traits: { community: 'announcements' } })
    assert.equal(refusal(await groups.get(jid(community), never)), 'group_is_community')
  })

  test('it makes one, with those who let it, and hears of it', async () => {
    const [ana, ben] = [await newPerson(), await newPerson()]
    await whatsapp.control.change({ person: ben, addRefusal: '403' })
    const made = done(
      await groups.create({ subject: 'Crew ⚓', members: [`+${ana}`, `+${ben}`, '+4915100000000'] }, never),
    )
    assert.deepEqual(rolesOf(made), { [`+${shop}`]: 'owner', [`+${ana}`]: 'member' })
    assert.equal(made.subject, 'Crew ⚓')
    const heard = await session.sees('group-changed', ({ group }) => group === made.address)
    assert.deepEqual([heard.change, heard.subject, heard.by], ['created', 'Crew ⚓', `+${shop}`])
    const long = { subject: 'x'.repeat(101), members: [`+${ana}`] }
    assert.equal(refusal(await groups.create(long, never)), 'group_subject_refused')
  })

  for (const addressing of ['lid', 'pn'] as const)
    test(`each member that it adds, removes or promotes has a fate, in a group by ${addressing}`, async () => {
      const [ana, ben, cleo, dora] = [
        await newPerson(),
        await newPerson(),
        await newPerson(),
        await newPerson(),
      ]
      await whatsapp.control.change({ person: cleo, addRefusal: '403' })
      await whatsapp.control.change({ person: dora, addRefusal: '408' })
      const group = await newGroup([shop, ana], { addressing })
      const fates = async (action: 'add' | 'remove' | 'promote' | 'demote', ...phones: string[]) => {
        const members = phones.map((phone) => `+${phone}`)
        const results = done(await groups.changeMembers(jid(group), { action, members }, never))
        assert.deepEqual(results.map(({ address }) => address).sort(), members.sort())
        return Object.fromEntries(
          results.map(({ address, error }) => [address.slice(1), error?.code ?? null]),
        )
      }
      assert.deepEqual(await fates('add', ana, ben, cleo, dora, '4915100000000'), {
        [ana]: 'member_already',
        [ben]: null,
        [cleo]: 'member_invitation_needed',
        [dora]: 'member_left_lately',
        4915100000000: 'recipient_not_on_network',
      })
      assert.deepEqual((await change(group, 'members_added')).members, [`+${ben}`])
      assert.deepEqual(await fates('promote', ben, cleo), { [ben]: null, [cleo]: 'member_missing' })
      assert.deepEqual((await change(group, 'members_promoted')).members, [`+${ben}`])
      assert.deepEqual(await fates('demote', ben), { [ben]: null })
      await change(group, 'members_demoted')
      assert.deepEqual(await fates('remove', ana, shop), { [ana]: null, [shop]: 'member_refused' })
      assert.deepEqual((await change(group, 'members_removed')).members, [`+${ana}`])
      const { members, admins } = await whatsapp.control.groupState({ group })
      assert.deepEqual([members, admins], [[shop, ben], [shop]])
    })

  test('what only administrators may do, it may not, and renames if everyone may', async () => {
    const ana = await newPerson()
    const group = await newGroup([ana, shop])
    const members = [`+${await newPerson()}`]
    assert.equal(
      refusal(await groups.changeMembers(jid(group), { action: 'add', members }, never)),
      'group_admin_required',
    )
    assert.equal(refusal(await groups.inviteLink(jid(group), false, never)), 'group_admin_required')
    assert.equal(done(await groups.rename(jid(group), 'Bazaar', never)), null)
    const heard = await change(group, 'renamed')
    assert.deepEqual([heard.subject, heard.by], ['Bazaar', `+${shop}`])
    const locked = await newGroup([ana, shop], { traits: { isLocked: true } })
    assert.equal(refusal(await groups.rename(jid(locked), 'Bazaar', never)), 'group_admin_required')
    assert.equal(refusal(await groups.rename('120363999999999999@g.us', 'Bazaar', never)), 'no-group')
  })

  test('people join by its link until it is renewed, and it joins by theirs, or must wait', async () => {
    const ana = await newPerson()
    const own = await newGroup([shop, ana])
    const { url } = done(await groups.inviteLink(jid(own), false, never))
    assert.equal(url, `https://chat.whatsapp.com/${(await whatsapp.control.groupState({ group: own })).code}`)
    const renewed = done(await groups.inviteLink(jid(own), true, never))
    assert.notEqual(renewed.url, url)
    assert.equal(refusal(await groups.join(url, never)), 'group_invitation_invalid')

    const theirs = await newGroup([ana])
    const { code } = await whatsapp.control.groupState({ group: theirs })
    const joined = done(await groups.join(`https://chat.whatsapp.com/invite/${code}?mode=ac_t`, never))
    assert.deepEqual(rolesOf(joined), { [`+${ana}`]: 'owner', [`+${shop}`]: 'member' })
    assert.equal((await change(theirs, 'account_joined')).subject, 'Market')

    const guarded = await newGroup([ana], { traits: { needsApproval: true } })
    const { code: guardedCode } = await whatsapp.control.groupState({ group: guarded })
    assert.equal(refusal(await groups.join(guardedCode, never)), 'group_approval_needed')
    for (const nothing of ['', 'https://example.org/abcdefghijkl', 'AbCdEfGhIjKlMnOp', 'x'.repeat(10_000)])
      assert.equal(refusal(await groups.join(nothing, never)), 'group_invitation_invalid')
  })

  for (const addressing of ['lid', 'pn'] as const)
    test(`people ask to join, and it lets them in or not, in a group by ${addressing}`, async () => {
      const [ana, ben, cleo] = [await newPerson(), await newPerson(), await newPerson()]
      const group = await newGroup([shop], { addressing, traits: { needsApproval: true } })
      for (const person of [ana, ben]) await ask(group, person)
      const { requests, next } = done(await groups.listRequests(jid(group), { limit: 1, after: null }, never))
      assert.equal(requests.length, 1)
      assert.ok(Math.abs(Date.now() - (requests[0]?.at ?? 0)) < 60_000)
      const rest = done(await groups.listRequests(jid(group), { limit: 1, after: next }, never))
      assert.deepEqual(
        [...requests, ...rest.requests].map(({ address }) => address),
        [`+${ana}`, `+${ben}`],
      )
      assert.equal(rest.next, null)
      const fates = async (action: 'approve' | 'decline', ...people: string[]) => {
        const results = done(await groups.answerRequests(jid(group), { action, people }, never))
        return Object.fromEntries(results.map(({ address, error }) => [address, error?.code ?? null]))
      }
      assert.deepEqual(await fates('approve', `+${ana}`, `+${cleo}`), {
        [`+${ana}`]: null,
        [`+${cleo}`]: 'join_request_missing',
      })
      assert.deepEqual((await change(group, 'members_added')).members, [`+${ana}`])
      assert.deepEqual(await fates('decline', `+${ben}`), { [`+${ben}`]: null })
      assert.deepEqual((await change(group, 'join_request_withdrawn')).members, [`+${ben}`])
      assert.deepEqual(await askers(group), [])
      const { members } = await whatsapp.control.groupState({ group })
      assert.deepEqual(members, [shop, ana])
    })

  test('a person who hides the number asks by the id, and one who takes it back no longer asks', async () => {
    const [ana, ben] = [await newPerson(), await newPerson()]
    await whatsapp.control.change({ person: ana, hidesNumber: true })
    const group = await newGroup([shop], { traits: { needsApproval: true } })
    await whatsapp.control.ask({ group, person: ana })
    const hidden = `9${ana}7@lid`
    assert.deepEqual((await change(group, 'join_requested')).members, [hidden])
    await ask(group, ben)
    await whatsapp.control.withdraw({ group, person: ben })
    assert.deepEqual((await change(group, 'join_request_withdrawn')).members, [`+${ben}`])
    assert.deepEqual(await askers(group), [hidden])
    const answer = { action: 'approve', people: [hidden, `+${ben}`] } as const
    const results = done(await groups.answerRequests(jid(group), answer, never))
    assert.deepEqual(
      results.map(({ address, error }) => [address, error?.code ?? null]).sort(),
      [
        [`+${ben}`, 'join_request_missing'],
        [hidden, null],
      ].sort(),
    )
  })

  test('it makes a group that lets people in, and only its administrators see who asks', async () => {
    const ana = await newPerson()
    const wish = { subject: 'Club', description: 'For members', approval: true, members: [`+${ana}`] }
    const made = done(await groups.create(wish, never))
    assert.deepEqual([made.approval, made.description], [true, 'For members'])
    const state = await whatsapp.control.groupState({ group: made.address.replace('@g.us', '') })
    assert.deepEqual([state.needsApproval, state.description], [true, 'For members'])
    assert.equal(done(await groups.get(made.address, never)).approval, true)
    const theirs = await newGroup([ana, shop], { traits: { needsApproval: true } })
    const page = { limit: 5, after: null }
    assert.equal(refusal(await groups.listRequests(jid(theirs), page, never)), 'no-group')
    const answer = { action: 'approve', people: [`+${ana}`] } as const
    assert.equal(refusal(await groups.answerRequests(jid(theirs), answer, never)), 'group_admin_required')
  })

  test('it describes a group, again and no longer, and another who did so meanwhile is not overwritten', async () => {
    const group = await newGroup([shop])
    const state = async () => (await whatsapp.control.groupState({ group })).description
    for (const words of ['Fish', 'Fish & chips 🐟', 'Fish & chips 🐟', '', '', 'Again']) {
      assert.equal(done(await groups.describe(jid(group), words, never)), null)
      assert.equal(await state(), words)
    }
    await change(group, 'changed')
    const long = await groups.describe(jid(group), 'x'.repeat(2_049), never)
    assert.equal(refusal(long), 'group_description_refused')
    await whatsapp.control.describeBeforeAnswer({ asker: shop, group, description: 'Theirs' })
    assert.equal(refusal(await groups.describe(jid(group), 'Mine', never)), 'group_description_changed')
    assert.equal(await state(), 'Theirs')
  })

  test('it leaves, and hears that, and of being added and removed by others', async () => {
    const ana = await newPerson()
    const group = await newGroup([ana, shop])
    assert.equal(done(await groups.leave(jid(group), never)), null)
    const left = await change(group, 'account_left')
    assert.deepEqual([left.by, left.members], [`+${shop}`, undefined])
    assert.equal(refusal(await groups.leave('120363999999999999@g.us', never)), 'no-group')
    const other = await newGroup([ana])
    await whatsapp.control.join({ group: other, person: shop })
    assert.equal((await change(other, 'account_joined')).by, `+${ana}`)
    await whatsapp.control.leave({ group: other, person: shop })
    assert.equal((await change(other, 'account_left')).by, `+${ana}`)
  })

  test('it hears what others change', async () => {
    const [ana, ben] = [await newPerson(), await newPerson()]
    const group = await newGroup([ana, shop])
    await whatsapp.control.join({ group, person: ben })
    assert.deepEqual((await change(group, 'members_added')).members, [`+${ben}`])
    await whatsapp.control.rename({ group, person: ben, subject: 'Fair' })
    const renamed = await change(group, 'renamed')
    assert.deepEqual([renamed.subject, renamed.by], ['Fair', `+${ben}`])
    await whatsapp.control.promote({ group, person: ben })
    await whatsapp.control.setExpiration({ group, seconds: 60 })
    await change(group, 'changed')
  })

  test('a change that cannot be stored comes again with the next connection', async () => {
    const [ana, person] = [await newPerson(), await newPerson()]
    const stored = Promise.withResolvers<boolean>()
    const isStored = ({ kind }: { kind: string }) =>
      kind === 'group-changed' ? stored.promise : Promise.resolve(true)
    const linked = await linkedConnection(whatsapp, driver, { phone: person, isStored })
    const group = await newGroup([ana, person])
    // The server waits for an acknowledgement that does not come.
    void whatsapp.control.rename({ group, person: ana, subject: 'Once more' }).catch(() => undefined)
    await change(group, 'renamed', linked.session)
    await linked.session.close()
    stored.resolve(false)
    const next = await linked.again()
    assert.equal((await change(group, 'renamed', next)).subject, 'Once more')
    await next.close()
  })

  test('a server that never answers holds up nothing, and one that refuses says why', async () => {
    const group = jid(await newGroup([shop]))
    const fail = (fault: Fault) => whatsapp.control.fault({ on: 'iq', account: shop, xmlns: 'w:g2', fault })
    const detail = 'WhatsApp did not answer in time.'
    await fail({ kind: 'drop' })
    const asking = new AbortController()
    const order = groups.rename(group, 'Never', asking.signal)
    assert.equal((await session.send(`+${await newPerson()}`, 'Meanwhile').outcome).kind, 'accepted')
    asking.abort()
    assert.deepEqual(await order, { kind: 'unanswered', detail, mayBeDone: true })
    await fail({ kind: 'drop' })
    const asked = await groups.get(group, AbortSignal.abort())
    assert.deepEqual(asked, { kind: 'unanswered', detail, mayBeDone: false })
    await whatsapp.control.clearFaults({})
    for (const [code, meaning] of [
      [429, 'rate_limited'],
      [503, 'server_error'],
      [499, 'question_refused'],
    ] as const) {
      await fail({ kind: 'refuse', code })
      assert.equal(refusal(await groups.leave(group, never)), meaning)
    }
  })
})
