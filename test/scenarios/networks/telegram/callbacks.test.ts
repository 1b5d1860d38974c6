import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { after, before, describe, test } from 'node:test'
import type { ProblemError } from '../../../../src/contract/client/client.ts'
import {
  createInstance,
  deleteInstance,
  getInstance,
  getInstanceStatus,
  listInstances,
  replaceCredentials,
  startInstance,
  stopInstance,
  updateInstance,
} from '../../../../src/contract/operations/instance-operations.ts'
import { listMessages } from '../../../../src/contract/operations/message-operations.ts'
import type { InstanceStatus } from '../../../../src/contract/resources/instance.ts'
import { freePort } from '../../../kit/far-ends/free-ports.ts'
import { eventually, text } from '../../../kit/play.ts'
import { freshFolder, type Posthorn, startPosthorn } from '../../../kit/posthorn.ts'
import { startTelegram, type TelegramProcess } from '../../../simulators/telegram/start-telegram.ts'
import { TestBot } from '../../../simulators/telegram/test-bot.ts'

const elsewhere = 'https://another.example/hook'
const params = { name: 'shop' }

describe('Telegram calls the bot of a shop back', { timeout: 120_000 }, () => {
  let telegram: TelegramProcess
  let posthorn: Posthorn
  let environment: Record<string, string>
  const data = freshFolder()
  let token: string
  let bot: TestBot
  let ana: number

  before(async () => {
    telegram = await startTelegram({ after: () => {} })
    await telegram.control.retrySecond({ milliseconds: 10 })
    const port = await freePort()
    environment = {
      POSTHORN_TELEGRAM_API: telegram.url,
      POSTHORN_LISTEN: `127.0.0.1:${port}`,
      POSTHORN_BASE_URL: `http://127.0.0.1:${port}`,
    }
    posthorn = await startPosthorn({ environment, data })
    token = (await telegram.control.createBot({ username: 'Shop_bot' })).token
    bot = new TestBot(telegram.url, token)
    ana = await telegram.control.createPerson({ first_name: 'Ana' })
    const { status, reason } = await create()
    assert.equal(status, 'connected', JSON.stringify(reason))
  })
  after(async () => {
    await posthorn?.stop()
    await telegram?.stop()
    rmSync(data, { recursive: true })
  })

  const create = async (updates = 'callback') => {
    const body = { ...params, network: 'telegram', settings: { updates }, credentials: { token } }
    return (await posthorn.admin.call(createInstance, { body, waitSeconds: 20 })).body
  }
  const write = (words: string) => telegram.control.write({ token, chat: ana, text: words })
  const receivedMessages = async () => {
    const query = { instance: 'shop', direction: 'inbound' } as const
    return (await posthorn.admin.call(listMessages, { query })).body.data.map(({ text }) => text)
  }
  /** Everything that Ana wrote, once it is all there, newest first. */
  const arrived = async (...words: string[]) => {
    const all = await eventually('the messages', receivedMessages, (found) => found.length >= words.length)
    assert.deepEqual(all, words)
  }
  const isStatus = (status: InstanceStatus, name = 'shop') =>
    eventually(
      `the status ${status}`,
      async () => (await posthorn.admin.call(getInstanceStatus, { params: { name } })).body,
      (now) => now.status === status,
    )
  const isGone = (which = 'shop') =>
    eventually(
      'the end of the instance',
      async () => (await posthorn.admin.call(listInstances, {})).body.data,
      (found) => found.every(({ name }) => name !== which),
    )
  const stop = () => posthorn.admin.call(stopInstance, { params })
  const start = () => posthorn.admin.call(startInstance, { params, waitSeconds: 20 })
  const callbackUrl = async () => (await posthorn.admin.call(getInstance, { params })).body.callback_url

  test('what Ana writes is posted to the callback URL, and stored once however often it is', async () => {
    assert.equal(await telegram.control.webhook({ token }), await callbackUrl())
    await telegram.control.fault({ method: 'webhook', token, fault: { kind: 'again' } })
    await write('Is it open today?')
    await telegram.control.pending({ token, most: 0 })
    await write('/start 4711')
    await arrived('/start 4711', 'Is it open today?')
    const body = { instance: 'shop', to: String(ana), text: 'Until six.' }
    assert.equal((await text(posthorn.admin, body, 20)).status, 'sent')
  })

  test('who does not know the secret is refused, and nothing of it is kept', async () => {
    const update = { update_id: 1, message: { message_id: 9, date: 1, chat: { id: ana }, text: 'forged' } }
    const headers = { 'content-type': 'application/json', 'x-telegram-bot-api-secret-token': 'guessed' }
    const url = (await callbackUrl()) ?? assert.fail()
    const { status } = await fetch(url, { method: 'POST', headers, body: JSON.stringify(update) })
    assert.equal(status, 401)
    await arrived('/start 4711', 'Is it open today?')
  })

  test('another bot polls, is called back and polls again, as its settings are changed; nothing is missed', async () => {
    const { token } = await telegram.control.createBot({ username: 'Turned_bot' })
    const at = { params: { name: 'turned' } }
    const body = { name: 'turned', network: 'telegram', credentials: { token } }
    await posthorn.admin.call(createInstance, { body, waitSeconds: 20 })
    const turn = async (updates: 'callback' | null) => {
      const change = { ...at, body: { settings: { updates } }, waitSeconds: 20 }
      return (await posthorn.admin.call(updateInstance, change)).body
    }
    const said: string[] = []
    const hears = async (words: string) => {
      await telegram.control.write({ token, chat: ana, text: words })
      said.unshift(words)
      const query = { instance: 'turned', direction: 'inbound' } as const
      const read = async () => (await posthorn.admin.call(listMessages, { query })).body.data
      const found = await eventually(words, read, ({ length }) => length >= said.length)
      assert.deepEqual(
        found.map(({ text }) => text),
        said,
      )
    }
    await hears('one')
    const { status, callback_url } = await turn('callback')
    assert.equal(status, 'connected')
    assert.equal(await telegram.control.webhook({ token }), callback_url)
    await hears('two')
    assert.deepEqual((await turn(null)).callback_url, null)
    await hears('three')
    assert.ok(!(await telegram.control.webhook({ token })))
    await posthorn.admin.call(deleteInstance, at)
    await isGone('turned')
  })

  test('what she writes while the instance is stopped, or the server, comes later', async () => {
    await stop()
    await write('Nobody there?')
    await telegram.control.pending({ token, most: 0 })
    await start()
    await arrived('Nobody there?', '/start 4711', 'Is it open today?')
    await posthorn.stop()
    await write('Still nobody?')
    posthorn = await startPosthorn({ environment, data })
    await arrived('Still nobody?', 'Nobody there?', '/start 4711', 'Is it open today?')
  })

  test('another program that sets a webhook keeps it, and the status says so', async () => {
    await stop()
    await bot.result('setWebhook', { url: elsewhere })
    await posthorn.admin.call(startInstance, { params })
    const { reason } = await isStatus('reconnecting')
    assert.equal(reason?.code, 'replaced')
    assert.equal(await telegram.control.webhook({ token }), elsewhere)
    await bot.result('deleteWebhook')
    await stop()
    await start()
    await isStatus('connected')
  })

  test('removing the instance deletes the webhook, and what came meanwhile is there for polling', async () => {
    await posthorn.admin.call(deleteInstance, { params })
    await telegram.control.webhook({ token, url: '' })
    await isGone()
    await write('And now?')
    assert.equal((await create('polling')).callback_url, null)
    await arrived('And now?', 'Still nobody?', 'Nobody there?', '/start 4711', 'Is it open today?')
    await posthorn.admin.call(deleteInstance, { params })
  })

  test('a bot is free for others once the instance has another one, and not before', async () => {
    await isGone()
    const bot = (username: string) => telegram.control.createBot({ username })
    const [lamp, desk, shelf] = [await bot('Lamp_bot'), await bot('Desk_bot'), await bot('Shelf_bot')]
    const make = async (name: string, updates: string, token: string, waitSeconds = 20) => {
      const body = { name, network: 'telegram', settings: { updates }, credentials: { token } }
      return (await posthorn.admin.call(createInstance, { body, waitSeconds })).body
    }
    const remove = async (name: string) => {
      await posthorn.admin.call(deleteInstance, { params: { name } })
      await isGone(name)
    }
    const first = await make('shop', 'callback', lamp.token)
    for (const other of [desk, shelf]) {
      const body = { credentials: { token: other.token } }
      await posthorn.admin.call(replaceCredentials, { params, body, waitSeconds: 20 })
      if (other === desk) await stop()
    }
    await start()
    assert.equal(await telegram.control.webhook({ token: lamp.token }), first.callback_url)

    await make('early', 'callback', shelf.token, 0)
    assert.equal((await isStatus('reconnecting', 'early')).reason?.code, 'replaced')
    await remove('early')
    assert.equal(await telegram.control.webhook({ token: shelf.token }), first.callback_url)

    const second = await make('second', 'callback', lamp.token)
    assert.equal(second.status, 'connected', JSON.stringify(second.reason))
    assert.equal(await telegram.control.webhook({ token: lamp.token }), second.callback_url)
    await remove('second')
    await remove('shop')
    assert.equal(await telegram.control.webhook({ token: desk.token }), first.callback_url)
    const polling = await make('polling', 'polling', desk.token)
    assert.equal(polling.status, 'connected', JSON.stringify(polling.reason))
    assert.equal(await telegram.control.webhook({ token: desk.token, url: '' }), '')
    await telegram.control.polling({ token: desk.token })
    await remove('polling')
  })

  test('without a URL at which Telegram reaches the server, such an instance is refused', async (t) => {
    const lonely = await startPosthorn({ environment: { POSTHORN_TELEGRAM_API: telegram.url } })
    t.after(() => lonely.stop())
    const body = { ...params, network: 'telegram', settings: { updates: 'callback' }, credentials: { token } }
    await assert.rejects(lonely.admin.call(createInstance, { body }), ({ problem }: ProblemError) => {
      const faults = problem.errors?.map(({ pointer, code }) => [pointer, code])
      assert.deepEqual(faults, [['/settings/updates', 'callbacks_impossible']])
      return true
    })
  })
})
