import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type PlayedBot, storedBy, TelegramPlays } from '../../../../test/kit/networks/telegram/plays.ts'
import { groupNewsIn } from './group-news.ts'

const now = 1_800_000_000_000
const bot = 8_000_000_001
const chat = { id: -1_002_000_000_001, type: 'supergroup', title: 'Choir' }
const ana = { id: 7_000_000_001, is_bot: false, first_name: 'Ana' }
const ben = { id: 7_000_000_002, is_bot: false, first_name: 'Ben' }
const self = { id: bot, is_bot: true, first_name: 'Shop' }
const date = 1_700_000_000

const brief = (update: object) =>
  groupNewsIn({ update_id: 1, ...update }, bot, now).map(({ change, subject, members, by }) =>
    [change, subject, members?.join(), by].filter((part) => part !== undefined),
  )
type Status = string | { status: string; is_member?: boolean }
const member = (user: object, status: Status) => ({
  user,
  ...(typeof status === 'string' ? { status } : status),
})
const update = (kind: string, user: object, before: Status, after: Status, more: object = {}) => ({
  [kind]: {
    ...{ chat, from: ana, date },
    ...{ old_chat_member: member(user, before), new_chat_member: member(user, after) },
    ...more,
  },
})
const away = { status: 'restricted', is_member: false }
const muted = { status: 'restricted', is_member: true }

describe('the part of the bot', () => {
  const cases: readonly (readonly [Status, Status, unknown[]])[] = [
    ['left', 'member', ['account_joined', 'Choir', '7000000001']],
    ['kicked', 'administrator', ['account_joined', 'Choir', '7000000001']],
    [away, muted, ['account_joined', 'Choir', '7000000001']],
    ['member', 'left', ['account_left', '7000000001']],
    ['administrator', 'kicked', ['account_left', '7000000001']],
    ['member', 'administrator', ['changed', '7000000001']],
    ['administrator', 'member', ['changed', '7000000001']],
  ]
  for (const [before, after, expected] of cases)
    test(`${JSON.stringify(before)} → ${JSON.stringify(after)}`, () => {
      assert.deepEqual(brief(update('my_chat_member', self, before, after)), [expected])
    })

  test('in a chat with a person is none of a group', () => {
    const own = { chat: { id: ana.id, type: 'private' } }
    assert.deepEqual(brief(update('my_chat_member', self, 'member', 'kicked', own)), [])
  })
})

describe('the part of another', () => {
  const cases: readonly (readonly [Status, Status, unknown[][]])[] = [
    ['left', 'member', [['members_added', '7000000002', '7000000001']]],
    ['member', 'kicked', [['members_removed', '7000000002', '7000000001']]],
    [muted, away, [['members_removed', '7000000002', '7000000001']]],
    ['member', muted, []],
    ['member', 'administrator', [['members_promoted', '7000000002', '7000000001']]],
    ['administrator', muted, [['members_demoted', '7000000002', '7000000001']]],
    ['administrator', 'creator', []],
    [
      'left',
      'administrator',
      [
        ['members_added', '7000000002', '7000000001'],
        ['members_promoted', '7000000002', '7000000001'],
      ],
    ],
    ['left', 'of a future kind', []],
  ]
  for (const [before, after, expected] of cases)
    test(`${JSON.stringify(before)} → ${JSON.stringify(after)}`, () => {
      assert.deepEqual(brief(update('chat_member', ben, before, after)), expected)
    })

  test('is told of the bot by an update of its own', () => {
    assert.deepEqual(brief(update('chat_member', self, 'member', 'left')), [])
  })
})

describe('a request to join', () => {
  const asked = (more: object) =>
    brief({ chat_join_request: { chat, from: ben, date, user_chat_id: 1, ...more } })

  test('is told, with the person who asks', () => {
    assert.deepEqual(asked({}), [['join_requested', '7000000002', '7000000002']])
    assert.deepEqual(asked({ bio: 'I sing.', query_id: 'q', invite_link: null }), asked({}))
  })

  test('of no person, or to no group, is none', () => {
    for (const more of [
      { from: undefined },
      { from: { id: -1_002_000_000_002 } },
      { from: { id: '7' } },
      { chat: ana },
      { chat: null },
      { chat: { id: 2 ** 60 } },
    ])
      assert.deepEqual(asked(more), [])
  })
})

describe('a message of Telegram itself', () => {
  const said = (what: object) => brief({ message: { message_id: 9, chat, from: ana, date, ...what } })

  test('tells of a title, of members and of other changes', () => {
    assert.deepEqual(said({ new_chat_title: 'Band' }), [['renamed', 'Band', '7000000001']])
    const people = { new_chat_members: [ben, self, { id: 'x' }, null] }
    assert.deepEqual(said(people), [['members_added', '7000000002', '7000000001']])
    assert.deepEqual(said({ left_chat_member: ben }), [['members_removed', '7000000002', '7000000001']])
    for (const what of [{ new_chat_photo: [] }, { delete_chat_photo: true }, { migrate_from_chat_id: -7 }])
      assert.deepEqual(said(what), [['changed', '7000000001']])
  })

  test('about the bot, and anything that a person wrote, tells nothing', () => {
    for (const what of [{ new_chat_members: [self] }, { left_chat_member: self }, { text: 'Hi' }, {}])
      assert.deepEqual(said(what), [])
    assert.deepEqual(brief({ message: { chat: { id: ana.id }, from: ana, date, new_chat_title: 'Me' } }), [])
  })

  test('does not name one who hides behind the group', () => {
    const hidden = { id: 1_087_968_824, is_bot: true, first_name: 'Group' }
    assert.deepEqual(said({ from: hidden, new_chat_title: 'Band' }), [['renamed', 'Band', null]])
    assert.deepEqual(said({ sender_chat: chat, new_chat_title: 'Band' }), [['renamed', 'Band', null]])
    assert.deepEqual(said({ from: undefined, new_chat_title: 'Band' }), [['renamed', 'Band', null]])
  })

  test('about very many people tells of a hundred', () => {
    const new_chat_members = Array.from({ length: 5_000 }, (_, index) => ({ id: index + 1 }))
    const [news] = groupNewsIn({ message: { chat, from: ana, date, new_chat_members } }, bot, now)
    assert.equal(news?.members?.length, 100)
    assert.equal(news?.at, date * 1000)
  })
})

describe('at Telegram', () => {
  let plays: TelegramPlays
  let played: PlayedBot
  before(async () => {
    plays = await TelegramPlays.start()
    played = await plays.bot()
  })
  after(async () => {
    await plays.end()
    await plays.stop()
  })

  test('news comes once it is asked for, and again until it is stored', async () => {
    const first = await played.open({ isStored: async ({ kind }) => kind !== 'group-changed' })
    const eve = await plays.control.createPerson({ first_name: 'Eve' })
    const group = await plays.control.createGroup({ type: 'supergroup', title: 'Choir' })
    await plays.control.bring({ token: played.token, chat: group, from: eve })
    assert.equal((await first.sees('connection-lost')).reason.code, 'messages_not_kept')
    const next = await played.open({ caughtUp: async () => storedBy(first) })
    const joined = await next.sees('group-changed')
    assert.deepEqual([joined.change, joined.subject, joined.by], ['account_joined', 'Choir', String(eve)])
    await plays.control.promote({ token: played.token, chat: group })
    const gil = await plays.control.createPerson({ first_name: 'Gil' })
    await plays.control.join({ chat: group, from: eve, member: gil })
    const { members } = await next.sees('group-changed', ({ change }) => change === 'members_added')
    assert.deepEqual(members, [String(gil)])
    await plays.control.pending({ token: played.token, most: 0 })
  })
})
