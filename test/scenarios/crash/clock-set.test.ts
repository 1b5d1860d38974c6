import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { createInstance, getInstanceStatus } from '../../../src/contract/operations/instance-operations.ts'
import { getMessage } from '../../../src/contract/operations/message-operations.ts'
import { createWebhook, getWebhook } from '../../../src/contract/operations/webhook-operations.ts'
import { WebhookReceiver } from '../../kit/far-ends/webhook-receiver.ts'
import { create, eventually, text } from '../../kit/play.ts'
import { type Posthorn, startPosthorn } from '../../kit/posthorn.ts'
import { startTelegram, type TelegramProcess } from '../../simulators/telegram/start-telegram.ts'

/* The wall clock of the machine is set while messages and webhooks wait. Nothing waits longer for that. */

const hour = 60 * 60_000
const realNow = Date.now
/** Sets the clock that everything in this process reads. */
const setClock = (by: number) => {
  const before = Date.now
  Date.now = () => before() + by
}

describe('the clock is set', { timeout: 300_000 }, () => {
  let telegram: TelegramProcess
  let posthorn: Posthorn
  let token: string

  before(async () => {
    telegram = await startTelegram({ after: () => {} })
    const environment = {
      POSTHORN_TELEGRAM_API: telegram.url,
      POSTHORN_WEBHOOK_ALLOW_CIDRS: '127.0.0.1/32',
    }
    posthorn = await startPosthorn({ environment })
    token = (await telegram.control.createBot({ username: 'Shop_bot' })).token
    const body = { name: 'shop', network: 'telegram', settings: {}, credentials: { token } }
    const created = await posthorn.admin.call(createInstance, { body, waitSeconds: 20 })
    assert.equal(created.body.status, 'connected', JSON.stringify(created.body.reason))
    await create(posthorn.admin, 'support')
  })
  after(async () => {
    Date.now = realNow
    await posthorn?.stop()
    await telegram?.stop()
  })

  const isSent = (id: string) =>
    eventually(
      `the text ${id} to be sent`,
      async () => (await posthorn.admin.call(getMessage, { params: { id } })).body,
      ({ status }) => !['queued', 'sending'].includes(status),
    )

  for (const step of [-hour, hour])
    test(`by ${step / hour} h: a chat with a pace goes on, and so does a text that waits to be tried again`, async () => {
      const ana = await telegram.control.createPerson({ first_name: 'Ana' })
      await telegram.control.write({ token, chat: ana, text: 'Hello' })
      const say = () => text(posthorn.admin, { instance: 'shop', to: String(ana) })
      const busy = await text(posthorn.admin, { instance: 'support', to: 'ana@defers.sandbox' })
      const said = [await say(), await say(), await say(), await say()]
      await isSent(said[0]?.id ?? '')
      setClock(step)
      for (const { id } of said) assert.equal((await isSent(id)).status, 'sent')
      assert.notEqual((await isSent(busy.id)).status, 'failed')
      const status = await posthorn.admin.call(getInstanceStatus, { params: { name: 'shop' } })
      assert.ok(Date.parse(status.body.last_verified_at ?? '') <= Date.now(), 'it was verified in the past')
      assert.ok(Date.parse(status.body.status_since) <= Date.now())
    })

  for (const isStopped of [false, true])
    test(`an ordered webhook that waits for its second attempt goes on${isStopped ? ', also if the server was stopped meanwhile' : ''}`, async (t) => {
      let refusals = 1
      const receiver = await WebhookReceiver.start((_, response) =>
        response.writeHead(refusals-- > 0 ? 500 : 204).end(),
      )
      t.after(() => receiver.stop())
      const body = {
        url: receiver.url,
        events: ['message.queued' as const],
        ordering: 'per_instance' as const,
      }
      const { id } = (await posthorn.admin.call(createWebhook, { body })).body
      for (let sent = 0; sent < 3; sent++)
        await text(posthorn.admin, { instance: 'support', to: `person-${sent}@accepts.sandbox` })
      await receiver.until('the first attempt', (received) => received.length > 0)
      const webhook = async () => (await posthorn.admin.call(getWebhook, { params: { webhook: id } })).body
      await eventually('the failure to be stored', webhook, ({ failing_since }) => failing_since !== null)
      setClock(-hour)
      if (isStopped) posthorn = await posthorn.restart()
      await eventually('all to arrive', webhook, ({ pending }) => pending === 0)
      assert.equal(receiver.received.length, 4)
    })
})
