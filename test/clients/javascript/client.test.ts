import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import {
  ConnectionError,
  type Event,
  EventGapError,
  isProblem,
  type Message,
  OutcomeError,
  Posthorn,
  PosthornTimeoutError,
} from '../../../clients/javascript/src/index.ts'
import { freePort } from '../../kit/far-ends/free-ports.ts'
import { startTcpProxy } from '../../kit/far-ends/tcp-proxy.ts'
import { freshFolder, type Posthorn as Server, startPosthorn } from '../../kit/posthorn.ts'

/* Programs that use the JavaScript client, and a Posthorn that they use. */

describe('the JavaScript client', () => {
  let server: Server
  let posthorn: Posthorn
  before(async () => {
    server = await startPosthorn()
    posthorn = new Posthorn({ baseUrl: server.url, key: server.adminKey })
    await posthorn.instances.create({ name: 'trial', network: 'sandbox' }, { waitSeconds: 20 })
  })
  after(() => server.stop())

  const send = (to = 'ana@reads.sandbox', text = 'Good morning') =>
    posthorn.messages.sendText({ instance: 'trial', to, text })

  test('shows who types, and goes on where the events are', async () => {
    const signal = AbortSignal.timeout(30_000)
    const feed = posthorn.events.follow({ types: ['conversation.typing', 'message.received'], signal })
    const states: string[] = []
    let sent: Promise<unknown> | undefined
    const begin = setInterval(() => {
      sent = send('ana@types.sandbox')
    }, 500)
    try {
      for await (const event of feed) {
        if (event.type === 'conversation.typing') states.push(event.data.state)
        if (event.type === 'message.received' && states.length > 0) break
      }
    } finally {
      clearInterval(begin)
      await sent
    }
    assert.equal(states[0], 'typing')
    assert.ok(feed.cursor)
    const alone = posthorn.events.follow({ types: ['conversation.typing'], after: 'oldest', signal })
    const again = setInterval(() => void send('bob@types.sandbox').catch(() => {}), 500)
    try {
      for await (const { type } of alone) {
        assert.equal(type, 'conversation.typing')
        break
      }
    } finally {
      clearInterval(again)
    }
    const picture = await posthorn.contacts.getPicture('trial', 'ana@types.sandbox')
    assert.equal(
      Buffer.from(await picture.arrayBuffer())
        .subarray(1, 4)
        .toString(),
      'PNG',
    )
  })

  test('sends a text, and waits until it was read', async () => {
    const message = await send()
    assert.equal((await posthorn.messages.waitFor(message, 'read')).status, 'read')
    assert.equal((await posthorn.messages.waitFor(message, 'sent')).status, 'read')
  })

  test('tells a text that fails, and one that stays, while it waits', async () => {
    const failed = await send('ana@refuses.sandbox')
    const isFailed = (error: unknown) => error instanceof OutcomeError && error.outcome.status === 'failed'
    await assert.rejects(posthorn.messages.waitFor(failed, 'delivered'), isFailed)
    const tomorrow = new Date(Date.now() + 86_400_000).toISOString()
    const later = await posthorn.messages.sendText({
      instance: 'trial',
      to: 'a@reads.sandbox',
      text: 'x',
      send_at: tomorrow,
    })
    await assert.rejects(posthorn.messages.waitFor(later, 'sent', { timeoutMs: 200 }), PosthornTimeoutError)
    assert.equal((await posthorn.messages.cancel(later.id)).status, 'canceled')
  })

  test('goes through lists page by page', async () => {
    for (let number = 0; number < 5; number++) await send('paul@reads.sandbox', `Number ${number}`)
    const list = posthorn.messages.list({ to: 'paul@reads.sandbox', limit: 2 })
    const texts: (string | undefined)[] = []
    for await (const { text } of list) texts.push(text)
    assert.deepEqual(
      texts,
      [4, 3, 2, 1, 0].map((number) => `Number ${number}`),
    )
    assert.equal((await list.toArray(3)).length, 3)
    assert.ok((await list.page()).data.length <= 2)
  })

  test('sends files in all forms, and gets them back', async () => {
    const bytes = new TextEncoder().encode('A file of the test.\n')
    const path = join(freshFolder(), 'letter.txt')
    writeFileSync(path, bytes)
    const files = [
      { path },
      new Blob([bytes]),
      new File([bytes], 'letter.txt'),
      bytes,
      bytes.buffer,
      new Blob([bytes]).stream(),
    ]
    for (const file of files) {
      const message = await posthorn.messages.sendMedia({
        ...{ instance: 'trial', to: 'ana@reads.sandbox', kind: 'document', file, caption: 'To read' },
        metadata: { ticket: '4711' },
        ...(file instanceof File || 'path' in file ? {} : { filename: 'letter.txt' }),
      })
      const got = await posthorn.messages.getMedia(message.id)
      assert.equal(await got.text(), 'A file of the test.\n')
      const { media, caption, metadata } = await posthorn.messages.waitFor(message, 'read')
      assert.deepEqual([media?.filename, caption, metadata], ['letter.txt', 'To read', { ticket: '4711' }])
      assert.equal(media?.sha256, createHash('sha256').update(bytes).digest('hex'))
    }
  })

  test('names those whom the caption of an uploaded file mentions', async () => {
    const mentions = ['ana@reads.sandbox', 'bo@reads.sandbox']
    const file = new Blob(['For both.\n'])
    const said = {
      instance: 'trial',
      to: 'crew@group.sandbox',
      kind: 'document',
      caption: '@ana and @bo',
    } as const
    const message = await posthorn.messages.sendMedia({ ...said, file, mentions })
    assert.deepEqual(message.mentions, mentions)
  })

  test('tells problems by their codes, with what the server says', async () => {
    const error = await posthorn.messages
      .sendText({ instance: 'trial', to: '', text: '' })
      .catch((one: unknown) => one)
    assert.ok(isProblem(error, 'invalid_request'))
    assert.deepEqual(error.errors.map(({ pointer }) => pointer).sort(), ['/text', '/to'])
    assert.match(error.requestId, /^req_/)
    assert.equal(error.retryable, false)
    const unknown = new Posthorn({ baseUrl: server.url, key: 'phk_wrong' })
    await assert.rejects(unknown.keys.me(), (one) => isProblem(one, 'unauthenticated'))
    const unused = new Posthorn({ baseUrl: `http://127.0.0.1:${await freePort()}`, maxRetries: 0 })
    await assert.rejects(
      unused.service.getHealth(),
      (one) => one instanceof ConnectionError && one.wasRefused,
    )
  })

  test('reads the state of the service, and responses without JSON', async () => {
    assert.equal((await posthorn.service.getReadiness()).status, 'ok')
    const key = readFileSync(join(server.data, 'metrics.token'), 'utf8').trim()
    assert.match(await new Posthorn({ baseUrl: server.url, key }).service.getMetrics(), /^# HELP /m)
    const created = await posthorn.webhooks.create({ url: 'https://example.org/hook' })
    assert.equal(await posthorn.webhooks.delete(created.id), undefined)
  })

  test('follows events over connections that break, and misses none', async (context) => {
    const proxy = await startTcpProxy({ port: Number(new URL(server.url).port) })
    context.after(() => proxy.stop())
    const through = new Posthorn({ baseUrl: `http://127.0.0.1:${proxy.port}`, key: server.adminKey })
    const feed = through.events.follow({ after: 'latest', instances: ['trial'], types: ['message.read'] })
    const iterator = feed[Symbol.asyncIterator]()
    const next = iterator.next()
    await proxy.sees('to-client', /text\/event-stream/)
    const texts: unknown[] = []
    for (let number = 0; number < 5; number++) {
      const sent = await send(`p${number}@reads.sandbox`, `Event ${number}`)
      const { value } = await (number === 0 ? next : iterator.next())
      assert.equal(messageOf(value).id, sent.id)
      texts.push(messageOf(value).text)
      proxy.cut()
    }
    assert.equal(new Set(texts).size, 5)
    const cursor = feed.cursor
    await iterator.return?.()
    const last = await send('p5@reads.sandbox', 'The last')
    for await (const event of posthorn.events.follow({ after: cursor, types: ['message.read'] })) {
      assert.equal(messageOf(event).id, last.id)
      break
    }
  })

  test('processes each event, and goes on after the one that was saved', async () => {
    let saved: string | undefined
    const seen: number[] = []
    const processUntil = async (count: number, fail = false) => {
      const stop = new AbortController()
      const handle = (event: Event) => {
        if (fail) throw new Error('not today')
        seen.push(event.sequence)
        if (seen.length >= count) stop.abort()
      }
      const save = (cursor: string) => {
        saved = cursor
      }
      const options = { load: () => saved, save }
      await posthorn.events.process(handle, { ...options, after: 'oldest', signal: stop.signal })
    }
    await processUntil(2)
    await assert.rejects(processUntil(3, true), /not today/)
    await processUntil(4)
    assert.deepEqual(seen, [1, 2, 3, 4])
  })

  test('notices events that were missed, unless they are not for its key', async () => {
    const missing = async (url: string | URL | Request, init?: RequestInit) => {
      const response = await fetch(url, init)
      if (!response.headers.get('content-type')?.startsWith('text/event-stream')) return response
      return new Response(response.body?.pipeThrough(without(/"sequence":3,/)) ?? null, response)
    }
    const follow = async (key: string) => {
      const lossy = new Posthorn({ baseUrl: server.url, key, fetch: missing })
      for await (const event of lossy.events.follow({ after: 'oldest' })) if (event.sequence > 5) break
    }
    await assert.rejects(
      follow(server.adminKey),
      (error) => error instanceof EventGapError && error.before === 2,
    )
    const limited = await server.createKey('default', 'read', { instances: ['trial'] })
    await follow(limited.key)
  })
})

function messageOf(event: Event | undefined): Message {
  assert.ok(event && 'message' in event.data)
  return event.data.message
}

/** Leaves out the events that match. */
function without(pattern: RegExp): TransformStream<Uint8Array, Uint8Array> {
  const decoder = new TextDecoder()
  let rest = ''
  return new TransformStream({
    transform(chunk, controller) {
      const events = (rest + decoder.decode(chunk, { stream: true })).split('\n\n')
      rest = events.pop() ?? ''
      const kept = events.filter((event) => !pattern.test(event))
      controller.enqueue(new TextEncoder().encode(kept.map((event) => `${event}\n\n`).join('')))
    },
  })
}
