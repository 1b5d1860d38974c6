import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { DelivererSetup, failure, ok, said, secrets } from '../../../../test/kit/stores/deliverer-fixture.ts'
import { appendTestEvents } from '../../../../test/kit/stores/delivery-store.ts'
import { rotateWebhookSecret, updateWebhook } from '../../webhook-store.ts'

const organization = 'org_a'
const minute = 60_000
const hour = 60 * minute

const setup = new DelivererSetup()

describe('over days', () => {
  test('an event that never arrives is attempted ten times over 75 hours, always the same, and then given up', async () => {
    const fixture = await setup.begunWithWebhook()
    fixture.reception = () => failure
    await fixture.append()
    const waits = [
      5_000,
      5 * minute,
      30 * minute,
      2 * hour,
      5 * hour,
      10 * hour,
      14 * hour,
      20 * hour,
      24 * hour,
    ]
    for (const [index, wait] of waits.entries()) {
      await fixture.posted(index + 1)
      await fixture.kept(index + 1)
      const [delivery] = (await fixture.rows()).deliveries
      assert.equal(delivery?.next_attempt_at, fixture.time.now + wait)
      fixture.time.pass(wait - 1)
      await fixture.posted(index + 1)
      fixture.time.pass(1)
    }
    await fixture.posted(10)
    await fixture.kept(10)
    assert.equal(fixture.time.now, 75 * hour + 35 * minute + 5_000)
    const { deliveries, attempts } = await fixture.rows()
    assert.deepEqual([deliveries[0]?.status, deliveries[0]?.settled_at], ['failed', fixture.time.now])
    assert.deepEqual(
      attempts.map(({ number }) => number),
      [1, 2, 3, 4, 5, 6, 7, 8, 9, 10],
    )
    fixture.time.pass(100 * hour)
    await fixture.kept(10)
    await fixture.posted(10)
    assert.equal(new Set(fixture.posts.map(({ body }) => Buffer.from(body).toString())).size, 1)
    assert.equal(new Set(fixture.posts.map(({ headers }) => headers['webhook-id'])).size, 1)
    for (const { headers, at } of fixture.posts) assert.equal(headers['webhook-timestamp'], String(at / 1000))
    await fixture.deliverer.end(AbortSignal.abort())
  })

  test('a receiver to which nothing arrives for five days is left alone from then on', async () => {
    const fixture = await setup.begunWithWebhook()
    fixture.reception = () => failure
    for (let day = 0; day < 6; day++) {
      await fixture.append()
      await fixture.settled()
      if (day < 5) assert.equal((await fixture.rows()).deliveries.at(-1)?.attempts, 1, 'the first attempt')
      await fixture.pass(24 * hour, hour)
    }
    const { webhooks, deliveries, events } = await fixture.rows()
    assert.equal(webhooks[0]?.enabled, 0)
    assert.equal(JSON.parse(webhooks[0]?.disabled_reason ?? '').code, 'failing')
    assert.equal(events.at(-1)?.type, 'webhook.disabled')
    assert.ok((deliveries.at(-1)?.settled_at ?? 0) >= 120 * hour)
    const count = fixture.posts.length
    await fixture.append(3)
    fixture.time.pass(100 * hour)
    await fixture.until('nothing is pending', async () =>
      (await fixture.rows()).deliveries.every(({ status }) => status === 'failed'),
    )
    assert.equal(fixture.posts.length, count)
    await fixture.deliverer.end(AbortSignal.abort())
  })

  test('an attempt that is due while the server is down is made when it is up, with its number', async () => {
    const first = await setup.begunWithWebhook()
    first.reception = () => failure
    await first.append()
    await first.kept(1)
    await first.deliverer.end(AbortSignal.abort())
    first.time.pass(5_000)
    const second = setup.fixture(first.time)
    second.reception = () => ok
    second.deliverer.begin()
    await second.kept(2)
    assert.deepEqual(
      (await first.rows()).attempts.map(({ number, status_code }) => [number, status_code]),
      [
        [1, 500],
        [2, 204],
      ],
    )
    await second.deliverer.end(AbortSignal.abort())
  })

  test('a receiver that asks to be left alone is', async () => {
    const fixture = await setup.begunWithWebhook()
    fixture.reception = () => said(429, 3_600)
    await fixture.append()
    await fixture.kept(1)
    fixture.time.pass(hour - 1)
    await fixture.posted(1)
    fixture.time.pass(1)
    await fixture.posted(2)
    await fixture.deliverer.end(AbortSignal.abort())
  })
})

describe('what is lost on the way', () => {
  test('an outcome that the store could not take is stored when it is back, and nothing is sent again', async () => {
    for (const failing of ['before', 'after'] as const) {
      await setup.reset([organization])
      const fixture = await setup.begunWithWebhook()
      await fixture.append()
      await fixture.posted(1)
      fixture.storeFails = failing
      fixture.posts[0]?.answer(ok)
      await fixture.until('the store fails', () => fixture.failures > 0)
      await fixture.settled()
      fixture.storeFails = undefined
      fixture.time.pass(1_000)
      await fixture.until(
        'it is settled',
        async () => (await fixture.rows()).deliveries[0]?.status === 'delivered',
      )
      fixture.time.pass(hour)
      await fixture.kept(1)
      await fixture.posted(1)
      assert.equal((await fixture.rows()).attempts.length, 1)
      await fixture.deliverer.end(AbortSignal.abort())
    }
  })

  test('events that no call announced are found all the same', async () => {
    await setup.webhook()
    const fixture = setup.fixture()
    fixture.deliverer.begin()
    await setup.store.transact(appendTestEvents, {
      organization,
      now: 0,
      events: [{ type: 'message.sent', instance: null, data: {} }],
    })
    fixture.time.pass(0)
    await fixture.until('the first look', () => fixture.time.waiting > 0)
    fixture.time.pass(minute)
    await fixture.posted(1)
    await fixture.deliverer.end(AbortSignal.abort())
  })

  test('the events of an organization without webhooks cost nothing', async () => {
    const fixture = setup.fixture()
    fixture.deliverer.begin()
    await fixture.until('the first look', () => fixture.time.waiting > 0)
    await fixture.append(100)
    assert.equal(fixture.transactions, 0)
    await fixture.deliverer.end(AbortSignal.abort())
  })
})

describe('the end', () => {
  test('an attempt under way has a little time, and its outcome is stored', async () => {
    const fixture = await setup.begunWithWebhook()
    await fixture.append(2)
    await fixture.posted(1)
    const ended = fixture.deliverer.end(new AbortController().signal)
    fixture.posts[0]?.answer(ok)
    await ended
    const { deliveries } = await fixture.rows()
    assert.deepEqual(
      deliveries.map(({ status }) => status),
      ['delivered', 'pending'],
    )
    await fixture.posted(1)
  })

  test('one that takes longer is abandoned without a trace, and made again by the next server', async () => {
    const fixture = await setup.begunWithWebhook()
    await fixture.append()
    await fixture.posted(1)
    const ended = fixture.deliverer.end(new AbortController().signal)
    await fixture.until('the alarm', () => fixture.time.waiting > 0)
    fixture.time.pass(3_000)
    await ended
    const { deliveries, attempts } = await fixture.rows()
    assert.deepEqual([deliveries[0]?.status, deliveries[0]?.attempts, attempts.length], ['pending', 0, 0])
    const next = setup.fixture(fixture.time)
    next.deliverer.begin()
    await next.posted(1)
    assert.deepEqual(next.posts[0]?.body, fixture.posts[0]?.body)
    await next.deliverer.end(AbortSignal.abort())
  })
})

test('after a rotation both secrets sign for a day, and then the new one alone', async () => {
  const fixture = await setup.begunWithWebhook()
  fixture.reception = () => ok
  const fresh = secrets.close('wh_1', 'whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=')
  const args = { organization, id: 'wh_1', secret: fresh, previousUntil: 24 * hour, now: 0 }
  await setup.store.transact(rotateWebhookSecret, args)
  const count = async (posts: number) => {
    await fixture.append()
    await fixture.posted(posts)
    await fixture.kept(posts)
    return fixture.posts.at(-1)?.headers['webhook-signature'].split(' ').length
  }
  assert.equal(await count(1), 2)
  fixture.time.pass(24 * hour - 1)
  assert.equal(await count(2), 2)
  fixture.time.pass(1)
  assert.equal(await count(3), 1)
  await fixture.deliverer.end(AbortSignal.abort())
})

test('a webhook that is disabled while an attempt is under way gets no other', async () => {
  const fixture = await setup.begunWithWebhook()
  await fixture.append(2)
  await fixture.posted(1)
  const disabled = { organization, id: 'wh_1', change: { enabled: 0 as const }, now: 0 }
  await setup.store.transact(updateWebhook, disabled)
  fixture.posts[0]?.answer(ok)
  await fixture.kept(1)
  await fixture.posted(1)
  await setup.store.transact(updateWebhook, { ...disabled, change: { enabled: 1 as const } })
  fixture.deliverer.deliver(organization)
  await fixture.posted(2)
  await fixture.deliverer.end(AbortSignal.abort())
})
