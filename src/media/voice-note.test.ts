import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { chmodSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { after, describe, test } from 'node:test'
import { promisify } from 'node:util'
import { needsFfmpeg } from '../../test/kit/ffmpeg.ts'
import { freshFolder } from '../../test/kit/posthorn.ts'
import { type Draft, Drafts } from './draft.ts'
import { judgeMediaType } from './media-type.ts'
import { findConversionPrograms, type VoiceNote, VoiceNotes } from './voice-note.ts'

const folder = freshFolder()
after(() => rmSync(folder, { recursive: true, force: true }))
const drafts = await Drafts.open(join(folder, 'drafts'))
const programs = await findConversionPrograms()
const run = promisify(execFile)

const opus = 'audio/ogg; codecs=opus'
const megabyte = 1024 * 1024

const wanted = (mimeType: string, limit: number) => ({ organizationId: 'org_1', mimeType, limit })

const draftOf = (bytes: Uint8Array) => drafts.receive(Readable.from([bytes]), 100 * megabyte)

/** Three seconds of a tone, or more, in the format that goes with the ending. */
async function recording(name: string, seconds = 3): Promise<Draft> {
  const file = join(folder, name)
  const tone = ['-f', 'lavfi', '-i', `sine=frequency=440:duration=${seconds}`]
  await run('ffmpeg', ['-loglevel', 'error', '-y', ...tone, '-ar', '8000', file])
  return draftOf(readFileSync(file))
}

async function convert(draft: Draft, options: { limit?: number; seconds?: number } = {}): Promise<VoiceNote> {
  const { limit = megabyte, seconds } = options
  const notes = new VoiceNotes({ drafts, programs, ...(seconds === undefined ? {} : { seconds }) })
  const type = await judgeMediaType({ kind: 'audio', declared: undefined, head: draft.head })
  return notes.of(draft, wanted(type.ok ? type.mimeType : type.code, limit))
}

/** What ffprobe says of the first stream. */
async function probe(path: string): Promise<Record<string, unknown>> {
  const shown = [
    '-show_entries',
    'stream=codec_name,channels,sample_rate:format=duration,format_name:format_tags',
  ]
  const { stdout } = await run('ffprobe', ['-loglevel', 'error', '-of', 'json', ...shown, path])
  const { streams, format } = JSON.parse(stdout)
  return { ...streams[0], ...format, streams: streams.length }
}

async function refusedBy(note: VoiceNote, code: string, detail: RegExp): Promise<void> {
  assert.ok(!note.ok)
  assert.equal(note.code, code)
  assert.match(note.detail, detail)
}

test('what is a voice note already is one as it is', async () => {
  const draft = await draftOf(Buffer.from('anything'))
  const notes = new VoiceNotes({ drafts, programs: undefined })
  assert.deepEqual(await notes.of(draft, wanted(opus, 10)), { ok: true, draft })
})

test('without ffmpeg everything else is refused, and it is said why', async () => {
  const notes = new VoiceNotes({ drafts, programs: undefined })
  const note = await notes.of(await draftOf(Buffer.from('ID3')), wanted('audio/mpeg', megabyte))
  await refusedBy(note, 'voice_not_convertible', /no ffmpeg.*OGG with Opus/)
})

test('the programs are found only where both can be executed', async () => {
  const place = freshFolder()
  const program = (name: string, mode: number) => {
    writeFileSync(join(place, name), '')
    chmodSync(join(place, name), mode)
  }
  program('ffmpeg', 0o700)
  assert.equal(await findConversionPrograms(place), undefined)
  program('prlimit', 0o600)
  assert.equal(await findConversionPrograms(place), undefined)
  program('prlimit', 0o700)
  assert.deepEqual(await findConversionPrograms(`:/nowhere:${place}`), {
    ffmpeg: join(place, 'ffmpeg'),
    prlimit: join(place, 'prlimit'),
  })
  assert.equal(await findConversionPrograms(''), undefined)
  rmSync(place, { recursive: true })
})

test('a conversion that does nothing is ended', { skip: programs ? false : 'needs prlimit' }, async () => {
  const idle = join(folder, 'idle')
  writeFileSync(idle, '#!/bin/sh\nexec sleep 1000\n')
  chmodSync(idle, 0o700)
  const idlePrograms = { prlimit: programs?.prlimit ?? '', ffmpeg: idle }
  const notes = new VoiceNotes({ drafts, programs: idlePrograms, seconds: 1 })
  const note = await notes.of(await draftOf(Buffer.from('ID3')), wanted('audio/mpeg', megabyte))
  await refusedBy(note, 'voice_not_convertible', /could not be converted/)
})

test('the conversion may use so much memory, time and files, and knows nothing of this server', {
  skip: programs ? false : 'needs prlimit',
}, async () => {
  const curious = join(folder, 'curious')
  writeFileSync(curious, '#!/bin/sh\ncat /proc/self/limits; echo environment; export -p\n')
  chmodSync(curious, 0o700)
  const notes = new VoiceNotes({ drafts, programs: { prlimit: programs?.prlimit ?? '', ffmpeg: curious } })
  const note = await notes.of(await draftOf(Buffer.from('ID3')), wanted('audio/mpeg', megabyte))
  assert.ok(note.ok)
  const told = readFileSync(await note.draft.file(), 'utf8')
  assert.match(told, /Max address space +1073741824 +1073741824/)
  assert.match(told, /Max cpu time +60 +60/)
  assert.match(told, /Max file size +0 +0/)
  assert.match(told, /Max open files +64 +64/)
  assert.deepEqual(
    [...told.matchAll(/^export (\w+)/gm)].map(([, name]) => name).filter((name) => name !== 'PWD'),
    [],
  )
  await note.draft.discard()
})

describe('with ffmpeg', needsFfmpeg, () => {
  for (const name of [
    'tone.mp3',
    'tone.m4a',
    'tone.mp4',
    'tone.wav',
    'tone.flac',
    'tone.aac',
    'tone.webm',
    'tone.oga',
  ]) {
    test(`${name} becomes OGG with Opus, and its draft stays`, async () => {
      const draft = await recording(name)
      const note = await convert(draft)
      assert.ok(note.ok, JSON.stringify(note))
      assert.notEqual(await note.draft.file(), await draft.file())
      const type = await judgeMediaType({ kind: 'audio', declared: undefined, head: note.draft.head })
      assert.deepEqual(type, { ok: true, mimeType: opus })
      const { duration, ...facts } = await probe(await note.draft.file())
      assert.ok(Math.abs(Number(duration) - 3) < 0.5, `${duration} s`)
      assert.deepEqual(
        {
          codec: facts.codec_name,
          channels: facts.channels,
          rate: facts.sample_rate,
          streams: facts.streams,
        },
        { codec: 'opus', channels: 1, rate: '48000', streams: 1 },
      )
      assert.equal(note.draft.size, readFileSync(await note.draft.file()).length)
      await note.draft.discard()
      await draft.discard()
    })
  }

  test('nothing but the sound is taken over', async () => {
    const file = join(folder, 'tagged.mp3')
    await run('ffmpeg', [
      ...[
        '-loglevel',
        'error',
        '-y',
        '-f',
        'lavfi',
        '-i',
        'sine=duration=1',
        '-f',
        'lavfi',
        '-i',
        'color=s=64x64:d=1',
      ],
      ...['-map', '0', '-map', '1', '-frames:v', '1', '-c:v', 'png', '-metadata', 'title=where-I-live', file],
    ])
    const note = await convert(await draftOf(readFileSync(file)))
    assert.ok(note.ok)
    assert.ok(!readFileSync(await note.draft.file()).includes('where-I-live'))
    assert.equal((await probe(await note.draft.file())).streams, 1)
    await note.draft.discard()
  })

  test('damaged audio is refused, and leaves nothing', async () => {
    const before = readdirSync(join(folder, 'drafts')).length
    const draft = await draftOf(
      Buffer.concat([Buffer.from('RIFF\x24\0\0\0WAVEfmt \x10\0\0\0', 'latin1'), Buffer.alloc(999, 255)]),
    )
    await refusedBy(await convert(draft), 'voice_not_convertible', /could not be converted/)
    await draft.discard()
    assert.equal(readdirSync(join(folder, 'drafts')).length, before)
  })

  test('what grows over the limit is refused, and leaves nothing', async () => {
    const draft = await recording('long.mp3', 60)
    await draft.file()
    const before = readdirSync(join(folder, 'drafts')).length
    await refusedBy(
      await convert(draft, { limit: 10_000 }),
      'media_too_large',
      /as a voice note, at most 9\.7 KB/,
    )
    assert.equal(readdirSync(join(folder, 'drafts')).length, before)
  })

  test('what takes too long is ended', async () => {
    const draft = await recording('very-long.wav', 3600)
    const note = await convert(draft, { seconds: 1, limit: 100 * megabyte })
    await refusedBy(note, 'voice_not_convertible', /too long/)
  })

  test('a list that names other files or addresses leads nowhere', async () => {
    // Beside the drafts, where a list can name it without a path.
    const secret = join(folder, 'drafts', 'secret.wav')
    await run('ffmpeg', ['-loglevel', 'error', '-y', '-f', 'lavfi', '-i', 'sine=duration=1', secret])
    const lists = [
      `#EXTM3U\n#EXT-X-MEDIA-SEQUENCE:0\n#EXTINF:1,\nfile://${secret}\n#EXT-X-ENDLIST\n`,
      `ffconcat version 1.0\nfile ${secret}\n`,
      'ffconcat version 1.0\nfile secret.wav\n',
      `#EXTM3U\n#EXTINF:1,\nhttp://127.0.0.1:9/a.mp3\n#EXT-X-ENDLIST\n`,
    ]
    const notes = new VoiceNotes({ drafts, programs })
    for (const list of lists) {
      for (const type of ['audio/mpeg', 'audio/mp4', 'audio/aac', 'audio/wav', 'audio/webm', 'audio/ogg']) {
        const draft = await draftOf(Buffer.from(list))
        await refusedBy(
          await notes.of(draft, wanted(type, megabyte)),
          'voice_not_convertible',
          /could not be converted/,
        )
        await draft.discard()
      }
    }
  })

  test('several at a time are all converted', async () => {
    const sources = await Promise.all(
      ['a.mp3', 'b.mp3', 'c.mp3', 'd.mp3', 'e.mp3'].map((name) => recording(name)),
    )
    const notes = new VoiceNotes({ drafts, programs })
    const made = await Promise.all(sources.map((draft) => notes.of(draft, wanted('audio/mpeg', megabyte))))
    assert.ok(made.every(({ ok }) => ok))
  })
})
