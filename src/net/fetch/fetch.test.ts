import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import { flood } from '../../../test/kit/far-ends/far-end.ts'
import {
  closedPort,
  Fetching,
  failureOf,
  farEnd,
  listed,
  reply,
  unlisted,
  withoutDialling,
} from '../../../test/kit/far-ends/fetching.ts'

test('a file is fetched as it is, with what its headers say', async (t) => {
  const fetching = await Fetching.start(t)
  const headers = { 'Content-Type': 'image/png', 'Content-Disposition': 'attachment; filename="a b.png"' }
  const bytes = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte))
  const far = await farEnd(t, ({ socket }) => {
    socket.write(reply(200, { ...headers, 'Content-Length': '256' }))
    socket.end(bytes)
  })
  const fetched = await fetching.get(`http://media.test:${far.port}/some/path.png?size=2#part`)
  assert.equal(fetched.headers['content-type'], 'image/png')
  assert.equal(fetched.suggestedFilename, 'a b.png')
  assert.deepEqual(Buffer.concat(await fetched.body.toArray()), bytes)
  await far.left()
  assert.equal(fetching.time.waiting, 0, 'nothing is waited for')
})

test('the server learns nothing of who asks', async (t) => {
  const fetching = await Fetching.start(t)
  const far = await farEnd(t, ({ socket }) => socket.end(reply(200)))
  process.env.HTTP_PROXY = `http://${unlisted}:9/`
  process.env.NODE_USE_ENV_PROXY = '1'
  t.after(() => {
    delete process.env.HTTP_PROXY
    delete process.env.NODE_USE_ENV_PROXY
  })
  await fetching.read(`http://media.test.:${far.port}/a%20b?c=d#e`)
  assert.deepEqual(linesOf(far.asked[0]?.head), [
    'Accept-Encoding: identity',
    'Accept: */*',
    'Connection: close',
    'GET /a%20b?c=d HTTP/1.1',
    `Host: media.test:${far.port}`,
    'User-Agent: Posthorn',
  ])
})

test('another status than 200 is a failure, for good if asking again would not help', async (t) => {
  const fetching = await Fetching.start(t)
  let status = 0
  const far = await farEnd(t, ({ socket }) => socket.end(reply(status, {}, 'no')))
  const passing = [408, 425, 429, 500, 502, 503, 504, 507, 599]
  for (status of [201, 204, 206, 400, 401, 403, 404, 410, 418, 451, ...passing]) {
    const failure = await failureOf(fetching.get(`http://media.test:${far.port}/`))
    assert.deepEqual(
      [failure.reason, failure.status, failure.permanent],
      ['status', status, !passing.includes(status)],
    )
  }
  await far.left()
})

test('a place to keep out of is refused in the same words, whether or not anybody is there', async (t) => {
  const canary = await farEnd(t, () => {}, { host: unlisted })
  const port = await closedPort(t, unlisted)
  const fetching = await Fetching.start(t, (name) =>
    name === 'inside.test' ? [unlisted] : [listed, unlisted],
  )
  const sentences = new Set<string>()
  await withoutDialling(async () => {
    for (const url of [
      `http://${unlisted}:${canary.port}/`,
      `https://${unlisted}:${port}/`,
      `http://inside.test:${canary.port}/`,
      `http://mixed.test:${port}/`,
      'http://9.9.9.9/',
      'https://9.9.9.9:8443/',
    ]) {
      const { reason, permanent, message } = await failureOf(fetching.get(url))
      assert.deepEqual([reason, permanent], ['refused', true], url)
      sentences.add(message)
    }
  })
  assert.deepEqual(
    [...sentences],
    [
      'URLs are fetched over HTTPS, on port 443, from public addresses, and otherwise only from addresses that the operator ' +
        'lists (POSTHORN_FETCH_ALLOW_CIDRS)',
    ],
  )
})

test('nobody there, and an end without an answer, may be better another time', async (t) => {
  const fetching = await Fetching.start(t)
  const port = await closedPort(t)
  const mute = await farEnd(t, ({ socket }) => socket.end())
  const rude = await farEnd(t, ({ socket }) => socket.resetAndDestroy())
  const half = await farEnd(t, ({ socket }) => socket.end('HTTP/1.1 200 OK\r\nContent-'))
  for (const [at, reason] of [
    [port, 'unreachable'],
    [mute.port, 'lost'],
    [rude.port, 'lost'],
    [half.port, 'lost'],
  ] as const) {
    const failure = await failureOf(fetching.get(`http://media.test:${at}/`))
    assert.deepEqual([failure.reason, failure.permanent], [reason, false])
  }
})

test('an answer that is no proper HTTP, or has too much to say before its body, cannot be used', async (t) => {
  const fetching = await Fetching.start(t)
  for (const answer of [
    'SSH-2.0-OpenSSH_9.9\r\n',
    'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab',
    'HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n',
    'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n',
    `HTTP/1.1 200 OK\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`,
    `HTTP/1.1 200 OK\r\n${'X: y\r\n'.repeat(9_000)}\r\n`,
    'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n',
  ]) {
    const far = await farEnd(t, ({ socket }) => socket.end(answer))
    const failure = await failureOf(fetching.get(`http://media.test:${far.port}/`))
    assert.deepEqual([failure.reason, failure.permanent], ['malformed', true], answer.slice(0, 60))
  }
})

test('a server that never says its headers is given up after ten seconds, however busy it looks', async (t) => {
  const fetching = await Fetching.start(t)
  for (const start of ['', 'HTTP/1.1 200 OK\r\nX: ', 'HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(9)]) {
    const far = await farEnd(t, ({ socket }) => socket.write(start))
    const asked = far.nextRequest()
    const failure = failureOf(fetching.get(`http://media.test:${far.port}/`))
    await asked
    fetching.time.pass(10_000)
    const { reason, permanent } = await failure
    assert.deepEqual([reason, permanent], ['timeout', false])
    await far.left()
  }
})

test('a server may give a few interim answers, and no end of them costs no more than those', async (t) => {
  const fetching = await Fetching.start(t)
  const interim = 'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n'
  const some = await farEnd(t, ({ socket }) => socket.end(interim.repeat(3) + reply(200, {}, 'there')))
  assert.equal(await fetching.read(`http://media.test:${some.port}/`), 'there')
  const asked: Promise<number>[] = []
  const endless = await farEnd(t, ({ socket }) => asked.push(flood(socket, interim.repeat(1_000))))
  const failure = await failureOf(fetching.get(`http://media.test:${endless.port}/`))
  assert.deepEqual([failure.reason, failure.permanent], ['malformed', true])
  const [written = 0] = await Promise.all(asked)
  assert.ok(written < 16_000_000, `${written} bytes were written`)
})

test('the caller can end a fetch at any moment, and gets its own reason back', async (t) => {
  const reason = new Error('no longer wanted')
  const stopped = AbortSignal.abort(reason)
  const silent = await Fetching.start(t, () => 'silence')
  await withoutDialling(async () => {
    await assert.rejects(silent.get('https://media.test/', { signal: stopped }), reason)
    await assert.rejects(silent.get(`http://${listed}/`, { signal: stopped }), reason)
    const caller = new AbortController()
    const lookingUp = silent.get('https://media.test/', { signal: caller.signal })
    await Promise.all([
      silent.names.nextQuestion().then(() => caller.abort(reason)),
      assert.rejects(lookingUp, reason),
    ])
  })
  const fetching = await Fetching.start(t)
  const far = await farEnd(t, ({ head, socket }) => {
    if (head.startsWith('GET /body')) socket.write(reply(200, { 'Content-Length': '9' }, 'begin'))
  })
  const atOnce = new AbortController()
  const begun = fetching.get(`http://${listed}:${far.port}/`, { signal: atOnce.signal })
  atOnce.abort(reason)
  await assert.rejects(begun, reason)
  const early = new AbortController()
  const asking = fetching.get(`http://media.test:${far.port}/`, { signal: early.signal })
  await Promise.all([far.nextRequest().then(() => early.abort(reason)), assert.rejects(asking, reason)])
  const late = new AbortController()
  const { body } = await fetching.get(`http://media.test:${far.port}/body`, { signal: late.signal })
  await once(body, 'readable')
  late.abort(reason)
  await assert.rejects(body.toArray(), reason)
  await far.left()
  assert.deepEqual([fetching.time.waiting, silent.time.waiting], [0, 0])
})

function linesOf(head = ''): string[] {
  return head.slice(0, head.indexOf('\r\n\r\n')).split('\r\n').sort()
}
