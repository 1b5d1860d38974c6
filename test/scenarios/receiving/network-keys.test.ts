import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { test } from 'node:test'
import { restoreBackup } from '../../../src/backup/restore-backup.ts'
import { writeBackup } from '../../../src/backup/write-backup.ts'
import {
  deleteInstance,
  replaceCredentials,
  restartInstance,
} from '../../../src/contract/operations/instance-operations.ts'
import type { ConnectContext } from '../../../src/networks/driver/connection.ts'
import type { Driver } from '../../../src/networks/driver/driver.ts'
import { KeyLimitReached, type KeyStore, NoLongerOwner } from '../../../src/networks/driver/keys.ts'
import { sandbox } from '../../../src/networks/sandbox/driver.ts'
import { SealBroken } from '../../../src/runtime/secrets/seal.ts'
import { databaseFor } from '../../kit/database.ts'
import { create, eventually } from '../../kit/play.ts'
import { freshFolder, startPosthorn, testConfig } from '../../kit/posthorn.ts'
import { rowsIn, tamper } from '../../kit/rows.ts'

/** The sandbox, and the keys that each of its connections was given, in order. */
function watched(): { driver: Driver; keys: KeyStore[] } {
  const driver = sandbox()
  const keys: KeyStore[] = []
  const connect = (context: ConnectContext) => {
    keys.push(context.keys)
    return driver.connect(context)
  }
  return { driver: { ...driver, connect }, keys }
}

const session = (id: string, value: string) => ({ type: 'session', id, value: Buffer.from(value) })

/** Returns the keys that the newest connection finds, once there were so many. */
async function found(keys: readonly KeyStore[], count: number, ...ids: string[]): Promise<string[]> {
  await eventually(
    'a connection',
    async () => keys.length,
    (now) => now === count,
  )
  const values = await keys[count - 1]?.get('session', ids)
  return [...(values ?? [])].map(([id, value]) => `${id} ${Buffer.from(value).toString()}`).sort()
}

async function latest(keys: readonly KeyStore[]): Promise<KeyStore> {
  await eventually(
    'a connection',
    async () => keys.length,
    (now) => now > 0,
  )
  return keys.at(-1) ?? assert.fail()
}

const countKeys = (data: string) => rowsIn(data, 'select id from network_keys').then(({ length }) => length)

test('keys outlive the connection, the server and a restore, and only the latest connection writes them', async (t) => {
  const { driver, keys } = watched()
  const data = freshFolder()
  t.after(() => rmSync(data, { recursive: true, force: true }))
  let posthorn = await startPosthorn({ data, drivers: [driver] })
  t.after(() => posthorn.stop())
  const params = { name: 'support' }
  await create(posthorn.admin, 'support')
  await (await latest(keys)).set([session('ana', 'one'), session('bo', 'two')])
  await posthorn.admin.call(restartInstance, { params })
  assert.deepEqual(await found(keys, 2, 'ana', 'bo'), ['ana one', 'bo two'])
  await posthorn.admin.call(replaceCredentials, { params, body: { credentials: {} } })
  assert.deepEqual(await found(keys, 3, 'ana', 'bo'), ['ana one', 'bo two'])
  for (const former of keys.slice(0, 2)) {
    await assert.rejects(former.set([session('ana', 'too late')]), NoLongerOwner)
    await assert.rejects(former.clear(), NoLongerOwner)
  }

  posthorn = await posthorn.restart()
  assert.deepEqual(await found(keys, 4, 'ana'), ['ana one'])
  await posthorn.stop()
  const config = testConfig(data, await databaseFor(data))
  await writeBackup(config, `${data}/backup.tar`, () => {})
  posthorn = await startPosthorn({ data, drivers: [driver] })
  assert.deepEqual(await found(keys, 5, 'ana'), ['ana one'])
  await keys[4]?.set([session('ana', 'since then')])
  await posthorn.stop()
  await restoreBackup(config, `${data}/backup.tar`, {
    replace: true,
    onProgress: () => {},
    decide: async () => {},
  })
  posthorn = await startPosthorn({ data, drivers: [driver] })
  assert.deepEqual(await found(keys, 6, 'ana', 'bo'), ['ana one', 'bo two'])

  const swap = `update network_keys set value = (select value from network_keys where id = 'bo') where id = 'ana'`
  await tamper(data, { sqlite: swap, postgres: swap })
  await assert.rejects(keys[5]?.get('session', ['ana', 'bo']) ?? assert.fail(), SealBroken)
  assert.deepEqual(await found(keys, 6, 'bo'), ['bo two'])
  await posthorn.admin.call(deleteInstance, { params })
  await eventually(
    'that the keys are gone',
    () => countKeys(data),
    (count) => count === 0,
  )
  await assert.rejects(keys[5]?.set([session('ana', 'too late')]) ?? assert.fail(), NoLongerOwner)
  assert.equal(await countKeys(data), 0)
})

test('an instance has as many keys as the operator allows, and others have theirs', async (t) => {
  const { driver, keys } = watched()
  const posthorn = await startPosthorn({ drivers: [driver], environment: { POSTHORN_KEY_LIMIT: '2' } })
  t.after(() => posthorn.stop())
  await create(posthorn.admin, 'support')
  const own = await latest(keys)
  await own.set([session('ana', 'one'), session('bo', 'one')])
  await assert.rejects(own.set([session('stranger', 'one')]), KeyLimitReached)
  await create(posthorn.admin, 'sales')
  await (await latest(keys)).set([session('stranger', 'one')])
  await own.set([session('ana', 'two')])
  assert.equal(await countKeys(posthorn.data), 3)
})
