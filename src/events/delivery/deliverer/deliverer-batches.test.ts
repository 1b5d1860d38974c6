import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import {
  type DelivererFixture,
  DelivererSetup,
  ok,
  type Posted,
  said,
} from '../../../../test/kit/stores/deliverer-fixture.ts'
import { appendTestEvents } from '../../../../test/kit/stores/delivery-store.ts'
import type { Event } from '../../../contract/resources/event.ts'
import type { WebhookOrdering } from '../../../contract/resources/webhook.ts'
import { updateWebhook } from '../../webhook-store.ts'

const organization = 'org_a'
const setup = new DelivererSetup()
beforeEach(async () => {
  await setup.webhook()
  await change({ batch: 8 })
})

const change = (change: { batch?: number; paused?: 0 | 1; ordering?: WebhookOrdering }) =>
  setup.store.transact(updateWebhook, { organization, id: 'wh_1', change, now: 0 })

const eventsIn = ({ body }: Pick<Posted, 'body'>): Event[] => JSON.parse(Buffer.from(body).toString()).events
const sequencesIn = (post: Pick<Posted, 'body'>) => eventsIn(post).map(({ sequence }) => sequence)
const idOf = ({ headers }: Pick<Posted, 'headers'>) => headers['webhook-id']

/** Every id names the same bytes, and every event arrived. */
function checkAll(fixture: DelivererFixture, count: number, arrived: ReadonlySet<number>): void {
  for (const [, same] of Map.groupBy(fixture.posts, idOf))
    assert.equal(new Set(same.map(({ body }) => Buffer.from(body).toString())).size, 1)
  assert.equal(arrived.size, count)
}

test('a batch that is abandoned is sent by the next server with the same id and the same bytes, though more happened', async () => {
  const first = setup.begun()
  await first.append(5)
  await first.posted(1)
  await first.deliverer.end(AbortSignal.abort())
  const second = setup.begun()
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
  const fixture = setup.begun()
  const arrived = new Set<number>()
  fixture.reception = (post) => {
    const sequences = sequencesIn(post)
    if (sequences.length > 2) return said(413)
    for (const sequence of sequences) arrived.add(sequence)
    return ok
  }
  await fixture.append(8)
  await fixture.until('all arrived', () => arrived.size === 8)
  await fixture.kept(3 * 8)
  assert.deepEqual(fixture.posts.map((post) => eventsIn(post).length).toSorted(), [2, 2, 2, 2, 4, 4, 8])
  checkAll(fixture, 8, arrived)
  const { attempts, deliveries } = await fixture.rows()
  assert.ok(deliveries.every(({ status }) => status === 'delivered'))
  assert.deepEqual(new Set(attempts.map(({ batch_id }) => batch_id)), new Set(fixture.posts.map(idOf)))
  await fixture.deliverer.end(AbortSignal.abort())
})

const besideLarge = {
  none: [[1, 2, 5], [3], [4], [6, 7]],
  per_instance: [[1, 2], [3], [4], [5, 6, 7]],
}

for (const ordering of ['none', 'per_instance'] as const)
  test(`a batch has 256 KB at most unless one event alone has more, ordering ${ordering}`, async () => {
    const fixture = setup.begun()
    fixture.reception = () => ok
    await change({ ordering })
    // Two bytes each, so that counting characters instead of bytes gives half.
    const sized = (kilobytes: number) =>
      ({ type: 'message.sent', instance: 'support', data: { text: 'ü'.repeat(kilobytes * 512) } }) as const
    const events = [100, 100, 100, 300, 10, 120, 120].map(sized)
    await setup.store.transact(appendTestEvents, { organization, now: fixture.time.now, events })
    fixture.deliverer.wake(organization)
    await fixture.until('all', () => fixture.posts.flatMap(sequencesIn).length === events.length)
    assert.deepEqual(fixture.posts.map(sequencesIn), besideLarge[ordering])
    for (const { body } of fixture.posts)
      assert.ok(body.length <= 256 * 1024 || eventsIn({ body }).length === 1, `${body.length}`)
    await fixture.deliverer.end(AbortSignal.abort())
  })

test('one event that a receiver cannot take does not keep the others from it', async () => {
  const fixture = setup.begun()
  const arrived = new Set<number>()
  fixture.reception = (post) => {
    const sequences = sequencesIn(post)
    if (sequences.includes(5)) return said(500)
    for (const sequence of sequences) arrived.add(sequence)
    return ok
  }
  await fixture.append(8)
  await fixture.settled()
  for (let tries = 0; arrived.size < 7; tries++) {
    assert.ok(tries < 20, 'the others arrive soon')
    await fixture.pass(10_000, 10_000)
  }
  checkAll(fixture, 7, arrived)
  assert.ok(fixture.time.now - (fixture.posts[0]?.at ?? 0) < 5 * 60_000)
  const { deliveries } = await fixture.rows()
  const left = deliveries.filter(({ status }) => status === 'pending')
  assert.deepEqual(
    left.map(({ event_sequence }) => event_sequence),
    [5],
  )
  await fixture.deliverer.end(AbortSignal.abort())
})

test('a webhook that no longer wants batches gets its events one by one', async () => {
  const fixture = setup.begun()
  fixture.reception = () => said(503)
  await fixture.append(3)
  await fixture.kept(3)
  await change({ batch: 1 })
  fixture.reception = () => ok
  fixture.time.pass(10_000)
  await fixture.posted(4)
  for (const post of fixture.posts.slice(1))
    assert.equal(idOf(post), JSON.parse(Buffer.from(post.body).toString()).id)
  await fixture.deliverer.end(AbortSignal.abort())
})

test('while a webhook is paused, events collect and nothing is sent', async () => {
  const fixture = setup.begun()
  fixture.reception = () => ok
  await change({ paused: 1 })
  fixture.deliverer.deliver(organization)
  await fixture.append(20)
  await fixture.until('they wait', async () => (await fixture.rows()).webhooks[0]?.pending === 20)
  await fixture.posted(0)
  await change({ paused: 0 })
  fixture.deliverer.deliver(organization)
  await fixture.until('all', async () => (await fixture.rows()).webhooks[0]?.pending === 0)
  assert.deepEqual(
    fixture.posts.flatMap(sequencesIn).toSorted((a, b) => a - b),
    Array.from({ length: 20 }, (_, n) => n + 1),
  )
  await fixture.deliverer.end(AbortSignal.abort())
})

test('a webhook that lags for minutes is reported once, and so is its end', async () => {
  const fixture = setup.begun()
  fixture.reception = () => said(503, 60)
  fixture.deliverer.begin()
  await fixture.append(3)
  await fixture.kept(3)
  const notices = async () =>
    (await fixture.rows()).events.map(({ type }) => type).filter((type) => type.startsWith('webhook.'))
  for (let minutes = 0; (await notices()).length === 0; minutes++) {
    assert.ok(minutes < 8, 'it is reported within a few minutes')
    await fixture.pass(60_000, 60_000)
  }
  assert.ok((await fixture.rows()).webhooks[0]?.lagging_since)
  fixture.reception = () => ok
  for (let minutes = 0; (await notices()).length === 1; minutes++) {
    assert.ok(minutes < 60, 'its end is reported')
    await fixture.pass(60_000, 60_000)
  }
  assert.deepEqual(await notices(), ['webhook.lagging', 'webhook.caught_up'])
  assert.equal((await fixture.rows()).webhooks[0]?.lagging_since, null)
  await fixture.deliverer.end(AbortSignal.abort())
})
