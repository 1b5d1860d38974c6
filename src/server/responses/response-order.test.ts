import assert from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import type { ServerResponse } from 'node:http'
import { test } from 'node:test'
import { ResponseOrder } from './response-order.ts'

const answer = () => new EventEmitter() as unknown as ServerResponse

/** Resolves with true if the promise is settled by now, after all that could follow at once. */
async function isSettled(promise: Promise<unknown>): Promise<boolean> {
  const pending = Symbol('pending')
  await new Promise(setImmediate)
  return (await Promise.race([promise, Promise.resolve(pending)])) !== pending
}

test('an answer waits until the one before it has joined the line', async () => {
  const order = new ResponseOrder()
  const [first, second, third] = [answer(), answer(), answer()]
  assert.equal(await order.waitFor(undefined, first, 'org'), true)
  const secondWaits = order.waitFor(first, second, 'org')
  assert.equal(await isSettled(secondWaits), false)
  order.joined(first)
  assert.equal(await secondWaits, true)
  order.joined(second)
  assert.equal(await order.waitFor(second, third, 'org'), true)
})

test('an answer that needs no room holds up those behind it until it is sent, and whoever leaves waits no longer', async () => {
  const order = new ResponseOrder()
  const [first, second, third] = [answer(), answer(), answer()]
  const secondWaits = order.waitFor(first, second, 'org')
  const thirdWaits = order.waitFor(second, third, 'org')
  third.emit('responded')
  assert.equal(await thirdWaits, true)
  assert.equal(await isSettled(secondWaits), false)
  first.emit('responded')
  assert.equal(await secondWaits, true)
})

test('no party lets more than a thousand wait like this, and each has its own thousand', async () => {
  const order = new ResponseOrder()
  const first = answer()
  first.setMaxListeners(0)
  const waits = Array.from({ length: 1_000 }, () => order.waitFor(first, answer(), 'org'))
  assert.equal(await order.waitFor(first, answer(), 'org'), false)
  assert.equal(await isSettled(order.waitFor(first, answer(), 'other')), false)
  first.emit('responded')
  assert.equal((await Promise.all(waits)).every(Boolean), true)
  assert.equal(await isSettled(order.waitFor(answer(), answer(), 'org')), false, 'and has room again')
})
