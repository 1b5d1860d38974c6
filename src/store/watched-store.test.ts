import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FakeTime } from '../../test/kit/fake-time.ts'
import { type StoreForAll, StoreUnavailable, serverTurn, transaction } from './store.ts'
import { probeWrite, WatchedStore } from './watched-store.ts'

/** A store whose writes and reads go as the test says, and that counts the writes. */
function watched(answer: () => Promise<unknown>) {
  const time = new FakeTime()
  let writes = 0
  const store = {
    dialect: 'sqlite',
    read: answer,
    transact: () => {
      writes++
      return answer()
    },
  } as unknown as StoreForAll
  return { time, store: new WatchedStore(store, time.clock), writes: () => writes }
}

const write = (store: StoreForAll) => store.transact(probeWrite, { now: 0 }, serverTurn)
const refused = (failure: 'full' | 'corrupt' | 'replaced' | 'away') => async () => {
  throw new StoreUnavailable('refused', { failure })
}

for (const failure of ['full', 'corrupt', 'replaced', 'away'] as const)
  test(`a store that nobody writes to is found out to be ${failure}, by a write of its own`, async () => {
    const { store } = watched(refused(failure))
    assert.equal(await store.failure(), failure)
  })

test('a mistake in a write is no proof that the store can be written to', async () => {
  const { store } = watched(async () => {
    throw new TypeError('a mistake')
  })
  assert.equal(await store.failure(), 'away')
})

test('one write answers everybody who wants to know, and proves for a second', async () => {
  const { store, time, writes } = watched(async () => {})
  assert.deepEqual(await Promise.all([1, 2, 3].map(() => store.failure())), [null, null, null])
  time.pass(999)
  assert.equal(await store.failure(), null)
  assert.equal(writes(), 1)
  time.pass(1)
  assert.equal(await store.failure(), null)
  assert.equal(writes(), 2)
})

test('a write that fails is known at once, and one that succeeds ends the failure', async () => {
  let answer: () => Promise<unknown> = async () => {}
  const { store } = watched(() => answer())
  await write(store)
  answer = refused('full')
  await assert.rejects(write(store), StoreUnavailable)
  assert.equal(await store.failure(), 'full')
  answer = async () => {}
  assert.equal(await store.failure(), null)
})

test('while every write fails, what writes nothing proves nothing, however often it succeeds', async () => {
  let isBroken = false
  const time = new FakeTime()
  const idle = transaction('test.idle', async () => {})
  const inner = {
    dialect: 'sqlite',
    read: async () => {},
    transact: async (asked: unknown) => {
      if (isBroken && asked !== idle) throw new StoreUnavailable('refused', { failure: 'away' })
    },
  } as unknown as StoreForAll
  const store = new WatchedStore(inner, time.clock)
  assert.equal(await store.failure(), null)
  isBroken = true
  for (let question = 0; question < 3; question++) {
    await assert.rejects(write(store), StoreUnavailable)
    await store.transact(idle, null, serverTurn)
    await store.read(probeWrite as never, null, serverTurn)
    assert.equal(await store.failure(), 'away', `question ${question}`)
    await store.transact(idle, null, serverTurn)
    time.pass(500)
    assert.equal(await store.failure(), 'away', `question ${question}, later`)
  }
  isBroken = false
  assert.equal(await store.failure(), null)
})

test('a fault that no write has met yet is found within a second, whatever succeeds meanwhile', async () => {
  let isBroken = false
  const { store, time } = watched(async () => {
    if (isBroken) throw new StoreUnavailable('refused', { failure: 'full' })
  })
  assert.equal(await store.failure(), null)
  time.pass(999)
  await write(store)
  isBroken = true
  time.pass(1)
  assert.equal(await store.failure(), 'full')
})

test('a write that began before the last failure is no proof', async () => {
  const answers: ((error?: Error) => void)[] = []
  const { store } = watched(
    () =>
      new Promise((resolve, reject) => {
        answers.push((error) => (error ? reject(error) : resolve(undefined)))
      }),
  )
  const asked = store.failure()
  const other = assert.rejects(write(store), StoreUnavailable)
  answers[1]?.(new StoreUnavailable('refused', { failure: 'full' }))
  await other
  answers[0]?.()
  assert.equal(await asked, 'full')
  const again = store.failure()
  answers[2]?.()
  assert.equal(await again, null)
})

test('a mistake in a write of a caller is looked into, and is no failure of the store', async () => {
  let answer: () => Promise<unknown> = async () => {}
  const { store, writes } = watched(() => answer())
  assert.equal(await store.failure(), null)
  answer = async () => {
    throw new TypeError('a mistake')
  }
  await assert.rejects(write(store), TypeError)
  answer = async () => {}
  assert.equal(await store.failure(), null)
  assert.equal(writes(), 3)
})

test('a corrupt page that was read stays reported, whatever succeeds afterwards', async () => {
  let answer: () => Promise<unknown> = refused('corrupt')
  const { store } = watched(() => answer())
  await assert.rejects(store.read(probeWrite as never, null, serverTurn), StoreUnavailable)
  answer = async () => {}
  await write(store)
  assert.equal(await store.failure(), 'corrupt')
})

test('a write that never ends is waited for so long, and no second one is begun meanwhile', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const { store, writes } = watched(() => new Promise(() => {}))
  for (let turn = 0; turn < 2; turn++) {
    const asked = store.failure()
    t.mock.timers.tick(3_000)
    assert.equal(await asked, 'away')
  }
  assert.equal(writes(), 1)
})
