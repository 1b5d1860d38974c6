import assert from 'node:assert/strict'
import { after, beforeEach, test } from 'node:test'
import type { ChatMember, Update } from '@grammyjs/types'
import { startTelegram } from '../start-telegram.ts'
import { acquainted, badRequest, type TestBot } from '../test-bot.ts'

/* People who ask to join, by plain HTTP. */

const telegram = await startTelegram({ after })
const { control } = telegram

let bot: TestBot
let token: string
let ana: number
let chat: number

beforeEach(async () => {
  const known = await acquainted(telegram)
  bot = known.bot
  token = known.token
  ana = known.chat
  chat = await control.createGroup({ type: 'supergroup', title: 'Choir', bots: [token] })
  await control.promote({ token, chat })
})

const allowed_updates = ['chat_join_request', 'chat_member']
const updates = async (): Promise<Update[]> => {
  const found = await bot.updates({ allowed_updates })
  const next = (found.at(-1)?.update_id ?? -1) + 1
  if (next > 0) await bot.updates({ offset: next, allowed_updates })
  return found
}
const approve = (user_id: number) => bot.result('approveChatJoinRequest', { chat_id: chat, user_id })
const refused = (method: string, more: object) => bot.refusal(method, { chat_id: chat, ...more })
const approval = 'approveChatJoinRequest'
const decline = 'declineChatJoinRequest'

test('a bot that may invite is told of each who asks, and that a person it let in is a member', async () => {
  await updates()
  await control.ask({ chat, from: ana })
  const [{ chat_join_request: asked } = assert.fail()] = await updates()
  assert.deepEqual([asked?.chat.id, asked?.from.id, asked?.user_chat_id], [chat, ana, ana])
  assert.equal(await approve(ana), true)
  const [{ chat_member: told } = assert.fail()] = await updates()
  assert.deepEqual(
    [told?.from.id, told?.new_chat_member.status, told?.via_join_request],
    [Number(token.split(':')[0]), 'member', true],
  )
  const { status } = await bot.result<ChatMember>('getChatMember', { chat_id: chat, user_id: ana })
  assert.equal(status, 'member')
})

test('without the right, it is not told, and can do nothing', async () => {
  await control.promote({ token, chat, rights: ['can_change_info'] })
  await updates()
  await control.ask({ chat, from: ana })
  assert.deepEqual(await updates(), [])
  for (const method of [approval, decline])
    assert.deepEqual(
      await refused(method, { user_id: ana }),
      badRequest('not enough rights to manage chat join requests'),
    )
})

test('a request that was answered, withdrawn or never made is missing, and a member has none', async () => {
  const missing = badRequest('HIDE_REQUESTER_MISSING')
  assert.deepEqual(await refused(approval, { user_id: ana }), missing)
  await control.ask({ chat, from: ana })
  await control.withdraw({ chat, from: ana })
  assert.deepEqual(await refused(decline, { user_id: ana }), missing)
  await control.ask({ chat, from: ana })
  assert.equal(await bot.result(decline, { chat_id: chat, user_id: ana }), true)
  assert.deepEqual(await refused(approval, { user_id: ana }), missing)
  await control.ask({ chat, from: ana })
  await approve(ana)
  for (const method of [approval, decline])
    assert.deepEqual(await refused(method, { user_id: ana }), badRequest('USER_ALREADY_PARTICIPANT'))
})

test('what is no request is refused', async () => {
  assert.deepEqual(await refused(approval, {}), badRequest('invalid user_id specified'))
  assert.deepEqual(await refused(approval, { user_id: 6_000_000_001 }), badRequest('user not found'))
  assert.deepEqual(
    await bot.refusal(decline, { chat_id: ana, user_id: ana }),
    badRequest("the chat can't have join requests"),
  )
})
