import assert from 'node:assert/strict'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { freshFolder } from '../../../test/kit/posthorn.ts'
import { examineVoiceNotes } from './voice-notes.ts'

test('programs for voice notes: none is fine; if only some are there, the missing ones are named', async (t) => {
  const path = freshFolder()
  t.after(() => rmSync(path, { recursive: true }))
  const install = (name: string) => writeFileSync(join(path, name), '', { mode: 0o700 })
  const line = async () => {
    const { verdict, detail, advice } = await examineVoiceNotes(path)
    return [verdict, detail, advice ?? ''].join(' ')
  }
  assert.match(await line(), /^ok not converted, because ffmpeg is not installed/)
  install('prlimit')
  assert.match(await line(), /^ok not converted/)
  install('ffmpeg')
  assert.match(
    await line(),
    /^warn .*ffmpeg is in the PATH, but ffprobe is not put ffprobe in the PATH of the server/,
  )
  rmSync(join(path, 'prlimit'))
  assert.match(await line(), /^warn .*but ffprobe and prlimit are not/)
  for (const name of ['prlimit', 'ffprobe']) install(name)
  assert.match(await line(), /^ok converted with .*ffmpeg $/)
})
