import assert from 'node:assert/strict'
import { after, beforeEach, describe, test } from 'node:test'
import type { ChatFullInfo, ChatMember, Message, Update } from '@grammyjs/types'
import { startTelegram } from '../start-telegram.ts'
import { acquainted, badRequest, forbidden, type TestBot } from '../test-bot.ts'

/* Groups by plain HTTP: what bots may do there, what they are told, and what they are not. */

const telegram = await startTelegram({ after })
const { control } = telegram

let bot: TestBot
let token: string
let ana: number
let chat: number
/** The other members. */
let ben: number

beforeEach(async () => {
  const known = await acquainted(telegram)
  bot = known.bot
  token = known.token
  ana = known.chat
  chat = await control.createGroup({ type: 'supergroup', title: 'Choir', bots: [token] })
  ben = await control.createPerson({ first_name: 'Ben' })
  await control.appoint({ chat, from: ana, member: ana, status: 'creator' })
  await control.join({ chat, from: ana, member: ben })
})

const all = [...['message', 'chat_member', 'my_chat_member']] as const
const updates = async (): Promise<Update[]> => {
  const found = await bot.updates({ allowed_updates: all })
  const next = (found.at(-1)?.update_id ?? -1) + 1
  if (next > 0) await bot.updates({ offset: next, allowed_updates: all })
  return found
}
const asked = async () => void (await updates())
const member = (user_id: number) => bot.result<ChatMember>('getChatMember', { chat_id: chat, user_id })

describe('a bot that is no administrator', () => {
  test('sees who the administrators are, and how many people there are, but not the others', async () => {
    const found = await bot.result<ChatMember[]>('getChatAdministrators', { chat_id: chat })
    assert.deepEqual(
      found.map(({ status, user }) => [status, user.id]),
      [['creator', ana]],
    )
    assert.equal(await bot.result('getChatMemberCount', { chat_id: chat }), 3)
  })

  test('can change nothing', async () => {
    const refusals: readonly (readonly [string, object, string])[] = [
      ['setChatTitle', { title: 'New' }, 'not enough rights to change chat title'],
      ['unbanChatMember', { user_id: ben }, 'not enough rights to restrict/unrestrict chat member'],
      ['promoteChatMember', { user_id: ben, can_manage_chat: true }, 'not enough rights'],
      ['exportChatInviteLink', {}, 'not enough rights to manage chat invite link'],
    ]
    for (const [method, more, words] of refusals)
      assert.deepEqual(await bot.refusal(method, { chat_id: chat, ...more }), badRequest(words))
  })

  test('is told of members by messages only', async () => {
    await asked()
    const cleo = await control.createPerson({ first_name: 'Cleo' })
    await control.join({ chat, from: ben, member: cleo })
    await control.part({ chat, from: ana, member: cleo })
    const found = (await updates()).map(({ message }) => message)
    assert.deepEqual(
      found.map((seen) => [seen?.new_chat_members?.[0]?.id, seen?.left_chat_member?.id]),
      [
        [cleo, undefined],
        [undefined, cleo],
      ],
    )
  })
})

describe('an administrator', () => {
  beforeEach(() => control.promote({ token, chat }))

  test('is told of its own part, and of members only if it asks for that', async () => {
    await control.part({ chat, from: ben, member: ben })
    const before = await bot.updates()
    assert.deepEqual(before.map((update) => Object.keys(update)[1]).slice(-2), ['my_chat_member', 'message'])
    await asked()
    await control.join({ chat, from: ana, member: ben })
    const [change, message] = await updates()
    assert.deepEqual(
      [change?.chat_member?.old_chat_member.status, change?.chat_member?.new_chat_member.status],
      ['left', 'member'],
    )
    assert.equal(message?.message?.new_chat_members?.[0]?.id, ben)
  })

  test('renames the group, and no message tells it of that', async () => {
    await asked()
    assert.equal(await bot.result('setChatTitle', { chat_id: chat, title: ' Band ' }), true)
    const { title } = await bot.result<ChatFullInfo.SupergroupChat>('getChat', { chat_id: chat })
    assert.equal(title, 'Band')
    assert.deepEqual(
      await bot.refusal('setChatTitle', { chat_id: chat, title: 'Band' }),
      badRequest('CHAT_NOT_MODIFIED'),
    )
    assert.deepEqual(await updates(), [])
  })

  test('removes members, who may come back or not, and no administrators', async () => {
    const person = { chat_id: chat, user_id: ben }
    await bot.result('banChatMember', person)
    assert.equal((await member(ben)).status, 'kicked')
    await bot.result('unbanChatMember', { ...person, only_if_banned: true })
    assert.equal((await member(ben)).status, 'left')
    await control.join({ chat, from: ben, member: ben })
    await bot.result('unbanChatMember', { ...person, only_if_banned: true })
    assert.equal((await member(ben)).status, 'member')
    await bot.result('unbanChatMember', person)
    assert.equal((await member(ben)).status, 'left')
    const refused = (user_id: number) => bot.refusal('unbanChatMember', { chat_id: chat, user_id })
    assert.deepEqual(await refused(ana), badRequest("can't remove chat owner"))
    await control.join({ chat, from: ben, member: ben })
    await control.appoint({ chat, from: ana, member: ben, status: 'administrator' })
    assert.deepEqual(await refused(ben), badRequest('user is an administrator of the chat'))
    assert.deepEqual(await refused(6_000_000_001), badRequest('user not found'))
  })

  test('gives others no rights that it has not, and takes them only from those to whom it gave them', async () => {
    const promote = { chat_id: chat, user_id: ben, can_manage_chat: true }
    await bot.result('promoteChatMember', promote)
    assert.equal((await member(ben)).status, 'administrator')
    await bot.result('promoteChatMember', { chat_id: chat, user_id: ben })
    assert.equal((await member(ben)).status, 'member')
    await control.appoint({ chat, from: ana, member: ben, status: 'administrator' })
    assert.deepEqual(
      await bot.refusal('promoteChatMember', { chat_id: chat, user_id: ben }),
      badRequest('CHAT_ADMIN_REQUIRED'),
    )
    await control.appoint({ chat, from: ana, member: ben, status: 'member' })
    await control.promote({ token, chat, rights: ['can_promote_members'] })
    assert.deepEqual(await bot.refusal('promoteChatMember', promote), badRequest('RIGHT_FORBIDDEN'))
    await control.part({ chat, from: ben, member: ben })
    assert.deepEqual(await bot.refusal('promoteChatMember', promote), badRequest('USER_NOT_MUTUAL_CONTACT'))
  })

  test('has a link of its own, and a new one ends it', async () => {
    const link = await bot.result<string>('exportChatInviteLink', { chat_id: chat })
    const { invite_link } = await bot.result<ChatFullInfo.SupergroupChat>('getChat', { chat_id: chat })
    assert.equal(invite_link, link)
    await bot.result('exportChatInviteLink', { chat_id: chat })
    assert.equal(await control.isValidLink({ link }), false)
  })

  test('leaves, and then can do nothing there', async () => {
    await asked()
    await bot.result('leaveChat', { chat_id: chat })
    const [{ my_chat_member } = assert.fail()] = await updates()
    assert.equal(my_chat_member?.new_chat_member.status, 'left')
    assert.deepEqual(
      await bot.refusal('leaveChat', { chat_id: chat }),
      forbidden('bot is not a member of the supergroup chat'),
    )
  })
})

test('in a basic group, people are removed by a ban, and cannot be promoted', async () => {
  chat = await control.createGroup({ type: 'group', title: 'Family', bots: [token] })
  await control.join({ chat, from: ana, member: ben })
  const person = { chat_id: chat, user_id: ben }
  assert.deepEqual(
    await bot.refusal('banChatMember', person),
    badRequest('need to be inviter of a user to kick it from a basic group'),
  )
  await control.promote({ token, chat })
  const unavailable = badRequest('method is available for supergroup and channel chats only')
  assert.deepEqual(await bot.refusal('unbanChatMember', person), unavailable)
  assert.deepEqual(await bot.refusal('promoteChatMember', person), unavailable)
  await bot.result('banChatMember', person)
  assert.equal((await member(ben)).status, 'left')
})

test('a chat has a picture in two sizes, which each bot knows by ids of its own', async () => {
  const photo = async () => (await bot.result<ChatFullInfo>('getChat', { chat_id: ana })).photo
  assert.equal(await photo(), undefined)
  const [small, big] = ['small', 'a larger one'].map((text) => Buffer.from(text).toString('base64'))
  await control.setPicture({ chat: ana, ...(small && big && { small, big }) })
  const found = await photo()
  assert.ok(found)
  const { file_path } = await bot.result<{ file_path: string }>('getFile', { file_id: found.big_file_id })
  const response = await fetch(`${telegram.url}/file/bot${token}/${file_path}`)
  assert.equal(await response.text(), 'a larger one')
  await control.setPicture({ chat: ana })
  assert.equal(await photo(), undefined)
})

test('a bot shows that it writes, in a chat and in a topic', async () => {
  const topic = await control.createTopic({ chat, name: 'Orders' })
  await bot.result('sendChatAction', { chat_id: ana, action: 'typing' })
  await bot.result('sendChatAction', { chat_id: chat, message_thread_id: topic, action: 'typing' })
  assert.deepEqual(
    (await control.typings({ token, count: 2 })).map(({ chat: to, thread }) => [to, thread]),
    [
      [ana, undefined],
      [chat, topic],
    ],
  )
  const refused = (more: object) => bot.refusal('sendChatAction', { chat_id: chat, ...more })
  assert.deepEqual(
    await refused({ action: 'typing', message_thread_id: 4711 }),
    badRequest('message thread not found'),
  )
  assert.deepEqual(await refused({ action: 'dancing' }), badRequest('wrong parameter action in request'))
})

test('messages of Telegram itself name who did it', async () => {
  await asked()
  await control.rename({ chat, from: ben, title: 'Band' })
  const [{ message } = assert.fail()] = await updates()
  assert.deepEqual([message?.from?.id, (message as Message).new_chat_title], [ben, 'Band'])
})
