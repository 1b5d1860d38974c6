import assert from 'node:assert/strict'
import { buffer } from 'node:stream/consumers'
import { test } from 'node:test'
import { newFile } from '../../../../test/conformance/networks/files.ts'
import { newMessageId } from '../../../../test/kit/networks/new-message-id.ts'
import type { HttpClient } from '../../../net/http/client.ts'
import type { HttpRequest, HttpResponse } from '../../../net/http/request.ts'
import type { OutgoingFile, OutgoingMedia, PlainMessage } from '../../driver/message.ts'
import { ImageMemory } from '../media/image-memory.ts'
import { Decryption } from '../media/media-crypto.ts'
import { type Built, buildContent, type ContentOptions } from './content.ts'

const thumbnail = { jpeg: Buffer.from('a small picture'), width: 800, height: 600 }
const connection = { auth: 'auth', hosts: [{ hostname: 'mmg.test', maxContentLengthBytes: null }] }
const before = Date.now()

/** Everything that contents are built with, played. */
class Far implements Pick<ContentOptions, 'mediaHosts' | 'thumbnail'> {
  readonly uploads: { url: string; bytes: Buffer }[] = []
  readonly asked: boolean[] = []
  thumbnails = 0
  readonly images = new ImageMemory(1_000_000)
  /** Statuses of the next uploads, instead of success. */
  readonly statuses: number[] = []

  readonly http: HttpClient = {
    request: (request) => this.#take(request),
    open: () => assert.fail('nothing is fetched'),
  }

  async mediaHosts(fresh: boolean) {
    this.asked.push(fresh)
    return connection
  }

  async thumbnail() {
    this.thumbnails += 1
    return thumbnail
  }

  build(message: PlainMessage, wishes: Partial<ContentOptions> = {}): Promise<Built> {
    return buildContent(message, {
      http: this.http,
      mediaHosts: (fresh) => this.mediaHosts(fresh),
      thumbnail: () => this.thumbnail(),
      inTurn: (work) => work(),
      hold: (bytes) => this.images.hold(bytes),
      signal: new AbortController().signal,
      ...wishes,
    })
  }

  async #take({ url, body }: HttpRequest): Promise<HttpResponse> {
    const bytes = body && 'file' in body ? await buffer(body.file.open()) : assert.fail()
    this.uploads.push({ url, bytes })
    const status = this.statuses.shift() ?? 200
    const answer = { url: 'https://mmg.whatsapp.net/v/1', direct_path: '/v/1' }
    return { kind: 'responded', status, headers: {}, body: Buffer.from(JSON.stringify(answer)) }
  }
}

function media(wishes: Partial<Omit<OutgoingMedia, 'file'>>, file: OutgoingFile): OutgoingMedia {
  const usual = {
    id: newMessageId(),
    to: '+4915112345678',
    kind: 'document',
    caption: null,
    voice: false,
  } as const
  return { ...usual, ...wishes, file }
}

function contentOf(result: Built): Readonly<Record<string, Record<string, unknown>>> {
  assert.ok(result.kind === 'built', JSON.stringify(result))
  return result.content as Readonly<Record<string, Record<string, unknown>>>
}

function codesIn(result: Built): string[] {
  return result.kind === 'built' ? result.notices.map(({ code }) => code) : assert.fail()
}

function errorIn(result: Built): string {
  assert.ok(result.kind === 'failed' && result.outcome.kind === 'rejected', JSON.stringify(result))
  return `${result.outcome.error.code} ${result.outcome.error.permanent}`
}

/** Expects the file of a message to be what was uploaded, under the keys in the message. */
async function uploadedIs(
  far: Far,
  file: OutgoingFile,
  kind: 'image' | 'document' | 'audio',
  part: Record<string, unknown>,
) {
  const { mediaKey, fileSha256, fileEncSha256 } = part as Record<string, Buffer>
  assert.ok(mediaKey && fileSha256 && fileEncSha256)
  const decryption = new Decryption(kind, { mediaKey, fileSha256, fileEncSha256 })
  decryption.end(far.uploads.at(-1)?.bytes)
  assert.deepEqual(await buffer(decryption), await buffer(file.open()))
  assert.match(far.uploads.at(-1)?.url ?? '', new RegExp(`^https://mmg\\.test/mms/${kind}/`))
  assert.equal(part.fileLength, file.size)
  assert.deepEqual([part.url, part.directPath], ['https://mmg.whatsapp.net/v/1', '/v/1'])
  const at = Number(part.mediaKeyTimestamp) * 1000
  assert.ok(at >= before - 2_000 && at <= Date.now(), `${at}`)
}

test('a text is said as it is, and nothing is asked for', async () => {
  const far = new Far()
  const text = 'See https://example.org/ 👋'
  const result = await far.build({ id: newMessageId(), to: '+4915112345678', kind: 'text', text })
  assert.deepEqual(result, { kind: 'built', content: { conversation: text }, notices: [] })
  assert.deepEqual(far.asked, [])
})

test('an image has a thumbnail, its size and its caption', async () => {
  const far = new Far()
  const file = newFile(70_000, { mime_type: 'image/jpeg', filename: 'a.jpg' })
  const result = await far.build(media({ kind: 'image', caption: 'Look' }, file))
  const { imageMessage = assert.fail() } = contentOf(result)
  await uploadedIs(far, file, 'image', imageMessage)
  const { caption, width, height, jpegThumbnail, mimetype } = imageMessage
  assert.deepEqual([caption, width, height, mimetype], ['Look', 800, 600, 'image/jpeg'])
  assert.equal(jpegThumbnail, thumbnail.jpeg)
})

test('an image without a thumbnail is sent without one', async () => {
  const far = new Far()
  const file = newFile(1000, { mime_type: 'image/png' })
  for (const wishes of [
    { thumbnail: async () => null },
    { thumbnail: () => Promise.reject(new Error('the worker is gone')) },
    { inTurn: () => Promise.reject(new Error('too many wait')) },
  ]) {
    const { imageMessage = assert.fail() } = contentOf(
      await far.build(media({ kind: 'image' }, file), wishes),
    )
    assert.ok(
      !('jpegThumbnail' in imageMessage) && !('width' in imageMessage) && !('caption' in imageMessage),
    )
  }
  const large = newFile(9 * 1024 * 1024, { mime_type: 'image/png' })
  await far.build(media({ kind: 'image' }, large))
  assert.equal(far.thumbnails, 0)
})

/** A file that counts how often it is read. */
function counted(file: OutgoingFile): OutgoingFile & { opened: number } {
  const open = () => {
    counting.opened += 1
    return file.open()
  }
  const counting = { ...file, opened: 0, open }
  return counting
}

test('an image is read once while there is room for it in memory, and otherwise again to be uploaded', async () => {
  const far = new Far()
  const image = newFile(600_000, { mime_type: 'image/jpeg' })
  // A secret that is stale makes it be uploaded again.
  far.statuses.push(401)
  for (const [wishes, opened] of [
    [{}, 1],
    [{ hold: () => null }, 2],
    [{ inTurn: () => Promise.reject(new Error('too many wait')) }, 2],
    [{}, 1],
  ] as const) {
    const file = counted(image)
    const { imageMessage = assert.fail() } = contentOf(
      await far.build(media({ kind: 'image' }, file), wishes),
    )
    assert.equal(file.opened, opened)
    await uploadedIs(far, image, 'image', imageMessage)
  }
  assert.equal(far.uploads.length, 5)
  assert.ok(far.images.hold(1_000_000), 'nothing is held any longer')
})

test('a voice note is read once for its keys and its length, and once to be uploaded', async () => {
  const far = new Far()
  const file = counted(newFile(50_000, { mime_type: 'audio/ogg; codecs=opus' }))
  contentOf(await far.build(media({ kind: 'audio', voice: true }, file)))
  assert.equal(file.opened, 2)
})

test('an image that cannot be read, or is another one, is not sent without its thumbnail', async () => {
  const far = new Far()
  const image = newFile(1000, { mime_type: 'image/png' })
  const open = () => {
    throw new Error('the disk is gone')
  }
  const other = { ...image, sha256: newFile(1000).sha256 }
  for (const [file, error] of [
    [{ ...image, open }, 'file_unreadable false'],
    [other, 'file_altered true'],
  ] as const)
    assert.equal(errorIn(await far.build(media({ kind: 'image' }, file))), error)
  assert.deepEqual([far.thumbnails, far.uploads.length], [0, 0])
})

test('a document has its name, and its caption in a wrapping', async () => {
  const far = new Far()
  const file = newFile(5000, { filename: 'report.pdf', mime_type: 'application/pdf' })
  const { documentMessage = assert.fail() } = contentOf(await far.build(media({}, file)))
  await uploadedIs(far, file, 'document', documentMessage)
  assert.deepEqual([documentMessage.fileName, documentMessage.title], ['report.pdf', 'report.pdf'])
  const captioned = contentOf(await far.build(media({ caption: 'Read this' }, file)))
  const wrapped = captioned.documentWithCaptionMessage?.message as typeof captioned
  assert.equal(wrapped.documentMessage?.caption, 'Read this')
})

test('audio is a voice note only if it is one', async () => {
  const far = new Far()
  const opus = newFile(5000, { mime_type: 'audio/ogg; codecs=opus' })
  const voice = await far.build(media({ kind: 'audio', voice: true }, opus))
  const { audioMessage = assert.fail() } = contentOf(voice)
  await uploadedIs(far, opus, 'audio', audioMessage)
  assert.deepEqual([audioMessage.ptt, audioMessage.mimetype], [true, 'audio/ogg; codecs=opus'])
  assert.deepEqual(codesIn(voice), [])
  const mp3 = newFile(5000, { mime_type: 'audio/mpeg' })
  const heard = await far.build(media({ kind: 'audio', voice: true }, mp3))
  assert.equal(contentOf(heard).audioMessage?.ptt, false)
  assert.deepEqual(codesIn(heard), ['sent_as_audio'])
})

for (const [kind, mime_type] of [
  ['image', 'image/gif'],
  ['image', 'image/webp'],
  ['audio', 'audio/wav'],
  ['audio', 'audio/flac'],
] as const) {
  test(`${mime_type} is sent as a document, with a notice`, async () => {
    const far = new Far()
    const file = newFile(5000, { mime_type })
    const result = await far.build(media({ kind, caption: 'Words' }, file))
    assert.deepEqual(codesIn(result), ['sent_as_document'])
    assert.deepEqual(Object.keys(contentOf(result)), ['documentWithCaptionMessage'])
    assert.match(far.uploads[0]?.url ?? '', /\/mms\/document\//)
  })
}

test('a caption of audio, an empty file, and what cannot be encoded are refused before anything is uploaded', async () => {
  const far = new Far()
  const opus = newFile(500, { mime_type: 'audio/ogg; codecs=opus' })
  assert.equal(
    errorIn(await far.build(media({ kind: 'audio', caption: 'x' }, opus))),
    'caption_not_supported true',
  )
  assert.equal(errorIn(await far.build(media({}, newFile(0)))), 'file_empty true')
  assert.equal(
    errorIn(await far.build(media({ caption: 'a\0b' }, newFile(9)))),
    'text_not_representable true',
  )
  const text = { id: newMessageId(), to: '+4915112345678', kind: 'text', text: '\ud83d' } as const
  assert.equal(errorIn(await far.build(text)), 'text_not_representable true')
  assert.deepEqual([far.uploads.length, far.asked.length], [0, 0])
})

test('if the secret for uploads is no longer valid, another is asked for once', async () => {
  const far = new Far()
  far.statuses.push(401)
  assert.equal((await far.build(media({}, newFile(500)))).kind, 'built')
  assert.deepEqual(far.asked, [false, true])
  far.statuses.push(401, 403)
  assert.equal(errorIn(await far.build(media({}, newFile(500)))), 'upload_failed false')
  assert.equal(far.uploads.length, 4)
})

test('what goes wrong with a file is said, and nothing was sent', async () => {
  const far = new Far()
  const file = newFile(5000)
  const altered = { ...file, sha256: newFile(1).sha256 }
  assert.equal(errorIn(await far.build(media({}, altered))), 'file_altered true')
  const silent = { mediaHosts: () => Promise.reject(new Error('no answer')) }
  assert.equal(errorIn(await far.build(media({}, file), silent)), 'upload_failed false')
  const gone = { signal: AbortSignal.abort() }
  assert.equal(errorIn(await far.build(media({}, file), gone)), 'not_connected false')
  far.statuses.push(415)
  assert.equal(errorIn(await far.build(media({}, file))), 'upload_refused true')
})

test('each message has a key of its own', async () => {
  const far = new Far()
  const file = newFile(100)
  const keys = [await far.build(media({}, file)), await far.build(media({}, file))].map(
    (result) => contentOf(result).documentMessage?.mediaKey,
  )
  assert.notDeepEqual(keys[0], keys[1])
})
