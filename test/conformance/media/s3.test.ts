import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { after, before, describe, it } from 'node:test'
import { openS3Media } from '../../../src/media/store/s3.ts'
import { ConfigError } from '../../../src/runtime/config/config.ts'
import { newId } from '../../../src/runtime/ids.ts'
import { StoreUnavailable } from '../../../src/store/store.ts'
import { needsSwift, type Swift, startSwift } from '../../kit/far-ends/swift.ts'
import { idsOf, mediaStoreFixture, read, sampleBytes } from './fixture.ts'
import { mediaStoreSuite } from './suite.ts'

describe('the media store in an object storage', needsSwift, () => {
  let swift: Swift
  before(async () => {
    swift = await startSwift()
  })
  after(() => swift.remove())

  const fixture = mediaStoreFixture(async () => {
    const settings = await swift.createBucket()
    return () => openS3Media(settings, 'node_one')
  })
  mediaStoreSuite(fixture)

  it('takes no place where another Posthorn keeps its files', async () => {
    const settings = await swift.createBucket()
    await (await openS3Media(settings, 'node_one')).close()
    await assert.rejects(openS3Media(settings, 'node_two'), /POSTHORN_S3_PREFIX.*another Posthorn/)
    await (await openS3Media(settings, 'node_one')).close()
    const beside = await openS3Media({ ...settings, prefix: 'posthorn/two/' }, 'node_two')
    await beside.put(newId('med'), await fixture.draft(sampleBytes(1)))
    const store = await openS3Media(settings, 'node_one')
    assert.deepEqual(await idsOf(store), [], 'what others keep in the bucket is none of its business')
    await Promise.all([beside.close(), store.close()])
  })

  it('says what the operator is to correct', async () => {
    const settings = await swift.createBucket()
    const open = (other: Partial<typeof settings>) => openS3Media({ ...settings, ...other }, 'node_one')
    await assert.rejects(open({ bucket: 'nowhere' }), /POSTHORN_S3_BUCKET.*create it/)
    await assert.rejects(open({ secretAccessKey: 'hush-hush' }), (error) => {
      assert.ok(error instanceof ConfigError)
      assert.match(error.message, /refuses these credentials/)
      assert.doesNotMatch(error.message, /hush/)
      return true
    })
    await assert.rejects(open({ endpoint: 'http://127.0.0.1:1' }), StoreUnavailable)
  })

  it('has the storage refuse bytes that are not those that were hashed', async () => {
    const store = await fixture.store()
    const draft = await fixture.draft(sampleBytes(1000))
    writeFileSync(await draft.file(), sampleBytes(1001).subarray(1))
    const id = newId('med')
    await assert.rejects(store.put(id, draft), StoreUnavailable)
    assert.equal(await store.has({ id, size: 1000 }), false)
  })

  it('says so when the storage is gone', async () => {
    const lost = await startSwift()
    const store = await openS3Media(await lost.createBucket(), 'node_one')
    const file = { id: newId('med'), size: 1000 }
    await store.put(file.id, await fixture.draft(sampleBytes(1000)))
    await lost.remove()
    const draft = await fixture.draft(sampleBytes(1000))
    await assert.rejects(store.put(newId('med'), draft), StoreUnavailable)
    await assert.rejects(read(store.read(file)), StoreUnavailable)
    await assert.rejects(store.has(file), StoreUnavailable)
    await assert.rejects(store.remove([file.id]), StoreUnavailable)
    await assert.rejects(idsOf(store), StoreUnavailable)
    await store.close()
    await draft.discard()
  })
})
