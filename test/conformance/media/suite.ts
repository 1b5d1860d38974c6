import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { describe, it } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { type KeptFile, MediaMissing, type MediaStore } from '../../../src/media/store/media-store.ts'
import { newId } from '../../../src/runtime/ids.ts'
import { StoreUnavailable } from '../../../src/store/store.ts'
import { digestOf, idsOf, type MediaStoreFixture, read, sampleBytes } from './fixture.ts'

/** Sizes around those of a row, of a read, and of nothing. */
const sizes = [0, 1, 65_536, 262_143, 262_144, 262_145, 1_000_003]

const megabyte = 1024 * 1024

/** The laws of every media store, wherever the bytes are. */
export function mediaStoreSuite(fixture: MediaStoreFixture): void {
  describe('keeping', () => keepingLaws(fixture))
  describe('much', () => amountLaws(fixture))
  describe('reading', () => readingLaws(fixture))
  describe('removing', () => removingLaws(fixture))
}

async function put(
  fixture: MediaStoreFixture,
  store: MediaStore,
  bytes: Uint8Array,
  id = newId('med'),
): Promise<KeptFile> {
  await store.put(id, await fixture.draft(bytes))
  return { id, size: bytes.length }
}

function keepingLaws(fixture: MediaStoreFixture): void {
  it('gives back every byte, to every server, and uses the draft up', async () => {
    const [one, other] = (await fixture.stores(2)) as [MediaStore, MediaStore]
    for (const size of sizes) {
      const bytes = sampleBytes(size)
      const draft = await fixture.draft(bytes)
      const file = { id: newId('med'), size }
      const path = await draft.file()
      await one.put(file.id, draft)
      assert.ok(!existsSync(path), 'the draft is gone')
      assert.deepEqual(await read(other.read(file)), bytes)
      assert.equal(await other.has(file), true)
    }
  })

  it('does not mind to be given the same twice, also at once and by two servers', async () => {
    const [one, other] = (await fixture.stores(2)) as [MediaStore, MediaStore]
    const bytes = sampleBytes(1_000_003)
    const file = await put(fixture, one, bytes)
    await put(fixture, one, bytes, file.id)
    assert.deepEqual(await read(one.read(file)), bytes)
    const twin = newId('med')
    await Promise.all([put(fixture, one, bytes, twin), put(fixture, other, bytes, twin)])
    assert.deepEqual(await read(other.read({ id: twin, size: bytes.length })), bytes)
    assert.deepEqual(await idsOf(one), [file.id, twin].sort())
  })

  it('keeps nothing of a draft that cannot be read', async () => {
    const store = await fixture.store()
    const draft = await fixture.draft(sampleBytes(1000))
    await rm(await draft.file())
    const id = newId('med')
    await assert.rejects(store.put(id, draft), StoreUnavailable)
    assert.equal(await store.has({ id, size: 1000 }), false)
    assert.deepEqual(await idsOf(store), [])
    const file = await put(fixture, store, sampleBytes(1000))
    assert.equal(await store.has(file), true, 'and goes on')
  })
}

function amountLaws(fixture: MediaStoreFixture): void {
  it('keeps many at a time', async () => {
    const store = await fixture.store()
    const all = await Promise.all(
      Array.from({ length: 30 }, (_, index) => put(fixture, store, sampleBytes(index * 10_007))),
    )
    for (const file of all) assert.deepEqual(await read(store.read(file)), sampleBytes(file.size))
  })

  it('names everything that it has, however much that is', async () => {
    const store = await fixture.store()
    assert.deepEqual(await idsOf(store), [])
    const files: KeptFile[] = []
    for (let count = 0; count < 260; count += 13)
      files.push(
        ...(await Promise.all(
          Array.from({ length: 13 }, (_, index) => put(fixture, store, sampleBytes(index % 3))),
        )),
      )
    assert.deepEqual(await idsOf(store), files.map(({ id }) => id).sort())
  })

  it('takes a large file and gives it back in little memory', async () => {
    const store = await fixture.store()
    const memory = new LiveMemory()
    async function* watched(source: AsyncIterable<Uint8Array> | Iterable<Uint8Array>) {
      for await (const bytes of source) {
        memory.watch(bytes.length)
        yield bytes
      }
    }
    const draft = await fixture.draft(watched(Array(64).fill(sampleBytes(megabyte))))
    const file = { id: newId('med'), size: draft.size }
    const watching = setInterval(() => memory.watch(megabyte), 100)
    await store.put(file.id, draft).finally(() => clearInterval(watching))
    assert.equal(await digestOf(watched(store.read(file))), draft.sha256)
    assert.ok(memory.most < 16 * megabyte, `${Math.round(memory.most / megabyte)} MB of 64`)
  })
}

/** Bytes outside of the heap that are really held, and not only waiting to be collected. */
class LiveMemory {
  readonly #collect = collector()
  readonly #before = this.#held()
  #passed = 0
  most = 0

  /** Looks once in a while: whenever four more megabytes have passed. */
  watch(passing: number): void {
    this.#passed += passing
    if (this.#passed < 4 * megabyte) return
    this.#passed = 0
    this.most = Math.max(this.most, this.#held() - this.#before)
  }

  #held(): number {
    // The first run finds garbage that the second gives back.
    this.#collect()
    this.#collect()
    return process.memoryUsage().arrayBuffers
  }
}

/** Node's garbage collector, to be called. */
function collector(): () => void {
  setFlagsFromString('--expose-gc')
  return runInNewContext('gc')
}

function readingLaws(fixture: MediaStoreFixture): void {
  it('gives the part that is asked for', async () => {
    const store = await fixture.store()
    const bytes = sampleBytes(600_000)
    const file = await put(fixture, store, bytes)
    const edges = [0, 1, 262_143, 262_144, 262_145, 524_287, 524_288, 599_999]
    for (const first of edges) {
      for (const last of edges.filter((edge) => edge >= first)) {
        assert.deepEqual(await read(store.read(file, { first, last })), bytes.slice(first, last + 1))
      }
    }
  })

  it('says when there is nothing, or not as much as there should be', async () => {
    const store = await fixture.store()
    const file = await put(fixture, store, sampleBytes(1000))
    const strange = [
      { ...file, size: 1001 },
      { ...file, size: 999 },
      { id: newId('med'), size: 1000 },
      { id: newId('med'), size: 0 },
    ]
    for (const other of strange) {
      assert.equal(await store.has(other), false)
      await assert.rejects(read(store.read(other)), MediaMissing)
    }
  })

  it('lets go of what is read no further', async () => {
    const store = await fixture.store()
    const file = await put(fixture, store, sampleBytes(2 * megabyte))
    // More than there are connections, if each one were held.
    for (let index = 0; index < 60; index++) {
      for await (const part of store.read(file)) {
        assert.ok(part.length > 0)
        break
      }
    }
    assert.equal(await store.has(file), true)
  })
}

function removingLaws(fixture: MediaStoreFixture): void {
  it('removes what it is told to and nothing else', async () => {
    const store = await fixture.store()
    const [first, second, third] = (await Promise.all(
      [1, 0, 300_000].map((size) => put(fixture, store, sampleBytes(size))),
    )) as [KeptFile, KeptFile, KeptFile]
    await store.remove([first.id, second.id, newId('med')])
    assert.deepEqual(await idsOf(store), [third.id])
    assert.deepEqual(await read(store.read(third)), sampleBytes(300_000))
    await assert.rejects(read(store.read(first)), MediaMissing)
    await store.remove([])
    await store.remove([third.id])
    assert.deepEqual(await idsOf(store), [])
  })
}
