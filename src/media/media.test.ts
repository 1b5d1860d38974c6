import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { after, describe, it } from 'node:test'
import { digestOf } from '../../test/conformance/media/fixture.ts'
import { needsSwift, startSwift } from '../../test/kit/far-ends/swift.ts'
import { startPostgres } from '../../test/kit/postgres.ts'
import { freshFolder } from '../../test/kit/posthorn.ts'
import { storeFunctions } from '../gateway/transactions.ts'
import { readConfig } from '../networks/config.ts'
import { systemClock } from '../runtime/clock.ts'
import type { Config } from '../runtime/config/config.ts'
import { openPostgresStore } from '../store/postgres/postgres.ts'
import { openSqliteStore } from '../store/sqlite/sqlite.ts'
import { type Store, serverTurn } from '../store/store.ts'
import { smallBytes } from './draft.ts'
import { openMedia } from './media.ts'

const data = freshFolder()
after(() => rmSync(data, { recursive: true, force: true }))

const openStore = (folder: string) =>
  openSqliteStore({
    file: join(folder, 'posthorn.db'),
    thread: new URL('../gateway/store-thread.js', import.meta.url),
  })

/** A configuration with a data folder of its own. */
function configWith(environment: Record<string, string>): Config {
  return readConfig({ POSTHORN_DATA: freshFolderIn(data), ...environment })
}

let folders = 0
function freshFolderIn(folder: string): string {
  const fresh = join(folder, `${++folders}`)
  mkdirSync(fresh)
  return fresh
}

/** Too many bytes for a small file, which is kept in the store wherever files are. */
const size = smallBytes + 1

/** Keeps a file, and reads it back after everything was closed and opened again. */
async function keepsAcrossRestarts(config: Config, store: Store): Promise<void> {
  const media = await openMedia(config, store, systemClock)
  const draft = await media.drafts.receive(Readable.from([Buffer.alloc(size, 'hello')]), size)
  const kept = await media.library.keep('org_one', draft)
  await media.close()
  const again = await openMedia(config, store, systemClock)
  assert.equal(await digestOf(again.library.open({ id: kept.id, size }, serverTurn)), draft.sha256)
  await again.close()
}

/** The names of what is in the folder of kept files. */
const keptIn = (config: Config) => {
  const folder = join(config.POSTHORN_DATA, 'media', 'files')
  return existsSync(folder) ? readdirSync(folder, { recursive: true }) : []
}

describe('the place for files', () => {
  it('is the data folder if nothing is configured', async () => {
    const config = configWith({})
    const store = await openStore(config.POSTHORN_DATA)
    await keepsAcrossRestarts(config, store)
    assert.equal(keptIn(config).length, 2, 'a folder and a file')
    assert.equal(statSync(join(config.POSTHORN_DATA, 'media')).mode & 0o777, 0o700)
    await store.close()
  })

  it('is cleared of the drafts of a server that crashed', async () => {
    const config = configWith({})
    const drafts = join(config.POSTHORN_DATA, 'media', 'drafts')
    mkdirSync(drafts, { recursive: true })
    writeFileSync(join(drafts, 'half'), 'half a fi')
    const store = await openStore(config.POSTHORN_DATA)
    await (await openMedia(config, store, systemClock)).close()
    assert.deepEqual(readdirSync(drafts), [])
    await store.close()
  })

  it('is PostgreSQL if that is the store, unless something else is said', async (context) => {
    const postgres = await startPostgres()
    if (!postgres.available) return context.skip(postgres.reason)
    const url = await postgres.server.createDatabase()
    const store = await openPostgresStore({ url, functions: storeFunctions })
    const usual = configWith({ POSTHORN_DATABASE_URL: url })
    await keepsAcrossRestarts(usual, store)
    assert.deepEqual(keptIn(usual), [])
    const [row] = await postgres.server.query('select count(*) as files from media_chunks', [], url)
    assert.deepEqual(row, { files: '1' })
    const inFiles = configWith({ POSTHORN_DATABASE_URL: url, POSTHORN_MEDIA_STORE: 'files' })
    await keepsAcrossRestarts(inFiles, store)
    assert.equal(keptIn(inFiles).length, 2)
    await store.close()
    await postgres.server.stop()
  })

  it('is an object storage if one is configured, and of one Posthorn only', needsSwift, async () => {
    const swift = await startSwift()
    const { endpoint = '', bucket, accessKeyId, secretAccessKey } = await swift.createBucket()
    const environment = {
      POSTHORN_MEDIA_STORE: 's3',
      POSTHORN_S3_ENDPOINT: endpoint,
      POSTHORN_S3_BUCKET: bucket,
      POSTHORN_S3_ACCESS_KEY_ID: accessKeyId,
      POSTHORN_S3_SECRET_ACCESS_KEY: secretAccessKey,
    }
    const config = configWith(environment)
    const store = await openStore(config.POSTHORN_DATA)
    await keepsAcrossRestarts(config, store)
    assert.deepEqual(keptIn(config), [])
    const other = configWith(environment)
    const otherStore = await openStore(other.POSTHORN_DATA)
    await assert.rejects(openMedia(other, otherStore, systemClock), /another Posthorn/)
    await Promise.all([store.close(), otherStore.close(), swift.remove()])
  })
})
