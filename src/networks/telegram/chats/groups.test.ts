import assert from 'node:assert/strict'
import { beforeEach, describe, test } from 'node:test'
import { conversations } from '../../../../test/kit/networks/telegram/conversation.ts'
import type { Right } from '../../../../test/simulators/telegram/groups/roster.ts'
import type { GroupAnswer, MemberChange } from '../../driver/abilities/groups.ts'

/* Acts of a bot in groups: as an administrator, without rights, and at a Telegram that fails. */

const at = conversations()
let ana: number
let ben: number
let chat: number

beforeEach(async () => {
  ana = at().chat
  ben = await at().control.createPerson({ first_name: 'Ben', last_name: 'Lima' })
  chat = await group('supergroup')
})

async function group(type: 'group' | 'supergroup' | 'channel'): Promise<number> {
  const id = await at().control.createGroup({ type, title: 'Choir', bots: [at().bot.token] })
  await at().control.appoint({ chat: id, from: ana, member: ana, status: 'creator' })
  await at().control.join({ chat: id, from: ana, member: ben })
  return id
}

const never = new AbortController().signal
const groups = () => at().session.connection.groups ?? assert.fail()
const promote = (rights?: readonly Right[]) =>
  at().control.promote({ token: at().bot.token, chat, ...(rights && { rights }) })
const get = async () => {
  const found = await groups().get?.(String(chat), never)
  assert.ok(found?.kind === 'done', JSON.stringify(found))
  return found.value
}
const change = async (action: MemberChange['action'], ...members: (number | string)[]) =>
  groups().changeMembers?.(String(chat), { action, members: members.map(String) }, never)

/** The fate of each member, in a word. */
const fates = async (action: MemberChange['action'], ...members: (number | string)[]) => {
  const answer = await change(action, ...members)
  assert.ok(answer?.kind === 'done', JSON.stringify(answer))
  return answer.value.map(({ error }) => error?.code ?? 'done')
}
const word = (answer: GroupAnswer<unknown> | undefined) => {
  if (answer?.kind === 'rejected') return answer.error.code
  return answer?.kind === 'unanswered'
    ? `unanswered, ${answer.mayBeDone ? 'maybe' : 'not'} done`
    : answer?.kind
}

test('a group shows its administrators, its size and its words, and no other members', async () => {
  const plain = await get()
  assert.deepEqual(plain, {
    address: String(chat),
    subject: 'Choir',
    description: null,
    size: 3,
    members: [{ address: String(ana), name: 'Ada', role: 'owner' }],
    role: 'member',
  })
  await promote()
  const { role, members } = await get()
  assert.equal(role, 'admin')
  assert.deepEqual(
    members?.map((member) => [member.address, member.role]),
    [
      [String(at().bot.id), 'admin'],
      [String(ana), 'owner'],
    ],
  )
})

test('a group by its name has its id, and one that is not known or left is refused', async () => {
  const id = await at().control.createGroup({
    type: 'supergroup',
    title: 'News',
    username: `news_of_${at().bot.id}`,
    bots: [at().bot.token],
  })
  const named = await groups().get?.(`@news_of_${at().bot.id}`, never)
  assert.ok(named?.kind === 'done')
  assert.equal(named.value.address, String(id))
  assert.equal(word(await groups().get?.('-1009999999999', never)), 'recipient_unknown')
  await at().control.setStanding({ token: at().bot.token, chat, standing: 'kicked' })
  assert.equal(word(await groups().get?.(String(chat), never)), 'bot_removed')
})

test('a group that became a supergroup answers under its new address, and that is told', async () => {
  chat = await group('group')
  const moved = await at().control.migrate({ chat })
  await at().control.promote({ token: at().bot.token, chat: moved })
  assert.equal(word(await groups().rename?.(String(chat), 'Band', never)), 'done')
  const told = await at().session.sees('contact-known')
  assert.deepEqual([told.addresses, told.formerly], [[String(moved)], String(chat)])
  chat = moved
  assert.equal((await get()).subject, 'Band')
})

test('a group is renamed, also to the name that it has', async () => {
  assert.equal(word(await groups().rename?.(String(chat), 'Band', never)), 'right_missing')
  await promote()
  for (let count = 0; count < 2; count++)
    assert.equal(word(await groups().rename?.(String(chat), 'Band', never)), 'done')
  assert.equal((await get()).subject, 'Band')
})

test('a group is described, also in the words that it has, and no longer', async () => {
  const describe = (words: string) => groups().describe?.(String(chat), words, never)
  assert.equal(word(await describe('We play on Fridays.')), 'right_missing')
  await promote()
  for (let count = 0; count < 2; count++) assert.equal(word(await describe('We play on Fridays.')), 'done')
  assert.equal((await get()).description, 'We play on Fridays.')
  assert.equal(word(await describe('')), 'done')
  assert.ok(!(await get()).description)
})

describe('members', () => {
  test('are removed, and may come back', async () => {
    await promote()
    assert.deepEqual(await fates('remove', ben, ana, 6_000_000_001, '@ben_lima'), [
      'done',
      'member_protected',
      'member_unknown',
      'member_unknown',
    ])
    assert.equal((await get()).size, 2)
    // One who was banned could not.
    assert.equal(await at().bot.calls('banChatMember'), 0)
  })

  test('of a basic group are removed by a ban, which lets them come back, too, and have no other roles', async () => {
    chat = await group('group')
    assert.deepEqual(await fates('remove', ben), ['right_missing'])
    await promote()
    assert.deepEqual(await fates('remove', ben), ['done'])
    await at().control.join({ chat, from: ana, member: ben })
    assert.deepEqual(await fates('promote', ben), ['supergroup_needed'])
  })

  test('are promoted with the rights that the bot has, and demoted by it again', async () => {
    await promote(['can_promote_members', 'can_delete_messages'])
    assert.deepEqual(await fates('promote', ben), ['done'])
    const roles = async () => (await get()).members?.map(({ address, role }) => `${address} ${role}`)
    assert.ok((await roles())?.includes(`${ben} admin`))
    assert.deepEqual(await fates('demote', ben, ana), ['done', 'member_protected'])
    assert.ok(!(await roles())?.includes(`${ben} admin`))
    await at().control.appoint({ chat, from: ana, member: ben, status: 'administrator' })
    assert.deepEqual(await fates('demote', ben), ['right_missing'])
  })

  test('are not demoted by a promotion of a bot without rights', async () => {
    await at().control.appoint({ chat, from: ana, member: ben, status: 'administrator' })
    assert.equal(word(await change('promote', ben)), 'right_missing')
    assert.equal(await at().bot.calls('promoteChatMember'), 0)
  })

  test('who are not there cannot be promoted', async () => {
    await promote()
    await at().control.part({ chat, from: ben, member: ben })
    assert.deepEqual(await fates('promote', ben), ['member_unknown'])
  })

  test('after whose removal no answer came are left out, and nothing more is asked', async () => {
    await promote()
    await at().bot.fault('unbanChatMember', { kind: 'cut', taken: true })
    const answer = await change('remove', ben, ana)
    assert.ok(answer?.kind === 'done')
    assert.deepEqual(
      answer.value.map(({ address, error }) => [address, error?.code]),
      [[String(ana), 'network_unreachable']],
    )
    assert.equal(await at().bot.calls('unbanChatMember'), 1)
  })

  test('wait all together if Telegram asks the bot to wait', async () => {
    await promote()
    await at().bot.fault('unbanChatMember', { kind: 'too-many', retryAfter: 7 })
    assert.deepEqual(await fates('remove', ben, ana), ['asked_too_often', 'asked_too_often'])
    assert.equal(await at().bot.calls('unbanChatMember'), 1)
  })
})

test('the link of the bot stays the same until a new one is asked for', async () => {
  const link = async (renew: boolean) => {
    const answer = await groups().inviteLink?.(String(chat), renew, never)
    return answer?.kind === 'done' ? answer.value.url : word(answer)
  }
  assert.equal(await link(false), 'right_missing')
  await promote()
  const first = await link(false)
  assert.equal(await link(false), first)
  const second = await link(true)
  assert.notEqual(second, first)
  assert.equal(await at().control.isValidLink({ link: first ?? '' }), false)
  assert.equal(await link(false), second)
})

test('a bot leaves a group, and hears that it did', async () => {
  assert.equal(word(await groups().leave?.(String(chat), never)), 'done')
  const told = await at().session.sees('group-changed', ({ change: of }) => of === 'account_left')
  assert.equal(told.group, String(chat))
  assert.equal(word(await groups().leave?.(String(chat), never)), 'bot_removed')
})

describe('a Telegram that fails', () => {
  test('may have done what it was asked for, and a question changes nothing', async () => {
    await promote()
    for (const fault of [
      { kind: 'cut' },
      { kind: 'error' },
      { kind: 'gateway' },
      { kind: 'garbage' },
    ] as const) {
      await at().bot.fault('setChatTitle', fault)
      assert.equal(word(await groups().rename?.(String(chat), 'Band', never)), 'unanswered, maybe done')
      await at().bot.fault('getChatAdministrators', fault)
      assert.equal(word(await groups().get?.(String(chat), never)), 'unanswered, not done')
    }
  })

  test('that cannot be reached did nothing, and neither did a connection that is closed', async () => {
    const ended = new AbortController()
    ended.abort()
    assert.equal(word(await groups().leave?.(String(chat), ended.signal)), 'unanswered, not done')
    await at().session.close()
    assert.equal(word(await groups().leave?.(String(chat), never)), 'unanswered, not done')
    assert.equal(await at().bot.calls('leaveChat'), 0)
  })

  test('that refuses the token ends the connection', async () => {
    await at().control.revokeToken({ token: at().bot.token })
    assert.equal(word(await groups().get?.(String(chat), never)), 'token_refused')
    await at()
      .session.sees('credentials-refused')
      .catch(() => {})
    assert.ok(at().session.kinds().includes('credentials-refused'))
  })
})
