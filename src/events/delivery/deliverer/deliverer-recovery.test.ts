import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import {
  type DelivererFixture,
  DelivererSetup,
  failure,
  ok,
  said,
} from '../../../../test/kit/stores/deliverer-fixture.ts'
import { appendTestEvents } from '../../../../test/kit/stores/delivery-store.ts'
import { updateWebhook } from '../../webhook-store.ts'

/* The receiver of an ordered webhook fails and recovers, while all of its lanes wait for their next attempt. */

const organization = 'org_a'
const minute = 60_000
const setup = new DelivererSetup()
beforeEach(async () => {
  await setup.webhook()
  const change = { ordering: 'per_instance' as const }
  await setup.store.transact(updateWebhook, { organization, id: 'wh_1', change, now: 0 })
})

/** Events of these instances, one after the other. */
async function append(fixture: DelivererFixture, ...instances: string[]): Promise<void> {
  const events = instances.map((instance) => ({ type: 'message.sent', instance, data: {} }) as const)
  await setup.store.transact(appendTestEvents, { organization, now: fixture.time.now, events })
  fixture.deliverer.wake(organization)
}

const pendingIn = async (fixture: DelivererFixture) => (await fixture.rows()).webhooks[0]?.pending
const sequenceOf = (body: Uint8Array): number => JSON.parse(Buffer.from(body).toString()).sequence
/** The first and the third event are of one instance, the others of another. */
const instancesOf = ({ posts }: DelivererFixture, from: number) =>
  posts.slice(from).map(({ body }) => (sequenceOf(body) % 2 === 1 ? 'a' : 'b'))

/** Two instances with two events each, whose first failed twice. */
async function asleep(): Promise<DelivererFixture> {
  const fixture = setup.begun()
  fixture.reception = () => failure
  await append(fixture, 'a', 'b', 'a', 'b')
  await fixture.kept(2)
  fixture.time.pass(5_000)
  await fixture.kept(4)
  return fixture
}

test('a receiver that is back is noticed within a minute, and everything that waits for it arrives in order', async () => {
  const fixture = await asleep()
  fixture.reception = () => ok
  const before = fixture.posts.length
  await fixture.pass(15_000, 1_000)
  assert.equal(await pendingIn(fixture), 0)
  assert.deepEqual(instancesOf(fixture, before).toSorted(), ['a', 'a', 'b', 'b'])
  const { deliveries, attempts } = await fixture.rows()
  assert.deepEqual(
    deliveries.map(({ status, attempts }) => [status, attempts]),
    [
      ['delivered', 3],
      ['delivered', 3],
      ['delivered', 1],
      ['delivered', 1],
    ],
  )
  assert.equal(attempts.length, 8)
  await fixture.deliverer.end(AbortSignal.abort())
})

test('while it is away, it gets one request at a time, at most a minute apart, and the schedule stays as it is', async () => {
  const fixture = await asleep()
  const { deliveries } = await fixture.rows()
  const times = deliveries.map(({ next_attempt_at, attempts }) => [next_attempt_at, attempts])
  const before = fixture.posts.length
  await fixture.pass(4 * minute, 1_000)
  assert.equal(fixture.most, 1)
  const at = fixture.posts.slice(before - 1).map((post) => post.at)
  const pauses = at.slice(1).map((time, index) => time - (at[index] as number))
  assert.ok(pauses.length >= 4 && pauses.length <= 8, `${pauses}`)
  assert.ok(
    pauses.every((pause, index) => pause <= minute && pause >= (pauses[index - 1] ?? 0)),
    `${pauses}`,
  )
  assert.ok(new Set(instancesOf(fixture, before)).size === 2, 'one lane after the other')
  const later = await fixture.rows()
  assert.deepEqual(
    later.deliveries.map(({ next_attempt_at, attempts }) => [next_attempt_at, attempts]),
    times,
  )
  assert.equal(later.attempts.length, 4)
  await fixture.deliverer.end(AbortSignal.abort())
})

test('a new event that arrives wakes the lanes that wait', async () => {
  const fixture = await asleep()
  fixture.reception = () => ok
  await append(fixture, 'c')
  await fixture.until('everything to arrive', async () => (await pendingIn(fixture)) === 0)
  await fixture.deliverer.end(AbortSignal.abort())
})

test('the next server goes on asking', async () => {
  const first = await asleep()
  await first.deliverer.end(AbortSignal.abort())
  const second = setup.begun(first.time)
  second.reception = () => ok
  await second.settled()
  await second.pass(10_000, 1_000)
  assert.equal(await pendingIn(second), 0)
  await second.deliverer.end(AbortSignal.abort())
})

test('a receiver that asks to be left alone is left alone', async () => {
  const fixture = setup.begun()
  fixture.reception = () => said(503, 120)
  await append(fixture, 'a', 'b')
  await fixture.kept(2)
  fixture.reception = () => ok
  await fixture.pass(119_000, 1_000)
  assert.equal(fixture.posts.length, 2)
  await fixture.pass(2_000, 1_000)
  assert.equal(await pendingIn(fixture), 0)
  await fixture.deliverer.end(AbortSignal.abort())
})

test('an event that the receiver never takes is not sent with each success of another', async () => {
  const fixture = setup.begun()
  fixture.reception = ({ body }) => (sequenceOf(body) === 1 ? failure : ok)
  await append(fixture, 'a')
  await fixture.kept(1)
  for (let others = 0; others < 60; others++) {
    await append(fixture, 'b')
    await fixture.pass(1_000, 1_000)
    assert.equal(await pendingIn(fixture), 1, 'the other arrived')
  }
  const { deliveries } = await fixture.rows()
  assert.deepEqual([deliveries[0]?.status, deliveries[0]?.attempts], ['pending', 2])
  const sent = fixture.posts.filter(({ body }) => sequenceOf(body) === 1).length
  assert.ok(sent <= 4, `${sent} requests, two of them on its schedule`)
  await fixture.deliverer.end(AbortSignal.abort())
})
