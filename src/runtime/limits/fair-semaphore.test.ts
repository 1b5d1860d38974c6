import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FairSemaphore, type FairSemaphoreOptions, QueueFull } from './fair-semaphore.ts'

/** Works that begin when they may, and end when the test says so. */
class Works {
  readonly semaphore: FairSemaphore
  /** The names of what began, in that order. */
  readonly began: string[] = []
  readonly #ends = new Map<string, () => void>()

  constructor(options: FairSemaphoreOptions) {
    this.semaphore = new FairSemaphore(options)
  }

  /** Asks for a work of the party that its name begins with, such as `a` of `a1`. */
  ask(name: string, signal?: AbortSignal): Promise<string> {
    const work = () => {
      this.began.push(name)
      const { promise, resolve } = Promise.withResolvers<string>()
      this.#ends.set(name, () => resolve(name))
      return promise
    }
    const asked = this.semaphore.run(name.charAt(0), work, signal)
    asked.catch(() => {})
    return asked
  }

  async end(name: string): Promise<void> {
    this.#ends.get(name)?.()
    await settled()
  }
}

/** Everything that follows without waiting has happened. */
const settled = () => new Promise<void>((resolve) => setImmediate(resolve))

test('parties take turns, and within each it goes in order', async () => {
  const works = new Works({ limit: 2 })
  for (const name of ['a1', 'a2', 'a3', 'a4', 'a5', 'b1', 'b2', 'c1']) void works.ask(name)
  await settled()
  assert.deepEqual(works.began, ['a1', 'a2'])
  assert.deepEqual([works.semaphore.running, works.semaphore.waiting], [2, 6])
  const turns = ['a1', 'a2', 'b1', 'c1', 'a3', 'b2', 'a4', 'a5']
  for (const name of turns) await works.end(name)
  assert.deepEqual(works.began, turns)
  assert.deepEqual([works.semaphore.running, works.semaphore.waiting], [0, 0])
})

test('no party runs more than its own limit, and leaves the rest to others', async () => {
  const works = new Works({ limit: 4, limitPerParty: 2 })
  for (const name of ['a1', 'a2', 'a3', 'a4', 'b1']) void works.ask(name)
  await settled()
  assert.deepEqual(works.began, ['a1', 'a2', 'b1'])
  await works.end('b1')
  assert.deepEqual(works.began, ['a1', 'a2', 'b1'])
  await works.end('a2')
  assert.deepEqual(works.began, ['a1', 'a2', 'b1', 'a3'])
})

test('a work that fails gives its place back', async () => {
  const semaphore = new FairSemaphore({ limit: 1 })
  const failed = semaphore.run('a', () => Promise.reject(new Error('No')))
  await assert.rejects(failed, /No/)
  assert.equal(await semaphore.run('a', async () => 'done'), 'done')
})

test('a party whose queue is full is refused, and nobody else is', async () => {
  const works = new Works({ limit: 1, queuePerParty: 2 })
  for (const name of ['a1', 'a2', 'a3']) void works.ask(name)
  await assert.rejects(works.ask('a4'), QueueFull)
  void works.ask('b1')
  await works.end('a1')
  await works.end('b1')
  assert.deepEqual(works.began, ['a1', 'b1', 'a2'])
})

test('a full queue has room for a party that waits less than another, at the expense of the last of that one', async () => {
  const works = new Works({ limit: 1, queue: 3 })
  const [, , , last] = ['a1', 'a2', 'a3', 'a4'].map((name) => works.ask(name))
  await assert.rejects(works.ask('a5'), QueueFull)
  void works.ask('b1')
  await assert.rejects(last as Promise<string>, QueueFull)
  assert.equal(works.semaphore.waiting, 3)
  for (const name of ['a1', 'b1', 'a2']) await works.end(name)
  assert.deepEqual(works.began, ['a1', 'b1', 'a2', 'a3'])
})

test('whoever gives up waiting leaves the queue, and what runs goes on', async () => {
  const works = new Works({ limit: 1, queuePerParty: 1 })
  const [running, waiting, never] = [new AbortController(), new AbortController(), new AbortController()]
  const first = works.ask('a1', running.signal)
  const second = works.ask('a2', waiting.signal)
  await settled()
  running.abort()
  waiting.abort(new Error('Enough'))
  await assert.rejects(second, /Enough/)
  void works.ask('a3')
  never.abort(new Error('Too late'))
  await assert.rejects(works.ask('a4', never.signal), /Too late/)
  await works.end('a1')
  assert.equal(await first, 'a1')
  assert.deepEqual(works.began, ['a1', 'a3'])
})

test('a party that can no longer use a turn loses it', async () => {
  const works = new Works({ limit: 1 })
  const leaving = new AbortController()
  for (const name of ['a1', 'a2']) void works.ask(name)
  void works.ask('b1', leaving.signal)
  await settled()
  leaving.abort()
  await works.end('a1')
  await works.end('a2')
  assert.deepEqual(works.began, ['a1', 'a2'])
  assert.deepEqual([works.semaphore.running, works.semaphore.waiting], [0, 0])
})

test('what has a weight waits until so much is free, and can turn out lighter or heavier', async () => {
  const semaphore = new FairSemaphore({ limit: Number.POSITIVE_INFINITY, limitPerParty: 10 })
  const first = await semaphore.hold('a', 8)
  const began: string[] = []
  const ask = async (name: string, weight: number) => {
    const held = await semaphore.hold('a', weight)
    began.push(name)
    return held
  }
  const four = ask('four', 4)
  const two = ask('two', 2)
  await settled()
  assert.deepEqual(began, [], 'the lighter one does not overtake')
  await semaphore.hold('b', 10)
  first.resize(5)
  await settled()
  assert.deepEqual(began, ['four'])
  const beyond = semaphore.take('a', 7)
  assert.equal(semaphore.of('a').running, 16)
  first.end()
  first.end()
  assert.equal(semaphore.of('a').running, 11)
  beyond.end()
  await two
  const heavy = ask('heavy', 100)
  ;(await four).end()
  await settled()
  assert.deepEqual(began, ['four', 'two'], 'what is heavier than the limit runs alone')
  ;(await two).end()
  await heavy
  assert.deepEqual(semaphore.of('a'), { running: 100, waiting: 0 })
})
