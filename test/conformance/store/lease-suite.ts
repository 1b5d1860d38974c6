import assert from 'node:assert/strict'
import { once } from 'node:events'
import { it } from 'node:test'
import { systemClock } from '../../../src/runtime/clock.ts'
import { silentLog } from '../../../src/runtime/log.ts'
import { DatabaseInUse, holdLease, type LeaseTiming } from '../../../src/store/server-lease.ts'
import {
  LeaseTaken,
  type SharedStore,
  type Store,
  StoreUnavailable,
  serverTurn,
} from '../../../src/store/store.ts'
import type { StoreFixture } from './fixture.ts'
import { ask, putAndWait, putThing, thing, thingNames } from './functions.ts'

const brisk: LeaseTiming = { heartbeat: 20, timeToLive: 15_000, trusted: 13_000 }
/** A lease that others may take at once, while its holder trusts it and does not look. */
const expired: LeaseTiming = { heartbeat: 60_000, timeToLive: 0, trusted: 13_000 }

const neverTaken = () => assert.fail('the lease was taken')

function hold(store: Store, node: string, onTaken: () => void = neverTaken, timing?: LeaseTiming) {
  const holder = { node, clock: systemClock, log: silentLog, onTaken, ...(timing ? { timing } : {}) }
  return holdLease(store as SharedStore, holder)
}

async function row(store: Store): Promise<{ node: string; term: number; expires_at: number }> {
  const [found] = await store.read(ask, `select value from service where name = 'server_lease'`)
  return JSON.parse(String(found?.value))
}

/** One server for a database at a time. */
export function leaseSuite(fixture: StoreFixture): void {
  takingLaws(fixture)
  keepingLaws(fixture)
  writingLaws(fixture)
}

function takingLaws(fixture: StoreFixture): void {
  it('refuses a second node while the first holds the database', async () => {
    const [one, two] = (await fixture.stores(2)) as [Store, Store]
    const lease = await hold(one, 'node_one')
    await assert.rejects(hold(two, 'node_two'), (error) => {
      assert.ok(error instanceof DatabaseInUse)
      assert.match(error.message, /node_one.*15 s/)
      return true
    })
    await lease.release()
    await (await hold(two, 'node_two')).release()
  })

  it('gives the same node its lease again at once, as after a crash', async () => {
    const [one, two] = (await fixture.stores(2)) as [Store, Store]
    const crashed = await hold(one, 'node_one')
    const restarted = await hold(two, 'node_one')
    await assert.rejects(crashed.store.transact(putThing, thing('late'), serverTurn), LeaseTaken)
    await restarted.release()
    await crashed.release()
  })

  it('gives a lease that ran out to whoever asks', async () => {
    const [one, two] = (await fixture.stores(2)) as [Store, Store]
    const gone = await hold(one, 'node_one', neverTaken, expired)
    const lease = await hold(two, 'node_two')
    await gone.release()
    assert.equal((await row(two)).node, 'node_two', 'a late release takes nothing from the new holder')
    await lease.release()
  })

  it('counts its terms, also over a lease that was given back', async () => {
    for (const [index, store] of (await fixture.stores(3)).entries()) {
      const lease = await hold(store, `node_${index}`)
      assert.equal((await row(store)).term, index + 1)
      await lease.release()
    }
  })
}

function keepingLaws(fixture: StoreFixture): void {
  it('renews it, and trusts it for longer each time', async () => {
    const store = await fixture.store()
    const startedAt = systemClock.monotonic()
    const timing = { heartbeat: 50, timeToLive: 15_000, trusted: 500 }
    const lease = await hold(store, 'node_one', neverTaken, timing)
    const before = await row(store)
    const heartbeats = new EventTarget()
    store.onCommit = () => heartbeats.dispatchEvent(new Event('commit'))
    while (systemClock.monotonic() < startedAt + 750) await once(heartbeats, 'commit')
    const after = await row(store)
    assert.ok(after.expires_at > before.expires_at)
    assert.equal(after.term, before.term)
    await lease.release()
  })

  it('ends at once when another node has it, and leaves it alone', async () => {
    const [one, two] = (await fixture.stores(2)) as [Store, Store]
    const taken = Promise.withResolvers<void>()
    const lease = await hold(one, 'node_one', taken.resolve, { ...brisk, timeToLive: 0 })
    const other = await hold(two, 'node_two')
    const { expires_at } = await row(two)
    await taken.promise
    assert.equal(lease.trusted, false)
    await assert.rejects(lease.store.transact(putThing, thing('late'), serverTurn), StoreUnavailable)
    await lease.release()
    assert.deepEqual(await row(two), { node: 'node_two', term: 2, expires_at })
    await other.release()
  })
}

function writingLaws(fixture: StoreFixture): void {
  it('keeps nothing of a holder that was replaced, also where that has not heard of it', async () => {
    const [one, two] = (await fixture.stores(2)) as [Store, Store]
    const replaced = await hold(one, 'node_one', neverTaken, expired)
    await replaced.store.transact(putThing, thing('before'), serverTurn)
    const lease = await hold(two, 'node_two')
    await lease.release()
    assert.equal(replaced.trusted, true)
    const late = ['one', 'two'].map((name) => replaced.store.transact(putThing, thing(name), serverTurn))
    for (const write of late) await assert.rejects(write, LeaseTaken)
    assert.deepEqual(await two.read(thingNames, null), ['before'])
    await replaced.release()
  })

  it('is not taken while a write of its holder is under way', async () => {
    const [one, two, observer] = (await fixture.stores(3)) as [Store, Store, Store]
    const lease = await hold(one, 'node_one', neverTaken, expired)
    let other: ReturnType<typeof hold> | undefined
    let taken = false
    const waiting = `select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`
    const wait = async () => {
      other = hold(two, 'node_two')
      void other.then(() => {
        taken = true
      })
      while (!taken && (await observer.read(ask, waiting)).length === 0);
      assert.equal(taken, false)
    }
    await lease.store.transact(putAndWait, { name: 'under way', wait }, serverTurn)
    await (await other)?.release()
    assert.deepEqual(await observer.read(thingNames, null), ['under way'])
    await lease.release()
  })
}
