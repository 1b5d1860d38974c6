import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { chmodSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { after, describe, test } from 'node:test'
import { promisify } from 'node:util'
import { needsFfmpeg } from '../../../test/kit/ffmpeg.ts'
import { freshFolder } from '../../../test/kit/posthorn.ts'
import type { Draft } from '../../contract/handler.ts'
import { QueueFull } from '../../runtime/limits/fair-semaphore.ts'
import { Drafts } from '../draft.ts'
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

/** Says nothing of how long anything is. */
const pretended = { prlimit: programs?.prlimit ?? '', ffprobe: '/bin/true', ffmpeg: '' }

const draftOf = (bytes: Uint8Array) => drafts.receive(Readable.from([bytes]), 100 * megabyte)

/** Three seconds of a tone, or more, in the format that goes with the ending. */
async function recording(name: string, seconds = 3): Promise<Draft> {
  const file = join(folder, name)
  const tone = ['-f', 'lavfi', '-i', `sine=frequency=440:duration=${seconds}`]
  await run('ffmpeg', ['-loglevel', 'error', '-y', ...tone, '-ar', '8000', file])
  return draftOf(readFileSync(file))
}

async function convert(
  draft: Draft,
  options: { limit?: number; seconds?: number; longest?: number } = {},
): Promise<VoiceNote> {
  const { limit = megabyte, ...bounds } = options
  const notes = new VoiceNotes({ drafts, programs, ...bounds })
  const type = await judgeMediaType({ kind: 'audio', declared: undefined, head: draft.head })
  return notes.of(draft, wanted(type.ok ? type.mimeType : type.code, limit))
}

/** Returns the facts that ffprobe reports about the first stream. */
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

test('the programs are found only if all can be executed', async () => {
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
  assert.equal(await findConversionPrograms(place), undefined)
  program('ffprobe', 0o700)
  assert.deepEqual(await findConversionPrograms(`:/nowhere:${place}`), {
    ffprobe: join(place, 'ffprobe'),
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
  const idlePrograms = { ...pretended, ffmpeg: idle }
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
  const notes = new VoiceNotes({ drafts, programs: { ...pretended, ffmpeg: curious } })
  const note = await notes.of(await draftOf(Buffer.from('ID3')), wanted('audio/mpeg', megabyte))
  assert.ok(note.ok)
  const report = readFileSync(await note.draft.file(), 'utf8')
  assert.match(report, /Max address space +1073741824 +1073741824/)
  assert.match(report, /Max cpu time +60 +60/)
  assert.match(report, /Max file size +0 +0/)
  assert.match(report, /Max open files +64 +64/)
  assert.deepEqual(
    [...report.matchAll(/^export (\w+)/gm)].map(([, name]) => name).filter((name) => name !== 'PWD'),
    [],
  )
  await note.draft.discard()
})

describe('six voice notes of one organization', { skip: programs ? false : 'needs prlimit' }, () => {
  /** An ffmpeg that says which file it has, and ends when that has a name beside it. */
  async function setUp(options: { queue?: number } = {}) {
    const place = freshFolder()
    const ffmpeg = join(place, 'ffmpeg')
    const script = `#!/bin/sh
for word; do case $word in file:*) path=\${word#file:};; esac; done
name=$(cat "$path")
: > ${place}/$name.began
while [ ! -e ${place}/$name.end ]; do sleep 0.02; done
echo $name`
    writeFileSync(ffmpeg, script)
    chmodSync(ffmpeg, 0o700)
    const notes = new VoiceNotes({ drafts, programs: { ...pretended, ffmpeg }, ...options })
    const has = (name: string) => existsSync(join(place, name))
    return {
      notes,
      begun: () => readdirSync(place).filter((name) => name.endsWith('.began')).length,
      async ask(organizationId: string, name: string): Promise<VoiceNote> {
        const draft = await draftOf(Buffer.from(name))
        return notes.of(draft, { organizationId, mimeType: 'audio/mpeg', limit: megabyte })
      },
      async began(name: string): Promise<void> {
        while (!has(`${name}.began`)) await new Promise((resolve) => setTimeout(resolve, 5))
      },
      end: (name: string) => writeFileSync(join(place, `${name}.end`), ''),
    }
  }

  test('leave a place for the note of another, which waits for none of them', async () => {
    const { notes, ask, began, begun, end } = await setUp()
    const names = ['a1', 'a2', 'a3', 'a4', 'a5', 'a6']
    const long = names.map((name) => ask('org_a', name))
    await began('a1')
    assert.deepEqual(notes.conversions, { running: 1, waiting: 5 })
    end('b1')
    assert.ok((await ask('org_b', 'b1')).ok)
    assert.equal(begun(), 2, 'a1 goes on, and nothing else of its organization began')
    for (const name of names) end(name)
    assert.ok((await Promise.all(long)).every(({ ok }) => ok))
    assert.deepEqual(notes.conversions, { running: 0, waiting: 0 })
  })

  test('of more than may wait, the last are refused, and those of another are not', async () => {
    const { notes, ask, began, end } = await setUp({ queue: 2 })
    const names = ['a1', 'a2', 'a3']
    const long = names.map((name) => ask('org_a', name))
    await began('a1')
    while (notes.conversions.waiting < 2) await new Promise(setImmediate)
    await assert.rejects(ask('org_a', 'a4'), QueueFull)
    end('b1')
    assert.ok((await ask('org_b', 'b1')).ok)
    for (const name of names) end(name)
    assert.ok((await Promise.all(long)).every(({ ok }) => ok))
  })
})

describe('with ffmpeg', needsFfmpeg, () => {
  test('six days of silence are refused by their length, and a note of another goes through beside them', async () => {
    const silence = join(folder, 'silence.flac')
    const source = ['-f', 'lavfi', '-i', 'anullsrc=r=100:cl=mono', '-t', '86400']
    await run('ffmpeg', ['-loglevel', 'error', '-y', ...source, silence])
    const day = await draftOf(readFileSync(silence))
    const notes = new VoiceNotes({ drafts, programs })
    const note = (organizationId: string, draft: Draft, mimeType: string) =>
      notes.of(draft, { organizationId, mimeType, limit: megabyte })
    let refused = 0
    const days = Array.from({ length: 6 }, async () => {
      await refusedBy(
        await note('org_a', day, 'audio/flac'),
        'voice_too_long',
        /may last 900 seconds.*shorter/,
      )
      refused++
    })
    const other = await note('org_b', await recording('short.mp3', 1), 'audio/mpeg')
    assert.ok(other.ok)
    await Promise.all(days)
    assert.equal(refused, 6)
  })

  test('what is longer than it says is refused, and not cut', async () => {
    const draft = await recording('unsaid.webm', 30)
    const bytes = readFileSync(await draft.file())
    // The element of the duration (RFC 9559 section 5.1.2.10), of eleven bytes, becomes one that is skipped.
    const at = bytes.indexOf(Buffer.from([0x44, 0x89, 0x88]))
    assert.ok(at > 0)
    bytes.set([0xec, 0x89], at)
    const notes = new VoiceNotes({ drafts, programs, longest: 10 })
    const lying = await draftOf(bytes)
    await refusedBy(await notes.of(lying, wanted('audio/webm', megabyte)), 'voice_too_long', /10 seconds/)
  })

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
    const note = await convert(draft, { seconds: 1, longest: 7_200, limit: 100 * megabyte })
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
