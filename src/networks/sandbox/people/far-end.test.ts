import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { newFile, StoppingFile } from '../../../../test/conformance/networks/files.ts'
import { FarEnd, type TranscriptLine } from './far-end.ts'

const never = new AbortController().signal
const from = { at: 0, instance: undefined, epoch: 1 }

function message(id: string, to = 'ana@delivers.sandbox') {
  return { id, to, kind: 'text', text: 'hello' } as const
}

test('a message is a repetition if its recipient has one with this id', () => {
  const farEnd = new FarEnd()
  assert.equal(farEnd.take(message('1'), from), false)
  assert.equal(farEnd.take(message('1'), from), true)
  assert.equal(farEnd.take(message('1', 'bob@delivers.sandbox'), from), false)
  assert.equal(farEnd.take(message('2'), from), false)
})

test('the last 20,000 messages are remembered', () => {
  const farEnd = new FarEnd()
  for (let id = 0; id < 100_000; id++) farEnd.take(message(String(id)), from)
  for (let id = 80_000; id < 100_000; id++) assert.equal(farEnd.take(message(String(id)), from), true)
})

test('a file is kept beside the transcript, which tells what came with it', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'sandbox-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const transcript = join(folder, 'transcript')
  const farEnd = new FarEnd(transcript)
  const file = newFile(100_000, { filename: 'hello.ogg', mime_type: 'audio/ogg' })
  for (const caption of ['listen', null]) {
    await farEnd.receive(file, never)
    const sent = { id: '1', to: 'ana@delivers.sandbox', kind: 'audio', caption, voice: true, file } as const
    farEnd.take(sent, { at: 5, instance: 'shop', epoch: 1 })
  }
  const { open: _, ...facts } = file
  const lines = readFileSync(transcript, 'utf8').trimEnd().split('\n')
  assert.deepEqual(
    lines.map((line) => JSON.parse(line) as TranscriptLine),
    ['listen', null].map((caption, index) => ({
      id: '1',
      to: 'ana@delivers.sandbox',
      text: caption ?? '',
      media: { kind: 'audio', caption, voice: true, ...facts },
      at: 5,
      instance: 'shop',
      epoch: 1,
      repeat: index > 0,
    })),
  )
  assert.deepEqual(readdirSync(`${transcript}.files`), [file.sha256])
  assert.equal(readFileSync(join(`${transcript}.files`, file.sha256)).length, 100_000)
})

test('of a file that does not come whole nothing is kept', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'sandbox-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const farEnd = new FarEnd(join(folder, 'transcript'))
  const broken = new StoppingFile()
  broken.break()
  await assert.rejects(farEnd.receive(broken, never))
  await assert.rejects(farEnd.receive({ ...newFile(10), size: 11 }, never))
  const ending = new AbortController()
  const stopping = new StoppingFile()
  const receiving = farEnd.receive(stopping, ending.signal)
  await stopping.stopped(receiving)
  ending.abort()
  await assert.rejects(receiving)
  assert.deepEqual(readdirSync(join(folder, 'transcript.files')), [])
})
