import assert from 'node:assert/strict'
import {
  closeSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, afterEach, describe, test } from 'node:test'
import { createInstance, listInstances } from '../../../src/contract/operations/instance-operations.ts'
import { getReadiness } from '../../../src/contract/operations/service-operations.ts'
import { smallDisk } from '../../kit/crash/small-disk.ts'
import type { CheckedClient } from '../../kit/http/checked-client.ts'
import { create, eventually, text } from '../../kit/play.ts'
import { freshFolder, type PosthornProcess, spawnPosthorn } from '../../kit/posthorn.ts'

const home = freshFolder()
const running: PosthornProcess[] = []
let folders = 0

afterEach(() => Promise.all(running.splice(0).map((posthorn) => posthorn.end('SIGKILL'))))
after(() => rmSync(home, { recursive: true, force: true }))

async function start(data = join(home, String(++folders)), environment: Record<string, string> = {}) {
  const posthorn = await spawnPosthorn(data, environment)
  running.push(posthorn)
  return { posthorn, data, admin: posthorn.admin, file: join(data, 'posthorn.db') }
}

/** Returns the report on the store; the status of the reply says the same to those who read nothing else. */
async function readiness(admin: CheckedClient) {
  const { status, body } = await admin.call(getReadiness)
  assert.equal(status, body.status === 'ok' ? 200 : 503)
  return body.status
}

/** The status and the code with which a text is answered. */
async function send(posthorn: PosthornProcess, words = 'Hello'): Promise<[number, string]> {
  const headers = { authorization: `Bearer ${posthorn.adminKey}`, 'content-type': 'application/json' }
  const body = JSON.stringify({ instance: 'trial', to: 'ana@delivers.sandbox', text: words })
  const reply = await posthorn.admin.rawRequest('POST', '/v1/messages/text', { headers, body })
  return [reply.status, (reply.json as { code?: string }).code ?? 'accepted']
}

describe('a database file under a running server', () => {
  for (const suffix of ['', '-wal']) {
    test(`that is removed (posthorn.db${suffix}) ends the acceptance at once, until it is back`, async () => {
      const { posthorn, admin, file } = await start()
      await create(admin, 'trial')
      assert.deepEqual(await send(posthorn), [202, 'accepted'])
      renameSync(`${file}${suffix}`, `${file}.away`)
      assert.deepEqual(await send(posthorn), [503, 'store_unavailable'])
      assert.equal(await readiness(admin), 'store_replaced')
      assert.match(posthorn.output(), /was removed or replaced while this server has it open/)
      renameSync(`${file}.away`, `${file}${suffix}`)
      assert.deepEqual(await send(posthorn), [202, 'accepted'])
      assert.equal(await readiness(admin), 'ok')
    })
  }

  test('that is replaced by another one is told although nobody writes, and nothing is accepted', async () => {
    const { posthorn, admin, file } = await start()
    await create(admin, 'trial')
    const other = new DatabaseSync(`${file}.other`)
    other.exec('create table anything (a)')
    other.close()
    renameSync(`${file}.other`, file)
    await eventually(
      'that to be told',
      () => readiness(admin),
      (status) => status === 'store_replaced',
    )
    assert.deepEqual(await send(posthorn), [503, 'store_unavailable'])
  })

  test('keeps a second server away, also when server.lock was removed', async () => {
    const { posthorn, data } = await start()
    rmSync(join(data, 'server.lock'))
    await assert.rejects(start(data), /Posthorn cannot start: another program has .*posthorn\.db open/)
    await create(posthorn.admin, 'trial')
    assert.deepEqual(await send(posthorn), [202, 'accepted'])
    assert.equal(await posthorn.end('SIGTERM'), 0)
    await start(data)
  })
})

describe('a server is ready only if it can write', () => {
  const disk = smallDisk()
  test('a full disk is told, and that it has room again', {
    skip: disk ? false : 'needs root and mount',
  }, async () => {
    const data = join(disk as string, 'data')
    mkdirSync(data)
    const { posthorn, admin } = await start(data)
    await admin.call(createInstance, { body: { name: 'trial', settings: {} } })
    assert.equal(await readiness(admin), 'ok')
    const filler = join(disk as string, 'filler')
    const descriptor = openSync(filler, 'w')
    assert.throws(() => {
      for (;;) writeSync(descriptor, Buffer.alloc(4096))
    }, /ENOSPC/)
    closeSync(descriptor)
    // The rest of the log of writes is used up.
    await eventually(
      'the disk to be full',
      () => send(posthorn, 'x'.repeat(3_000)),
      ([status]) => status === 507,
    )
    await eventually(
      'that to be told',
      () => readiness(admin),
      (status) => status === 'storage_full',
    )
    rmSync(filler)
    await eventually(
      'that there is room',
      () => readiness(admin),
      (status) => status === 'ok',
    )
    assert.deepEqual(await send(posthorn), [202, 'accepted'])
  })

  test('a damaged page is told once it was met, and stays told', async () => {
    const { posthorn, data, admin } = await start()
    await create(admin, 'trial')
    await text(admin, { instance: 'trial', to: 'ana@delivers.sandbox' }, 20)
    assert.equal(await posthorn.end('SIGTERM'), 0)
    const file = join(data, 'posthorn.db')
    damage(file, 'messages')
    const second = await start(data).catch((error) => error as Error)
    if (second instanceof Error) assert.fail(second)
    const [status] = await send(second.posthorn)
    assert.equal(status, 503)
    assert.equal(await readiness(second.admin), 'store_corrupt')
    // Requests that do not touch it go on.
    assert.equal((await second.admin.call(listInstances)).status, 200)
    assert.equal(await readiness(second.admin), 'store_corrupt')
  })
})

/** Overwrites the first page of a table with what is none. */
function damage(file: string, table: string): void {
  const database = new DatabaseSync(file, { readOnly: true })
  const page = database.prepare('select rootpage from sqlite_schema where name = ?').get(table) as {
    rootpage: number
  }
  database.close()
  const descriptor = openSync(file, 'r+')
  writeSync(descriptor, Buffer.alloc(4096, 0x5a), 0, 4096, (page.rootpage - 1) * 4096)
  closeSync(descriptor)
  assert.ok(statSync(file).size > 4096)
}

test('a server whose store thread died ends with exit code 1 and says why', async () => {
  const data = join(home, String(++folders))
  const preload = join(home, 'die.mjs')
  writeFileSync(
    preload,
    `import { isMainThread, BroadcastChannel } from 'node:worker_threads'
     const channel = new BroadcastChannel('die')
     channel.unref()
     if (isMainThread) process.on('SIGUSR2', () => channel.postMessage('die'))
     else channel.onmessage = () => process.exit(3)`,
  )
  const { posthorn } = await start(data, { NODE_OPTIONS: `--import ${preload}` })
  process.kill(posthorn.pid, 'SIGUSR2')
  assert.equal(await posthorn.ended, 1)
  assert.match(posthorn.output(), /"level":"fatal".*the store's thread ended with code 3.*the store is lost/)
})
