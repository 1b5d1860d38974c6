import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type MessageStatus, messageStatuses } from '../contract/statuses.ts'
import { isSettled, mayBecome, predecessorsOf } from './status.ts'

/** How far a status is on the way; what is known grows with it. */
const progress: Readonly<Record<MessageStatus, number>> = {
  queued: 0,
  sending: 1,
  unknown: 2,
  sent: 3,
  delivered: 4,
  read: 5,
  failed: 9,
  expired: 9,
  canceled: 9,
  received: 9,
}

test('a status never moves backwards, nor to itself', () => {
  for (const from of messageStatuses)
    for (const to of messageStatuses)
      if (mayBecome(from, to)) assert.ok(progress[to] > progress[from], `${from} may become ${to}`)
})

test('what is settled never comes back into the queue', () => {
  for (const from of messageStatuses.filter(isSettled))
    for (const to of messageStatuses)
      if (mayBecome(from, to)) assert.ok(isSettled(to), `${from} may become ${to}`)
  assert.deepEqual(
    messageStatuses.filter((status) => !isSettled(status)),
    ['queued', 'sending'],
  )
})

test('read, failed, expired, canceled and received are the last word', () => {
  const last = messageStatuses.filter((from) => !messageStatuses.some((to) => mayBecome(from, to)))
  assert.deepEqual(last, ['read', 'failed', 'expired', 'canceled', 'received'])
})

test('what the recipient confirmed is never taken back', () => {
  assert.deepEqual(
    messageStatuses.filter((to) => mayBecome('delivered', to)),
    ['read'],
  )
})

test('what may have been sent is neither expired nor canceled', () => {
  for (const to of ['expired', 'canceled'] as const) {
    assert.ok(!mayBecome('unknown', to))
    assert.deepEqual(predecessorsOf(to), ['queued', 'sending'])
  }
})

test('a message that was never attempted cannot be sent, failed or unknown', () => {
  assert.deepEqual(
    messageStatuses.filter((to) => mayBecome('queued', to)),
    ['sending', 'expired', 'canceled'],
  )
})
