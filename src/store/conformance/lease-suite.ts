import assert from 'node:assert/strict'
import { once } from 'node:events'
import { it } from 'node:test'
import { systemClock } from '../../runtime/clock.ts'
import { DatabaseInUse, holdLease, type LeaseTiming } from '../server-lease.ts'
import type { Store } from '../store.ts'
import { ask, tell } from './functions.ts'
import type { Ground } from './ground.ts'

const brisk: LeaseTiming = { heartbeat: 20, timeToLive: 15_000, trusted: 13_000 }

const neverLost = () => assert.fail('the lease was lost')

function hold(store: Store, node: string, onLost: () => void = neverLost, timing?: LeaseTiming) {
  return holdLease(store, { node, clock: systemClock, onLost, ...(timing ? { timing } : {}) })
}

async function expiry(store: Store): Promise<number> {
  const [row] = await store.read(ask, `select value from service where name = 'server_lease'`)
  return JSON.parse(String(row?.value)).expires_at
}

/** One server for a database at a time. */
export function leaseSuite(ground: Ground): void {
  takingLaws(ground)
  keepingLaws(ground)
}

function takingLaws(ground: Ground): void {
  it('refuses a second node while the first holds the database', async () => {
    const [one, two] = (await ground.stores(2)) as [Store, Store]
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
    const [one, two] = (await ground.stores(2)) as [Store, Store]
    const crashed = await hold(one, 'node_one')
    const restarted = await hold(two, 'node_one')
    await restarted.release()
    await crashed.release()
  })

  it('gives a lease that ran out to whoever asks', async () => {
    const [one, two] = (await ground.stores(2)) as [Store, Store]
    const gone = await hold(one, 'node_one', neverLost, { ...brisk, heartbeat: 60_000, timeToLive: 0 })
    const lease = await hold(two, 'node_two')
    await gone.release()
    await assert.rejects(
      hold(one, 'node_one'),
      DatabaseInUse,
      'a late release takes nothing from the new holder',
    )
    await lease.release()
  })
}

function keepingLaws(ground: Ground): void {
  it('renews it, and trusts it for longer each time', async () => {
    const store = await ground.store()
    const startedAt = systemClock.monotonic()
    const lease = await hold(store, 'node_one', neverLost, {
      heartbeat: 50,
      timeToLive: 15_000,
      trusted: 500,
    })
    const before = await expiry(store)
    const heartbeats = new EventTarget()
    store.onCommit = () => heartbeats.dispatchEvent(new Event('commit'))
    while (systemClock.monotonic() < startedAt + 750) await once(heartbeats, 'commit')
    assert.ok((await expiry(store)) > before)
    await lease.release()
  })

  it('is lost at once when another node has it', async () => {
    const store = await ground.store()
    const lost = Promise.withResolvers<void>()
    const lease = await hold(store, 'node_one', lost.resolve, brisk)
    const usurper = JSON.stringify({ node: 'node_two', expires_at: Number.MAX_SAFE_INTEGER })
    await store.transact(tell, `update service set value = '${usurper}' where name = 'server_lease'`)
    await lost.promise
    await lease.release()
    assert.equal(await expiry(store), Number.MAX_SAFE_INTEGER)
  })

  it('is lost once when it cannot be renewed in time, and not before', async () => {
    const store = await ground.store()
    const lost = Promise.withResolvers<number>()
    let times = 0
    const startedAt = systemClock.monotonic()
    const timing = { heartbeat: 20, timeToLive: 500, trusted: 300 }
    await hold(
      store,
      'node_one',
      () => lost.resolve(systemClock.monotonic() - startedAt + 1_000_000 * times++),
      timing,
    )
    await store.close()
    const after = await lost.promise
    assert.ok(after >= 299 && after < 500_000, `lost after ${after} ms`)
    assert.equal(times, 1)
  })
}
