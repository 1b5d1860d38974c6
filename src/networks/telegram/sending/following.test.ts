import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { conversations, type Unaddressed } from '../../../../test/kit/networks/telegram/conversation.ts'
import { brief } from '../../../../test/kit/networks/telegram/plays.ts'
import type { Fault } from '../../../../test/simulators/telegram/sending/faults.ts'
import type { TargetMessage } from '../../driver/message.ts'

/* Messages that answer others, or change them. */

const at = conversations()
const send = (message: Unaddressed, to?: number) => at().send(message, to)
const received = (chat?: number) => at().received(chat)

/** A message as the core names it. */
const target = (network_message_id: string, more: Partial<TargetMessage> = {}): TargetMessage => {
  const usual = { sender_message_id: null, from: null, kind: 'text', text: null, topic: null } as const
  return { network_message_id, ...usual, ...more }
}

async function sentText(to = at().chat): Promise<TargetMessage> {
  const { bot, session } = at()
  const outcome = await bot.outcome(session, to)
  assert.ok(outcome.kind === 'accepted')
  return target(outcome.network_message_id ?? assert.fail())
}

const reacting = (of: TargetMessage, emoji: string | null) =>
  ({ kind: 'reaction', target: of, emoji }) as const
const editing = (of: TargetMessage, text: string) => ({ kind: 'correction', target: of, text }) as const
const retracting = (of: TargetMessage) => ({ kind: 'retraction', target: of }) as const

test('a heart is sent as Telegram spells it, and what is no reaction there is refused for good', async () => {
  const text = await sentText()
  assert.equal(brief(await send(reacting(text, '❤️'))), 'accepted')
  assert.equal((await received()).at(-1)?.text, '❤')
  for (const emoji of ['🚀', '👍🏽'])
    assert.equal(brief(await send(reacting(text, emoji))), 'permanent reaction_not_allowed')
  await at().control.allowReactions({ chat: at().chat, emojis: ['🔥'] })
  assert.equal(brief(await send(reacting(text, '❤️'))), 'permanent reaction_not_allowed')
})

test('a reaction may be to what a person wrote, and to its edit', async () => {
  const id = await at().control.write({ token: at().bot.token, chat: at().chat, text: 'Thanks' })
  await at().control.edit({ token: at().bot.token, chat: at().chat, message_id: id, text: 'Thanks!' })
  const edit = await at().session.sees('message-received', ({ relation }) => relation?.type === 'correction')
  assert.equal(brief(await send(reacting(target(edit.network_message_id), '👍'))), 'accepted')
  assert.deepEqual(
    (await received()).map(({ kind, message_id }) => [kind, message_id]),
    [['reaction', id]],
  )
})

test('an edit that changes nothing counts as done, as one that was repeated', async () => {
  const text = await sentText()
  for (let count = 0; count < 2; count++)
    assert.equal(brief(await send(editing(text, 'Good evening'))), 'accepted')
  assert.deepEqual(
    (await received()).map(({ kind, text }) => [kind, text]),
    [
      ['text', 'Good morning'],
      ['edit', 'Good evening'],
    ],
  )
})

test('a retraction of what is gone counts as done, and one that comes too late is refused for good', async () => {
  const [text, old] = [await sentText(), await sentText()]
  for (let count = 0; count < 2; count++) assert.equal(brief(await send(retracting(text))), 'accepted')
  await at().control.advance({ seconds: 48 * 3600 + 1 })
  assert.equal(brief(await send(retracting(old))), 'permanent edit_window_over')
})

test('what refers to a message that is gone, or to none, is refused for good', async () => {
  const text = await sentText()
  await send(retracting(text))
  const gone = [reacting(text, '👍'), editing(text, 'Too late')]
  for (const message of [...gone, { kind: 'text', text: 'And?', replyTo: text } as const])
    assert.equal(brief(await send(message)), 'permanent target_unknown')
  const tap = target('tap:300000')
  for (const message of [reacting(tap, '👍'), { kind: 'text', text: 'And?', replyTo: tap } as const])
    assert.equal(brief(await send(message)), 'permanent target_unknown')
  assert.equal(await at().bot.calls('setMessageReaction'), 1)
})

describe('in words of Telegram', () => {
  const refusals: readonly (readonly [string, string, string])[] = [
    ['setMessageReaction', 'Bad Request: REACTION_INVALID', 'permanent reaction_not_allowed'],
    ['setMessageReaction', 'Bad Request: message to react not found', 'permanent target_unknown'],
    ['setMessageReaction', 'Bad Request: MESSAGE_ID_INVALID', 'permanent target_unknown'],
    ['setMessageReaction', 'Bad Request: MESSAGE_NOT_MODIFIED', 'accepted'],
    ['editMessageText', "Bad Request: message can't be edited", 'permanent edit_window_over'],
    ['editMessageText', 'Bad Request: MESSAGE_EDIT_TIME_EXPIRED', 'permanent edit_window_over'],
    ['editMessageText', 'Bad Request: message to edit not found', 'permanent target_unknown'],
    ['editMessageText', 'Bad Request: there is no text in the message to edit', 'permanent message_refused'],
    ['editMessageText', 'Forbidden: bot was blocked by the user', 'permanent recipient_blocked'],
    ['deleteMessage', "Bad Request: message can't be deleted", 'permanent edit_window_over'],
    ['deleteMessage', 'Bad Request: MESSAGE_DELETE_FORBIDDEN', 'permanent edit_window_over'],
  ]
  for (const [method, description, expected] of refusals)
    test(`“${description}” is ${expected}`, async () => {
      const text = await sentText()
      const messages: Record<string, Unaddressed> = {
        setMessageReaction: reacting(text, '👍'),
        editMessageText: editing(text, 'Good evening'),
        deleteMessage: retracting(text),
      }
      const code = description.startsWith('Forbidden') ? 403 : 400
      await at().bot.fault(method, { kind: 'refuse', code, description })
      assert.equal(brief(await send(messages[method] ?? assert.fail())), expected)
    })
})

test('a lost answer to a change is uncertain, and nothing is sent again', async () => {
  const text = await sentText()
  const faults: Fault[] = [{ kind: 'cut' }, { kind: 'half' }, { kind: 'error', taken: true }]
  for (const fault of faults) {
    await at().bot.fault('setMessageReaction', fault)
    assert.equal(brief(await send(reacting(text, '👍'))), 'uncertain')
  }
  assert.equal(await at().bot.calls('setMessageReaction'), faults.length)
})

test('a reply to what was written in a topic goes there, and to no other', async () => {
  const group = await at().control.createGroup({ type: 'supergroup', title: 'Shop', bots: [at().bot.token] })
  const topic = await at().control.createTopic({ chat: group, name: 'Orders' })
  const id = await at().control.write({ chat: group, from: at().chat, text: 'Where is it?', topic })
  const { content, relation } = await at().session.sees('message-received')
  assert.deepEqual([content?.topic, relation], [{ id: `${topic}`, name: 'Orders' }, undefined])
  const asked = target(`${group}:${id}`, { topic: `${topic}`, from: String(at().chat) })
  const answer = { kind: 'text', text: 'On its way', replyTo: asked } as const
  assert.equal(brief(await send(answer, group)), 'accepted')
  assert.deepEqual(
    (await received(group)).map(({ thread, reply_to }) => [thread, reply_to]),
    [[topic, id]],
  )
  await at().control.closeTopic({ chat: group, topic })
  assert.equal(brief(await send(answer, group)), 'permanent topic_closed')
})

test('what names a topic goes there, also with an answer to another one, and needs one that is open', async () => {
  const group = await at().control.createGroup({ type: 'supergroup', title: 'Shop', bots: [at().bot.token] })
  const topic = await at().control.createTopic({ chat: group, name: 'Orders' })
  const other = await at().control.createTopic({ chat: group, name: 'Returns' })
  const id = await at().control.write({ chat: group, from: at().chat, text: 'Where is it?', topic: other })
  const replyTo = target(`${group}:${id}`, { topic: `${other}`, from: String(at().chat) })
  const text = { kind: 'text', text: 'New prices' } as const
  const messages: readonly Unaddressed[] = [
    { ...text, topic: `${topic}` },
    { ...text, topic: `${topic}`, replyTo },
    {
      kind: 'poll',
      poll: { question: 'When?', options: ['Now', 'Never'], multiple_answers: false },
      topic: `${topic}`,
    },
    {
      kind: 'location',
      location: { latitude: 1, longitude: 2, name: null, address: null },
      topic: `${topic}`,
    },
  ]
  for (const message of messages) assert.equal(brief(await send(message, group)), 'accepted')
  assert.deepEqual(
    (await received(group)).map(({ thread }) => thread),
    [topic, topic, topic, topic],
  )
  assert.equal(brief(await send({ ...text, topic: '4711' }, group)), 'permanent topic_unknown')
  await at().control.closeTopic({ chat: group, topic })
  assert.equal(brief(await send({ ...text, topic: `${topic}` }, group)), 'permanent topic_closed')
})

test('what refers to messages of a group that became a supergroup reaches no other message there', async () => {
  const group = await at().control.createGroup({ type: 'group', title: 'Choir', bots: [at().bot.token] })
  await sentText(group)
  const text = await sentText(group)
  const moved = await at().control.migrate({ chat: group })
  // The numbers begin anew in the supergroup, where another text has the same by now.
  await at().bot.send(at().session, moved)
  assert.equal((await received(moved)).at(-1)?.message_id, Number(text.network_message_id.split(':')[1]))
  const reply = { kind: 'text', text: 'And?', replyTo: text } as const
  for (const [message, to] of [
    [reacting(text, '👍'), group],
    [reacting(text, '👍'), moved],
    [retracting(text), moved],
    [reply, group],
    [reply, moved],
  ] as const)
    assert.equal(brief(await send(message, to)), 'permanent target_unknown')
  assert.deepEqual(
    (await received(moved)).map(({ kind }) => kind),
    ['text'],
  )
})

test('each mention becomes a link to the person, wherever emojis stand', async () => {
  const other = await at().bot.person()
  const group = await at().control.createGroup({ type: 'supergroup', title: 'Shop', bots: [at().bot.token] })
  const text = `😀 @${at().chat}, @${other}1 and @${other}: thanks`
  const mentions = [String(at().chat), String(other), '6000000001', '@some_group']
  assert.equal(brief(await send({ kind: 'text', text, mentions }, group)), 'accepted')
  const [seen] = await received(group)
  assert.deepEqual([seen?.text, seen?.mentions], [text, [at().chat, other]])
})
