import assert from 'node:assert/strict'
import { test } from 'node:test'
import { RoundRobin } from './round-robin.ts'

function queueOf(...names: string[]): RoundRobin<string> {
  const queue = new RoundRobin<string>()
  for (const name of names) queue.push(name.charAt(0), name)
  return queue
}

function takeAll(queue: RoundRobin<string>): string[] {
  const taken: string[] = []
  for (let item = queue.take(); item !== undefined; item = queue.take()) taken.push(item)
  return taken
}

test('parties take turns, each in its order', () => {
  const queue = queueOf('a1', 'a2', 'a3', 'b1', 'b2', 'c1')
  assert.deepEqual(takeAll(queue), ['a1', 'b1', 'c1', 'a2', 'b2', 'a3'])
  assert.equal(queue.isEmpty, true)
})

test('newcomers, however many, pass no party that waits', () => {
  const queue = queueOf('a1', 'a2')
  assert.equal(queue.take(), 'a1')
  for (const name of ['b1', 'c1', 'd1']) queue.push(name.charAt(0), name)
  assert.equal(queue.take(), 'a2')
})

test('an item that is pushed again keeps its position, and one that is removed is not taken', () => {
  const queue = queueOf('a1', 'a2', 'b1')
  queue.push('a', 'a1')
  assert.deepEqual(
    [queue.remove('a', 'a2'), queue.remove('b', 'b1'), queue.remove('b', 'b1')],
    [true, true, false],
  )
  assert.deepEqual(takeAll(queue), ['a1'])
  queue.push('c', 'c1')
  queue.clear()
  assert.equal(queue.isEmpty, true)
})
