import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { PNG } from 'pngjs'
import { sendMediaMessage } from '../../../../../src/contract/operations/message-operations.ts'
import type { MediaKind, Message } from '../../../../../src/contract/resources/message.ts'
import { KilledServer } from '../../../../kit/crash/killed-server.ts'
import { sampleHeads } from '../../../../kit/media-samples.ts'
import { becomes, environmentFor, linkByPicture } from '../../../../kit/networks/whatsapp/stage.ts'
import { reaches } from '../../../../kit/play.ts'
import { residentMemory } from '../../../../kit/resident-memory.ts'
import type { Media } from '../../../../simulators/whatsapp/people/inbox.ts'
import { startWhatsApp, type WhatsAppProcess } from '../../../../simulators/whatsapp/start-whatsapp.ts'

/* Files on their way to phones, which fetch, check and decrypt them. */

const shop = '4915100000001'
const megabyte = 1024 * 1024

/** A page of an OGG stream; each of the packets has fewer than 255 bytes (RFC 3533, 6). */
function page(position: number, packets: readonly Buffer[]): Buffer {
  const head = Buffer.alloc(27)
  head.write('OggS')
  if (position === 0) head[5] = 2
  head.writeBigInt64LE(BigInt(position), 6)
  head[26] = packets.length
  return Buffer.concat([head, Buffer.from(packets.map(({ length }) => length)), ...packets])
}

/** A voice note of four seconds that is loud in its second half. */
function voiceNote(): Buffer {
  const opusHead = Buffer.concat([Buffer.from('OpusHead\x01\x01'), Buffer.from([0x38, 1]), Buffer.alloc(7)])
  const opusTags = Buffer.from('OpusTags'.padEnd(24, '\0'))
  const seconds = Array.from({ length: 4 }, (_, second) =>
    page(
      312 + (second + 1) * 48_000,
      Array.from({ length: 50 }, () => randomBytes(second < 2 ? 10 : 100)),
    ),
  )
  return Buffer.concat([page(0, [opusHead]), page(0, [opusTags]), ...seconds])
}

function picture(width: number, height: number): Buffer {
  const png = new PNG({ width, height })
  png.data.fill(0x7f)
  return PNG.sync.write(png)
}

const pdf = Buffer.concat([Buffer.from('%PDF-1.7\n'), randomBytes(300_000)])

interface Given {
  readonly kind: MediaKind
  readonly voice?: true
  readonly filename: string
  readonly bytes: Buffer
  readonly caption?: string
}

interface Case extends Given {
  readonly what: string
  /** As what a phone shows it. */
  readonly shown: string
  readonly media: Partial<Media>
  readonly notices?: readonly string[]
}

const cases: readonly Case[] = [
  {
    what: 'a document with a caption and a name in several scripts',
    kind: 'document',
    filename: 'Größe 请求 📄.pdf',
    bytes: pdf,
    caption: 'Look 😀',
    shown: 'document',
    media: { mimetype: 'application/pdf', fileName: 'Größe 请求 📄.pdf', caption: 'Look 😀' },
  },
  {
    what: 'a document with a long name, without a caption',
    kind: 'document',
    filename: `${'ä'.repeat(100)}.pdf`,
    bytes: pdf,
    shown: 'document',
    media: { mimetype: 'application/pdf', fileName: `${'ä'.repeat(100)}.pdf` },
  },
  {
    what: 'an image',
    kind: 'image',
    filename: 'view.png',
    bytes: picture(300, 200),
    caption: 'The view',
    shown: 'image',
    media: { mimetype: 'image/png', width: 300, height: 200, caption: 'The view' },
  },
  {
    what: 'an image that is none but by its first bytes, without a thumbnail',
    kind: 'image',
    filename: 'broken.jpg',
    bytes: Buffer.concat([sampleHeads['photo.jpg'], randomBytes(5_000)]),
    shown: 'image',
    media: { mimetype: 'image/jpeg' },
  },
  {
    what: 'audio',
    kind: 'audio',
    filename: 'song.mp3',
    bytes: Buffer.concat([sampleHeads['song.mp3'], randomBytes(20_000)]),
    shown: 'audio',
    media: { mimetype: 'audio/mpeg', ptt: false },
  },
  {
    what: 'a voice note',
    kind: 'audio',
    voice: true,
    filename: 'note.ogg',
    bytes: voiceNote(),
    shown: 'audio',
    media: { mimetype: 'audio/ogg; codecs=opus', ptt: true, seconds: 4, waveform: 64 },
  },
  {
    what: 'an image that phones do not show',
    kind: 'image',
    filename: 'moving.gif',
    bytes: Buffer.concat([sampleHeads['moving.gif'], randomBytes(1_000)]),
    caption: 'It moves',
    shown: 'document',
    media: { mimetype: 'image/gif', fileName: 'moving.gif', caption: 'It moves' },
    notices: ['sent_as_document'],
  },
  {
    what: 'audio that phones do not play',
    kind: 'audio',
    filename: 'sound.wav',
    bytes: Buffer.concat([sampleHeads['sound.wav'], randomBytes(1_000)]),
    shown: 'document',
    media: { fileName: 'sound.wav' },
    notices: ['sent_as_document'],
  },
]

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')

describe('files that a shop sends', { timeout: 180_000 }, () => {
  let whatsapp: WhatsAppProcess
  let server: KilledServer
  let web: Server
  let people = 0

  before(async () => {
    whatsapp = await startWhatsApp({ after: () => {} })
    server = new KilledServer(environmentFor(whatsapp))
    await server.start()
    await whatsapp.control.createPerson({ phone: shop })
    await linkByPicture({ whatsapp, posthorn: server.running }, { name: 'shop', phone: shop })
    web = createServer((request, response) => {
      response.end(
        cases.find(({ filename }) => decodeURIComponent(request.url ?? '') === `/${filename}`)?.bytes,
      )
    }).listen(0, '127.0.0.1')
    await once(web, 'listening')
  })
  after(async () => {
    await server?.remove()
    await whatsapp?.stop()
    web?.close()
  })

  const newPerson = async () => {
    people += 1
    const phone = `4915100001${String(people).padStart(3, '0')}`
    await whatsapp.control.createPerson({ phone })
    return phone
  }
  const upload = async (to: string, { kind, voice, filename, bytes, caption }: Given, waitSeconds = 20) => {
    const body = new FormData()
    const optional = { ...(voice && { voice: 'true' }), ...(caption !== undefined && { caption }) }
    const fields = { instance: 'shop', to: `+${to}`, kind, filename, ...optional }
    for (const [name, value] of Object.entries(fields)) body.set(name, value)
    body.set('file', new Blob([new Uint8Array(bytes)]), 'upload.bin')
    return (
      await server.running.admin.call(sendMediaMessage, { body, ...(waitSeconds > 0 && { waitSeconds }) })
    ).body
  }
  const fromUrl = async (to: string, { kind, voice, filename, caption }: Given) => {
    const url = `http://127.0.0.1:${(web.address() as AddressInfo).port}/${encodeURIComponent(filename)}`
    const optional = { ...(voice && { voice }), ...(caption !== undefined && { caption }) }
    const body = { instance: 'shop', to: `+${to}`, kind, url, filename, ...optional }
    return (await server.running.admin.call(sendMediaMessage, { body, waitSeconds: 20 })).body
  }
  const document = { kind: 'document', filename: 'order.pdf', bytes: pdf, caption: 'My order' } as const

  /** The one message that a phone shows of these, with its file as it was sent. */
  const arrivesOnce = async (phone: string, bytes: Uint8Array = pdf) => {
    const [seen = assert.fail(), ...more] = await whatsapp.control.received({ person: phone, count: 1 })
    assert.deepEqual([more.length, seen.media?.failure, seen.media?.sha256], [0, undefined, sha256(bytes)])
    const { reusedKeys, undecryptable } = await whatsapp.control.trouble({ person: phone })
    assert.deepEqual({ reusedKeys, undecryptable }, { reusedKeys: 0, undecryptable: 0 })
  }
  const isSent = (message: Message) =>
    assert.ok(['sent', 'delivered', 'read'].includes(message.status), JSON.stringify(message.error))

  for (const given of cases)
    test(`${given.what}: uploaded, and from a URL, it is the same on the phone`, async () => {
      const to = await newPerson()
      for (const message of [await upload(to, given), await fromUrl(to, given)]) {
        isSent(message)
        assert.deepEqual(
          message.notices.map(({ code }) => code),
          given.notices ?? [],
        )
      }
      const seen = await whatsapp.control.received({ person: to, count: 2 })
      assert.equal(seen.length, 2)
      for (const { kind, media } of seen) {
        const expected = { ...given.media, sha256: sha256(given.bytes), bytes: given.bytes.length }
        assert.equal(media?.failure, undefined)
        assert.deepEqual({ kind, ...media, ...expected }, { kind: given.shown, ...media })
        assert.equal(media?.caption, given.caption)
        const hasThumbnail = given.media.width !== undefined
        assert.equal((media?.thumbnail ?? 0) > 0, hasThumbnail)
      }
    })

  for (const [what, given, code] of [
    ['an empty file', { kind: 'document', filename: 'empty.txt', bytes: Buffer.alloc(0) }, 'file_empty'],
    [
      'audio with a caption',
      { kind: 'audio', filename: 'song.mp3', bytes: Buffer.from(sampleHeads['song.mp3']), caption: 'Hear' },
      'caption_not_supported',
    ],
  ] as const)
    test(`${what} fails for good (${code}), and nothing is uploaded`, async () => {
      const to = await newPerson()
      const { taken } = await whatsapp.control.uploads({})
      const { status, error } = await upload(to, given)
      assert.deepEqual([status, error?.code, error?.permanent], ['failed', code, true])
      assert.equal((await whatsapp.control.uploads({})).taken, taken)
    })

  test('a token for uploads that is no longer valid is asked for anew, once', async () => {
    const to = await newPerson()
    await whatsapp.control.revokeTokens({})
    const before = await whatsapp.control.uploads({})
    isSent(await upload(to, document))
    await arrivesOnce(to)
    const { tried, taken } = await whatsapp.control.uploads({})
    assert.deepEqual([tried - before.tried, taken - before.taken], [2, 1])
  })

  test('while no token is valid (403), each attempt asks once, and it is sent later', async () => {
    const to = await newPerson()
    const before = await whatsapp.control.uploads({})
    await whatsapp.control.fault({ on: 'upload', times: 2, fault: { kind: 'refuse', code: 403 } })
    const message = await upload(to, document, 30)
    isSent(message)
    assert.equal(message.attempts, 2)
    const { tried, taken } = await whatsapp.control.uploads({})
    assert.deepEqual([tried - before.tried, taken - before.taken], [3, 1])
    await arrivesOnce(to)
  })

  test('a host that refuses leaves it to the next, and when all refuse it is sent later', async () => {
    await whatsapp.control.set({ mediaHosts: 2 })
    await whatsapp.control.revokeTokens({})
    isSent(await upload(await newPerson(), document))
    const before = await whatsapp.control.uploads({})
    await whatsapp.control.fault({ on: 'upload', fault: { kind: 'refuse', code: 503 } })
    const first = await upload(await newPerson(), document)
    assert.equal(first.attempts, 1)
    for (const fault of [{ kind: 'refuse', code: 500 }, { kind: 'cut' }] as const)
      await whatsapp.control.fault({ on: 'upload', fault })
    const to = await newPerson()
    const second = await upload(to, document, 30)
    isSent(second)
    assert.equal(second.attempts, 2)
    await arrivesOnce(to)
    const { tried, taken } = await whatsapp.control.uploads({})
    assert.deepEqual([tried - before.tried, taken - before.taken], [5, 2])
    await whatsapp.control.set({ mediaHosts: 1 })
  })

  test('while WhatsApp does not say where files go, they wait, and are sent when it does', async () => {
    const to = await newPerson()
    await whatsapp.control.revokeTokens({})
    await whatsapp.control.fault({ on: 'iq', xmlns: 'w:m', fault: { kind: 'refuse', code: 500 } })
    const message = await upload(to, document, 30)
    isSent(message)
    assert.equal(message.attempts, 2)
    await arrivesOnce(to)
  })

  // A receipt of the recipient would say what became of the message: so their phone is off until it was sent again.
  for (const what of ['the connection breaks', 'the server is killed'] as const)
    test(`when ${what} between upload and acknowledgement, the same file is sent again, uploaded once`, async () => {
      const to = await newPerson()
      await whatsapp.control.change({ person: to, isAway: true })
      const before = await whatsapp.control.uploads({})
      const kind = what === 'the server is killed' ? 'drop' : 'cut'
      await whatsapp.control.fault({ on: 'message', account: shop, fault: { kind, taken: true } })
      const { id } = await upload(to, document, 0)
      await whatsapp.control.received({ person: shop, chat: to, count: 1 })
      if (kind === 'drop') {
        await server.running.end('SIGKILL')
        await server.start()
        await becomes({ admin: server.running.admin }, 'shop', 'connected')
      }
      assert.equal((await reaches(server.running.admin, id, 'sent')).attempts, 2)
      await whatsapp.control.change({ person: to, isAway: false })
      await reaches(server.running.admin, id, 'delivered')
      await arrivesOnce(to)
      assert.equal((await whatsapp.control.uploads({})).tried, before.tried + 1)
    })

  test('a document of 60 MB passes through, and neither the server nor its worker grows with it', async (t) => {
    const { pid } = server.running
    const [worker = assert.fail()] = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
      .trim()
      .split(' ')
    const [to, bytes] = [await newPerson(), Buffer.alloc(60 * megabyte, '%PDF-1.7 large ')]
    const processes = [pid, Number(worker)]
    const before = processes.map(residentMemory)
    const most = [...before]
    const watch = setInterval(() => {
      for (const [at, each] of processes.entries()) most[at] = Math.max(most[at] ?? 0, residentMemory(each))
    }, 20)
    try {
      isSent(await upload(to, { kind: 'document', filename: 'large.pdf', bytes }, 60))
      await arrivesOnce(to, bytes)
    } finally {
      clearInterval(watch)
    }
    const grown = most.map((each, at) => Math.round((each - (before[at] ?? 0)) / megabyte))
    t.diagnostic(`the server grew by ${grown[0]} MB, the worker by ${grown[1]} MB`)
    for (const each of grown) assert.ok(each < 30, `it grew by ${each} MB`)
  })
})
