import assert from 'node:assert/strict'
import { afterEach, beforeEach, mock, test } from 'node:test'
import type { Log } from '../runtime/log.ts'
import {
  LeaseTaken,
  read,
  type SharedStore,
  StoreUnavailable,
  serverTurn,
  transaction,
} from '../store/store.ts'
import { holdLease, type NodeLease } from './node-lease.ts'
import { beat, joinNode } from './node-store.ts'

/*
 * The holder's side of the lease, with a time and a database that do what the test says. On PostgreSQL:
 * test/conformance/store/lease-suite.ts.
 */

const write = transaction('write', async () => 'written')
const look = read('look', async () => 'seen')
const away = () => Promise.reject(new StoreUnavailable('the database is away'))

beforeEach(() => mock.timers.enable({ apis: ['setTimeout'] }))
afterEach(() => mock.timers.reset())

/** Lets everything happen that waits for nothing but its turn. */
const settled = () => new Promise(setImmediate)

class LeaseFixture {
  now = 0
  readonly said: string[] = []
  readonly asked: string[] = []
  takenOver = 0
  /** Performs a transaction in place of the database, once the lease was taken. */
  answer: (name: string) => Promise<unknown> = async (name) => this.well(name)
  lease!: NodeLease
  #beats = 0

  /** Answers as a database does. */
  well(name: string): unknown {
    return name === beat.name ? ++this.#beats : 'written'
  }

  static async withLease(): Promise<LeaseFixture> {
    const fixture = new LeaseFixture()
    const store = {
      dialect: 'postgres',
      read: async () => 'seen',
      transact: async ({ name }: { name: string }) => {
        fixture.asked.push(name)
        return name === joinNode.name ? undefined : fixture.answer(name)
      },
      close: async () => {},
    } as unknown as SharedStore
    const say = (level: string) => (fields: unknown, text?: string) =>
      fixture.said.push(`${level}: ${typeof fields === 'string' ? fields : text}`)
    fixture.lease = await holdLease(store, {
      ...{ id: 'node_one', version: '1', media: 'postgres' },
      clock: { now: () => fixture.now, monotonic: () => fixture.now },
      log: { error: say('error'), warn: say('warn') } as unknown as Log,
      onTaken: () => fixture.takenOver++,
    })
    return fixture
  }

  /** Lets time pass, and every timer ring at its moment. */
  async pass(seconds: number): Promise<void> {
    for (let step = 0; step < seconds * 10; step++) {
      this.now += 100
      mock.timers.tick(100)
      await settled()
    }
  }

  /** The process stands still while time goes on, as if it were stopped. */
  async standStill(seconds: number): Promise<void> {
    this.now += seconds * 1000
  }

  get beats(): number {
    return this.asked.filter((name) => name === beat.name).length
  }

  write(): Promise<unknown> {
    return this.lease.store.transact(write, undefined, serverTurn)
  }
}

const refused = (error: unknown) =>
  error instanceof StoreUnavailable && /lease .* is uncertain/.test(error.message)

test('a lease that is renewed is trusted', async () => {
  const fixture = await LeaseFixture.withLease()
  await fixture.pass(60)
  assert.equal(fixture.lease.trusted, true)
  assert.equal(await fixture.write(), 'written')
  assert.ok(fixture.beats >= 11 && fixture.beats <= 12, `${fixture.beats} beats`)
  assert.deepEqual(fixture.said, [])
})

test('while the database is away, nothing is written from 13 s after the last beat on; when it is back, it goes on', async () => {
  const fixture = await LeaseFixture.withLease()
  fixture.answer = away
  await fixture.pass(12.9)
  assert.equal(fixture.lease.trusted, true)
  await fixture.pass(0.1)
  assert.equal(fixture.lease.trusted, false)
  await fixture.pass(60)

  const asked = fixture.asked.length
  await assert.rejects(fixture.write(), refused)
  assert.equal(fixture.asked.length, asked, 'the database is left alone')
  assert.equal(await fixture.lease.store.read(look, undefined, serverTurn), 'seen')

  fixture.answer = async (name) => fixture.well(name)
  await fixture.pass(0.5)
  assert.equal(fixture.lease.trusted, true)
  assert.equal(await fixture.write(), 'written')
  await fixture.pass(60)
  assert.equal(fixture.takenOver, 0)
  assert.equal(fixture.said.length, 2, 'said once when it began and once when it was over')
  assert.match(fixture.said[0] ?? '', /^error: .*nothing is accepted or sent/)
  assert.match(fixture.said[1] ?? '', /^warn: .*resuming/)
})

test('a beat counts from when it was asked for, however late its answer comes', async () => {
  const fixture = await LeaseFixture.withLease()
  let release = () => {}
  fixture.answer = () => new Promise((resolve) => (release = () => resolve(1)))
  await fixture.pass(12)
  release()
  await settled()
  await fixture.pass(5.9)
  assert.equal(fixture.lease.trusted, true)
  await fixture.pass(0.1)
  assert.equal(fixture.lease.trusted, false, 'asked for at 5 s, it lasts until 18 s')
})

test('after a pause of the process nothing is written before the lease is renewed, and no timer has to ring for that', async () => {
  const fixture = await LeaseFixture.withLease()
  await fixture.standStill(20)
  await assert.rejects(fixture.write(), refused)
  assert.equal(fixture.beats, 0)
  await fixture.pass(5)
  assert.equal(await fixture.write(), 'written')
  assert.equal(fixture.takenOver, 0)
})

test('a write whose answer comes after the trust has ended is not acted on', async () => {
  const fixture = await LeaseFixture.withLease()
  fixture.answer = async (name) => {
    if (name === write.name) fixture.now += 20_000
    return fixture.well(name)
  }
  await assert.rejects(fixture.write(), refused)
})

test('that the others have declared the node gone is reported once, and nothing is written or asked from then on', async () => {
  const fixture = await LeaseFixture.withLease()
  fixture.answer = () => Promise.reject(new LeaseTaken('declared gone'))
  await fixture.pass(5)
  assert.equal(fixture.takenOver, 1)
  assert.equal(fixture.lease.trusted, false)
  await assert.rejects(fixture.write(), refused)
  const asked = fixture.asked.length
  await fixture.pass(60)
  await fixture.lease.release()
  assert.deepEqual([fixture.takenOver, fixture.asked.length], [1, asked])
})

test('a full disk behind it is told as such', async () => {
  const fixture = await LeaseFixture.withLease()
  fixture.answer = () => Promise.reject(new StoreUnavailable('no room', { full: true }))
  await fixture.pass(14)
  await assert.rejects(fixture.write(), (error) => error instanceof StoreUnavailable && error.full)
})

test('a lease that was given back is renewed no more, and a database that is away does not keep it', async () => {
  const fixture = await LeaseFixture.withLease()
  fixture.answer = away
  await fixture.lease.release()
  const asked = fixture.asked.length
  await fixture.pass(60)
  assert.equal(fixture.asked.length, asked)
  assert.equal(fixture.takenOver, 0)
})

test('a database that counts lower than before has lost history: that is reported once, and nothing is written from then on', async () => {
  const fixture = await LeaseFixture.withLease()
  await fixture.pass(20)
  fixture.answer = async () => 2
  await fixture.pass(5)
  assert.equal(fixture.takenOver, 1)
  await assert.rejects(fixture.write(), refused)
})
