import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FakeTime } from '../../../test/kit/fake-time.ts'
import { type Callback, UnreadableCallback } from '../../networks/driver/abilities/callbacks.ts'
import type { DriverConnection } from '../../networks/driver/connection.ts'
import { FairSemaphore } from '../../runtime/limits/fair-semaphore.ts'
import { silentLog } from '../../runtime/log.ts'
import { type Store, StoreUnavailable } from '../../store/store.ts'
import { CallbackDelivery, type Handling } from './callback-delivery.ts'

/** A delivery with the state of its store and its connection, and the outcomes of its callbacks. */
class Fixture {
  isAway = false
  isFull = false
  readonly received: string[] = []
  readonly counted: [Handling, number][] = []
  /** Returns true if the reports of a callback are stored. */
  isStored: (callback: Callback) => boolean | Promise<boolean> = () => true
  receive: (callback: Callback) => Promise<void> = async () => {}
  present: DriverConnection | undefined
  rows: { seq: number; id: string; received_at: number; body: Uint8Array }[]

  constructor(bodies: readonly string[]) {
    this.rows = bodies.map((text, seq) => ({ seq, id: text, received_at: 1, body: Buffer.from(text) }))
  }

  readonly store = {
    read: (_: unknown, { limit }: { limit: number }) => this.#answer(this.rows.slice(0, limit)),
    transact: (_: unknown, { handled }: { handled: readonly { id: string }[] }) => {
      if (!this.isAway) this.rows = this.rows.filter((row) => !handled.some(({ id }) => id === row.id))
      return this.#answer(undefined)
    },
  } as unknown as Store

  #answer<T>(value: T): Promise<T> {
    return this.isAway ? Promise.reject(new StoreUnavailable('the store is away')) : Promise.resolve(value)
  }

  connection(): DriverConnection {
    const receive = async (callback: Callback) => {
      this.received.push(callback.body.toString())
      await this.receive(callback)
      return { stored: Promise.resolve(this.isStored(callback)) }
    }
    return { receive } as unknown as DriverConnection
  }
}

/** The callbacks of one instance, with a store and a connection that do what the test says. */
function setUp(...bodies: readonly string[]) {
  const time = new FakeTime()
  const fixture = new Fixture(bodies)
  const parties = new FairSemaphore({ limit: 1 })
  const context = {
    ...time,
    store: fixture.store,
    log: silentLog,
    callbackTurns: parties,
    metrics: {
      countCallbacks: (handling: Handling, count: number) => fixture.counted.push([handling, count]),
    },
    incomingCapacity: { isShut: () => fixture.isFull, whenOpen: async () => {} },
  }
  const delivery = new CallbackDelivery(context, {
    id: 'inst_1',
    organization_id: 'org_1',
    connection: () => fixture.present,
    repeatable: () => () => {},
  })
  const open = () => {
    fixture.present = fixture.connection()
    delivery.wake()
  }
  return { fixture, time, delivery, open, parties, left: () => fixture.rows.map(({ id }) => id) }
}

const done = () => new Promise(setImmediate)

/** Lets time pass second by second, so that what happens in between takes its turns. */
async function pass(time: FakeTime, seconds: number): Promise<void> {
  for (let second = 0; second < seconds; second++) {
    time.pass(1_000)
    await done()
  }
}

test('callbacks wait for an open connection, and are then handed over once, in order', async () => {
  const { fixture, delivery, open, left } = setUp('a', 'b', 'c')
  delivery.wake()
  await done()
  assert.deepEqual([fixture.received, left()], [[], ['a', 'b', 'c']])
  open()
  await done()
  assert.deepEqual([fixture.received, left()], [['a', 'b', 'c'], []])
  assert.deepEqual(fixture.counted, [['handled', 3]])
})

test('callbacks are deleted only once everything that was reported for them is stored', async () => {
  const { fixture, open, left } = setUp('a', 'b', 'c')
  const stored = Promise.withResolvers<boolean>()
  fixture.isStored = ({ id }) => (id === 'b' ? stored.promise : true)
  open()
  await done()
  assert.deepEqual(
    [fixture.received, left()],
    [
      ['a', 'b', 'c'],
      ['a', 'b', 'c'],
    ],
  )
  stored.resolve(true)
  await done()
  assert.deepEqual([fixture.received, left()], [['a', 'b', 'c'], []])
})

test('one that nobody can ever read holds up the others at no time', async () => {
  const { fixture, open, left } = setUp('good', 'bad', 'later')
  fixture.receive = async ({ id }) => {
    if (id === 'bad') throw new UnreadableCallback('it is no callback')
  }
  open()
  await done()
  assert.deepEqual([fixture.received, left()], [['good', 'bad', 'later'], []])
  assert.deepEqual(fixture.counted, [
    ['handled', 1],
    ['skipped', 1],
    ['handled', 1],
  ])
})

test('one that cannot be handled is tried five times, and then holds up the others no longer', async () => {
  const { fixture, time, open, left } = setUp('good', 'bad', 'later')
  fixture.receive = async ({ id }) => {
    if (id === 'bad') throw new Error('cannot be understood')
  }
  open()
  await pass(time, 14)
  assert.deepEqual(
    [fixture.received, left()],
    [
      ['good', 'bad', 'bad', 'bad', 'bad'],
      ['bad', 'later'],
    ],
  )
  await pass(time, 2)
  assert.deepEqual(left(), [])
  assert.deepEqual(fixture.counted.slice(-2), [
    ['skipped', 1],
    ['handled', 1],
  ])
})

test('one that never ends is given up, and lets another instance have its turn', async () => {
  const { fixture, time, open, parties } = setUp('endless')
  fixture.receive = () => new Promise(() => {})
  open()
  await pass(time, 29)
  assert.equal(parties.running, 1)
  await pass(time, 2)
  assert.deepEqual([parties.running, fixture.counted], [0, [['again', 1]]])
})

test('what was reported while the connection was replaced counts as not handled', async () => {
  const { fixture, open, delivery, left } = setUp('a', 'b')
  fixture.receive = async ({ id }) => {
    if (id === 'b' && fixture.received.length === 2) fixture.present = fixture.connection()
  }
  open()
  await done()
  delivery.wake()
  await done()
  assert.deepEqual([fixture.received, left()], [['a', 'b', 'b'], []])
})

test('a store that is away costs no callback and no try, however long it is', async () => {
  const { fixture, time, open, left } = setUp('a')
  fixture.receive = async () => {
    fixture.isAway = true
  }
  open()
  await pass(time, 100)
  assert.deepEqual([fixture.received, left()], [['a'], ['a']])
  fixture.receive = async () => {}
  fixture.isAway = false
  await pass(time, 2)
  assert.deepEqual([fixture.received, left()], [['a', 'a'], []])
})

test('what could not be stored because there is no room comes again, however often', async () => {
  const { fixture, time, open, left } = setUp('a', 'b')
  fixture.isFull = true
  fixture.isStored = () => false
  open()
  await pass(time, 30)
  assert.deepEqual(left(), ['a', 'b'])
  fixture.isFull = false
  fixture.isStored = () => true
  await pass(time, 2)
  assert.deepEqual(left(), [])
})

test('what can never be stored is skipped after five tries of its own, and the others are not', async () => {
  const { fixture, time, open, left } = setUp('good', 'bad', 'later')
  fixture.isStored = ({ id }) => id !== 'bad'
  open()
  await pass(time, 60)
  assert.deepEqual(left(), [])
  assert.deepEqual(
    fixture.counted.filter(([handling]) => handling === 'skipped'),
    [['skipped', 1]],
  )
})

test('nothing is handed over any longer once the instance has ended', async () => {
  const { fixture, time, open, delivery, left } = setUp('a')
  delivery.end()
  open()
  await pass(time, 5)
  assert.deepEqual([fixture.received, left()], [[], ['a']])
})
