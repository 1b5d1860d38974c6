import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { type VoiceFacts, VoiceNoteReader } from './voice-note.ts'

function factsOf(bytes: Buffer, piece = 1000): VoiceFacts | null {
  const note = new VoiceNoteReader()
  for (let at = 0; at < bytes.length; at += piece) note.take(bytes.subarray(at, at + piece))
  return note.facts()
}

const opusHead = Buffer.concat([Buffer.from('OpusHead\x01\x01'), Buffer.from([0x38, 1]), Buffer.alloc(7)])
const opusTags = Buffer.from('OpusTags'.padEnd(24, '\0'))

/** A page with these packets, each of which has fewer than 255 bytes. */
function page(position: number, packets: readonly Buffer[], serial = 7): Buffer {
  const head = Buffer.alloc(27)
  head.write('OggS')
  head.writeBigInt64LE(BigInt(position), 6)
  head.writeUInt32LE(serial, 14)
  head[26] = packets.length
  return Buffer.concat([head, Buffer.from(packets.map(({ length }) => length)), ...packets])
}

/** A note of so many seconds that is loud in its second half. */
function note(seconds: number): Buffer {
  const pages = Array.from({ length: seconds }, (_, second) =>
    page(
      312 + (second + 1) * 48_000,
      Array.from({ length: 50 }, () => Buffer.alloc(second < seconds / 2 ? 10 : 100)),
    ),
  )
  return Buffer.concat([page(0, [opusHead]), page(0, [opusTags]), ...pages])
}

test('a voice note has its length and its loudness', () => {
  for (const piece of [1, 27, 1000, 1_000_000]) {
    const { seconds, waveform } = factsOf(note(8), piece) ?? assert.fail()
    assert.equal(seconds, 8)
    assert.deepEqual([...(waveform ?? [])], [...Array(32).fill(0), ...Array(32).fill(100)])
  }
})

test('a long note takes no more memory, and is as loud as it is', () => {
  const { seconds, waveform } = factsOf(note(3000), 65_536) ?? assert.fail()
  assert.equal(seconds, 3000)
  assert.equal(waveform?.length, 64)
  assert.deepEqual([waveform?.[0], waveform?.[63]], [0, 100])
})

test('a note that is equally loud has no waveform', () => {
  const flat = Buffer.concat([
    page(0, [opusHead]),
    page(0, [opusTags]),
    page(960, [Buffer.alloc(9), Buffer.alloc(9)]),
  ])
  assert.deepEqual(factsOf(flat), { seconds: 1, waveform: null })
})

test('another stream in the file is left out', () => {
  const bytes = Buffer.concat([note(4), page(9_000_000, [Buffer.alloc(100)], 8)])
  assert.equal(factsOf(bytes)?.seconds, 4)
})

for (const [name, bytes] of [
  ['nothing', Buffer.alloc(0)],
  ['noise', randomBytes(200_000)],
  ['another codec', page(48_000, [Buffer.from('\x01vorbis'.padEnd(30))])],
  ['no sound', Buffer.concat([page(0, [opusHead]), page(0, [opusTags])])],
  ['a length that nobody believes', Buffer.concat([page(0, [opusHead]), page(2 ** 52, [opusTags])])],
  ['a negative length', Buffer.concat([page(0, [opusHead]), page(-5, [opusTags])])],
] as const) {
  test(`nothing is said of ${name}`, () => {
    assert.equal(factsOf(bytes), null)
  })
}

const ffmpeg = spawnSync('ffmpeg', ['-version']).status === 0

test('real Opus is as long as it was made, and louder where it is', {
  skip: !ffmpeg && 'needs ffmpeg',
}, () => {
  const sound = "aevalsrc='if(lt(t,2),0.001,0.5)*(random(0)-0.5)':d=4:s=48000"
  const orders = [
    '-v',
    'quiet',
    '-f',
    'lavfi',
    '-i',
    sound,
    '-c:a',
    'libopus',
    '-b:a',
    '32k',
    '-f',
    'ogg',
    '-',
  ]
  const { stdout } = spawnSync('ffmpeg', orders, { maxBuffer: 10_000_000 })
  const { seconds, waveform } = factsOf(stdout) ?? assert.fail()
  assert.equal(seconds, 4)
  const sum = (from: number, to: number) =>
    [...(waveform ?? [])].slice(from, to).reduce((all, each) => all + each, 0)
  assert.ok(sum(34, 64) > sum(0, 30), `${waveform}`)
})
