import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { deflateRawSync, gzipSync } from 'node:zlib'
import { type SampleName, sampleHeads } from '../../../test/kit/media-samples.ts'
import { randomOf } from '../../../test/kit/random.ts'
import { headBytes } from '../draft.ts'
import { judgeMediaType, recogniseMedia } from './media-type.ts'

/** Returns the type that a sample is judged to have; the code of the refusal if it is refused. */
async function judged(
  name: SampleName,
  kind: 'document' | 'audio' | 'image',
  declared?: string,
): Promise<string> {
  const verdict = await judgeMediaType({ kind, declared, head: sampleHeads[name] })
  return verdict.ok ? verdict.mimeType : verdict.code
}

const refused = 'media_type_mismatch'
const docx = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'
const opus = 'audio/ogg; codecs=opus'

/** The verdict on every sample as an image, as audio, and as a document. */
const table: Record<SampleName, readonly [image: string, audio: string, document: string]> = {
  'photo.jpg': ['image/jpeg', refused, 'image/jpeg'],
  'drawing.png': ['image/png', refused, 'image/png'],
  'moving.png': ['image/png', refused, 'image/apng'],
  'sticker.webp': ['image/webp', refused, 'image/webp'],
  'moving.gif': ['image/gif', refused, 'image/gif'],
  'scan.tiff': [refused, refused, 'image/tiff'],
  'photo.heic': [refused, refused, 'image/heic'],
  'drawing.svg': [refused, refused, 'text/plain'],
  'drawing-with-prolog.svg': [refused, refused, 'application/xml'],
  'page.html': [refused, refused, 'text/plain'],
  'note.opus': [refused, opus, opus],
  'song.ogg': [refused, 'audio/ogg', 'audio/ogg'],
  'song.mp3': [refused, 'audio/mpeg', 'audio/mpeg'],
  'song-with-cover.mp3': [refused, 'audio/mpeg', 'audio/mpeg'],
  'song.m4a': [refused, 'audio/mp4', 'audio/x-m4a'],
  'recording.m4a': [refused, 'audio/mp4', 'video/mp4'],
  'song.aac': [refused, 'audio/aac', 'audio/aac'],
  'sound.wav': [refused, 'audio/wav', 'audio/wav'],
  'song.flac': [refused, 'audio/flac', 'audio/flac'],
  'call.amr': [refused, 'audio/amr', 'audio/amr'],
  'recording.webm': [refused, 'audio/webm', 'video/webm'],
  'invoice.pdf': [refused, refused, 'application/pdf'],
  'letter.docx': [refused, refused, docx],
  'archive.zip': [refused, refused, 'application/zip'],
  'old.doc': [refused, refused, 'application/x-cfb'],
  'table.csv': [refused, refused, 'text/plain'],
  'program.exe': [refused, refused, 'application/x-msdownload'],
  'noise.bin': [refused, refused, 'application/octet-stream'],
  'nothing.txt': [refused, refused, 'application/octet-stream'],
}

describe('by its bytes', () => {
  for (const [name, [image, audio, document]] of Object.entries(table) as [
    SampleName,
    (typeof table)[SampleName],
  ][]) {
    test(`${name} is an image: ${image}; audio: ${audio}; a document: ${document}`, async () => {
      assert.equal(await judged(name, 'image'), image)
      assert.equal(await judged(name, 'audio'), audio)
      assert.equal(await judged(name, 'document'), document)
    })
  }

  test('no declaration makes an image of what is none', async () => {
    for (const name of ['drawing.svg', 'drawing-with-prolog.svg', 'page.html', 'noise.bin'] as const) {
      for (const declared of ['image/svg+xml', 'image/png', 'text/html', ''])
        assert.equal(await judged(name, 'image', declared), refused)
    }
  })

  test('a refusal says what to do', async () => {
    const verdict = await judgeMediaType({
      kind: 'image',
      declared: 'image/png',
      head: sampleHeads['page.html'],
    })
    assert.ok(!verdict.ok)
    assert.match(verdict.detail, /JPEG, PNG, WebP or GIF.*Send it as a document\.$/)
  })
})

test('an image is one by the whole of how its type begins', async () => {
  const beginnings = {
    'image/jpeg': Buffer.from('ffd8ff', 'hex'),
    'image/png': Buffer.from('89504e470d0a1a0a', 'hex'),
    'image/gif': Buffer.from('GIF89a'),
    'image/webp': Buffer.from('RIFF\n\r\0\xffWEBPVP', 'latin1'),
  }
  const judge = (head: Uint8Array, kind: 'image' | 'document' = 'image') =>
    judgeMediaType({ kind, declared: undefined, head })
  for (const [mimeType, head] of Object.entries(beginnings)) {
    const image = Buffer.concat([head, Buffer.alloc(20)])
    assert.deepEqual(await judge(image), { ok: true, mimeType })
    assert.deepEqual(await judge(image, 'document'), { ok: true, mimeType })
    assert.equal((await judge(head.subarray(0, -1))).ok, false)
    const spoilt = Buffer.from(head)
    spoilt[head.length - 1] = (head.at(-1) ?? 0) ^ 1
    assert.equal((await judge(spoilt)).ok, false)
  }
  const jpegLs = Buffer.from('ffd8fff700110800', 'hex')
  assert.equal((await judge(jpegLs)).ok, false)
})

test('a declared type refines what the bytes leave open, and never contradicts them', async () => {
  assert.equal(await judged('table.csv', 'document', 'Text/CSV; charset=utf-8'), 'text/csv')
  assert.equal(await judged('archive.zip', 'document', docx), docx)
  assert.equal(await judged('old.doc', 'document', 'application/msword'), 'application/msword')
  assert.equal(await judged('table.csv', 'document', 'text/html'), 'text/plain')
  assert.equal(await judged('drawing.svg', 'document', 'image/svg+xml'), 'text/plain')
  assert.equal(await judged('noise.bin', 'document', 'text/csv'), 'application/octet-stream')
  assert.equal(await judged('invoice.pdf', 'document', 'application/msword'), 'application/pdf')
  assert.equal(await judged('archive.zip', 'document', 'application/java-archive'), 'application/zip')
  assert.equal(await judged('photo.jpg', 'image', 'image/png'), 'image/jpeg')
})

test('a text is one although its last character is cut off at the end of the head', async () => {
  const head = new TextEncoder().encode(`${'x'.repeat(headBytes - 1)}é`).subarray(0, headBytes)
  assert.deepEqual(await judgeMediaType({ kind: 'document', declared: undefined, head }), {
    ok: true,
    mimeType: 'text/plain',
  })
})

describe('hostile bytes', () => {
  /** Judges them, and tells how long that kept the processor, in milliseconds. */
  async function timeOf(head: Uint8Array): Promise<number> {
    const before = process.cpuUsage()
    for (const kind of ['image', 'audio', 'document'] as const) {
      const verdict = await judgeMediaType({ kind, declared: 'text/csv', head })
      assert.ok(verdict.ok || verdict.code === refused)
    }
    const { user, system } = process.cpuUsage(before)
    return (user + system) / 1000
  }

  const asf = Buffer.alloc(55)
  Buffer.from('3026b2758e66cf11a6d900aa0062ce6c', 'hex').copy(asf)
  const deflated = deflateRawSync(Buffer.alloc(3_000_000))
  const bomb = Buffer.concat([Buffer.from(sampleHeads['letter.docx'].subarray(0, 49)), deflated])
  bomb.writeUInt16LE(8, 8)
  bomb.writeUInt32LE(deflated.length, 18)

  const traps: Record<string, Uint8Array> = {
    'an ASF header with an object of size 0': asf,
    'a gzip of 4 MB of nothing': gzipSync(Buffer.alloc(4_000_000)),
    'a zip whose first entry inflates to 3 MB': bomb,
    'ID3 headers in a row': Buffer.concat(
      Array(400).fill(Buffer.from('ID3\x03\x00\x00\x00\x00\x00\x00', 'latin1')),
    ),
    'byte order marks in a row': Buffer.from('\ufeff'.repeat(1300)),
    'EBML elements of size 0': Buffer.concat([
      Buffer.from('1a45dfa3ff', 'hex'),
      ...Array(1000).fill(Buffer.from('428680', 'hex')),
    ]),
    'PNG chunks of size 0': Buffer.concat([
      Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
      ...Array(330).fill(Buffer.from('\0\0\0\0tEXt\0\0\0\0', 'latin1')),
    ]),
  }
  for (const [what, head] of Object.entries(traps)) {
    test(`${what} : judged soon`, async () => {
      await timeOf(sampleHeads['photo.jpg'])
      const took = await timeOf(head)
      assert.ok(took < 250, `${took} ms`)
    })
  }

  test('of ten thousand random and spoilt heads none is judged late, and none fails', async () => {
    const seed = 20_261_121
    const random = randomOf(seed)
    const below = (limit: number) => Math.floor(random() * limit)
    const originals = Object.values(sampleHeads)
    const spoilt = () => {
      const head = Buffer.alloc(below(headBytes))
      if (random() < 0.5) for (let index = 0; index < head.length; index++) head[index] = below(256)
      if (random() < 0.9)
        head.set((originals[below(originals.length)] as Uint8Array).subarray(0, head.length))
      for (let count = below(20); count > 0; count--) head[below(Math.min(head.length, 128))] = below(256)
      return head
    }
    for (let round = 0; round < 10_000; round++) {
      const head = spoilt()
      const took = await timeOf(head)
      assert.ok(took < 250, `${took} ms for head ${round} of seed ${seed}: ${head.toString('base64')}`)
    }
  })
})

test('what comes in is an image or audio if it is one that clients show, and otherwise a document', async () => {
  const said = async (name: SampleName, declared?: string) => {
    const { kind, mimeType } = await recogniseMedia({ declared, head: sampleHeads[name] })
    return `${kind} ${mimeType}`
  }
  const expected: Partial<Record<SampleName, string>> = {
    'photo.jpg': 'image image/jpeg',
    'drawing.png': 'image image/png',
    'scan.tiff': 'document image/tiff',
    'drawing.svg': 'document text/plain',
    'page.html': 'document text/plain',
    'note.opus': 'audio audio/ogg; codecs=opus',
    'song.mp3': 'audio audio/mpeg',
    'song.m4a': 'audio audio/mp4',
    'invoice.pdf': 'document application/pdf',
    'table.csv': 'document text/plain',
    'nothing.txt': 'document application/octet-stream',
  }
  for (const [name, kind] of Object.entries(expected))
    assert.equal(await said(name as SampleName), kind, name)
  assert.equal(await said('table.csv', 'text/csv'), 'document text/csv')
  assert.equal(await said('photo.jpg', 'text/html'), 'image image/jpeg')
})

test('of formats that hold sound or films, what is declared decides', async () => {
  for (const name of ['recording.m4a', 'recording.webm'] as const) {
    const head = sampleHeads[name]
    const kindOf = async (declared?: string) => (await recogniseMedia({ declared, head })).kind
    assert.deepEqual(
      await Promise.all([kindOf(), kindOf('video/mp4'), kindOf(' Audio/MP4; x=1'), kindOf('text/audio/')]),
      ['video', 'video', 'audio', 'video'],
    )
  }
})
