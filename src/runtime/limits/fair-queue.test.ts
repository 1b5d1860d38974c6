import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FairQueue } from './fair-queue.ts'

/** Work of the party that its name begins with, and what it costs. */
interface Work {
  readonly name: string
  readonly cost: number
}

const partyOf = (name: string) => name.charAt(0)

function queueOf(options: { limitPerParty?: number } = {}): FairQueue<Work> {
  return new FairQueue<Work>({ cost: ({ cost }) => cost, ...options })
}

function push(queue: FairQueue<Work>, cost: number, ...names: string[]): void {
  for (const name of names) queue.push(partyOf(name), { name, cost })
}

/** Takes so many items, each done at once. */
function takeAll(queue: FairQueue<Work>, count = Number.POSITIVE_INFINITY): string[] {
  const names: string[] = []
  for (let item = queue.take(); item; item = names.length < count ? queue.take() : undefined) {
    names.push(item.name)
    queue.done(partyOf(item.name))
  }
  return names
}

test('a party whose items cost ten times as much has a tenth as many', () => {
  const queue = queueOf()
  push(queue, 10, 'a1', 'a2', 'a3')
  push(queue, 1, ...Array.from({ length: 30 }, (_, index) => `b${index}`))
  const taken = takeAll(queue, 24)
  assert.equal(taken.filter((name) => name.startsWith('a')).length, 3)
})

test('what an item cost beyond what was expected counts', () => {
  const queue = queueOf()
  push(queue, 1, 'a1', 'a2', 'b1', 'b2', 'b3')
  assert.equal(queue.take()?.name, 'a1')
  queue.done('a', { more: 1.5 })
  assert.deepEqual(takeAll(queue), ['b1', 'b2', 'b3', 'a2'])
})

test('a party that comes is next, however many items of others wait, and has saved nothing while it was away', () => {
  const queue = queueOf()
  push(queue, 1, ...Array.from({ length: 100 }, (_, index) => `a${index}`))
  takeAll(queue, 50)
  push(queue, 1, 'b1', 'b2', 'b3')
  assert.deepEqual(takeAll(queue, 5), ['b1', 'a50', 'b2', 'a51', 'b3'])
})

test('a party is not forgiven by having nothing to do for a moment', () => {
  const queue = queueOf()
  push(queue, 1, 'b1', 'b2', 'b3', 'b4', 'b5')
  push(queue, 3, 'a1')
  assert.deepEqual(takeAll(queue, 2), ['b1', 'a1'])
  push(queue, 3, 'a2')
  assert.deepEqual(takeAll(queue), ['b2', 'b3', 'a2', 'b4', 'b5'])
})

test('items that were not begun come first again, in their order', () => {
  const queue = queueOf()
  push(queue, 1, 'a1', 'a2', 'a3')
  const taken = [queue.take(), queue.take()] as Work[]
  queue.putBack('a', taken)
  assert.deepEqual([queue.running, queue.waiting], [0, 3])
  push(queue, 1, 'b1')
  assert.deepEqual(takeAll(queue), ['a1', 'b1', 'a2', 'a3'])
})

test('a party at its limit is passed over, and comes back when an item is done', () => {
  const queue = queueOf({ limitPerParty: 2 })
  push(queue, 1, 'a1', 'a2', 'a3', 'b1')
  const names = [queue.take(), queue.take(), queue.take(), queue.take()].map((item) => item?.name)
  assert.deepEqual(names, ['a1', 'b1', 'a2', undefined])
  queue.done('a')
  assert.equal(queue.take()?.name, 'a3')
})

test('an item that is removed is never taken', () => {
  const queue = queueOf()
  const item = { name: 'a1', cost: 1 }
  queue.push('a', item)
  push(queue, 1, 'b1')
  assert.equal(queue.remove('a', item), true)
  assert.equal(queue.remove('a', item), false)
  assert.deepEqual(takeAll(queue), ['b1'])
  push(queue, 1, 'a2', 'a3', 'b2')
  assert.deepEqual(
    queue.empty().map(({ name }) => name),
    ['a2', 'a3', 'b2'],
  )
  assert.equal(queue.take(), undefined)
})
