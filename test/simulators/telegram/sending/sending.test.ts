import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { after, describe, test } from 'node:test'
import type { Message } from '@grammyjs/types'
import type { Standing } from '../chats.ts'
import { startTelegram } from '../start-telegram.ts'
import { acquainted, badRequest, forbidden } from '../test-bot.ts'

/* Sending by a bot: the messages that arrive, and those that are refused, with the words for it. */

const telegram = await startTelegram({ after })
const { url, control } = telegram
await control.limit({ bot: null, chat: null, group: null })

type Bytes = Uint8Array<ArrayBuffer>

function form(kind: string, chat: number, bytes: Bytes, filename: string, more: Record<string, string> = {}) {
  const parts = new FormData()
  parts.set('chat_id', String(chat))
  for (const [name, value] of Object.entries(more)) parts.set(name, value)
  parts.set(kind, new Blob([bytes], { type: 'application/x-test' }), filename)
  return parts
}

/** The head of a PNG of this size, which is all that is looked at. */
function png(width: number, height: number, length = 100): Buffer<ArrayBuffer> {
  const bytes = Buffer.alloc(length)
  bytes.set([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
  bytes.writeUInt32BE(width, 16)
  bytes.writeUInt32BE(height, 20)
  return bytes
}

describe('a text', () => {
  test('arrives, as a reply if it is one', async () => {
    const { bot, token, chat } = await acquainted(telegram)
    const asked = await control.write({ token, chat, text: 'Are you there?' })
    const message = await bot.say(chat, ' Yes\u0007\r\n💛 ', { reply_parameters: { message_id: asked } })
    assert.equal(message.message_id, asked + 1)
    assert.equal(message.reply_to_message?.text, 'Are you there?')
    assert.equal(message.text, 'Yes \n💛')
    const [received] = await control.received({ token, chat, count: 1 })
    assert.deepEqual(
      { text: received?.text, reply_to: received?.reply_to, answered: received?.answered },
      { text: 'Yes \n💛', reply_to: asked, answered: true },
    )
    assert.ok(Math.abs(message.date - Date.now() / 1000) < 60)
  })

  test('may come in the query, as a form or as JSON', async () => {
    const { bot, token, chat } = await acquainted(telegram)
    const method = `${url}/bot${token}/sendMessage`
    await fetch(`${method}?chat_id=${chat}&text=a%20query`)
    await fetch(method, { method: 'POST', body: new URLSearchParams({ chat_id: `${chat}`, text: 'a form' }) })
    const parts = new FormData()
    parts.set('chat_id', `${chat}`)
    parts.set('text', 'many parts')
    await bot.result('sendMessage', parts)
    const texts = (await control.received({ token, chat, count: 3 })).map(({ text }) => text)
    assert.deepEqual(texts, ['a query', 'a form', 'many parts'])
  })

  test('is refused if it is wrong', async () => {
    const { bot, token, chat } = await acquainted(telegram)
    const refused = (parameters: object) =>
      bot.refusal('sendMessage', { chat_id: chat, text: 'a', ...parameters })
    await bot.say(chat, 'x'.repeat(4096))
    assert.deepEqual(await refused({ text: 'x'.repeat(4097) }), badRequest('message is too long'))
    assert.deepEqual(await refused({ text: ' \n ' }), badRequest('message text is empty'))
    assert.deepEqual(await refused({ text: 7 }), badRequest('parameter "text" has a wrong type'))
    assert.deepEqual(await refused({ chat_id: null }), badRequest('chat_id is empty'))
    const named = await control.createPerson({ first_name: 'Ben', username: 'ben' })
    await control.write({ token, chat: named, text: '/start' })
    assert.deepEqual(await refused({ chat_id: '@ben' }), badRequest('chat not found'))
    const reply_parameters = { message_id: 99 }
    assert.deepEqual(await refused({ reply_parameters }), badRequest('message to be replied not found'))
    await bot.say(chat, 'b', { reply_parameters: { ...reply_parameters, allow_sending_without_reply: true } })
  })
})

describe('a file', () => {
  test('arrives with its bytes, name and caption, and can be sent again by its id', async () => {
    const { bot, token, chat } = await acquainted(telegram)
    const bytes = Buffer.from('the bytes')
    const document = form('document', chat, bytes, 'Übersicht.pdf', { caption: 'Read this' })
    const sent = await bot.result<Message>('sendDocument', document)
    assert.equal(sent.document?.file_name, 'Übersicht.pdf')
    await bot.result('sendDocument', { chat_id: chat, document: sent.document?.file_id })
    const [first, second] = await control.received({ token, chat, count: 2 })
    const sha256 = createHash('sha256').update(bytes).digest('hex')
    const { kind, caption, filename, type, size } = first ?? {}
    assert.deepEqual(
      { kind, caption, filename, type, size, sha256: first?.sha256 },
      {
        kind: 'document',
        caption: 'Read this',
        filename: 'Übersicht.pdf',
        type: 'application/x-test',
        size: 9,
        sha256,
      },
    )
    assert.equal(second?.filename, 'Übersicht.pdf')
  })

  test('is a voice note only in a format of voice notes', async () => {
    const { bot, chat } = await acquainted(telegram)
    const ogg = Buffer.concat([Buffer.from('OggS'), Buffer.alloc(24), Buffer.from('OpusHead')])
    const voice = await bot.result<Message>('sendVoice', form('voice', chat, ogg, 'note.ogg'))
    assert.ok(voice.voice)
    const wave = await bot.result<Message>('sendVoice', form('voice', chat, Buffer.from('RIFF'), 'note.wav'))
    assert.ok(wave.audio)
    assert.ok((await bot.result<Message>('sendAudio', form('audio', chat, ogg, 'song.mp3'))).audio)
  })

  test('is refused if it is no photo, or a strange one', async () => {
    const { bot, chat } = await acquainted(telegram)
    const photo = (bytes: Bytes, more = {}) => form('photo', chat, bytes, 'a.png', more)
    const sent = await bot.result<Message>('sendPhoto', photo(png(640, 480), { caption: 'x'.repeat(1024) }))
    assert.equal(sent.photo?.at(-1)?.width, 640)
    const refused = (bytes: Bytes, more = {}) => bot.refusal('sendPhoto', photo(bytes, more))
    const tooBig = await refused(png(640, 480, 10 * 1024 * 1024 + 1))
    assert.match(tooBig.description, /^Bad Request: file of size 10485761 bytes is too big for a photo/)
    assert.deepEqual(await refused(png(9000, 1001)), badRequest('PHOTO_INVALID_DIMENSIONS'))
    assert.deepEqual(await refused(png(21, 1)), badRequest('PHOTO_INVALID_DIMENSIONS'))
    assert.deepEqual(await refused(Buffer.from('text')), badRequest('IMAGE_PROCESS_FAILED'))
    assert.deepEqual(
      await refused(png(9, 9), { caption: 'x'.repeat(1025) }),
      badRequest('message caption is too long'),
    )
  })

  test('is refused if it is too large, missing or not there to its end', async () => {
    const { bot, token, chat } = await acquainted(telegram)
    const large = await bot.refusal(
      'sendDocument',
      form('document', chat, Buffer.alloc(50 * 1024 * 1024 + 1), 'a'),
    )
    assert.deepEqual(large, { error_code: 413, description: 'Request Entity Too Large' })
    const missing = await bot.refusal('sendDocument', { chat_id: chat })
    assert.deepEqual(missing, badRequest('there is no document in the request'))
    const part = 'content-disposition: form-data; name="document"; filename="a.bin"'
    const cut = await fetch(`${url}/bot${token}/sendDocument?chat_id=${chat}`, {
      method: 'POST',
      headers: { 'content-type': 'multipart/form-data; boundary=b' },
      body: `--b\r\n${part}\r\n\r\nsome bytes`,
    })
    assert.equal(cut.status, 400)
    assert.deepEqual(await control.received({ token, chat }), [])
  })
})

describe('a chat', () => {
  test('takes nothing from a bot that may not write', async () => {
    const { bot, token, chat } = await acquainted(telegram)
    const bots = [token]
    const group = await control.createGroup({ type: 'group', title: 'Friends', bots })
    const supergroup = await control.createGroup({ type: 'supergroup', title: 'Many friends', bots })
    const channel = await control.createGroup({ type: 'channel', title: 'News', username: 'news' })
    const rules: readonly (readonly [number, Standing, object])[] = [
      [chat, 'blocked', forbidden('bot was blocked by the user')],
      [chat, 'deactivated', forbidden('user is deactivated')],
      [chat, 'never-started', forbidden("bot can't initiate conversation with a user")],
      [group, 'kicked', forbidden('bot was kicked from the group chat')],
      [group, 'deleted', forbidden('the group chat was deleted')],
      [supergroup, 'kicked', forbidden('bot was kicked from the supergroup chat')],
      [supergroup, 'not-member', forbidden('bot is not a member of the supergroup chat')],
      [supergroup, 'muted', badRequest('not enough rights to send text messages to the chat')],
    ]
    for (const [id, standing, expected] of rules) {
      await control.setStanding({ token, chat: id, standing })
      assert.deepEqual(await bot.refusal('sendMessage', { chat_id: id, text: 'Hello' }), expected)
    }
    const outside = await bot.refusal('sendMessage', { chat_id: '@news', text: 'Hello' })
    assert.deepEqual(outside, forbidden('bot is not a member of the channel chat'))
    await control.setStanding({ token, chat: channel, standing: 'open' })
    assert.equal((await bot.say('@NEWS', 'Hello')).sender_chat?.id, channel)
    const unknownPerson = await control.createPerson({ first_name: 'Ben' })
    assert.deepEqual(
      await bot.refusal('sendMessage', { chat_id: unknownPerson, text: 'Hi' }),
      badRequest('chat not found'),
    )
    assert.deepEqual(await bot.refusal('getChat', { chat_id: unknownPerson }), badRequest('chat not found'))
    const muted = await bot.result<{ title: string }>('getChat', { chat_id: supergroup })
    assert.equal(muted.title, 'Many friends')
  })

  test('that blocks a bot and writes again says so', async () => {
    const { bot, token, chat } = await acquainted(telegram)
    await control.setStanding({ token, chat, standing: 'blocked' })
    await control.write({ token, chat, text: 'I am back' })
    const updates = await bot.updates()
    const statuses = updates.map(
      (update) => update.my_chat_member?.new_chat_member.status ?? update.message?.text,
    )
    assert.deepEqual(statuses, ['kicked', 'member', 'I am back'])
    await bot.say(chat, 'Welcome back')
  })

  test('of a group moves to a supergroup', async () => {
    const { bot, token, chat } = await acquainted(telegram)
    const group = await control.createGroup({ type: 'group', title: 'Friends', bots: [token] })
    await control.write({ chat: group, from: chat, text: 'Hello all' })
    const supergroup = await control.migrate({ chat: group })
    const moved = {
      ...badRequest('group chat was upgraded to a supergroup chat'),
      parameters: { migrate_to_chat_id: supergroup },
    }
    assert.deepEqual(await bot.refusal('sendMessage', { chat_id: group, text: 'Hello' }), moved)
    await bot.say(supergroup, 'Hello')
    const [hello, to, from] = (await bot.updates()).map(({ message }) => message)
    assert.equal(hello?.from?.id, chat)
    assert.equal(to?.migrate_to_chat_id, supergroup)
    assert.equal(from?.migrate_from_chat_id, group)
  })
})
