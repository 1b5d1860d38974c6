import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { DelivererGround, failure, ok, said, secrets } from '../../../test/kit/deliverer-stage.ts'
import { appendTestEvents, inspectDeliveries } from '../../../test/kit/delivery-store.ts'
import { rotateWebhookSecret, updateWebhook } from '../webhook-store.ts'

const organization = 'org_a'
const minute = 60_000
const hour = 60 * minute

const ground = new DelivererGround()

describe('over days', () => {
  test('an event that never arrives is attempted ten times over 75 hours, always the same, and then given up', async () => {
    const stage = await ground.staged()
    stage.reception = () => failure
    await stage.append()
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
      await stage.posted(index + 1)
      await stage.kept(index + 1)
      const [delivery] = (await stage.rows()).deliveries
      assert.equal(delivery?.next_attempt_at, stage.time.now + wait)
      stage.time.pass(wait - 1)
      await stage.posted(index + 1)
      stage.time.pass(1)
    }
    await stage.posted(10)
    await stage.kept(10)
    assert.equal(stage.time.now, 75 * hour + 35 * minute + 5_000)
    const { deliveries, attempts } = await stage.rows()
    assert.deepEqual([deliveries[0]?.status, deliveries[0]?.settled_at], ['failed', stage.time.now])
    assert.deepEqual(
      attempts.map(({ number }) => number),
      [1, 2, 3, 4, 5, 6, 7, 8, 9, 10],
    )
    stage.time.pass(100 * hour)
    await stage.kept(10)
    await stage.posted(10)
    assert.equal(new Set(stage.posts.map(({ body }) => Buffer.from(body).toString())).size, 1)
    assert.equal(new Set(stage.posts.map(({ headers }) => headers['webhook-id'])).size, 1)
    for (const { headers, at } of stage.posts) assert.equal(headers['webhook-timestamp'], String(at / 1000))
    await stage.deliverer.end(AbortSignal.abort())
  })

  test('a receiver to which nothing arrives for five days is left alone from then on', async () => {
    const stage = await ground.staged()
    stage.reception = () => failure
    for (let day = 0; day < 6; day++) {
      await stage.append()
      await stage.until(
        'the first attempt',
        async () => (await stage.rows()).deliveries.at(-1)?.attempts === 1 || day === 5,
      )
      for (let hours = 0; hours < 24; hours++) {
        stage.time.pass(hour)
        await ground.store.read(inspectDeliveries, null)
        await new Promise(setImmediate)
      }
    }
    await stage.until('it is disabled', async () => (await stage.rows()).webhooks[0]?.enabled === 0)
    const { webhooks, deliveries, events } = await stage.rows()
    assert.equal(JSON.parse(webhooks[0]?.disabled_reason ?? '').code, 'failing')
    assert.equal(events.at(-1)?.type, 'webhook.disabled')
    assert.ok((deliveries.at(-1)?.settled_at ?? 0) >= 120 * hour)
    const count = stage.posts.length
    await stage.append(3)
    stage.time.pass(100 * hour)
    await stage.until('nothing is pending', async () =>
      (await stage.rows()).deliveries.every(({ status }) => status === 'failed'),
    )
    assert.equal(stage.posts.length, count)
    await stage.deliverer.end(AbortSignal.abort())
  })

  test('an attempt that is due while the server is down is made when it is up, with its number', async () => {
    const first = await ground.staged()
    first.reception = () => failure
    await first.append()
    await first.kept(1)
    await first.deliverer.end(AbortSignal.abort())
    first.time.pass(5_000)
    const second = ground.stage(first.time)
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

  test('where a receiver asks to be left alone, it is', async () => {
    const stage = await ground.staged()
    stage.reception = () => said(429, 3_600)
    await stage.append()
    await stage.kept(1)
    stage.time.pass(hour - 1)
    await stage.posted(1)
    stage.time.pass(1)
    await stage.posted(2)
    await stage.deliverer.end(AbortSignal.abort())
  })
})

describe('what is lost on the way', () => {
  test('what the store could not keep is kept when it is back, and not sent again', async () => {
    for (const failing of ['before', 'after'] as const) {
      await ground.reset([organization])
      const stage = await ground.staged()
      await stage.append()
      await stage.posted(1)
      stage.storeFails = failing
      const turns = stage.turns
      stage.posts[0]?.answer(ok)
      await stage.until('the store fails', () => stage.turns > turns)
      stage.storeFails = undefined
      await new Promise(setImmediate)
      stage.time.pass(1_000)
      await stage.until(
        'it is settled',
        async () => (await stage.rows()).deliveries[0]?.status === 'delivered',
      )
      stage.time.pass(hour)
      await stage.kept(1)
      await stage.posted(1)
      assert.equal((await stage.rows()).attempts.length, 1)
      await stage.deliverer.end(AbortSignal.abort())
    }
  })

  test('events of which nobody told are found all the same', async () => {
    await ground.webhook()
    const stage = ground.stage()
    stage.deliverer.begin()
    await ground.store.transact(appendTestEvents, {
      organization,
      now: 0,
      events: [{ type: 'message.sent', instance: null, data: {} }],
    })
    stage.time.pass(0)
    await stage.until('the first look', () => stage.time.waiting > 0)
    stage.time.pass(minute)
    await stage.posted(1)
    await stage.deliverer.end(AbortSignal.abort())
  })

  test('the events of an organization without webhooks cost nothing', async () => {
    const stage = ground.stage()
    stage.deliverer.begin()
    await stage.until('the first look', () => stage.time.waiting > 0)
    await stage.append(100)
    assert.equal(stage.turns, 0)
    await stage.deliverer.end(AbortSignal.abort())
  })
})

describe('the end', () => {
  test('an attempt that is under way has a little time, and its answer is kept', async () => {
    const stage = await ground.staged()
    await stage.append(2)
    await stage.posted(1)
    const ended = stage.deliverer.end(new AbortController().signal)
    stage.posts[0]?.answer(ok)
    await ended
    const { deliveries } = await stage.rows()
    assert.deepEqual(
      deliveries.map(({ status }) => status),
      ['delivered', 'pending'],
    )
    await stage.posted(1)
  })

  test('one that takes longer is abandoned without a trace, and made again by the next server', async () => {
    const stage = await ground.staged()
    await stage.append()
    await stage.posted(1)
    const ended = stage.deliverer.end(new AbortController().signal)
    await stage.until('the alarm', () => stage.time.waiting > 0)
    stage.time.pass(3_000)
    await ended
    const { deliveries, attempts } = await stage.rows()
    assert.deepEqual([deliveries[0]?.status, deliveries[0]?.attempts, attempts.length], ['pending', 0, 0])
    const next = ground.stage(stage.time)
    next.deliverer.begin()
    await next.posted(1)
    assert.deepEqual(next.posts[0]?.body, stage.posts[0]?.body)
    await next.deliverer.end(AbortSignal.abort())
  })
})

test('after a rotation both secrets sign for a day, and then the new one alone', async () => {
  const stage = await ground.staged()
  stage.reception = () => ok
  const fresh = secrets.close('wh_1', 'whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=')
  const args = { organization, id: 'wh_1', secret: fresh, previousUntil: 24 * hour, now: 0 }
  await ground.store.transact(rotateWebhookSecret, args)
  const count = async (posts: number) => {
    await stage.append()
    await stage.posted(posts)
    await stage.kept(posts)
    return stage.posts.at(-1)?.headers['webhook-signature'].split(' ').length
  }
  assert.equal(await count(1), 2)
  stage.time.pass(24 * hour - 1)
  assert.equal(await count(2), 2)
  stage.time.pass(1)
  assert.equal(await count(3), 1)
  await stage.deliverer.end(AbortSignal.abort())
})

test('a webhook that is disabled while an attempt is under way gets no other', async () => {
  const stage = await ground.staged()
  await stage.append(2)
  await stage.posted(1)
  const disabled = { organization, id: 'wh_1', change: { enabled: 0 as const }, now: 0 }
  await ground.store.transact(updateWebhook, disabled)
  stage.posts[0]?.answer(ok)
  await stage.kept(1)
  await stage.posted(1)
  await ground.store.transact(updateWebhook, { ...disabled, change: { enabled: 1 as const } })
  stage.deliverer.deliver(organization)
  await stage.posted(2)
  await stage.deliverer.end(AbortSignal.abort())
})
