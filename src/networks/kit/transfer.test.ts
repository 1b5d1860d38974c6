import assert from 'node:assert/strict'
import { Readable, Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { test } from 'node:test'
import { newFile, StoppingFile } from '../../../test/conformance/networks/files.ts'
import { MediaMissing } from '../../media/store/media-store.ts'
import type { OutgoingFile } from '../driver/message.ts'
import { CheckedFile, UploadFault } from './transfer.ts'

const never = new AbortController().signal

/** Has a file read to its end, as drivers do. */
async function transfer(file: OutgoingFile, to: Writable, signal: AbortSignal): Promise<void> {
  await pipeline(new CheckedFile(file).open(), to, { signal })
}

/** A stream that takes bytes and remembers how many, and if their end was told. */
class Sink extends Writable {
  count = 0
  ended = false

  override _write(chunk: Buffer, _encoding: string, done: (error?: Error) => void): void {
    this.count += chunk.length
    done()
  }

  override _final(done: () => void): void {
    this.ended = true
    done()
  }
}

test('a file goes through to its end', async () => {
  for (const size of [0, 1, 1_000_000]) {
    const to = new Sink()
    await transfer(newFile(size), to, never)
    assert.deepEqual([to.count, to.ended], [size, true])
  }
})

test('the end is not told of bytes that are not those of the file', async () => {
  const file = newFile(200_000)
  for (const lie of [{ size: 199_999 }, { size: 200_001 }, { sha256: newFile(200_000).sha256 }]) {
    const to = new Sink()
    const failed = transfer({ ...file, ...lie }, to, never)
    await assert.rejects(
      failed,
      (fault) => fault instanceof UploadFault && fault.error.code === 'file_altered',
    )
    assert.deepEqual([to.ended, to.destroyed], [false, true])
    assert.ok(to.count <= (lie.size ?? file.size), 'nothing beyond the announced size passes')
  }
})

test('a file that cannot be read is at fault; what takes it is not', async () => {
  const broken = new StoppingFile()
  broken.break()
  const to = new Sink()
  await assert.rejects(transfer(broken, to, never), ({ error, cause }: UploadFault) => {
    assert.deepEqual([error.code, error.permanent], ['file_unreadable', false])
    return cause instanceof Error && cause.message === 'input/output error'
  })
  assert.deepEqual([to.ended, to.destroyed], [false, true])

  const open = () => {
    throw new Error('no such file')
  }
  await assert.rejects(transfer({ ...newFile(10), open }, new Sink(), never), UploadFault)
})

test('a file that is gone is at fault for good', async () => {
  const open = () => {
    const nothing = new Readable({ read: () => nothing.destroy(new MediaMissing('med_1')) })
    return nothing
  }
  const to = new Sink()
  await assert.rejects(transfer({ ...newFile(10), open }, to, never), ({ error }: UploadFault) => {
    assert.deepEqual([error.code, error.permanent], ['file_missing', true])
    return true
  })
  assert.deepEqual([to.ended, to.destroyed], [false, true])
})

test('what takes a file fails with its own error, and the file is let go of', async () => {
  const file = new StoppingFile()
  const full = new Writable({ write: (_chunk, _encoding, done) => done(new Error('no space left')) })
  await assert.rejects(transfer(file, full, never), { message: 'no space left' })
  await file.released
})

test('the signal ends it in the middle, and both sides are let go of', async () => {
  const ending = new AbortController()
  const file = new StoppingFile()
  const to = new Sink()
  const moving = transfer(file, to, ending.signal)
  await file.stopped(moving)
  ending.abort()
  await assert.rejects(moving, { name: 'AbortError' })
  await file.released
  assert.deepEqual([to.ended, to.destroyed], [false, true])
})

test('a file is read no faster than it is taken', async () => {
  let read = 0
  const file = newFile(50_000_000)
  async function* counted() {
    for await (const chunk of file.open()) {
      read += chunk.length
      yield chunk
    }
  }
  const open = () => Readable.from(counted(), { objectMode: false, highWaterMark: 1 })
  const takings: (() => void)[] = []
  const to = new Writable({ write: (_chunk, _encoding, done) => void takings.push(done) })
  const ending = new AbortController()
  const failed = assert.rejects(transfer({ ...file, open }, to, ending.signal))
  for (let taken = 0; taken < 10; taken++) {
    while (takings.length === 0) await new Promise((resolve) => setImmediate(resolve))
    assert.ok(read <= 65_536 * (taken + 8), `${read} bytes were read when ${taken} pieces were taken`)
    takings.shift()?.()
  }
  ending.abort()
  await failed
})

test('a source that fails while it is let go of harms nobody', async () => {
  const open = () => new Readable({ read: () => {}, destroy: (_error, done) => done(new Error('late')) })
  const ending = new AbortController()
  const failed = assert.rejects(transfer({ ...newFile(10), open }, new Sink(), ending.signal))
  ending.abort()
  await failed
})
