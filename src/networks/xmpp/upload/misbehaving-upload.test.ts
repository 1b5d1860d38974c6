import assert from 'node:assert/strict'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import { newFile, StoppingFile } from '../../../../test/conformance/networks/files.ts'
import type { ObservedConnection } from '../../../../test/kit/networks/observed-connection.ts'
import { play } from '../../../../test/kit/networks/xmpp/scripted-server.ts'
import {
  answers,
  isAskedForSlot,
  slot,
  takesFile,
} from '../../../../test/kit/networks/xmpp/scripted-uploads.ts'
import { bodyOf, startUploadServer } from '../../../../test/kit/networks/xmpp/upload-server.ts'
import type { OutgoingFile } from '../../driver/message.ts'
import type { Outcome } from '../../driver/outcome.ts'
import type { XmppOptions } from '../driver.ts'

const timeout = { timeout: 20_000 }
const shortTimeouts: XmppOptions = { timeouts: { upload: 300, close: 100 } }

/** Sends a file to a place where `take` decides what happens to it, and returns the outcome and the number of requests. */
async function sendTo(
  t: TestContext,
  take: (request: IncomingMessage, response: ServerResponse) => void | Promise<void>,
  file: OutgoingFile = newFile(3_000_000),
  options: XmppOptions = {},
): Promise<{ outcome: Outcome; asked: number }> {
  const { url, requests } = await startUploadServer(t, take)
  const server = await play(t, (peer) => takesFile(peer, slot(url)))
  const observed = server.connect(options)
  await observed.sees('connection-opened')
  const outcome = await observed.sendFile('ana@far.test', { kind: 'document', file }).outcome
  assert.deepEqual(observed.kinds(), ['account-known', 'connection-opened', 'caught-up'])
  await observed.close()
  return { outcome, asked: requests.length }
}

test(
  'the upload carries what it must, and of what the service asks for only what it may',
  timeout,
  async (t) => {
    let body: Buffer | undefined
    const { url, requests } = await startUploadServer(t, async (request, response) => {
      body = await bodyOf(request)
      response.writeHead(201).end()
    })
    const headers = [
      ['authorization', 'Bearer one\n two'],
      ['Cookie', 'a=1'],
      ['COOKIE', 'b=2'],
      ['Expires&#10;', 'never'],
      ['Host', 'evil.test'],
      ['Content-Length', '1'],
      ['X-Other', 'x'],
    ].map(([name, value]) => `<header name='${name}'>${value}</header>`)
    const server = await play(t, (peer) => takesFile(peer, slot(url, headers.join(''))))
    const observed = server.connect()
    await observed.sees('connection-opened')
    const file = newFile(10, { mime_type: 'text/plain' })
    const sending = observed.sendFile('ana@far.test', { kind: 'document', file })
    assert.deepEqual(await sending.outcome, { kind: 'accepted' })
    const [request] = requests
    assert.equal(request?.method, 'PUT')
    assert.deepEqual(request?.headers, {
      authorization: 'Bearer one two',
      cookie: 'a=1; b=2',
      expires: 'never',
      'content-type': 'text/plain',
      'content-length': '10',
      host: new URL(url).host,
      connection: 'close',
      accept: '*/*',
      'accept-encoding': 'identity',
      'user-agent': 'Posthorn/test',
    })
    assert.equal(body?.length, 10)
    await observed.close()
  },
)

for (const [status, code, permanent] of [
  [200, null, false],
  [301, 'upload_failed', false],
  [307, 'upload_failed', false],
  [304, 'upload_failed', false],
  [403, 'upload_failed', false],
  [413, 'file_too_large', true],
  [429, 'upload_failed', false],
  [500, 'upload_failed', false],
  [507, 'upload_failed', false],
] as const) {
  test(`a service that answers ${status}: ${code ?? 'it has the file'}`, timeout, async (t) => {
    const { outcome, asked } = await sendTo(t, async (request, response) => {
      await bodyOf(request)
      response.writeHead(status, { location: request.url ?? '' }).end()
    })
    assert.equal(asked, 1, 'a redirection is not followed')
    if (code === null) return assert.deepEqual(outcome, { kind: 'accepted' })
    assert.ok(outcome.kind === 'rejected')
    const { error } = outcome
    assert.deepEqual([error.code, error.permanent, error.network_code], [code, permanent, `${status}`])
  })
}

test('a service that refuses before it has read the file is believed', timeout, async (t) => {
  const { outcome } = await sendTo(t, (_request, response) => void response.writeHead(413).end())
  assert.ok(outcome.kind === 'rejected')
  assert.equal(outcome.error.code, 'file_too_large')
})

test('a service that says it has the file before it could have it is not believed', timeout, async (t) => {
  const take = (request: IncomingMessage, response: ServerResponse) => {
    response.writeHead(201).end()
    setImmediate(() => request.destroy())
  }
  const { outcome } = await sendTo(t, take, newFile(50_000_000))
  assert.ok(outcome.kind === 'rejected')
  assert.deepEqual([outcome.error.code, outcome.error.permanent], ['upload_failed', false])
})

test('a service that hangs up in the middle: not now', timeout, async (t) => {
  const { outcome } = await sendTo(t, (request) => void request.once('data', () => request.destroy()))
  assert.ok(outcome.kind === 'rejected')
  assert.deepEqual([outcome.error.code, outcome.error.permanent], ['upload_failed', false])
})

test('a service that never answers: not now', timeout, async (t) => {
  const { outcome } = await sendTo(t, (request) => void request.resume(), newFile(1_000), shortTimeouts)
  assert.ok(outcome.kind === 'rejected')
  assert.deepEqual([outcome.error.code, outcome.error.permanent], ['upload_timeout', false])
})

test('a service that reads nothing: not now, and the file was not read into memory', timeout, async (t) => {
  let read = 0
  const file = newFile(100_000_000)
  const open = () => file.open().on('data', (piece: Buffer) => (read += piece.length))
  const { outcome } = await sendTo(t, (request) => void request.pause(), { ...file, open }, shortTimeouts)
  assert.ok(outcome.kind === 'rejected')
  assert.deepEqual([outcome.error.code, outcome.error.permanent], ['upload_timeout', false])
  assert.ok(read < 20_000_000, `${read} bytes were read`)
})

test('a service that has the file and talks on without an end is not listened to', timeout, async (t) => {
  const { outcome } = await sendTo(t, async (request, response) => {
    await bodyOf(request)
    response.writeEarlyHints({ link: '</style.css>; rel=preload' })
    response.writeHead(201)
    const more = () =>
      void (response.write('x'.repeat(10_000)) ? setImmediate(more) : response.once('drain', more))
    more()
  })
  assert.deepEqual(outcome, { kind: 'accepted' })
})

test('nothing listens at the place for the file: not now', timeout, async (t) => {
  const server = await play(t, (peer) => takesFile(peer, slot('http://127.0.0.1:1/one.bin')))
  const observed = server.connect()
  await observed.sees('connection-opened')
  const outcome = await observed.sendFile('ana@far.test', { kind: 'document', file: newFile(10) }).outcome
  assert.ok(outcome.kind === 'rejected')
  assert.match(outcome.error.detail, /server unreachable/)
  await observed.close()
})

test('a file that is asked for again while it travels is uploaded once', timeout, async (t) => {
  const { url, requests } = await startUploadServer(t, async (request, response) => {
    await bodyOf(request)
    response.writeHead(201).end()
  })
  const server = await play(t, (peer) => takesFile(peer, slot(url)))
  const observed = server.connect()
  await observed.sees('connection-opened')
  const file = new StoppingFile()
  const sending = observed.sendFile('ana@far.test', { kind: 'document', file })
  await file.stopped(sending.outcome)
  const again = observed.connection.send(sending.message, 2)
  file.goOn()
  assert.deepEqual([await sending.outcome, await again], [{ kind: 'accepted' }, { kind: 'accepted' }])
  assert.deepEqual([requests.length, file.opened], [1, 1])
  await observed.close()
})

for (const [how, end] of [
  ['is being closed', (observed: ObservedConnection) => void observed.close()],
  ['is lost', (_observed: ObservedConnection, line: Socket | undefined) => void line?.destroy()],
] as const) {
  test(`a file that is through only when its connection ${how} is no longer sent`, timeout, async (t) => {
    const { url } = await startUploadServer(t, async (request, response) => {
      // It may be given up before it has come whole.
      await bodyOf(request).catch(() => {})
      response.writeHead(201).end()
    })
    const server = await play(t, async (peer) => {
      await peer.begins()
      await answers(peer, await isAskedForSlot(peer), slot(url))
    })
    const observed = server.connect({ timeouts: { close: 1_000 } })
    await observed.sees('connection-opened')
    const file = new StoppingFile()
    const sending = observed.sendFile('ana@far.test', { kind: 'document', file })
    await file.stopped(sending.outcome)
    end(observed, server.sockets[0])
    if (how === 'is lost') await observed.sees('connection-lost')
    file.goOn()
    const outcome = await sending.outcome
    assert.ok(outcome.kind === 'rejected', outcome.kind)
    assert.deepEqual([outcome.error.code, outcome.error.permanent], ['upload_interrupted', false])
    await observed.close()
  })
}

test(
  'four files travel at once; the others wait, and are given up with the connection',
  timeout,
  async (t) => {
    const waiting: (() => void)[] = []
    let arrived = () => {}
    const { url, requests } = await startUploadServer(t, async (request, response) => {
      await bodyOf(request)
      waiting.push(() => response.writeHead(500).end())
      arrived()
    })
    const server = await play(t, async (peer) => {
      await peer.begins()
      for (;;) await answers(peer, await isAskedForSlot(peer), slot(url))
    })
    const observed = server.connect()
    await observed.sees('connection-opened')
    const sendings = Array.from({ length: 9 }, (_, index) =>
      observed.sendFile(`person-${index}@far.test`, { kind: 'document', file: newFile(10) }),
    )
    const arrivals = async (count: number) => {
      while (requests.length < count || waiting.length < 4)
        await new Promise<void>((wake) => (arrived = wake))
    }
    await arrivals(4)
    for (const next of [5, 6]) {
      assert.equal(requests.length, next - 1)
      waiting.shift()?.()
      await arrivals(next)
    }
    const first = await Promise.all(sendings.slice(0, 2).map(({ outcome }) => outcome))
    assert.ok(first.every((outcome) => outcome.kind === 'rejected' && outcome.error.code === 'upload_failed'))
    await observed.close()
    const rest = await Promise.all(sendings.slice(2).map(({ outcome }) => outcome))
    assert.ok(
      rest.every((outcome) => outcome.kind === 'rejected' && outcome.error.code === 'upload_interrupted'),
    )
    assert.equal(requests.length, 6)
  },
)
