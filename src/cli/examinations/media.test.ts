import assert from 'node:assert/strict'
import { mkdirSync, readdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { idsOf } from '../../../test/conformance/media/fixture.ts'
import { smallDisk } from '../../../test/kit/crash/small-disk.ts'
import { needsSwift, type Swift, startSwift } from '../../../test/kit/far-ends/swift.ts'
import { startPostgres } from '../../../test/kit/postgres.ts'
import { freshFolder, testConfig } from '../../../test/kit/posthorn.ts'
import { openStore } from '../../gateway/open-store.ts'
import { openS3Media, type S3Settings } from '../../media/store/s3.ts'
import { migrations } from '../../store/migrations/index.ts'
import { examineMedia } from './media.ts'
import { noFacts, type StoreFacts } from './store-facts.ts'

const data = freshFolder()
after(() => rmSync(data, { recursive: true }))
const started: StoreFacts = {
  ...noFacts,
  migrations: migrations.map(({ name }) => ({ name, expands: 1 })),
  installation: 'node_one',
}

/** The finding as a line, and the advice. */
async function examine(environment: Record<string, string> = {}, facts = started) {
  const { verdict, detail, advice } = await examineMedia(testConfig(data, environment), facts)
  return { line: `${verdict} ${detail}`, advice }
}

const done = 'a test file was written, read and removed'

describe('files in the data folder', () => {
  const media = join(data, 'media')
  const everything = () => readdirSync(media, { recursive: true, encoding: 'utf8' }).sort()

  test('are tried out without a trace once the folder exists', async () => {
    assert.match(
      (await examine({}, noFacts)).line,
      /^ok .*media does not exist yet; the first start creates it$/,
    )
    for (const name of ['drafts', 'files']) mkdirSync(join(media, name), { recursive: true })
    assert.equal((await examine()).line, `ok in ${media}: ${done}`)
    assert.deepEqual(everything(), ['drafts', 'files'])
  })

  test('that cannot be written are reported', async () => {
    rmSync(join(media, 'drafts'), { recursive: true })
    writeFileSync(join(media, 'drafts'), 'in the way')
    const { line, advice } = await examine()
    assert.match(line, /^fail in .*media: ENOTDIR/)
    assert.match(advice ?? '', /accepts no files/)
    rmSync(join(media, 'drafts'))
    mkdirSync(join(media, 'drafts'))
  })

  const disk = smallDisk()
  const mounting = { skip: disk ? false : 'needs root and mount' }
  test('that would have to be moved to another file system are reported', mounting, async () => {
    const files = join(media, 'files')
    renameSync(files, `${files}-here`)
    symlinkSync(disk as string, files)
    assert.match((await examine()).line, /^fail .*`files` and `drafts` in it must be on the same file system/)
    rmSync(files)
    renameSync(`${files}-here`, files)
  })
})

test('files in PostgreSQL are tried out, once their tables exist', async (t) => {
  const postgres = await startPostgres()
  if (!postgres.available) return t.skip(postgres.reason)
  t.after(() => postgres.server.stop())
  const POSTHORN_DATABASE_URL = await postgres.server.createDatabase()
  assert.match(
    (await examine({ POSTHORN_DATABASE_URL }, noFacts)).line,
    /^ok .* the next start creates the tables/,
  )
  // The roles belong to the whole server.
  const another = { POSTHORN_DATABASE_URL: await postgres.server.createDatabase() }
  await (await openStore(testConfig(data, another))).close()
  const missing = await examine({ POSTHORN_DATABASE_URL })
  assert.match(missing.line, /^fail in PostgreSQL at .*: relation "media_chunks" does not exist/)
  assert.match(missing.advice ?? '', /database user/)
  await (await openStore(testConfig(data, { POSTHORN_DATABASE_URL }))).close()
  assert.match(
    (await examine({ POSTHORN_DATABASE_URL })).line,
    new RegExp(`^ok in PostgreSQL at .*: ${done}$`),
  )
})

describe('files in an object storage', needsSwift, () => {
  let swift: Swift
  let settings: S3Settings
  before(async () => {
    swift = await startSwift()
    settings = await swift.createBucket()
  })
  after(() => swift.remove())

  const environment = (changes: Partial<S3Settings> = {}) => {
    const { endpoint = '', bucket, prefix, accessKeyId, secretAccessKey } = { ...settings, ...changes }
    return {
      POSTHORN_MEDIA_STORE: 's3',
      POSTHORN_S3_ENDPOINT: endpoint,
      POSTHORN_S3_BUCKET: bucket,
      POSTHORN_S3_PREFIX: prefix,
      POSTHORN_S3_ACCESS_KEY_ID: accessKeyId,
      POSTHORN_S3_SECRET_ACCESS_KEY: secretAccessKey,
    }
  }

  test('are tried out under a prefix that nobody uses yet, and leave it unused', async () => {
    const { line } = await examine(environment(), noFacts)
    assert.match(line, new RegExp(`^ok in the bucket media-1 at 127.0.0.1:\\d+, under posthorn/: ${done}$`))
    const store = await openS3Media(settings, 'node_one')
    assert.deepEqual(await idsOf(store), [])
    await store.close()
    assert.match((await examine(environment())).line, /^ok /)
  })

  test('are not tried out under a prefix that another Posthorn uses', async () => {
    for (const facts of [noFacts, { ...started, installation: 'node_two' }])
      assert.match((await examine(environment(), facts)).line, /^fail .*another Posthorn keeps its files/)
  })

  test('that cannot be stored are reported, with what to correct', async () => {
    const wrong = {
      'POSTHORN_S3_BUCKET names a bucket that is not there': { bucket: 'nowhere' },
      'refuses these credentials': { secretAccessKey: 'hush-hush' },
      ECONNREFUSED: { endpoint: 'http://127.0.0.1:1' },
    }
    for (const [words, changes] of Object.entries(wrong)) {
      const { line, advice } = await examine(environment(changes))
      assert.match(line, new RegExp(`^fail in the bucket .*${words}`))
      assert.match(advice ?? '', /POSTHORN_S3_/)
      assert.doesNotMatch(line, /hush/)
    }
  })
})
