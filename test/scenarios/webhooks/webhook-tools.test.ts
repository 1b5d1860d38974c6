import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { ProblemError } from '../../../src/contract/client/client.ts'
import { getEvent, listEvents } from '../../../src/contract/operations/event-operations.ts'
import { createKey } from '../../../src/contract/operations/key-operations.ts'
import {
  createWebhook,
  deliverEvent,
  getWebhook,
  getWebhookStatistics,
  skipBacklog,
  testWebhook,
  tryWebhook,
  updateWebhook,
} from '../../../src/contract/operations/webhook-operations.ts'
import { isVerified, type Received, WebhookReceiver } from '../../kit/far-ends/webhook-receiver.ts'
import { create, eventually, inMs, reaches, text } from '../../kit/play.ts'
import { type Posthorn, startPosthorn } from '../../kit/posthorn.ts'

/* Help with getting a webhook right, and with finding out what became of an event: names, trials, hours, and events one by one. */

let posthorn: Posthorn
let receiver: WebhookReceiver

before(async () => {
  receiver = await WebhookReceiver.start()
  posthorn = await startPosthorn({ environment: { POSTHORN_WEBHOOK_ALLOW_CIDRS: '127.0.0.1/32' } })
  await create(posthorn.admin, 'shop')
  await create(posthorn.admin, 'office')
})
after(async () => {
  await posthorn.stop()
  await receiver.stop()
})

/** Makes a webhook that asks for nothing that happens here, so that it gets what it is given. */
async function quietWebhook(url = receiver.url) {
  const { body } = await posthorn.admin.call(createWebhook, {
    body: { url, events: ['quota.exceeded'], name: 'Orders to the ERP' },
  })
  return body
}

const waits = 10

test('a webhook has a name, which can be changed and taken away', async () => {
  const { id: webhook, name } = await quietWebhook()
  assert.equal(name, 'Orders to the ERP')
  const change = async (to: string | null) =>
    (await posthorn.admin.call(updateWebhook, { params: { webhook }, body: { name: to } })).body.name
  assert.equal(await change('Stock'), 'Stock')
  assert.equal(await change(null), null)
  const other = await posthorn.admin.call(createWebhook, { body: { url: receiver.url } })
  assert.equal(other.body.name, null)
})

describe('a trial', () => {
  const attempt = (body: { url: string; webhook?: string }) => posthorn.admin.call(tryWebhook, { body })
  const last = () => receiver.received.at(-1) as Received

  test('posts once, signed with the secret of the webhook that is named, and stores nothing', async () => {
    const { id: webhook, secret } = await quietWebhook('https://example.org/elsewhere')
    const feed = async () => (await posthorn.admin.call(listEvents, { query: { last: 1 } })).body.next_cursor
    const [known, end] = [receiver.received.length, await feed()]
    receiver.answer = (_, response) => response.writeHead(201).end('taken')
    const { body } = await attempt({ url: receiver.url, webhook })
    assert.deepEqual([body.status, body.error, body.body], [201, null, 'taken'])
    assert.equal(receiver.received.length, known + 1)
    assert.ok(isVerified(last(), secret))
    assert.equal(last().body, body.request.body)
    assert.equal(last().headers['webhook-id'], body.request.headers['webhook-id'])
    assert.equal(last().event.type, 'webhook.test')
    assert.equal('webhook-signature' in body.request.headers, false)
    assert.equal(await feed(), end)
    const { pending, url } = (await posthorn.admin.call(getWebhook, { params: { webhook } })).body
    assert.deepEqual([pending, url], [0, 'https://example.org/elsewhere'])
  })

  test('tells why there is no answer that counts', async () => {
    receiver.answer = (_, response) => response.writeHead(302, { location: '/other' }).end()
    const redirected = (await attempt({ url: receiver.url })).body
    assert.deepEqual([redirected.status, redirected.error?.code], [302, 'redirected'])
    receiver.answer = (_, response) => void response.destroy()
    const lost = (await attempt({ url: receiver.url })).body
    assert.deepEqual([lost.status, lost.error?.code, lost.body], [null, 'connection_lost', null])
    receiver.answer = (_, response) => response.writeHead(500).end('x'.repeat(5_000))
    const long = (await attempt({ url: receiver.url })).body
    assert.equal(long.body?.length, 1_024)
  })

  test('does not reach what a webhook may not', async () => {
    const known = receiver.received.length
    const refused = { name: 'ProblemError', message: /invalid_request/ }
    await assert.rejects(attempt({ url: 'http://10.0.0.1/hook' }), refused)
    await assert.rejects(attempt({ url: 'ftp://example.org/' }), refused)
    await assert.rejects(attempt({ url: receiver.url, webhook: `wh_${'0'.repeat(26)}` }), {
      message: /webhook_not_found/,
    })
    assert.equal(receiver.received.length, known)
  })

  test('is refused if too many were made, and only to the organization that made them', async () => {
    receiver.answer = (_, response) => response.writeHead(204).end()
    const tries = await Promise.allSettled(Array.from({ length: 12 }, () => attempt({ url: receiver.url })))
    const refusals = tries.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []))
    assert.ok(refusals.length > 0)
    for (const refusal of refusals as ProblemError[])
      assert.deepEqual(
        [refusal.problem.code, Number(refusal.headers['retry-after']) > 0],
        ['rate_limited', true],
      )
    await posthorn.createOrganization('neighbour')
    const neighbour = posthorn.client((await posthorn.createKey('neighbour', 'admin')).key)
    const { body } = await neighbour.call(tryWebhook, { body: { url: receiver.url } })
    assert.equal(body.status, 204)
  })
})

test('the hours of a webhook count what arrived, what failed, and what waited', async () => {
  const { id: webhook } = await quietWebhook()
  const params = { webhook }
  let failures = 1
  receiver.answer = (_, response) => response.writeHead(failures-- > 0 ? 503 : 204).end()
  for (let sent = 0; sent < 3; sent++) await posthorn.admin.call(testWebhook, { params, waitSeconds: waits })
  const hour = async () => {
    const { body } = await posthorn.admin.call(getWebhookStatistics, { params, query: { hours: 2 } })
    assert.equal(body.data.length, 2)
    return body.data.at(-1)
  }
  const settled = await eventually('all to arrive', hour, (now) => now?.pending === 0)
  const { from: _, ...counts } = settled as NonNullable<typeof settled>
  assert.deepEqual(counts, { delivered: 3, delivered_at_once: 2, failed: 0, failed_attempts: 1, pending: 0 })
  await posthorn.admin.call(updateWebhook, { params, body: { paused: true, events: ['message.queued'] } })
  await text(posthorn.admin, { instance: 'shop', to: 'ana@accepts.sandbox' })
  await eventually('the event to wait', hour, (now) => now?.pending === 1)
  await posthorn.admin.call(skipBacklog, { params, body: { until: inMs(0) } })
  const { pending, delivered } = (await hour()) as NonNullable<typeof settled>
  assert.deepEqual([pending, delivered], [0, 3])
})

describe('an event', () => {
  test('is read by its id, as it is in the feed', async () => {
    const { data } = (await posthorn.admin.call(listEvents)).body
    assert.ok(data.length > 3)
    for (const event of data)
      assert.deepEqual((await posthorn.admin.call(getEvent, { params: { event: event.id } })).body, event)
    const [first] = data
    const other = `${first?.id.slice(0, -1)}${first?.id.endsWith('0') ? '1' : '0'}`
    await assert.rejects(posthorn.admin.call(getEvent, { params: { event: other } }), {
      message: /event_not_found/,
    })
  })

  test('is not shown to a key that may not see its instance', async () => {
    const { body: key } = await posthorn.admin.call(createKey, {
      body: { role: 'read', instances: ['office'] },
    })
    const limited = posthorn.client(key.key)
    const newest = async (instances: ['shop' | 'office']) =>
      (await posthorn.admin.call(listEvents, { query: { types: ['instance.status_changed'], instances } }))
        .body.data[0]
    const read = async (one: Awaited<ReturnType<typeof newest>>) =>
      limited.call(getEvent, { params: { event: one?.id ?? '' } })
    assert.equal((await read(await newest(['office']))).body.type, 'instance.status_changed')
    await assert.rejects(read(await newest(['shop'])), { message: /event_not_found/ })
  })

  test('is delivered to a webhook that does not ask for it', async () => {
    receiver.answer = (_, response) => response.writeHead(204).end()
    const { id: webhook, secret } = await quietWebhook()
    const [event] = (await posthorn.admin.call(listEvents, { query: { types: ['instance.status_changed'] } }))
      .body.data
    const id = event?.id ?? ''
    const { body, headers } = await posthorn.admin.call(deliverEvent, {
      params: { webhook },
      body: { event: id },
    })
    assert.equal(headers.location, `/v1/webhooks/${webhook}/deliveries/${body.id}`)
    assert.equal(body.event.id, id)
    await receiver.until('the event', (all) => all.some((one) => one.event.id === id))
    const came = receiver.received.find((one) => one.event.id === id) as Received
    assert.ok(isVerified(came, secret))
    assert.deepEqual(came.event, event)
    const disabled = { params: { webhook }, body: { enabled: false } }
    await posthorn.admin.call(updateWebhook, disabled)
    const again = () => posthorn.admin.call(deliverEvent, { params: { webhook }, body: { event: id } })
    await assert.rejects(again(), { message: /webhook_not_enabled/ })
  })
})

describe('the newest events', () => {
  test('begin a page, and the cursor goes on behind them', async () => {
    const { data: all } = (await posthorn.admin.call(listEvents, { query: { limit: 200 } })).body
    const { body } = await posthorn.admin.call(listEvents, { query: { last: 3 } })
    assert.deepEqual(body.data, all.slice(-3))
    const end = await posthorn.admin.call(listEvents, { query: { after: body.next_cursor } })
    assert.deepEqual(end.body.data, [])
    const types = ['instance.status_changed' as const]
    const fitting = all.filter(({ type }) => type === 'instance.status_changed')
    const filtered = await posthorn.admin.call(listEvents, { query: { last: 2, types } })
    assert.deepEqual(filtered.body.data, fitting.slice(-2))
  })

  test('are no place beside another', async () => {
    const both = posthorn.admin.call(listEvents, { query: { last: 3, after: 'latest' } })
    await assert.rejects(both, { name: 'ProblemError', message: /invalid_request/ })
  })
})

test('a message that is sent is in the newest events', async () => {
  const { id } = await text(posthorn.admin, { instance: 'shop', to: 'ana@delivers.sandbox' })
  await reaches(posthorn.admin, id, 'delivered')
  const newest = await posthorn.admin.call(listEvents, { query: { last: 1, types: ['message.delivered'] } })
  const data = newest.body.data[0]?.data as { message: { id: string } } | undefined
  assert.equal(data?.message.id, id)
})
