import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, describe, test } from 'node:test'
import {
  createInstance,
  deleteInstance,
  startInstance,
  stopInstance,
} from '../../../src/contract/operations/instance-operations.ts'
import {
  cancelMessage,
  getMessage,
  listMessages,
  markMessageRead,
} from '../../../src/contract/operations/message-operations.ts'
import type { Message } from '../../../src/contract/resources/message.ts'
import { sandbox } from '../../../src/networks/sandbox/driver.ts'
import { journalOf } from '../../kit/journal.ts'
import { sampleHeads } from '../../kit/media-samples.ts'
import { Archives, archiveNetwork, type Incoming } from '../../kit/networks/archive-network.ts'
import { create, eventually, reaches, text } from '../../kit/play.ts'
import { freshFolder, type Posthorn, startPosthorn } from '../../kit/posthorn.ts'

/* Messages that come in: from recipients of the sandbox who answer, and from a network that keeps what is written. */

const archives = new Archives(freshFolder())

let posthorn: Posthorn
/** Origin of the network's files. */
let origin: string | null = null

before(async () => {
  posthorn = await startPosthorn({
    drivers: [sandbox(), archiveNetwork(archives, () => origin)],
  })
})

after(() => posthorn.stop())

const read = async (id: string) => (await posthorn.admin.call(getMessage, { params: { id } })).body

type Query = {
  instance?: string
  direction?: Message['direction']
  conversation?: string
  to?: string
  status?: Message['status']
}

async function list(query: Query, client = posthorn.admin): Promise<Message[]> {
  return (await client.call(listMessages, { query })).body.data
}

/** The messages that this instance received, oldest first, once there are so many. */
async function received(instance: string, count: number): Promise<Message[]> {
  const found = await eventually(
    `${count} messages at ${instance}`,
    () => list({ instance, direction: 'inbound' }),
    ({ length }) => length >= count,
  )
  assert.equal(found.length, count)
  return found.toReversed()
}

/** Returns the messages that this instance received, in order, as events told them. */
async function receivedBy(instance: string): Promise<Message[]> {
  const events = await journalOf(posthorn.data)
  const own = events.filter((event) => event.type === 'message.received' && event.instance === instance)
  return own.map(({ data }) => data.message)
}

/** An instance of the network `archive` with its name. */
async function openBox(name: string): Promise<void> {
  const body = { name, network: 'archive', settings: { box: name } }
  const { body: instance } = await posthorn.admin.call(createInstance, { body, waitSeconds: 10 })
  assert.equal(instance.status, 'connected')
  // Messages older than the instance are not asked for, so the first message shows that it listens.
  archives.write(name, incoming(`${name}-first`))
  await received(name, 1)
}

const incoming = (id: string, said: Partial<Incoming> = {}): Incoming => ({
  id,
  from: 'ana',
  text: `Text ${id}`,
  ...said,
})

test('an answer is stored and reported, and can be answered in its conversation', async () => {
  const { admin } = posthorn
  await create(admin, 'trial', { account: 'support' })
  const to = 'ana@replies.sandbox'
  const sent = await text(admin, { instance: 'trial', to, text: 'Are you there?' })
  const [message] = await received('trial', 1)
  assert.ok(message)
  const { id, created_at, sent_at, ...said } = message
  assert.deepEqual(said, {
    direction: 'inbound',
    origin: null,
    instance: 'trial',
    from: to,
    to: 'support@delivers.sandbox',
    conversation: to,
    aliases: [],
    kind: 'text',
    status: 'received',
    text: 'Are you there?',
    sender: { address: to, name: 'Ana', username: null },
    subject: null,
    relation: null,
    unsupported: null,
    network_message_id: `reply-${sent.network_message_id}`,
    client_ref: null,
    metadata: {},
    error: null,
    notices: [],
    attempts: 0,
    send_at: null,
    expires_at: null,
    delivered_at: null,
    read_at: null,
    window_ends_at: null,
  })
  assert.ok(sent_at !== null && sent_at <= created_at && created_at >= sent.created_at)
  assert.deepEqual(await receivedBy('trial'), [message])
  assert.deepEqual(await read(id), { ...message, waits_for: null })
  const answer = await text(admin, { instance: 'trial', to: message.conversation, text: 'Good.' })
  await received('trial', 2)
  await reaches(admin, answer.id, 'delivered')
  const conversation = await list({ conversation: to })
  assert.deepEqual(
    conversation.map(({ direction, text }) => `${direction} ${text}`),
    ['inbound Good.', 'outbound Good.', 'inbound Are you there?', 'outbound Are you there?'],
  )
  for (const query of [{ to }, { to, direction: 'outbound' }, { to, conversation: to }] as const)
    assert.deepEqual(
      (await list(query)).map(({ id }) => id),
      [answer.id, sent.id],
    )
  for (const query of [
    { to, direction: 'inbound' },
    { to, conversation: 'ben@replies.sandbox' },
  ] as const)
    assert.deepEqual(await list(query), [])
})

test('what comes twice is one message and one event', async () => {
  await openBox('doubled')
  const [one, two] = [incoming('n-1'), incoming('n-2')]
  archives.write('doubled', one, two, one, { ...two, text: 'Another text' })
  archives.write('doubled', one, incoming('n-3'))
  const messages = await received('doubled', 4)
  assert.deepEqual(
    messages.map(({ text }) => text),
    ['Text doubled-first', 'Text n-1', 'Text n-2', 'Text n-3'],
  )
  assert.deepEqual(await receivedBy('doubled'), messages)
})

test('what was written while an instance was stopped comes when it is started again, whatever comes first', async () => {
  const params = { name: 'away' }
  await openBox('away')
  await posthorn.admin.call(stopInstance, { params })
  const missed = Array.from({ length: 180 }, (_, index) => incoming(`n-${index}`))
  archives.write('away', ...missed)
  await posthorn.admin.call(startInstance, { params, waitSeconds: 10 })
  archives.write('away', incoming('n-new'))
  const expected = ['away-first', ...missed.map(({ id }) => id), 'n-new'].toSorted()
  const messages = await eventually(
    'all of them',
    () => receivedBy('away'),
    ({ length }) => length >= expected.length,
  )
  assert.deepEqual(messages.map((message) => message.network_message_id).toSorted(), expected)
})

test('a text that is too long or cannot be carried is kept as far as it can be', async () => {
  await openBox('strange')
  archives.write('strange', incoming('n-1', { text: `a\u0000b\ud800${'é'.repeat(60_000)}` }))
  const [, message] = await received('strange', 2)
  assert.match(message?.text ?? '', /^a\ufffdb\ufffdé+$/)
  assert.ok(Buffer.byteLength(message?.text ?? '') <= 65_536)
})

test('an instance that is gone takes nothing more, and what it took can still be read', async () => {
  await openBox('gone')
  const [message] = await received('gone', 1)
  await posthorn.admin.call(deleteInstance, { params: { name: 'gone' } })
  archives.write('gone', incoming('n-late'))
  await openBox('next')
  assert.deepEqual(await list({ instance: 'gone', direction: 'inbound' }), [message])
})

test('nobody sees what another organization received', async () => {
  await openBox('ours')
  const [message] = await received('ours', 1)
  await posthorn.createOrganization('rival')
  const rival = posthorn.client((await posthorn.createKey('rival', 'admin')).key)
  const body = { name: 'ours', network: 'archive', settings: { box: 'theirs' } }
  await rival.call(createInstance, { body, waitSeconds: 10 })
  // The same id at two instances is two messages.
  archives.write('theirs', incoming('ours-first', { text: 'Not for you' }))
  const [theirs] = await eventually(
    'theirs',
    () => list({ direction: 'inbound' }, rival),
    ({ length }) => length > 0,
  )
  assert.deepEqual([theirs?.text, theirs?.instance], ['Not for you', 'ours'])
  assert.deepEqual(await list({ instance: 'ours' }, rival), [theirs])
  await assert.rejects(rival.call(getMessage, { params: { id: message?.id ?? '' } }), {
    code: 'message_not_found',
  })
  const events = (await journalOf(posthorn.data)).filter(({ organization }) => organization === 'rival')
  assert.deepEqual(
    events.filter(({ type }) => type === 'message.received').map(({ data }) => data.message),
    [theirs],
  )
})

describe('files that come in', () => {
  const png = Buffer.concat([sampleHeads['drawing.png'], randomBytes(300_000)])
  const digest = createHash('sha256').update(png).digest('hex')
  let web: Server
  /** Number of requests to the restless address; it answers from the second on. */
  let restless = 0

  before(async () => {
    web = createServer((request, response) => {
      if (request.url === '/none.png') response.writeHead(404).end()
      else if (request.url === '/restless.png' && !restless++) response.writeHead(503).end()
      else if (request.url === '/film.mp4') response.end(sampleHeads['recording.m4a'])
      else if (request.url === '/old.txt') response.end('Old.')
      else response.end(png)
    })
    await new Promise<void>((resolve) => web.listen(0, '127.0.0.1', resolve))
    origin = `http://127.0.0.1:${(web.address() as AddressInfo).port}`
    await openBox('files')
  })

  after(() => web.close())

  /** The message of this id, once it was told. */
  async function toldOf(id: string): Promise<Message> {
    const fits = (message: Message) => message.network_message_id === id
    const messages = await eventually(
      `${id} to be told`,
      () => receivedBy('files'),
      (all) => all.some(fits),
    )
    const own = messages.filter(fits)
    assert.equal(own.length, 1, 'it is told once')
    return own[0] ?? assert.fail()
  }

  async function ask(id: string, headers: Record<string, string> = {}) {
    const authorization = `Bearer ${posthorn.adminKey}`
    return posthorn.admin.rawRequest('GET', `/v1/messages/${id}/media`, {
      headers: { authorization, ...headers },
    })
  }

  test('a picture is fetched, reported, and read back whole and in parts', async () => {
    archives.write(
      'files',
      incoming('photo', { text: 'See this', file: { url: `${origin}/a/view%20of%20it.png` } }),
    )
    const message = await toldOf('photo')
    const { kind, caption, media, error, text } = message
    assert.deepEqual([kind, caption, error, text], ['image', 'See this', null, undefined])
    assert.deepEqual(media, {
      filename: 'view of it.png',
      mime_type: 'image/png',
      size: png.length,
      sha256: digest,
    })
    assert.deepEqual(await read(message.id), { ...message, waits_for: null })
    const whole = await ask(message.id)
    assert.deepEqual([whole.status, whole.headers['content-type']], [200, 'image/png'])
    assert.equal(createHash('sha256').update(whole.bytes).digest('hex'), digest)
    const half = Math.floor(png.length / 2)
    const ranges = [`bytes=0-${half}`, `bytes=${half + 1}-`]
    const parts = await Promise.all(ranges.map(async (range) => (await ask(message.id, { range })).bytes))
    assert.ok(Buffer.concat(parts).equals(png))
  })

  test('a film is a video, and what is said to be heard is audio', async () => {
    const url = `${origin}/film.mp4`
    archives.write('files', incoming('film', { file: { url, filename: '../film.mp4' } }))
    archives.write('files', incoming('song', { file: { url, mime_type: 'audio/mp4' } }))
    const [film, song] = [await toldOf('film'), await toldOf('song')]
    assert.deepEqual(
      [film.kind, film.media?.mime_type, film.media?.filename],
      ['video', 'video/mp4', 'film.mp4'],
    )
    assert.deepEqual([song.kind, song.media?.mime_type], ['audio', 'audio/mp4'])
  })

  test('a file that cannot be had is left out of its message, which says why', async () => {
    const cases = {
      [`${origin}/none.png`]: 'media_unreachable',
      'http://127.0.0.2/secret': 'media_refused',
      'https://169.254.169.254/latest/meta-data': 'media_refused',
      'aesgcm://example.org/file#key': 'media_refused',
      [`https://example.org/${'a'.repeat(9_000)}`]: 'media_refused',
    }
    for (const [index, [url, code]] of Object.entries(cases).entries()) {
      archives.write('files', incoming(`none-${index}`, { file: { url, filename: 'photo.png' } }))
      const { id, kind, error, media, caption } = await toldOf(`none-${index}`)
      assert.deepEqual([kind, error?.code, error?.permanent], ['document', code, true])
      assert.deepEqual(media, { filename: 'photo.png', mime_type: null, size: null, sha256: null })
      assert.equal(caption, `Text none-${index}`)
      assert.equal((await ask(id)).status, 404)
    }
  })

  test('a file that cannot be had now is fetched again before its message is reported', async () => {
    archives.write('files', incoming('restless', { file: { url: `${origin}/restless.png` } }))
    const [waiting] = await eventually(
      'the first failure',
      () => list({ instance: 'files', direction: 'inbound' }),
      ([newest]) => newest?.error?.permanent === false,
    )
    assert.deepEqual([waiting?.network_message_id, (await ask(waiting?.id ?? '')).status], ['restless', 409])
    const { error, media } = await toldOf('restless')
    assert.deepEqual([error, media?.sha256, restless], [null, digest, 2])
  })

  test('a file is kept for its time, and then forgotten', async () => {
    archives.write('files', incoming('old', { file: { url: `${origin}/old.txt` } }))
    const { id } = await toldOf('old')
    assert.equal((await ask(id)).status, 200)
    await posthorn.forgetFiles(Date.now())
    assert.equal((await ask(id)).status, 404)
    assert.equal((await read(id)).media?.filename, 'old.txt')
  })
})

test('a message that came in is marked as read, if the network can do that and is connected', async () => {
  const { admin } = posthorn
  await create(admin, 'reader', {})
  const sent = await text(admin, { instance: 'reader', to: 'ana@replies.sandbox', text: 'Hello' })
  const [message] = await received('reader', 1)
  const mark = (id = '') => admin.call(markMessageRead, { params: { id } })
  assert.equal((await mark(message?.id)).status, 204)
  assert.equal((await mark(message?.id)).status, 204, 'twice does no harm')
  await assert.rejects(mark(sent.id), { code: 'message_not_received' }, 'it is our own')
  await openBox('unread')
  const [other] = await received('unread', 1)
  await assert.rejects(mark(other?.id), { code: 'not_supported_by_network' })
  await admin.call(stopInstance, { params: { name: 'reader' } })
  await assert.rejects(mark(message?.id), { code: 'instance_not_connected' })
  await admin.call(deleteInstance, { params: { name: 'reader' } })
  await assert.rejects(mark(message?.id), { code: 'instance_not_connected' })
})

test('what the account sends from another client is a message, with an event of its own, and is never queued', async () => {
  const { admin } = posthorn
  await create(admin, 'phone', {})
  const to = 'ana@also-elsewhere.sandbox'
  const { id } = await text(admin, { instance: 'phone', to, text: 'From here' })
  const [other, own] = await eventually(
    'both messages',
    () => list({ conversation: to, direction: 'outbound' }),
    ({ length }) => length === 2,
  )
  assert.deepEqual([own?.id, own?.origin], [id, 'posthorn'])
  const { status, origin, from, text: said, attempts, expires_at } = other ?? assert.fail()
  assert.deepEqual([status, origin, from, said], ['sent', 'elsewhere', null, 'From here'])
  assert.deepEqual([attempts, expires_at], [0, null])
  const events = (await journalOf(posthorn.data)).filter(({ instance }) => instance === 'phone')
  const ofOther = events.filter(({ data }) => data.message?.id === other?.id)
  assert.deepEqual(
    ofOther.map(({ type, data }) => [type, data.message.status]),
    [['message.sent_elsewhere', 'sent']],
  )
  await assert.rejects(admin.call(cancelMessage, { params: { id: other?.id ?? '' } }), {
    code: 'message_not_cancelable',
  })
})

test('a file that the account sends from another client has its event once it was fetched', async () => {
  const { admin } = posthorn
  const to = 'bert@also-elsewhere.sandbox'
  // No connection may go there, so the fetch fails at once.
  await text(admin, { instance: 'phone', to, text: 'https://127.0.0.1/a.png' })
  const read = async () =>
    (await journalOf(posthorn.data)).filter(({ type }) => type === 'message.sent_elsewhere')
  const events = await eventually('the event', read, ({ length }) => length === 2)
  const { message } = events[1]?.data ?? assert.fail()
  assert.deepEqual([message.kind, message.status, message.error?.code], ['document', 'sent', 'media_refused'])
})
