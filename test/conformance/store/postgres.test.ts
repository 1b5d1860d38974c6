import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import { joinNode } from '../../../src/nodes/node-store.ts'
import { openPostgresStore } from '../../../src/store/postgres/postgres.ts'
import { LeaseTaken, type SharedStore, type Store, StoreUnavailable } from '../../../src/store/store.ts'
import { startTcpProxy } from '../../kit/far-ends/tcp-proxy.ts'
import { startOwnPostgres } from '../../kit/postgres.ts'
import { measureOwnTime } from '../../kit/run/own-time.ts'
import { storeFixture } from './fixture.ts'
import {
  addToAmount,
  ask,
  createThings,
  echoTransaction,
  functions,
  putAndTell,
  putAndWait,
  putThing,
  tell,
  thing,
  thingNames,
} from './functions.ts'
import { leaseSuite } from './lease-suite.ts'
import { lockSuite } from './lock-suite.ts'
import { storeSuite } from './suite.ts'

const postgres = await startOwnPostgres()
const server = postgres.available ? postgres.server : undefined
after(() => server?.stop())

const open = (url: string) => openPostgresStore({ url, functions })

/** Rejects with StoreUnavailable, and soon: `within` milliseconds of our own time. */
async function isUnavailable(asked: Promise<unknown>, within = 5_500): Promise<StoreUnavailable> {
  const ownTime = measureOwnTime()
  const error = await asked.then(
    () => assert.fail('it succeeded'),
    (error) => error,
  )
  const took = ownTime()
  assert.ok(error instanceof StoreUnavailable, String(error?.stack))
  assert.ok(took < within, `it took ${took} ms`)
  return error
}

/** Asks until the store answers its writers and its readers again, which it must do by itself. */
async function healed(store: Store): Promise<void> {
  await answered(() => store.transact(echoTransaction, 'well'))
  await answered(() => store.read(ask, 'select 1'))
}

async function answered(asking: () => Promise<unknown>): Promise<void> {
  for (;;) {
    const succeeded = await asking().then(
      () => true,
      (error) => {
        assert.ok(error instanceof StoreUnavailable, String(error?.stack))
        return false
      },
    )
    if (succeeded) return
  }
}

if (!server) {
  it('the PostgreSQL store', { skip: postgres.available ? false : postgres.reason }, () => {})
} else {
  describe('the PostgreSQL store', () => {
    const fixture = storeFixture(async () => {
      const url = await server.createDatabase()
      return () => open(url)
    })
    // First, because a server that crashed syncs the files of every database that was made before.
    describe('without its server', () => {
      it('says so soon while the server is down, and goes on when it is back', async () => {
        const store = await fixture.store()
        await store.transact(putThing, thing('before'))
        await server.down()
        await isUnavailable(store.transact(putThing, thing('during')), 3_000)
        await isUnavailable(store.read(thingNames, null), 3_000)
        await server.up()
        await healed(store)
        assert.deepEqual(await store.read(thingNames, null), ['before'])
      })

      it('says so soon while the server hangs, and goes on when it moves', async () => {
        const store = await fixture.store()
        await server.freeze()
        const asked = Array.from({ length: 20 }, (_, index) => [
          store.transact(putThing, thing(`during ${index}`)),
          store.read(thingNames, null),
        ]).flat()
        await Promise.all(asked.map((it) => isUnavailable(it)))
        await isUnavailable(store.transact(putThing, thing('later')), 3_000)
        server.thaw()
        await healed(store)
        await store.read(thingNames, null)
      })
    })

    storeSuite(fixture)

    describe('on a thread of its own', () => {
      const thread = new URL('thread.ts', import.meta.url)
      const threaded = storeFixture(async () => {
        const url = await server.createDatabase()
        return () => openPostgresStore({ url, functions, thread })
      })
      storeSuite(threaded)

      it('tells from others the failure of a write whose lease was taken', async () => {
        const [holder, other] = (await threaded.stores(2)) as [SharedStore & Store, Store]
        const node = { id: 'node_one', version: '1', media: 'postgres', started_at: 0 }
        await other.transact(joinNode, { ...node, boot: 'first' })
        holder.node = { id: 'node_one', boot: 'first' }
        await holder.transact(putThing, thing('before'))
        await other.transact(joinNode, { ...node, boot: 'second' })
        await assert.rejects(holder.transact(putThing, thing('after')), LeaseTaken)
        assert.deepEqual(await holder.read(thingNames, null), ['before'])
      })

      it('says why it could not be opened', async () => {
        const url = await server.createDatabase()
        const opening = openPostgresStore({ url: `${url}-missing`, functions, thread })
        await assert.rejects(opening, { name: 'DatabaseUnusable', message: /create the database/ })
      })
    })

    describe('leases of nodes', () => leaseSuite(fixture))

    describe('locks', () => lockSuite(fixture))

    describe('that fails', () => {
      it('survives the end of its connection in the middle of a transaction', async () => {
        const store = await fixture.store()
        // Only the user may end a connection of its own.
        const text = `do $$ begin reset role; perform pg_terminate_backend(pg_backend_pid()); end $$`
        await isUnavailable(store.transact(putAndTell, { name: 'cut', text }), 2_000)
        await isUnavailable(store.read(ask, text), 2_000)
        await healed(store)
        assert.deepEqual(await store.read(thingNames, null), [])
      })

      it('survives the end of its connection between two statements', async () => {
        const store = await fixture.store()
        const cut = () =>
          server.query(
            `select pg_terminate_backend(pid, 1000) from pg_stat_activity where state = 'idle in transaction'`,
          )
        await isUnavailable(store.transact(putAndWait, { name: 'cut', wait: cut }))
        await healed(store)
        assert.deepEqual(await store.read(thingNames, null), [])
      })

      it('survives the end of all its idle connections', async () => {
        const store = await fixture.store()
        await Promise.all(Array.from({ length: 4 }, () => store.read(thingNames, null)))
        await server.query(
          `select pg_terminate_backend(pid, 1000) from pg_stat_activity where application_name = 'posthorn'`,
        )
        await healed(store)
        await store.transact(putThing, thing('after'))
        assert.deepEqual(await store.read(thingNames, null), ['after'])
      })

      it('tells a full disk from other failures', async () => {
        const store = await fixture.store()
        const text = `do $$ begin raise exception 'no space left on device' using errcode = '53100'; end $$`
        const error = await isUnavailable(store.transact(putAndTell, { name: 'too much', text }))
        assert.equal(error.full, true)
        assert.deepEqual(await store.read(thingNames, null), [])
      })

      it('gives up a statement that takes too long, and those that wait behind it', async () => {
        const store = await fixture.store()
        const slow = store.transact(putAndTell, { name: 'slow', text: 'select pg_sleep(60)' })
        const behind = new Promise((resolve) => setImmediate(() => setImmediate(resolve))).then(() =>
          store.transact(putThing, thing('behind')),
        )
        await Promise.all([
          isUnavailable(slow, 4_000),
          isUnavailable(behind, 4_000),
          isUnavailable(store.read(ask, 'select pg_sleep(60)'), 4_000),
        ])
        await healed(store)
        assert.deepEqual(await store.read(thingNames, null), [])
      })

      it('performs again what PostgreSQL undid for another transaction', async () => {
        const [one, two] = (await fixture.stores(2)) as [Store, Store]
        await one.transact(putThing, thing('counter', { amount: 0 }))
        await Promise.all(
          [one, two].flatMap((store) =>
            [1, 2, 3].map(() => store.transact(addToAmount, { name: 'counter' })),
          ),
        )
        const [row] = await one.read(ask, `select amount from things`)
        assert.equal(row?.amount, 6)
      })

      for (const isKept of [true, false])
        it(`does not repeat what it could not hear the end of, and which was ${isKept ? 'kept' : 'lost'}`, async (t) => {
          const database = new URL(await server.createDatabase())
          const direct = await open(String(database))
          const proxy = await startTcpProxy({ port: Number(database.port) })
          const store = await open(Object.assign(new URL(database), { port: proxy.port }).href)
          t.after(() => Promise.all([store.close(), direct.close()]).finally(() => proxy.stop()))
          await direct.transact(createThings, null)
          await direct.transact(putThing, thing('counter', { amount: 0 }))
          if (!isKept) proxy.holdFrom(/COMMIT(?!T)/)
          const cut = proxy.sees('to-server', /update "things".*COMMIT(?!T)/s).then(async () => {
            if (isKept) proxy.hold('to-client')
            while (isKept && (await amount()) === 0);
            proxy.cut()
          })
          const amount = async () => (await direct.read(ask, `select amount from things`))[0]?.amount
          await isUnavailable(store.transact(addToAmount, { name: 'counter' }))
          await cut
          proxy.release()
          await healed(store)
          assert.equal(await amount(), isKept ? 1 : 0)
        })

      it('goes on without prepared statements when a pooler loses them', async () => {
        const store = await fixture.store()
        await store.transact(putThing, thing('prepared'))
        await store.transact(tell, 'deallocate all')
        await store.transact(putThing, thing('prepared again'))
        assert.deepEqual(await store.read(thingNames, null), ['prepared', 'prepared again'])
      })

      it('acknowledges nothing that a named standby did not confirm', async () => {
        const store = await fixture.store()
        await withSetting('synchronous_standby_names', 'nobody', async () => {
          // The server begins to wait for the standby some moments after it took the setting.
          let refusal: unknown
          for (let index = 0; !refusal; index++)
            await store.transact(putThing, thing(`unconfirmed ${index}`)).catch((error) => {
              refusal = error
            })
          assert.ok(refusal instanceof StoreUnavailable)
          let waiting = true
          const canceled = isUnavailable(store.transact(putThing, thing('canceled')), 4_000).finally(() => {
            waiting = false
          })
          const cancel = `select pg_cancel_backend(pid) from pg_stat_activity where wait_event = 'SyncRep'`
          while (waiting) await server.query(cancel)
          assert.match((await canceled).message, /canceling wait for synchronous replication/)
        })
        await healed(store)
      })
    })

    describe('opening', () => {
      it('refuses a server that does not keep what it commits', async () => {
        const url = await server.createDatabase()
        const database = new URL(url).pathname.slice(1)
        for (const mode of ['off', 'local', 'remote_write']) {
          await server.query(`alter database ${database} set synchronous_commit = '${mode}'`)
          await assert.rejects(open(url), new RegExp(`synchronous_commit is ${mode}.*set it to on`))
        }
        await server.query(`alter database ${database} set synchronous_commit = remote_apply`)
        await (await open(url)).close()
        await withSetting('fsync', 'off', () => assert.rejects(open(url), /fsync is off.*set fsync = on/))
      })

      it('refuses a database that cannot hold every character', async () => {
        const url = await server.createDatabase(`encoding 'LATIN1' template template0`)
        await assert.rejects(open(url), /encoding is LATIN1.*ENCODING 'UTF8'/)
      })

      it('says where nothing answers', async () => {
        await assert.rejects(open('postgres://posthorn@127.0.0.1:1/none'), /ECONNREFUSED/)
      })

      it('keeps commits durable when the setting is changed under it', async () => {
        const store = await fixture.store()
        await withSetting('synchronous_commit', 'off', async () => {
          const rows = await store.transact(tell, 'show synchronous_commit')
          assert.deepEqual(rows, [{ synchronous_commit: 'on' }])
        })
      })
    })

    /** Runs the whole server with another setting for a while. */
    async function withSetting(name: string, value: string, body: () => Promise<unknown>): Promise<void> {
      const set = async (sentence: string) => {
        const before = await server?.query(`show ${name}`)
        await server?.query(sentence)
        await server?.query('select pg_reload_conf()')
        while (isDeepStrictEqual(await server?.query(`show ${name}`), before));
      }
      await set(`alter system set ${name} = '${value}'`)
      try {
        await body()
      } finally {
        await set(`alter system reset ${name}`)
      }
    }
  })
}
