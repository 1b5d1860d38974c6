import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { DatabaseSync } from 'node:sqlite'
import { after, afterEach, describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { openSqliteStore } from '../../../src/store/sqlite/sqlite.ts'
import { type Store, StoreUnavailable } from '../../../src/store/store.ts'
import { smallDisk } from '../../kit/crash/small-disk.ts'
import { endWithUs } from '../../kit/processes/end-with-us.ts'
import { measureOwnTime } from '../../kit/run/own-time.ts'
import { storeFixture } from './fixture.ts'
import {
  createThings,
  echoTransaction,
  putThing,
  returnFunction,
  tell,
  thing,
  thingNamed,
  thingNames,
} from './functions.ts'
import { storeSuite } from './suite.ts'

const folder = mkdtempSync(join(tmpdir(), 'posthorn-sqlite-'))
after(() => rmSync(folder, { recursive: true, force: true }))

let files = 0
const newFile = () => join(folder, `${++files}.db`)
const opened: Store[] = []
// A store that a failed test left open would keep the process alive.
afterEach(() => Promise.all(opened.splice(0).map((store) => store.close())))

async function open(file: string): Promise<Store> {
  const store = await openSqliteStore({ file, thread: new URL('./thread.ts', import.meta.url) })
  opened.push(store)
  return store
}

describe('the SQLite store', () => {
  const fixture = storeFixture(async () => {
    const file = newFile()
    return () => open(file)
  })
  storeSuite(fixture)

  it('syncs every commit to the disk', async () => {
    const store = await fixture.store()
    assert.deepEqual(await store.transact(tell, 'PRAGMA synchronous'), [{ synchronous: 2 }])
    assert.deepEqual(await store.transact(tell, 'PRAGMA journal_mode'), [{ journal_mode: 'wal' }])
    assert.deepEqual(await store.transact(tell, 'PRAGMA fullfsync'), [{ fullfsync: 1 }])
  })

  it('fails alone the call whose arguments or answer cannot cross to the thread', async () => {
    const store = await fixture.store()
    const outcomes = await Promise.allSettled([
      store.transact(echoTransaction, 'before'),
      store.transact(echoTransaction, () => 1),
      store.transact(returnFunction, null),
      store.transact(echoTransaction, 'after'),
    ])
    assert.deepEqual(
      outcomes.map((outcome) => (outcome.status === 'rejected' ? 'rejected' : outcome.value)),
      ['before', 'rejected', 'rejected', 'after'],
    )
    await store.transact(putThing, thing('later'))
  })

  it('lets another process write at the same time', async () => {
    const file = newFile()
    const store = await open(file)
    await store.transact(createThings, null)
    const other = writer(file, 'other', 300)
    const exited = once(other, 'exit')
    await once(lines(other), 'line')
    for (let index = 0; index < 300; index++) await store.transact(putThing, thing(`own-${index}`))
    assert.deepEqual(await exited, [0, null])
    assert.equal((await store.read(thingNames, null)).length, 600)
    await store.close()
  })
})

describe('the SQLite store, while another program holds the lock of its file', () => {
  it('refuses everybody soon, however many wait; it still reads, and goes on once the lock is gone', async () => {
    const file = newFile()
    const store = await open(file)
    await store.transact(createThings, null)
    await store.transact(putThing, thing('before'))
    const other = new DatabaseSync(file)
    other.exec('BEGIN IMMEDIATE')
    const ownTime = measureOwnTime()
    const writes = Array.from({ length: 3_000 }, (_, index) => store.transact(putThing, thing(`${index}`)))
    for (const outcome of await Promise.allSettled(writes))
      assert.ok(outcome.status === 'rejected' && outcome.reason instanceof StoreUnavailable)
    const waited = ownTime()
    assert.ok(waited < 3_000, `the last was told after ${waited} ms`)
    assert.deepEqual(await store.read(thingNames, null), ['before'])
    other.exec('ROLLBACK')
    other.close()
    await store.transact(putThing, thing('after'))
    assert.deepEqual(await store.read(thingNames, null), ['before', 'after'])
    await store.close()
  })
})

describe('the SQLite store, killed while it writes', () => {
  it('has every write that it acknowledged, each time', async () => {
    const file = newFile()
    const first = await open(file)
    await first.transact(createThings, null)
    await first.close()
    for (const [life, writes] of [50, 700, 3000].entries()) {
      const acknowledged = await killAfter(writer(file, `life-${life}`, 1e9), writes)
      const store = await open(file)
      const kept = new Set(await store.read(thingNames, null))
      assert.ok(acknowledged.length >= writes)
      assert.deepEqual(
        acknowledged.filter((name) => !kept.has(name)),
        [],
      )
      await store.close()
    }
    const database = new DatabaseSync(file)
    assert.deepEqual({ ...database.prepare('PRAGMA integrity_check').get() }, { integrity_check: 'ok' })
    database.close()
  })
})

describe('the SQLite store on a full disk', () => {
  it('says so, keeps what it has, still reads, and goes on when there is space', async () => {
    const store = await open(newFile())
    await store.transact(createThings, null)
    await store.transact(tell, 'PRAGMA max_page_count = 100')
    await fillAndHeal(store, () => store.transact(tell, 'PRAGMA max_page_count = 100000'))
  })

  const mounted = smallDisk()
  it('does the same on a disk that is really full', {
    skip: mounted ? false : 'needs root and mount',
  }, async () => {
    const disk = mounted as string
    writeFileSync(join(disk, 'filler'), Buffer.alloc(3 * 1024 * 1024))
    const store = await open(join(disk, 'store.db'))
    await store.transact(createThings, null)
    await fillAndHeal(store, async () => rmSync(join(disk, 'filler')))
  })
})

/** Writes until there is no space, and again after `makeSpace`. */
async function fillAndHeal(store: Store, makeSpace: () => Promise<unknown>): Promise<void> {
  const note = 'x'.repeat(20_000)
  const kept: string[] = []
  const fill = async () => {
    for (let index = 0; index < 1000; index++) {
      await store.transact(putThing, thing(`${index}`, { note }))
      kept.push(`${index}`)
    }
  }
  await assert.rejects(fill(), (error) => {
    assert.ok(error instanceof StoreUnavailable, String(error))
    assert.equal(error.full, true)
    return true
  })
  assert.deepEqual(await store.read(thingNames, null), kept)
  await makeSpace()
  await store.transact(putThing, thing('healed', { note }))
  assert.equal((await store.read(thingNamed, { name: 'healed' }))?.note, note)
  await store.close()
}

function writer(file: string, prefix: string, count: number): ChildProcess {
  const script = fileURLToPath(new URL('./writer.ts', import.meta.url))
  const words = [script, file, prefix, String(count)]
  return endWithUs(spawn(process.execPath, words, { stdio: ['ignore', 'pipe', 'inherit'] }))
}

function lines(child: ChildProcess) {
  return createInterface({ input: child.stdout as NodeJS.ReadableStream })
}

/** Kills the writer without warning after so many writes, and returns all that it reported. */
async function killAfter(child: ChildProcess, writes: number): Promise<string[]> {
  const reported: string[] = []
  const output = lines(child)
  output.on('line', (name) => {
    reported.push(name)
    if (reported.length === writes) child.kill('SIGKILL')
  })
  await once(output, 'close')
  return reported
}
