import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import {
  createWebhook,
  getDelivery,
  getWebhook,
  listDeliveries,
  listWebhooks,
  redeliver,
  redeliverEvents,
  skipBacklog,
  updateWebhook,
} from '../../../src/contract/operations/webhook-operations.ts'
import type { Webhook } from '../../../src/contract/resources/webhook.ts'
import { WebhookReceiver } from '../../kit/far-ends/webhook-receiver.ts'
import { create, eventually, inMs, text } from '../../kit/play.ts'
import { type Posthorn, startPosthorn } from '../../kit/posthorn.ts'

/* A webhook whose owner pauses it, looks at its backlog, and skips what is no longer worth sending. */

let posthorn: Posthorn
let receiver: WebhookReceiver
before(async () => {
  posthorn = await startPosthorn({ environment: { POSTHORN_WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8' } })
  await create(posthorn.admin, 'support')
  receiver = await WebhookReceiver.start()
})
after(async () => {
  await posthorn.stop()
  await receiver.stop()
})

test('a paused webhook collects a backlog; what is skipped of it does not come, the rest does when it goes on', async () => {
  const { admin } = posthorn
  const body = { url: receiver.url, events: ['message.queued' as const] }
  const created = (await admin.call(createWebhook, { body })).body
  assert.deepEqual([created.paused, created.pending, created.oldest_at], [false, 0, null])
  const params = { webhook: created.id }
  const read = async () => (await admin.call(getWebhook, { params })).body
  const change = async (body: { paused: boolean }) => (await admin.call(updateWebhook, { params, body })).body
  const waits = (count: number) => (webhook: Webhook) => webhook.pending === count
  const send = async (count: number) => {
    for (let sent = 0; sent < count; sent++)
      await text(admin, { instance: 'support', to: `person-${sent}@accepts.sandbox` })
  }

  assert.equal((await change({ paused: true })).paused, true)
  await send(3)
  const { oldest_at: oldest, rate } = await eventually('three to wait', read, waits(3))
  assert.ok(oldest !== null && oldest >= created.created_at)
  assert.equal(rate, 0)
  const { data } = (await admin.call(listDeliveries, { params })).body
  const waited = Date.now()
  const now = async () => Date.now()
  const until = new Date(await eventually('the next millisecond', now, (now) => now > waited)).toISOString()
  await send(2)
  await eventually('five to wait', read, waits(5))

  const beforeAll = (await admin.call(skipBacklog, { params, body: { until: '2016-12-31T23:59:60Z' } })).body
  assert.deepEqual(beforeAll, { skipped: 0, done: true }, 'nothing waits since that leap second')
  const skipped = (await admin.call(skipBacklog, { params, body: { until } })).body
  assert.deepEqual(skipped, { skipped: 3, done: true })
  assert.deepEqual((await admin.call(skipBacklog, { params, body: { until } })).body, {
    skipped: 0,
    done: true,
  })
  const left = await read()
  assert.equal(left.pending, 2)
  assert.ok(left.oldest_at !== null && left.oldest_at >= until)
  assert.deepEqual((await admin.call(listWebhooks)).body.data, [left])
  assert.equal(receiver.received.length, 0, 'nothing is sent while it is paused')

  await change({ paused: false })
  const settled = await eventually('the backlog to end', read, (now) => waits(0)(now) && now.rate > 0)
  assert.deepEqual([settled.paused, settled.oldest_at], [false, null])
  assert.equal(receiver.received.length, 2)
  assert.ok(receiver.received.every(({ event }) => event.timestamp >= until))

  const [one] = data
  assert.ok(one)
  const delivery = { webhook: created.id, delivery: one.id }
  assert.equal((await admin.call(getDelivery, { params: delivery })).body.status, 'skipped')
  await admin.call(redeliver, { params: delivery })
  await receiver.until('what was skipped, on demand', (received) => received.length === 3)
  assert.equal(receiver.received[2]?.event.id, one.event.id)
})

test('a span of events may end, and begin, with a leap second', async () => {
  const { admin } = posthorn
  const after = await WebhookReceiver.start()
  const body = { url: after.url, events: ['message.queued' as const] }
  const params = { webhook: (await admin.call(createWebhook, { body })).body.id }
  await text(admin, { instance: 'support', to: 'ana@accepts.sandbox' })
  await after.until('the event', (received) => received.length === 1)
  const redelivered = async (since: string, until: string) =>
    (await admin.call(redeliverEvents, { params, body: { since, until, which: 'all' } })).body
  const leapSecond = '2016-12-31T23:59:60Z'
  const nothing = { deliveries: 0, next_since: null }
  assert.deepEqual(await redelivered('2016-12-31T23:59:59Z', leapSecond), nothing)
  assert.ok((await redelivered(leapSecond, inMs(0))).deliveries > 0)
  await after.until('the event again', (received) => received.length > 1)
  await after.stop()
})
