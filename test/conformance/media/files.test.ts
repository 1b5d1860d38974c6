import assert from 'node:assert/strict'
import { mkdirSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { describe, it } from 'node:test'
import { Drafts } from '../../../src/media/draft.ts'
import { openFileMedia } from '../../../src/media/store/files.ts'
import { MediaMissing } from '../../../src/media/store/media-store.ts'
import { newId } from '../../../src/runtime/ids.ts'
import { StoreUnavailable } from '../../../src/store/store.ts'
import { smallDisk } from '../../kit/crash/small-disk.ts'
import { freshFolder } from '../../kit/posthorn.ts'
import { idsOf, mediaStoreFixture, read, sampleBytes } from './fixture.ts'
import { mediaStoreSuite } from './suite.ts'

describe('the media store in files', () => {
  let places = 0
  const fixture = mediaStoreFixture(async (folder) => {
    const place = join(folder, `files-${++places}`)
    return () => openFileMedia(place)
  })
  mediaStoreSuite(fixture)

  it('makes files and folders for its owner alone', async () => {
    const folder = freshFolder()
    const place = join(folder, 'files')
    const store = await openFileMedia(place)
    await store.put(newId('med'), await fixture.draft(sampleBytes(10)))
    const modes = readdirSync(place, { recursive: true, encoding: 'utf8' })
      .map((name) => statSync(join(place, name)))
      .map((found) => `${found.isDirectory() ? 'folder' : 'file'} ${(found.mode & 0o777).toString(8)}`)
    assert.deepEqual(modes, ['folder 700', 'file 600'])
    assert.equal(statSync(place).mode & 0o777, 0o700)
    rmSync(folder, { recursive: true })
  })

  it('says what the file system refuses', async () => {
    const folder = freshFolder()
    const place = join(folder, 'files')
    const store = await openFileMedia(place)
    rmSync(place, { recursive: true })
    writeFileSync(place, 'in the way')
    const draft = await fixture.draft(sampleBytes(10))
    await assert.rejects(store.put(newId('med'), draft), StoreUnavailable)
    await assert.rejects(idsOf(store), StoreUnavailable)
    rmSync(place)
    mkdirSync(place)
    const file = { id: newId('med'), size: 10 }
    await store.put(file.id, draft)
    assert.deepEqual(await read(store.read(file)), sampleBytes(10))
    rmSync(folder, { recursive: true })
  })

  it('does not call a file gone while nothing of its place is there', async () => {
    const folder = freshFolder()
    const place = join(folder, 'files')
    const store = await openFileMedia(place)
    const file = { id: newId('med'), size: 10 }
    await store.put(file.id, await fixture.draft(sampleBytes(10)))
    renameSync(place, `${place}-away`)
    await assert.rejects(read(store.read(file)), StoreUnavailable)
    mkdirSync(place)
    await assert.rejects(read(store.read(file)), StoreUnavailable)
    rmSync(place, { recursive: true })
    renameSync(`${place}-away`, place)
    assert.deepEqual(await read(store.read(file)), sampleBytes(10))
    await store.remove([file.id])
    await assert.rejects(read(store.read(file)), MediaMissing)
    rmSync(folder, { recursive: true })
  })

  const disk = smallDisk()
  it('says when the disk is full, leaves nothing of what did not fit, and goes on when there is space', {
    skip: disk ? false : 'needs root and mount',
  }, async () => {
    const drafts = await Drafts.open(join(disk as string, 'drafts'))
    const store = await openFileMedia(join(disk as string, 'files'))
    const receive = (size: number) => drafts.receive(Readable.from([sampleBytes(size)]), 100_000_000)
    const file = { id: newId('med'), size: 3_000_000 }
    await store.put(file.id, await receive(file.size))
    await assert.rejects(receive(3_000_000), (error) => error instanceof StoreUnavailable && error.full)
    assert.deepEqual(readdirSync(join(disk as string, 'drafts')), [])
    assert.deepEqual(await read(store.read(file)), sampleBytes(file.size))
    await store.remove([file.id])
    await store.put(newId('med'), await receive(3_000_000))
  })
})
