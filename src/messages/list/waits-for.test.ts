import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type WaitFacts, waitsForOf } from './waits-for.ts'

const now = 1_000_000

/** A message that leads its lane and is queued, on an instance that is connected. */
const next: WaitFacts = {
  underway: 0,
  held: 0,
  awaits_file: 0,
  leads_lane: 1,
  joins_lane_at: 0,
  due_at: null,
  queue_position: 7,
  attempts: 0,
  send_at: null,
  fetch_at: null,
  target: null,
  earlier: null,
  instance: { status: 'connected', restriction: null },
}

const told = (facts: Partial<WaitFacts>) => {
  const { reason, message_id, instance_status, until } = waitsForOf({ ...next, ...facts }, now)
  return [reason, message_id ?? instance_status ?? (until && Date.parse(until))]
}

const restricted = (scope: string, ends_at: number | null) => ({
  status: 'connected' as const,
  restriction: JSON.stringify({ code: 'any', detail: '', scope, since: 1, ends_at }),
})

test('the first thing that holds a message up is told', () => {
  const everything = { held: 1, awaits_file: 1, target: 'msg_a', leads_lane: 0, earlier: 'msg_b' }
  assert.deepEqual(told({ ...everything, underway: 1 }), ['answer', null])
  assert.deepEqual(told(everything), ['operator', null])
  assert.deepEqual(told({ ...everything, held: 0 }), ['file', null])
  assert.deepEqual(told({ ...everything, held: 0, awaits_file: 0 }), ['target', 'msg_a'])
  assert.deepEqual(told({ leads_lane: 0, earlier: 'msg_b', queue_position: null }), [
    'earlier_message',
    'msg_b',
  ])
  assert.deepEqual(told({}), ['turn', null])
})

test('a time is told while it is to come, and not after', () => {
  const later = {
    joins_lane_at: now + 5,
    due_at: now + 5,
    send_at: now + 5,
    leads_lane: 0,
    queue_position: null,
  }
  assert.deepEqual(told(later), ['send_at', now + 5])
  assert.deepEqual(told({ ...later, joins_lane_at: now, due_at: now, send_at: now }), ['turn', null])
  const again = { due_at: now + 5, queue_position: null }
  assert.deepEqual(told({ ...again, attempts: 1 }), ['retry', now + 5])
  assert.deepEqual(told(again), ['recipient_pace', now + 5])
  assert.deepEqual(told({ ...again, due_at: now, attempts: 1 }), ['turn', null])
  assert.deepEqual(told({ awaits_file: 1, fetch_at: now + 5 }), ['file', now + 5])
  assert.deepEqual(told({ awaits_file: 1, fetch_at: now - 5 }), ['file', null])
})

test('the instance is told if nothing else is in the way', () => {
  assert.deepEqual(told({ instance: { status: 'logged_out', restriction: null } }), [
    'instance',
    'logged_out',
  ])
  assert.deepEqual(told({ instance: restricted('all_messages', now + 5) }), ['restriction', now + 5])
  assert.deepEqual(told({ instance: restricted('all_messages', null) }), ['restriction', null])
  assert.deepEqual(told({ instance: restricted('all_messages', now) }), ['turn', null])
  assert.deepEqual(told({ instance: restricted('new_contacts', null) }), ['turn', null])
})

test('a cause that the store does not show is not guessed', () => {
  assert.deepEqual(told({ queue_position: null }), ['unknown', null])
  assert.deepEqual(told({ leads_lane: 0, queue_position: null }), ['unknown', null])
  assert.deepEqual(told({ instance: null }), ['unknown', null])
})
