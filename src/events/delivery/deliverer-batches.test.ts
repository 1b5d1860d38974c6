import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import {
  DelivererGround,
  type DelivererStage,
  ok,
  type Posted,
  said,
} from '../../../test/kit/deliverer-stage.ts'
import { appendTestEvents } from '../../../test/kit/delivery-store.ts'
import type { Event } from '../../contract/event.ts'
import type { WebhookOrdering } from '../../contract/webhook.ts'
import { updateWebhook } from '../webhook-store.ts'

const organization = 'org_a'
const ground = new DelivererGround()
beforeEach(async () => {
  await ground.webhook()
  await change({ batch: 8 })
})

const change = (change: { batch?: number; paused?: 0 | 1; ordering?: WebhookOrdering }) =>
  ground.store.transact(updateWebhook, { organization, id: 'wh_1', change, now: 0 })

const eventsIn = ({ body }: Pick<Posted, 'body'>): Event[] => JSON.parse(Buffer.from(body).toString()).events
const sequencesIn = (post: Pick<Posted, 'body'>) => eventsIn(post).map(({ sequence }) => sequence)
const idOf = ({ headers }: Pick<Posted, 'headers'>) => headers['webhook-id']

/** Every id names the same bytes, and every event arrived. */
function checkAll(stage: DelivererStage, count: number, arrived: ReadonlySet<number>): void {
  for (const [, same] of Map.groupBy(stage.posts, idOf))
    assert.equal(new Set(same.map(({ body }) => Buffer.from(body).toString())).size, 1)
  assert.equal(arrived.size, count)
}

test('a batch that is abandoned is sent by the next server with the same id and the same bytes, though more happened', async () => {
  const first = ground.begun()
  await first.append(5)
  await first.posted(1)
  await first.deliverer.end(AbortSignal.abort())
  const second = ground.begun()
  await second.append(3)
  await second.until('both batches', () => second.posts.length >= 1)
  const [again] = second.posts
  const [before] = first.posts
  assert.ok(again && before)
  assert.deepEqual([idOf(again), sequencesIn(again)], [idOf(before), [1, 2, 3, 4, 5]])
  assert.deepEqual(again.body, before.body)
  assert.match(idOf(again), /^bat_/)
  again.answer(ok)
  await second.posted(2)
  assert.deepEqual(sequencesIn(second.posts[1] as Posted), [6, 7, 8])
  await second.deliverer.end(AbortSignal.abort())
})

test('a batch that is too large is split until it is not', async () => {
  const stage = ground.begun()
  const arrived = new Set<number>()
  stage.reception = (post) => {
    const sequences = sequencesIn(post)
    if (sequences.length > 2) return said(413)
    for (const sequence of sequences) arrived.add(sequence)
    return ok
  }
  await stage.append(8)
  await stage.until('all arrived', () => arrived.size === 8)
  await stage.kept(3 * 8)
  assert.deepEqual(stage.posts.map((post) => eventsIn(post).length).toSorted(), [2, 2, 2, 2, 4, 4, 8])
  checkAll(stage, 8, arrived)
  const { attempts, deliveries } = await stage.rows()
  assert.ok(deliveries.every(({ status }) => status === 'delivered'))
  assert.deepEqual(new Set(attempts.map(({ batch_id }) => batch_id)), new Set(stage.posts.map(idOf)))
  await stage.deliverer.end(AbortSignal.abort())
})

const besideLarge = {
  none: [[1, 2, 5], [3], [4], [6, 7]],
  per_instance: [[1, 2], [3], [4], [5, 6, 7]],
}

for (const ordering of ['none', 'per_instance'] as const)
  test(`a batch has 256 KB at most unless one event alone has more, ordering ${ordering}`, async () => {
    const stage = ground.begun()
    stage.reception = () => ok
    await change({ ordering })
    // Two bytes each, so that whoever counts characters counts half.
    const sized = (kilobytes: number) =>
      ({ type: 'message.sent', instance: 'support', data: { text: 'ü'.repeat(kilobytes * 512) } }) as const
    const events = [100, 100, 100, 300, 10, 120, 120].map(sized)
    await ground.store.transact(appendTestEvents, { organization, now: stage.time.now, events })
    stage.deliverer.wake(organization)
    await stage.until('all', () => stage.posts.flatMap(sequencesIn).length === events.length)
    assert.deepEqual(stage.posts.map(sequencesIn), besideLarge[ordering])
    for (const { body } of stage.posts)
      assert.ok(body.length <= 256 * 1024 || eventsIn({ body }).length === 1, `${body.length}`)
    await stage.deliverer.end(AbortSignal.abort())
  })

test('one event that a receiver cannot take does not keep the others from it', async () => {
  const stage = ground.begun()
  const arrived = new Set<number>()
  stage.reception = (post) => {
    const sequences = sequencesIn(post)
    if (sequences.includes(5)) return said(500)
    for (const sequence of sequences) arrived.add(sequence)
    return ok
  }
  await stage.append(8)
  for (let tries = 0; arrived.size < 7; tries++) {
    assert.ok(tries < 20, 'the others arrive soon')
    const before = stage.posts.length
    await stage.until('an attempt', () => stage.posts.length > 0)
    stage.time.pass(10_000)
    await stage.until('another', () => stage.posts.length > before || arrived.size === 7)
    await stage.kept(1)
  }
  checkAll(stage, 7, arrived)
  assert.ok(stage.time.now - (stage.posts[0]?.at ?? 0) < 5 * 60_000)
  const { deliveries } = await stage.rows()
  const left = deliveries.filter(({ status }) => status === 'pending')
  assert.deepEqual(
    left.map(({ event_sequence }) => event_sequence),
    [5],
  )
  await stage.deliverer.end(AbortSignal.abort())
})

test('whoever wants no batches any more gets the events alone', async () => {
  const stage = ground.begun()
  stage.reception = () => said(503)
  await stage.append(3)
  await stage.kept(3)
  await change({ batch: 1 })
  stage.reception = () => ok
  stage.time.pass(10_000)
  await stage.posted(4)
  for (const post of stage.posts.slice(1))
    assert.equal(idOf(post), JSON.parse(Buffer.from(post.body).toString()).id)
  await stage.deliverer.end(AbortSignal.abort())
})

test('while a webhook is paused, events collect and nothing is sent', async () => {
  const stage = ground.begun()
  stage.reception = () => ok
  await change({ paused: 1 })
  stage.deliverer.deliver(organization)
  await stage.append(20)
  await stage.until('they wait', async () => (await stage.rows()).webhooks[0]?.pending === 20)
  await stage.posted(0)
  await change({ paused: 0 })
  stage.deliverer.deliver(organization)
  await stage.until('all', async () => (await stage.rows()).webhooks[0]?.pending === 0)
  assert.deepEqual(
    stage.posts.flatMap(sequencesIn).toSorted((a, b) => a - b),
    Array.from({ length: 20 }, (_, n) => n + 1),
  )
  await stage.deliverer.end(AbortSignal.abort())
})

test('a webhook that lags for minutes is told of, once, and so is its end', async () => {
  const stage = ground.begun()
  stage.reception = () => said(503, 60)
  stage.deliverer.begin()
  await stage.append(3)
  await stage.kept(3)
  const told = async () =>
    (await stage.rows()).events.map(({ type }) => type).filter((type) => type.startsWith('webhook.'))
  for (let minutes = 0; (await told()).length === 0; minutes++) {
    assert.ok(minutes < 8, 'it is told of within a few minutes')
    stage.time.pass(60_000)
    for (let turns = 0; turns < 40; turns++) await stage.rows()
  }
  assert.ok((await stage.rows()).webhooks[0]?.lagging_since)
  stage.reception = () => ok
  for (let minutes = 0; (await told()).length === 1; minutes++) {
    assert.ok(minutes < 60, 'its end is told of')
    stage.time.pass(60_000)
    for (let turns = 0; turns < 40; turns++) await stage.rows()
  }
  assert.deepEqual(await told(), ['webhook.lagging', 'webhook.caught_up'])
  assert.equal((await stage.rows()).webhooks[0]?.lagging_since, null)
  await stage.deliverer.end(AbortSignal.abort())
})
