import assert from 'node:assert/strict'
import { once } from 'node:events'
import { it } from 'node:test'
import { holdLease, type LeaseTiming, usualTiming } from '../../../src/nodes/node-lease.ts'
import { declareGone, listNodes, type NodeRow } from '../../../src/nodes/node-store.ts'
import { systemClock } from '../../../src/runtime/clock.ts'
import { silentLog } from '../../../src/runtime/log.ts'
import {
  LeaseTaken,
  type SharedStore,
  type Store,
  StoreUnavailable,
  serverTurn,
} from '../../../src/store/store.ts'
import type { StoreFixture } from './fixture.ts'
import { ask, putAndWait, putThing, tellAsOwner, thing, thingNames } from './functions.ts'

const brisk: LeaseTiming = { ...usualTiming, beatEvery: 20 }
/** A process that trusts its lease for long, and does not look whether it has it. */
const silent: LeaseTiming = { ...usualTiming, beatEvery: 60_000 }

const neverTaken = () => assert.fail('the node was declared gone')

function hold(store: Store, id: string, onTaken: () => void = neverTaken, timing?: LeaseTiming) {
  const facts = { id, version: '1', media: 'postgres' }
  const holder = { ...facts, clock: systemClock, log: silentLog, onTaken, ...(timing ? { timing } : {}) }
  return holdLease(store as SharedStore, holder)
}

async function row(store: Store, id: string): Promise<NodeRow> {
  const found = (await store.read(listNodes, null)).find((node) => node.id === id)
  assert.ok(found)
  return found
}

const declare = async (store: Store, id: string) =>
  store.transact(declareGone, await row(store, id), serverTurn)

/** The leases of nodes that share a database. */
export function leaseSuite(fixture: StoreFixture): void {
  holdingLaws(fixture)
  goneLaws(fixture)
  writingLaws(fixture)
}

function holdingLaws(fixture: StoreFixture): void {
  it('lets several nodes write', async () => {
    const stores = (await fixture.stores(2)) as [Store, Store]
    const leases = await Promise.all(stores.map((store, index) => hold(store, `node_${index}`)))
    await Promise.all(leases.map(({ id, store }) => store.transact(putThing, thing(id), serverTurn)))
    assert.deepEqual((await stores[0].read(thingNames, null)).sort(), ['node_0', 'node_1'])
    for (const lease of leases) await lease.release()
    assert.deepEqual(
      (await stores[0].read(listNodes, null)).map(({ id, boot }) => [id, boot]),
      [
        ['node_0', ''],
        ['node_1', ''],
      ],
    )
  })

  it('gives a node to its next process at once, as after a crash', async () => {
    const [one, two] = (await fixture.stores(2)) as [Store, Store]
    const crashed = await hold(one, 'node_one')
    const restarted = await hold(two, 'node_one')
    await assert.rejects(crashed.store.transact(putThing, thing('late'), serverTurn), LeaseTaken)
    await crashed.release()
    assert.equal(
      (await row(two, 'node_one')).boot,
      restarted.boot,
      'a late release takes nothing from the new process',
    )
    await restarted.release()
  })

  it('beats, and is trusted for longer each time', async () => {
    const store = await fixture.store()
    const startedAt = systemClock.monotonic()
    const lease = await hold(store, 'node_one', neverTaken, { ...usualTiming, beatEvery: 50, trusted: 500 })
    const before = await row(store, 'node_one')
    const beats = new EventTarget()
    store.onCommit = () => beats.dispatchEvent(new Event('commit'))
    while (systemClock.monotonic() < startedAt + 750) await once(beats, 'commit')
    const after = await row(store, 'node_one')
    assert.ok(after.beat > before.beat)
    assert.ok(after.seen_at > before.seen_at)
    assert.equal(after.boot, before.boot)
    await lease.release()
  })
}

function goneLaws(fixture: StoreFixture): void {
  it('is not declared gone if it has beaten since it was looked at', async () => {
    const [one, two] = (await fixture.stores(2)) as [Store, Store]
    const lease = await hold(one, 'node_one', neverTaken, brisk)
    const seen = await row(two, 'node_one')
    while ((await row(two, 'node_one')).beat === seen.beat);
    assert.equal(await two.transact(declareGone, seen, serverTurn), false)
    await lease.store.transact(putThing, thing('still there'), serverTurn)
    await lease.release()
  })

  it('ends at once when it was declared gone, and leaves the store alone', async () => {
    const [one, two] = (await fixture.stores(2)) as [Store, Store]
    const taken = Promise.withResolvers<void>()
    const lease = await hold(one, 'node_one', taken.resolve, brisk)
    while (!(await declare(two, 'node_one')));
    await taken.promise
    assert.equal(lease.trusted, false)
    await assert.rejects(lease.store.transact(putThing, thing('late'), serverTurn), StoreUnavailable)
    const { beat } = await row(two, 'node_one')
    await lease.release()
    assert.equal((await row(two, 'node_one')).beat, beat)
  })
}

function writingLaws(fixture: StoreFixture): void {
  it('keeps nothing of a process whose node was declared gone, also where it has not heard of it', async () => {
    const [one, two] = (await fixture.stores(2)) as [Store, Store]
    const gone = await hold(one, 'node_one', neverTaken, silent)
    await gone.store.transact(putThing, thing('before'), serverTurn)
    assert.equal(await declare(two, 'node_one'), true)
    assert.equal(gone.trusted, true)
    const late = ['one', 'two'].map((name) => gone.store.transact(putThing, thing(name), serverTurn))
    for (const write of late) await assert.rejects(write, LeaseTaken)
    assert.deepEqual(await two.read(thingNames, null), ['before'])
    await gone.release()
  })

  it('is not declared gone while a write of its process is under way', async () => {
    const [one, two, observer] = (await fixture.stores(3)) as [Store, Store, Store]
    const lease = await hold(one, 'node_one', neverTaken, silent)
    let declared: Promise<boolean> | undefined
    let isDeclared = false
    const waiting = `select 1 from pg_locks where not granted
      and pid in (select pid from pg_stat_activity where datname = current_database())`
    const wait = async () => {
      declared = declare(two, 'node_one')
      void declared.then(() => {
        isDeclared = true
      })
      while (!isDeclared && (await observer.read(ask, waiting)).length === 0);
      assert.equal(isDeclared, false)
    }
    await lease.store.transact(putAndWait, { name: 'under way', wait }, serverTurn)
    assert.equal(await declared, true)
    assert.deepEqual(await observer.read(thingNames, null), ['under way'])
    await lease.release()
  })

  it('is refused to a version for which others have contracted the store since it was opened', async () => {
    const store = await fixture.store()
    await store.transact(
      tellAsOwner,
      `insert into migrations (name, expands, indexed) values ('9999-from-the-future', 0, 1)`,
    )
    await assert.rejects(hold(store, 'node_one'), /newer Posthorn.*9999-from-the-future.*start that version/)
    assert.equal((await row(store, 'node_one')).boot, '')
  })
}
