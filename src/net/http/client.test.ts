import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { inspect } from 'node:util'
import { Authority } from '../../../test/kit/far-ends/certificates.ts'
import { flood } from '../../../test/kit/far-ends/far-end.ts'
import {
  closedPort,
  failureOf,
  farEnd,
  listed,
  publicName,
  reply,
  unlisted,
  withoutDialling,
} from '../../../test/kit/far-ends/fetching.ts'
import { answerIn, failureIn, Requesting } from '../../../test/kit/far-ends/requesting.ts'

test('a request arrives with its method, its headers and its JSON, and all of the answer comes back', async (t) => {
  const requesting = await Requesting.start(t)
  const far = await farEnd(t, ({ socket }) =>
    socket.write(reply(201, { 'Retry-After': '7', 'X-Other': 'hidden' }, 'good')),
  )
  const url = `http://api.test:${far.port}/bot1:a/send?x=1`
  const result = await requesting.request(url, {
    headers: { Authorization: 'Bearer b' },
    body: { json: { text: 'Grüße' } },
    wantedHeaders: ['retry-after', 'etag'],
  })
  assert.deepEqual(result, {
    kind: 'responded',
    status: 201,
    headers: { 'retry-after': '7' },
    body: Buffer.from('good'),
  })
  const [asked] = far.asked
  assert.deepEqual(JSON.parse(String(asked?.body)), { text: 'Grüße' })
  assert.deepEqual(asked?.head.split('\r\n').toSorted().filter(Boolean), [
    'Accept-Encoding: identity',
    'Accept: */*',
    'Authorization: Bearer b',
    'Connection: keep-alive',
    'Content-Length: 18',
    'Content-Type: application/json',
    `Host: api.test:${far.port}`,
    'POST /bot1:a/send?x=1 HTTP/1.1',
    'User-Agent: Posthorn/1.2.3',
  ])
  assert.equal(requesting.time.waiting, 1, 'only the kept connection is waited for')
})

test('requests without a body, and with bytes of a type', async (t) => {
  const requesting = await Requesting.start(t)
  const far = await farEnd(t, ({ head, body, socket }) =>
    socket.write(reply(200, {}, `${head.split(' ')[0]} ${/content-type: (.*)\r/i.exec(head)?.[1]} ${body}`)),
  )
  const url = `http://api.test:${far.port}/`
  const bodies: unknown[] = []
  for (const method of ['GET', 'POST', 'PUT', 'DELETE'] as const) {
    const bare = { method, url, maxBytes: 1_000, signal: new AbortController().signal }
    bodies.push(answerIn(await requesting.client.request(bare))[1])
  }
  const bytes = { bytes: Buffer.from('a=1'), type: 'application/x-www-form-urlencoded' }
  bodies.push(answerIn(await requesting.request(url, { body: bytes }))[1])
  assert.deepEqual(bodies, [
    'GET undefined ',
    'POST undefined ',
    'PUT undefined ',
    'DELETE undefined ',
    'POST application/x-www-form-urlencoded a=1',
  ])
})

test('what fails before the request is written says so', async (t) => {
  const places: Readonly<Record<string, string>> = { 'api.test': listed, 'inside.test': unlisted }
  const requesting = await Requesting.start(t, (name, type) =>
    name in places && type === 'A' ? [places[name] ?? ''] : [],
  )
  const port = await closedPort(t)
  const ended = { signal: AbortSignal.abort() }
  const canary = await farEnd(t, () => {}, { host: unlisted })
  for (const [url, expected, wishes] of [
    ['https://gone.test/', 'unreachable', {}],
    [`http://api.test:${port}/`, 'unreachable', {}],
    [`http://inside.test:${canary.port}/`, 'refused', {}],
    ['https://10.0.0.1/', 'refused', {}],
    ['ftp://api.test/', 'refused', {}],
    ['https://me:secret@api.test/', 'refused', {}],
    [`http://api.test:${port}/`, 'refused', { headers: { Authorization: 'a\r\nb' } }],
    [`http://api.test:${port}/`, 'refused', { headers: { 'a b': 'c' } }],
    [`http://api.test:${port}/`, 'aborted', ended],
  ] as const) {
    assert.equal(failureIn(await requesting.request(url, wishes)), `before-sending: ${expected}`, url)
    assert.equal(failureIn(await requesting.open(url, wishes)), `before-sending: ${expected}`, url)
  }
  assert.deepEqual([canary.connections, requesting.time.waiting], [0, 0])
})

test('a public address must be asked over https', async (t) => {
  const requesting = await Requesting.start(t, publicName)
  await withoutDialling(async () => {
    const result = await requesting.request('http://api.test/')
    assert.equal(failureIn(result), 'before-sending: refused')
    assert.match(inspect(result), /POSTHORN_CONNECT_ALLOW_CIDRS/)
  })
})

test('a server without good encryption gets no request', async (t) => {
  const authority = new Authority('The authority of these tests')
  const requesting = await Requesting.start(t, undefined, { ca: authority.cert })
  const asked: unknown[] = []
  const good = authority.certify({ hosts: ['api.test'] })
  const far = await farEnd(t, ({ socket }) => socket.write(reply(200, {}, 'good')), { certified: good })
  assert.deepEqual(answerIn(await requesting.request(`https://api.test:${far.port}/`)), [200, 'good'])
  for (const certified of [
    new Authority('Nobody').certify({ hosts: ['api.test'] }),
    authority.certify({ hosts: ['other.test'] }),
  ]) {
    const otherServer = await farEnd(t, (each) => asked.push(each), { certified })
    const result = await requesting.request(`https://api.test:${otherServer.port}/`)
    assert.equal(failureIn(result), 'before-sending: tls')
  }
  const plain = await farEnd(t, () => {}, { greeting: reply(200) })
  assert.equal(failureIn(await requesting.request(`https://api.test:${plain.port}/`)), 'before-sending: tls')
  assert.deepEqual(asked, [])
})

test('a request can trust authorities of its own, which is true for nobody else', async (t) => {
  const authority = new Authority('The authority of these tests')
  const requesting = await Requesting.start(t)
  const certified = authority.certify({ hosts: ['api.test'] })
  const far = await farEnd(t, ({ socket }) => socket.write(reply(200, {}, 'good')), { certified })
  const url = `https://api.test:${far.port}/`
  for (const _ of [1, 2]) {
    assert.deepEqual(answerIn(await requesting.request(url, { ca: authority.cert })), [200, 'good'])
    assert.equal(failureIn(await requesting.request(url)), 'before-sending: tls')
    assert.equal(failureIn(await requesting.open(url)), 'before-sending: tls')
  }
  const opened = await requesting.open(url, { ca: authority.cert })
  assert.ok(opened.kind === 'responded')
  opened.body.destroy()
  assert.equal(far.connections, 6, 'one is kept for those who trust the same')
})

test('what fails once the request is written says so, with the status if there was one', async (t) => {
  const requesting = await Requesting.start(t)
  for (const [answer, expected, status] of [
    ['', 'lost', undefined],
    ['garbage\r\n\r\n', 'malformed', undefined],
    [reply(200, { 'Content-Length': '10' }, 'short'), 'lost', 200],
    [reply(400, { 'Content-Encoding': 'gzip' }, 'x'), 'malformed', 400],
    [reply(200, { 'Content-Length': '1001' }), 'too_large', 200],
    ['HTTP/1.1 403 No\r\n\r\n'.padEnd(2_000, 'x'), 'too_large', 403],
  ] as const) {
    const far = await farEnd(t, ({ socket }) => socket.end(answer))
    const result = await requesting.request(`http://api.test:${far.port}/`)
    assert.equal(failureIn(result), `after-sending: ${expected}`, answer)
    assert.equal(result.kind === 'failed' && result.status, status, answer)
    await far.left()
  }
  const far = await farEnd(t, ({ socket }) => socket.resetAndDestroy())
  assert.equal(failureIn(await requesting.request(`http://api.test:${far.port}/`)), 'after-sending: lost')
  assert.deepEqual([far.asked.length, requesting.time.waiting], [1, 0])
})

test('a redirect is an answer that leads nowhere', async (t) => {
  const requesting = await Requesting.start(t)
  const canary = await farEnd(t, () => {})
  const far = await farEnd(t, ({ socket }) =>
    socket.write(reply(307, { Location: `http://api.test:${canary.port}/` })),
  )
  const url = `http://api.test:${far.port}/`
  const result = await requesting.request(url)
  assert.deepEqual(result, { kind: 'responded', status: 307, headers: {}, body: Buffer.alloc(0) })
  const opened = await requesting.open(url)
  assert.ok(opened.kind === 'responded')
  opened.body.destroy()
  assert.deepEqual([opened.status, opened.headers, canary.connections], [307, {}, 0])
})

test('an answer without end is cut off at its limit, whatever its pieces', async (t) => {
  const requesting = await Requesting.start(t)
  const far = await farEnd(t, ({ socket }) => {
    socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n')
    return flood(socket, '1\r\nx\r\n'.repeat(1_000))
  })
  const result = await requesting.request(`http://api.test:${far.port}/`, { maxBytes: 20_000 })
  assert.equal(failureIn(result), 'after-sending: too_large')
  await far.left()
  const exact = await farEnd(t, ({ socket }) =>
    socket.write(
      `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${'1\r\nx\r\n'.repeat(5_000)}0\r\n\r\n`,
    ),
  )
  const whole = await requesting.request(`http://api.test:${exact.port}/`, { maxBytes: 5_000 })
  assert.deepEqual(answerIn(whole), [200, 'x'.repeat(5_000)])
})

test('a file comes as it is read, with its size and within its limit', async (t) => {
  const requesting = await Requesting.start(t)
  const far = await farEnd(t, ({ head, socket }) => {
    if (head.startsWith('GET /large')) return socket.write(reply(200, { 'Content-Length': '1000001' }))
    if (head.startsWith('GET /endless')) {
      socket.write('HTTP/1.1 200 OK\r\n\r\n')
      return flood(socket, Buffer.alloc(65_536))
    }
    return socket.end(reply(404, { 'Content-Type': 'text/plain' }, 'absent'))
  })
  const url = `http://api.test:${far.port}`
  const absent = await requesting.open(`${url}/`, {
    headers: { Authorization: 'Bearer b' },
    wantedHeaders: ['content-type'],
  })
  assert.ok(absent.kind === 'responded')
  const { status, size, headers } = absent
  assert.deepEqual([status, size, headers], [404, 6, { 'content-type': 'text/plain' }])
  assert.equal((await absent.body.toArray()).join(''), 'absent')
  assert.match(far.asked[0]?.head ?? '', /^Authorization: Bearer b\r$/m)
  assert.equal(failureIn(await requesting.open(`${url}/large`)), 'after-sending: too_large')
  const endless = await requesting.open(`${url}/endless`)
  assert.ok(endless.kind === 'responded')
  assert.equal(endless.size, undefined)
  assert.equal((await failureOf(endless.body.toArray())).reason, 'too_large')
  await far.left()
  while (requesting.time.waiting > 0) await turn()
})
