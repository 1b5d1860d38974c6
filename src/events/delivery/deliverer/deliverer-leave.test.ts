import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  type DelivererFixture,
  DelivererSetup,
  failure,
  ok,
} from '../../../../test/kit/stores/deliverer-fixture.ts'

/* The deliveries of an organization go to another node, and each event goes to its webhook from one of the two. */

const setup = new DelivererSetup()

/** Has the first node give its organizations away; what is returned says whether nothing of them is under way there. */
function leaving(fixture: DelivererFixture) {
  fixture.isOurs = false
  const left = { isOver: false }
  const over = fixture.deliverer
    .leave(() => true)
    .then(() => {
      left.isOver = true
    })
  return { left, over }
}

/** Lets the pauses between two looks of a leaving node pass. */
async function look(fixture: DelivererFixture): Promise<void> {
  fixture.time.pass(20)
  await new Promise(setImmediate)
}

test('an event that is claimed while its organization leaves is sent by the next node only', async () => {
  const first = await setup.begunWithWebhook()
  await first.settled()
  const { promise, resolve: answer } = Promise.withResolvers<void>()
  first.answers = promise
  const before = first.transactions
  await first.append()
  await first.until('the claim', () => first.transactions > before)
  const { left, over } = leaving(first)
  await look(first)
  await look(first)
  assert.equal(left.isOver, false, 'the claim is under way')
  answer()
  await first.settled()
  await look(first)
  await over
  assert.equal(first.posts.length, 0)
  const second = setup.begun(first.time)
  second.reception = () => ok
  await second.kept(1)
  await second.posted(1)
  for (const { deliverer } of [first, second]) await deliverer.end(AbortSignal.abort())
})

test('an attempt under way is stored before its organization has left, even if the store fails meanwhile', async () => {
  const first = await setup.begunWithWebhook()
  await first.append()
  await first.posted(1)
  const { left, over } = leaving(first)
  first.storeFails = 'before'
  first.posts[0]?.answer(ok)
  await first.until('the store fails', () => first.failures > 0)
  await look(first)
  assert.equal(left.isOver, false)
  first.storeFails = undefined
  first.time.pass(1_000)
  await first.kept(1)
  await look(first)
  await over
  await first.deliverer.end(AbortSignal.abort())
})

test('deliveries that wait for hours do not keep their organization', async () => {
  const first = await setup.begunWithWebhook()
  first.reception = () => failure
  await first.append()
  await first.kept(1)
  const { left, over } = leaving(first)
  await look(first)
  assert.equal(left.isOver, true)
  await over
  const second = setup.begun(first.time)
  second.reception = () => ok
  await second.settled()
  first.time.pass(5_000)
  await second.kept(2)
  assert.equal(first.posts.length, 1)
  for (const { deliverer } of [first, second]) await deliverer.end(AbortSignal.abort())
})
