import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { join } from 'node:path'
import { PassThrough, Readable } from 'node:stream'
import { after, test } from 'node:test'
import { freshFolder } from '../../test/kit/posthorn.ts'
import { StoreUnavailable } from '../store/store.ts'
import { Drafts, headBytes, MediaTooLarge, smallBytes } from './draft.ts'

const data = freshFolder()
after(() => rmSync(data, { recursive: true, force: true }))
const folder = join(data, 'drafts')
const drafts = await Drafts.open(folder)

const partsOf = (...sizes: number[]) =>
  Readable.from(sizes.map((size, index) => Buffer.alloc(size, index + 1)))

test('what comes in is written, counted and hashed, and shows how it begins', async () => {
  const bytes = Buffer.concat([Buffer.alloc(30_000, 1), Buffer.alloc(30_000, 2), Buffer.alloc(10_001, 3)])
  const draft = await drafts.receive(partsOf(30_000, 30_000, 10_001), 70_001)
  assert.equal(draft.bytes, null)
  assert.equal(draft.size, 70_001)
  assert.equal(draft.sha256, createHash('sha256').update(bytes).digest('hex'))
  assert.deepEqual(Buffer.from(draft.head), bytes.subarray(0, headBytes))
  assert.deepEqual(readFileSync(await draft.file()), bytes)
  assert.equal(statSync(await draft.file()).mode & 0o777, 0o600)
  await draft.discard()
  await draft.discard()
  assert.deepEqual(readdirSync(folder), [])
})

test('what is small stays in memory, and is written if somebody needs a file of it', async () => {
  for (const size of [1, smallBytes]) {
    const piece = Buffer.alloc(size, 7)
    const draft = await drafts.receive(Readable.from([piece]), size)
    piece.fill(0)
    const bytes = Buffer.alloc(size, 7)
    assert.deepEqual(Buffer.from(draft.bytes ?? []), bytes)
    assert.deepEqual(readdirSync(folder), [])
    const [path, again] = [await draft.file(), await draft.file()]
    assert.equal(path, again)
    assert.deepEqual(readFileSync(path), bytes)
    assert.deepEqual(Buffer.from(draft.bytes ?? []), bytes)
    await draft.discard()
    assert.deepEqual(readdirSync(folder), [])
  }
})

test('a part may be overwritten when the next is asked for', async () => {
  for (const length of [1000, 20_000]) {
    const memory = Buffer.alloc(length)
    async function* source() {
      for (let fill = 1; fill <= 5; fill++) yield memory.fill(fill)
      memory.fill(0)
    }
    const draft = await drafts.receive(source(), 5 * length)
    const expected = Buffer.concat([1, 2, 3, 4, 5].map((fill) => Buffer.alloc(length, fill)))
    assert.deepEqual(Buffer.from(draft.head), expected.subarray(0, headBytes))
    assert.deepEqual(readFileSync(await draft.file()), expected)
    assert.equal(draft.sha256, createHash('sha256').update(expected).digest('hex'))
    await draft.discard()
  }
})

test('a large file is put on disk while it comes, and what the disk refuses then is no file', async ({
  mock,
}) => {
  const part = Buffer.alloc(1024 * 1024)
  async function* source() {
    for (let count = 0; count < 40; count++) yield part
  }
  const handle = await open(join(folder, 'any'), 'w')
  const sync = mock.method(Object.getPrototypeOf(handle) as FileHandle, 'datasync')
  await handle.close()
  rmSync(join(folder, 'any'))
  const draft = await drafts.receive(source(), 40 * part.length)
  assert.equal(sync.mock.callCount(), 2)
  await draft.discard()
  for (const broken of [1, 2]) {
    let count = 0
    sync.mock.mockImplementation(async () => {
      count += 1
      if (count === broken) throw new Error('input/output error')
    })
    await assert.rejects(drafts.receive(source(), 40 * part.length), StoreUnavailable)
  }
  assert.deepEqual(readdirSync(folder), [])
})

test('nothing can come in, too', async () => {
  const draft = await drafts.receive(Readable.from([]), 0)
  assert.equal(draft.size, 0)
  assert.equal(draft.head.length, 0)
  assert.equal(draft.bytes?.length, 0)
  assert.equal(statSync(await draft.file()).size, 0)
  await draft.discard()
})

test('the first byte over the limit ends it: the source is destroyed and nothing stays', async () => {
  let given = 0
  const endless = new Readable({
    read() {
      given++
      this.push(Buffer.alloc(1000))
    },
  })
  await assert.rejects(drafts.receive(partsOf(100_001), 100_000), MediaTooLarge)
  await assert.rejects(drafts.receive(endless, 100_000), (error) => {
    assert.ok(error instanceof MediaTooLarge)
    assert.equal(error.limit, 100_000)
    return true
  })
  assert.ok(endless.destroyed)
  assert.ok(given < 300, `${given} parts were taken`)
  assert.deepEqual(readdirSync(folder), [])
})

test('a source that breaks rejects with its own error, and nothing stays', async () => {
  const source = new PassThrough()
  source.write(Buffer.alloc(1000))
  const received = assert.rejects(drafts.receive(source, 10_000), /the caller went away/)
  source.destroy(new Error('the caller went away'))
  await received
  assert.deepEqual(readdirSync(folder), [])
})

test('a source is read no faster than the disk takes it', async () => {
  let given = 0
  let inMemory = 0
  async function* source() {
    for (let index = 0; index < 50; index++) {
      inMemory = Math.max(inMemory, given - statSync(join(folder, readdirSync(folder)[0] ?? '')).size)
      given += 100_000
      yield Buffer.alloc(100_000)
    }
  }
  await (await drafts.receive(source(), 10_000_000)).discard()
  assert.equal(given, 5_000_000)
  assert.equal(inMemory, 0)
})

test('what a crash left is removed when the folder is opened again', async () => {
  const left = join(data, 'left')
  mkdirSync(join(left, 'folder'), { recursive: true })
  writeFileSync(join(left, 'draft'), 'half a fi')
  await Drafts.open(left)
  assert.deepEqual(readdirSync(left), [])
  assert.ok(existsSync(left))
})
