import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, describe, test } from 'node:test'
import type { File, Update, WebhookInfo } from '@grammyjs/types'
import { startTelegram } from './start-telegram.ts'
import { acquainted, badRequest, TestBot } from './test-bot.ts'

/* The simulator by plain HTTP: the rules of Telegram bite, and faults happen as ordered. */

const telegram = await startTelegram({ after })
const { url, control } = telegram

describe('a bot', () => {
  test('is known by its token', async () => {
    const { token, id } = await control.createBot({ username: 'named_bot' })
    const bot = new TestBot(url, token)
    assert.equal((await bot.result<{ id: number }>('GETME')).id, id)
    const unknownBot = new TestBot(url, `1:${'a'.repeat(35)}`)
    assert.deepEqual(await unknownBot.refusal('getMe'), {
      error_code: 401,
      description: 'Unauthorized',
    })
    assert.deepEqual(await new TestBot(url, '1:a').refusal('getMe'), {
      error_code: 404,
      description: 'Not Found',
    })
    const unknown = await bot.refusal('getYou')
    assert.deepEqual(unknown, { error_code: 404, description: 'Not Found: method not found' })
  })

  test('loses its token, also while it polls', async () => {
    const { bot, token, next } = await acquainted(telegram)
    const poll = bot.refusal('getUpdates', { offset: next, timeout: 50 })
    await control.polling({ token })
    const fresh = await control.revokeToken({ token })
    assert.equal((await poll).error_code, 401)
    assert.equal((await bot.refusal('getMe')).error_code, 401)
    await new TestBot(url, fresh).result('getMe')
  })
})

describe('updates', () => {
  test('come to a poll that waits, and are forgotten below the offset only', async () => {
    const { bot, token, chat, next } = await acquainted(telegram)
    const poll = bot.updates({ offset: next, timeout: 50 })
    await control.polling({ token })
    await control.write({ token, chat, text: 'one' })
    const [first] = await poll
    assert.equal(first?.update_id, next)
    assert.equal(first?.message?.text, 'one')
    await control.write({ token, chat, text: 'two' })
    await control.write({ token, chat, text: 'three' })
    const texts = async (parameters: object) =>
      (await bot.updates(parameters)).map(({ message }) => message?.text)
    assert.deepEqual(await texts({}), ['one', 'two', 'three'])
    assert.deepEqual(await texts({ limit: 1, offset: next + 1 }), ['two'])
    assert.deepEqual(await texts({ offset: -1 }), ['three'])
    assert.deepEqual(await texts({}), ['three'])
    assert.deepEqual(
      await bot.refusal('getUpdates', { offset: 'x' }),
      badRequest('parameter "offset" has a wrong type'),
    )
  })

  test('go to the consumer that came last', async () => {
    const { bot, token, chat, next } = await acquainted(telegram)
    const first = bot.refusal('getUpdates', { offset: next, timeout: 50 })
    await control.polling({ token })
    const second = bot.updates({ offset: next, timeout: 50 })
    assert.deepEqual(await first, {
      error_code: 409,
      description:
        'Conflict: terminated by other getUpdates request; make sure that only one bot instance is running',
    })
    await control.polling({ token })
    await control.write({ token, chat, text: 'who gets this?' })
    assert.equal((await second).length, 1)
    assert.equal((await control.conflicts({ token })).length, 1)
  })

  test('are of the types asked for last', async () => {
    const { bot, token, chat } = await acquainted(telegram)
    await bot.result('getUpdates', { allowed_updates: ['edited_message'] })
    const message_id = await control.write({ token, chat, text: 'helo' })
    await control.edit({ token, chat, message_id, text: 'hello' })
    const [update, ...others] = await bot.updates()
    assert.equal(update?.edited_message?.text, 'hello')
    assert.equal(others.length, 0)
  })

  test('are kept for a day', async () => {
    const { bot, token, chat } = await acquainted(telegram)
    await control.write({ token, chat, text: 'old' })
    await control.advance({ seconds: 86_000 })
    assert.equal(await control.pending({ token }), 1)
    await control.advance({ seconds: 400 })
    assert.deepEqual(await bot.result('getUpdates'), [])
  })

  test('carry media, captions, replies and everything else that people send', async () => {
    const { bot, token, chat } = await acquainted(telegram)
    const { message_id } = await bot.say(chat, 'Send me something')
    const base64 = Buffer.from('a photo').toString('base64')
    const caption_entities = [{ type: 'bold' as const, offset: 0, length: 4 }]
    await control.write({
      token,
      chat,
      photo: { base64 },
      caption: 'Here it is',
      caption_entities,
      reply_to: message_id,
    })
    await control.write({ token, chat, location: { latitude: 1.5, longitude: 2.5 } })
    const [photo, place] = await bot.updates()
    assert.equal(photo?.message?.caption, 'Here it is')
    assert.deepEqual(photo?.message?.caption_entities, caption_entities)
    assert.equal(photo?.message?.reply_to_message?.text, 'Send me something')
    assert.deepEqual(place?.message?.location, { latitude: 1.5, longitude: 2.5 })
    const largest = photo?.message?.photo?.at(-1)?.file_id
    const { file_path } = await bot.result<File>('getFile', { file_id: largest })
    const file = await fetch(`${url}/file/bot${token}/${file_path}`)
    assert.equal(await file.text(), 'a photo')
    await control.advance({ seconds: 3600 })
    assert.equal((await fetch(`${url}/file/bot${token}/${file_path}`)).status, 404)
  })

  test('name files that no other bot can have, and that may be too large', async () => {
    const { bot, token, chat } = await acquainted(telegram)
    const other = await control.createBot({ username: 'other_bot' })
    await control.write({ token, chat, document: { size: 20 * 1024 * 1024 + 1 } })
    const [update] = await bot.updates()
    const file_id = update?.message?.document?.file_id
    assert.deepEqual(await bot.refusal('getFile', { file_id }), badRequest('file is too big'))
    assert.deepEqual(
      await new TestBot(url, other.token).refusal('getFile', { file_id }),
      badRequest('invalid file_id'),
    )
  })
})

describe('a webhook', () => {
  test('gets every update with its secret, again until it is taken', async (t) => {
    const { bot, token, chat } = await acquainted(telegram)
    await control.retrySecond({ milliseconds: 1 })
    const seen: { status: number; secret: unknown; id: number }[] = []
    const statuses = [500, 302, 200, 200, 200]
    const server = createServer(async (request, response) => {
      let body = ''
      for await (const piece of request) body += piece
      const status = statuses.shift() ?? 200
      const secret = request.headers['x-telegram-bot-api-secret-token']
      seen.push({ status, secret, id: (JSON.parse(body) as Update).update_id })
      response.writeHead(status).end()
    }).listen(0, '127.0.0.1')
    t.after(() => server.close().closeAllConnections())
    await once(server, 'listening')
    const hook = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
    await bot.result('setWebhook', { url: hook, secret_token: 'a-secret' })
    assert.match(
      (await bot.refusal('getUpdates')).description,
      /^Conflict: can't use getUpdates method while webhook is/,
    )
    await control.write({ token, chat, text: 'one' })
    await control.pending({ token, most: 0 })
    await control.fault({ method: 'webhook', token, fault: { kind: 'again' } })
    await control.write({ token, chat, text: 'two' })
    await control.pending({ token, most: 0 })
    assert.deepEqual(
      seen.map(({ status }) => status),
      [500, 302, 200, 200, 200],
    )
    assert.ok(seen.every(({ secret }) => secret === 'a-secret'))
    const [first = 0] = seen.map(({ id }) => id)
    assert.deepEqual(
      seen.map(({ id }) => id - first),
      [0, 0, 0, 1, 1],
    )
    const { last_error_message } = await bot.result<WebhookInfo>('getWebhookInfo')
    assert.equal(last_error_message, 'Wrong response from the webhook: 302 Found')
    await bot.result('deleteWebhook')
    await bot.result('getUpdates')
  })

  test('has to be HTTPS, and its secret plain', async () => {
    const { bot } = await acquainted(telegram)
    const insecure = await bot.refusal('setWebhook', { url: 'http://example.com/' })
    assert.deepEqual(insecure, badRequest('bad webhook: An HTTPS URL must be provided for webhook'))
    const secret = await bot.refusal('setWebhook', {
      url: 'https://example.com/',
      secret_token: 'a secret',
    })
    assert.deepEqual(secret, badRequest('secret token contains unallowed characters'))
  })
})
