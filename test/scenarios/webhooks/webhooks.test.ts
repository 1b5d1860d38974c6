import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { ProblemError } from '../../../src/contract/client/client.ts'
import { createInstance } from '../../../src/contract/operations/instance-operations.ts'
import {
  createWebhook,
  deleteWebhook,
  getDelivery,
  getWebhook,
  listDeliveries,
  listWebhooks,
  redeliver,
  redeliverEvents,
  rotateWebhookSecret,
  testWebhook,
  updateWebhook,
} from '../../../src/contract/operations/webhook-operations.ts'
import type { CreateWebhook } from '../../../src/contract/resources/webhook.ts'
import { type Posthorn, startPosthorn } from '../../kit/posthorn.ts'

/* Webhooks as their owners see them. What arrives at receivers is played in webhook-delivery.test.ts. */

const url = 'https://example.org/hooks/posthorn'

let posthorn: Posthorn
before(async () => {
  posthorn = await startPosthorn({ environment: { POSTHORN_WEBHOOK_LIMIT: '3' } })
})
after(() => posthorn.stop())

/** A webhook for one play, removed at its end. */
async function withWebhook(
  body: Partial<CreateWebhook>,
  play: (webhook: string, secret: string) => Promise<void>,
): Promise<void> {
  const { body: created } = await posthorn.admin.call(createWebhook, { body: { url, ...body } })
  try {
    await play(created.id, created.secret)
  } finally {
    await posthorn.admin.call(deleteWebhook, { params: { webhook: created.id } })
  }
}

async function refusal(call: Promise<unknown>) {
  const error = await call.then(
    () => assert.fail('it was accepted'),
    (thrown: unknown) => thrown,
  )
  assert.ok(error instanceof ProblemError, String(error))
  return error.problem
}

test('a webhook is created with a secret that is shown once, and gets everything unless it says what', async () => {
  const { admin } = posthorn
  const created = await admin.call(createWebhook, { body: { url } })
  const { secret, ...webhook } = created.body
  assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/)
  assert.equal(created.headers.location, `/v1/webhooks/${webhook.id}`)
  assert.deepEqual([webhook.events, webhook.instances, webhook.ordering], [null, null, 'none'])
  assert.equal(webhook.enabled, true)
  const params = { webhook: webhook.id }
  assert.deepEqual((await admin.call(getWebhook, { params })).body, webhook)
  assert.deepEqual((await admin.call(listWebhooks)).body, { data: [webhook], next_cursor: null })
  await admin.call(deleteWebhook, { params })
  assert.equal((await refusal(admin.call(getWebhook, { params }))).code, 'webhook_not_found')
  assert.equal((await refusal(admin.call(deleteWebhook, { params }))).code, 'webhook_not_found')
})

test('a webhook is changed field by field', () =>
  withWebhook({ events: ['message.received'] }, async (webhook) => {
    const params = { webhook }
    const change = async (body: Parameters<typeof posthorn.admin.call<typeof updateWebhook>>[1]['body']) =>
      (await posthorn.admin.call(updateWebhook, { params, body })).body
    const ordered = await change({ ordering: 'per_instance', instances: ['support'] })
    assert.deepEqual(
      [ordered.events, ordered.instances, ordered.ordering],
      [['message.received'], ['support'], 'per_instance'],
    )
    assert.equal((await change({ events: null })).events, null)
    assert.equal((await change({ enabled: false })).enabled, false)
    assert.equal((await change({ enabled: true })).enabled, true)
    assert.equal((await change({})).url, url)
  }))

test('an organization has as many webhooks as it may have, and lists them page by page', async () => {
  const { admin } = posthorn
  const ids: string[] = []
  for (let index = 0; index < 3; index++)
    ids.push((await admin.call(createWebhook, { body: { url } })).body.id)
  assert.equal((await refusal(admin.call(createWebhook, { body: { url } }))).code, 'webhook_limit_reached')
  const first = await admin.call(listWebhooks, { query: { limit: 2 } })
  const next = first.body.next_cursor
  assert.ok(next)
  const second = await admin.call(listWebhooks, { query: { limit: 2, cursor: next } })
  assert.deepEqual(
    [...first.body.data, ...second.body.data].map(({ id }) => id),
    ids,
  )
  assert.equal(second.body.next_cursor, null)
  for (const webhook of ids) await admin.call(deleteWebhook, { params: { webhook } })
})

const refused: Readonly<Record<string, string>> = {
  'plain http': 'http://example.org/hook',
  'another scheme': 'ftp://example.org/hook',
  'another port': 'https://example.org:8443/hook',
  'an address inside': 'https://10.0.0.1/hook',
  'this machine': 'https://127.0.0.1/hook',
  'this machine by its number': 'https://2130706433/hook',
  'a mapped address': 'https://[::ffff:127.0.0.1]/hook',
  'a name inside': 'https://database.internal/hook',
  'a user and a password': 'https://user:secret@example.org/hook',
}

for (const [what, wrong] of Object.entries(refused)) {
  test(`a URL with ${what} is refused, for a new webhook and for one that is changed`, () =>
    withWebhook({}, async (webhook) => {
      const { admin } = posthorn
      const params = { webhook }
      for (const call of [
        () => admin.call(createWebhook, { body: { url: wrong } }),
        () => admin.call(updateWebhook, { params, body: { url: wrong } }),
      ]) {
        const problem = await refusal(call())
        assert.deepEqual([problem.code, problem.errors?.[0]?.pointer], ['invalid_request', '/url'])
        assert.ok(!JSON.stringify(problem).includes('hook'), 'the URL is not repeated')
      }
      assert.equal((await admin.call(getWebhook, { params })).body.url, url)
    }))
}

test('a new secret replaces the one before', () =>
  withWebhook({}, async (webhook, secret) => {
    const rotated = await posthorn.admin.call(rotateWebhookSecret, { params: { webhook } })
    assert.notEqual(rotated.body.secret, secret)
    assert.match(rotated.body.secret, /^whsec_/)
  }))

test('a test is a delivery of its own, and can be had again', () =>
  withWebhook({ events: ['message.failed'] }, async (webhook) => {
    const { admin } = posthorn
    const { body: tested, headers } = await admin.call(testWebhook, { params: { webhook } })
    assert.deepEqual([tested.event.type, tested.webhook], ['webhook.test', webhook])
    assert.equal(headers.location, `/v1/webhooks/${webhook}/deliveries/${tested.id}`)
    const params = { webhook, delivery: tested.id }
    assert.equal((await admin.call(getDelivery, { params })).body.event.id, tested.event.id)
    const { body: again } = await admin.call(redeliver, { params })
    assert.notEqual(again.id, tested.id)
    assert.deepEqual(again.event, tested.event)
    const listed = await admin.call(listDeliveries, { params: { webhook }, query: { limit: 1 } })
    assert.deepEqual(
      listed.body.data.map(({ id }) => id),
      [again.id],
    )
    const cursor = listed.body.next_cursor ?? ''
    const older = await admin.call(listDeliveries, { params: { webhook }, query: { limit: 1, cursor } })
    assert.deepEqual(
      older.body.data.map(({ id }) => id),
      [tested.id],
    )
    assert.equal(older.body.next_cursor, null)
  }))

test('nothing is delivered again to a webhook that is not enabled', () =>
  withWebhook({}, async (webhook) => {
    const { admin } = posthorn
    const { body: tested } = await admin.call(testWebhook, { params: { webhook } })
    await admin.call(updateWebhook, { params: { webhook }, body: { enabled: false } })
    const since = new Date().toISOString()
    for (const call of [
      () => admin.call(redeliver, { params: { webhook, delivery: tested.id } }),
      () => admin.call(redeliverEvents, { params: { webhook }, body: { since } }),
    ])
      assert.equal((await refusal(call())).code, 'webhook_not_enabled')
  }))

test('what happened in a time is delivered again: what is missing, or all of it', async () => {
  const { admin } = posthorn
  const before = new Date(Date.now() - 1_000).toISOString()
  await admin.call(createInstance, { body: { name: 'missed' }, waitSeconds: 10 })
  await withWebhook({ instances: ['missed'], events: ['instance.created'] }, async (webhook) => {
    const again = async (body: { since: string; until?: string; which?: 'missing' | 'all' }) =>
      (await admin.call(redeliverEvents, { params: { webhook }, body })).body
    assert.deepEqual(await again({ since: before }), { deliveries: 1, next_since: null })
    assert.deepEqual(await again({ since: before }), { deliveries: 0, next_since: null })
    assert.deepEqual(await again({ since: before, which: 'all' }), { deliveries: 1, next_since: null })
    assert.deepEqual(await again({ since: before, until: before, which: 'all' }), {
      deliveries: 0,
      next_since: null,
    })
    assert.deepEqual(await again({ since: '2099-01-01T00:00:00Z' }), { deliveries: 0, next_since: null })
    const { body } = await admin.call(listDeliveries, { params: { webhook } })
    assert.deepEqual(
      body.data.map(({ event }) => event.type),
      ['instance.created', 'instance.created'],
    )
  })
})
