import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { Authority, type Certified } from '../../../../test/kit/far-ends/certificates.ts'
import { flood } from '../../../../test/kit/far-ends/far-end.ts'
import {
  closedPort,
  farEnd,
  listed,
  reply,
  unlisted,
  withoutDialling,
} from '../../../../test/kit/far-ends/fetching.ts'
import { Posting } from '../../../../test/kit/far-ends/posting.ts'
import { deliveryFailures, sentencesOf } from '../../../contract/codes.ts'
import { newWebhookSecret } from '../../webhook-secrets.ts'
import { signatureHeaders } from './signature.ts'
import type { AttemptResult, Failed, RespondedAttempt } from './webhook-client.ts'

function answered(result: AttemptResult): RespondedAttempt {
  assert.ok(result.kind === 'responded', JSON.stringify(result))
  return result
}

function failed(result: AttemptResult): Failed {
  assert.ok(result.kind === 'failed', JSON.stringify(result))
  return result
}

/** Returns the URL that a test posts to. */
const at = (port: number) => `http://hook.test:${port}/some/hook?a=b#part`

test('the receiver gets the exact bytes with their signature, and learns who posts and nothing else', async (t) => {
  const posting = await Posting.start(t)
  const far = await farEnd(t, ({ socket }) => socket.write(reply(200, { 'Set-Cookie': 'a=b' })))
  const body = Buffer.from('{"text":"Olá, 世界 \u0000 \ud83d\udc4d"}\n')
  const headers = signatureHeaders({ id: 'evt_1', at: 7_000, body, secrets: [newWebhookSecret()] })
  const { signal } = new AbortController()
  for (let attempt = 0; attempt < 2; attempt++)
    await posting.client.post(
      { url: at(far.port), headers, body, webhookId: 'a', organization: 'org' },
      signal,
    )
  assert.equal(far.asked.length, 2)
  for (const asked of far.asked) {
    assert.deepEqual(asked.body, body)
    assert.deepEqual(asked.head.trimEnd().split('\r\n').sort(), [
      'Accept-Encoding: identity',
      'Accept: */*',
      'Connection: keep-alive',
      `Content-Length: ${body.length}`,
      'Content-Type: application/json',
      `Host: hook.test:${far.port}`,
      'POST /some/hook?a=b HTTP/1.1',
      'User-Agent: Posthorn/1.2.3',
      'webhook-id: evt_1',
      `webhook-signature: ${headers['webhook-signature']}`,
      'webhook-timestamp: 7',
    ])
  }
})

test('every status is an answer, with the text that came along', async (t) => {
  const posting = await Posting.start(t)
  let status = 0
  const far = await farEnd(t, ({ socket }) =>
    socket.write(reply(status, {}, status === 204 ? '' : `it is ${status}`)),
  )
  for (status of [200, 201, 204, 299, 300, 304, 400, 401, 404, 410, 429, 500, 502, 503, 599, 999]) {
    const { duration, ...rest } = await posting.post(at(far.port))
    const body = status === 204 || status === 304 ? '' : `it is ${status}`
    assert.deepEqual(rest, { kind: 'responded', status, retryAfter: null, body })
    assert.equal(duration, 0)
  }
})

test('a redirect is an answer, and nothing goes where it leads', async (t) => {
  const posting = await Posting.start(t)
  const target = await farEnd(t, ({ socket }) => socket.end(reply(200)))
  const Location = `http://hook.test:${target.port}/`
  let status = 0
  const far = await farEnd(t, ({ socket }) => socket.write(reply(status, { Location })))
  for (status of [301, 302, 303, 307, 308]) {
    assert.equal(answered(await posting.post(at(far.port))).status, status)
  }
  assert.deepEqual([far.asked.length, target.connections], [5, 0])
})

test('a receiver that wants to be left alone says for how long', async (t) => {
  const posting = await Posting.start(t)
  posting.time.pass(1_000)
  let header = ''
  const far = await farEnd(t, ({ socket }) => socket.end(reply(429, { 'Retry-After': header })))
  for (const [said, seconds] of [
    ['120', 120],
    ['Thu, 01 Jan 1970 00:00:31 GMT', 30],
    ['next week', null],
    ['99999999999999999999', 86_400],
  ] as const) {
    header = said
    assert.equal(answered(await posting.post(at(far.port))).retryAfter, seconds, said)
  }
})

test('an answer is shown to its first KB, as text that harms no screen and no log', async (t) => {
  const posting = await Posting.start(t)
  let body: Buffer = Buffer.alloc(0)
  const far = await farEnd(t, ({ socket }) => {
    socket.write(reply(500, { 'Content-Length': String(body.length) }))
    socket.write(body)
  })
  for (const [sent, shown] of [
    ['two\r\nlines\tand a tab', 'two\nlines\tand a tab'],
    ['\u0000a\u001b[31mred\u0007\u007f\u0085b', 'a[31mredb'],
    [Buffer.from('a\xffb', 'latin1'), 'a\ufffdb'],
    ['x'.repeat(1_024), 'x'.repeat(1_024)],
    ['x'.repeat(1_025), 'x'.repeat(1_024)],
    [`${'x'.repeat(1_022)}世界`, 'x'.repeat(1_022)],
  ] as const) {
    body = Buffer.from(sent)
    assert.equal(answered(await posting.post(at(far.port))).body, shown)
  }
})

test('an answer that never ends costs nothing but its beginning', async (t) => {
  const posting = await Posting.start(t)
  const piece = Buffer.alloc(65_536, 'x')
  for (const [head, bytes] of [
    ['HTTP/1.1 200 OK\r\n\r\n', piece],
    [
      'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n',
      Buffer.concat([Buffer.from('10000\r\n'), piece, Buffer.from('\r\n')]),
    ],
    [`HTTP/1.1 200 OK\r\nContent-Length: ${Number.MAX_SAFE_INTEGER}\r\n\r\n`, piece],
  ] as const) {
    const floods: Promise<number>[] = []
    const far = await farEnd(t, ({ socket }) => {
      socket.write(head)
      floods.push(flood(socket, bytes))
    })
    const { status, body } = answered(await posting.post(at(far.port)))
    assert.deepEqual([status, body], [200, 'x'.repeat(1_024)])
    const [written = 0] = await Promise.all(floods)
    assert.ok(written < 16_000_000, `${written} bytes were taken`)
  }
})

test('the status counts though its body hangs, and two seconds are waited for that', async (t) => {
  const posting = await Posting.start(t)
  for (const [head, begun] of [
    [reply(200, { 'Content-Length': '100' }), 'begun'],
    ['HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n64\r\n', 'begun'],
    ['HTTP/1.1 200 OK\r\n\r\n', ''],
  ] as const) {
    const far = await farEnd(t, ({ socket }) => socket.write(head + begun))
    const result = posting.post(at(far.port))
    // While the headers are waited for there is one alarm, and two from when they are there.
    while (far.asked.length === 0 || posting.time.waiting < 2) await turn()
    posting.time.pass(1_999)
    await turn()
    posting.time.pass(1)
    const { duration, ...rest } = await result
    assert.deepEqual(rest, { kind: 'responded', status: 200, retryAfter: null, body: begun })
    assert.equal(duration, 2_000)
    await far.left()
  }
})

test('the status counts though its body is cut off', async (t) => {
  const posting = await Posting.start(t)
  for (const cut of ['end', 'resetAndDestroy'] as const) {
    const far = await farEnd(t, ({ socket }) =>
      socket.write(reply(201, { 'Content-Length': '100' }, 'begun')),
    )
    const result = posting.post(at(far.port))
    const { socket } = await far.nextRequest()
    while (posting.time.waiting < 2) await turn()
    socket[cut]()
    assert.equal(answered(await result).status, 201)
  }
})

test('a receiver that hangs before its status is given up after twenty seconds, however busy it looks', async (t) => {
  const posting = await Posting.start(t)
  for (const start of ['', 'HTTP/1.1 200 OK\r\nX: ', 'HTTP/1.1 103 Early Hints\r\n\r\n']) {
    const far = await farEnd(t, ({ socket }) => socket.write(start))
    const asked = far.nextRequest()
    const posted = posting.post(at(far.port))
    const { socket } = await asked
    for (let word = 0; word < 10; word++) {
      posting.time.pass(1_999)
      if (start !== '') socket.write(start.endsWith(' ') ? 'x' : start)
      await turn()
    }
    assert.equal(socket.destroyed, false)
    posting.time.pass(10)
    const result = await posted
    assert.deepEqual([failed(result).code, result.duration], ['timeout', 20_000])
    await far.left()
  }
  assert.equal(posting.time.waiting, 0)
})

test('a connection that does not open is given up after five seconds, a name that is not resolved after three', async (t) => {
  const posting = await Posting.start(t)
  const far = await farEnd(t, () => {})
  const result = posting.post(`https://hook.test:${far.port}/`)
  await far.nextConnection()
  posting.time.pass(5_000)
  assert.equal(failed(await result).code, 'timeout')
  const silent = await Posting.start(t, () => 'silence')
  const unnamed = silent.post(at(far.port))
  await silent.names.nextQuestion()
  silent.time.pass(3_000)
  assert.equal(failed(await unnamed).code, 'timeout')
})

test('a connection that breaks before a status is distinguished from one that never opened', async (t) => {
  const posting = await Posting.start(t)
  const port = await closedPort(t)
  const mute = await farEnd(t, ({ socket }) => socket.end())
  const rude = await farEnd(t, ({ socket }) => socket.resetAndDestroy())
  const half = await farEnd(t, ({ socket }) => socket.end('HTTP/1.1 200 OK\r\nContent-'))
  for (const [where, code] of [
    [port, 'unreachable'],
    [mute.port, 'connection_lost'],
    [rude.port, 'connection_lost'],
    [half.port, 'connection_lost'],
  ] as const)
    assert.equal(failed(await posting.post(at(where))).code, code)
  assert.deepEqual([mute.asked.length, rude.asked.length, half.asked.length], [1, 1, 1], 'each is tried once')
  const nameless = await Posting.start(t, () => 'unknown')
  assert.equal(failed(await nameless.post(at(port))).code, 'unreachable')
})

test('an answer that is no proper HTTP, or has no end of headers, is no status', async (t) => {
  const posting = await Posting.start(t)
  for (const answer of [
    '<html>It works</html>\r\n',
    'SSH-2.0-OpenSSH_9.9\r\n',
    'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab',
    'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n',
  ]) {
    const far = await farEnd(t, ({ socket }) => socket.end(answer))
    assert.equal(failed(await posting.post(at(far.port))).code, 'invalid_answer', answer)
  }
  for (const endless of [
    'X: y\r\n'.repeat(1_000),
    'x'.repeat(60_000),
    'HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(1_000),
  ]) {
    const floods: Promise<number>[] = []
    const far = await farEnd(t, ({ socket }) => {
      if (!endless.startsWith('HTTP')) socket.write('HTTP/1.1 200 OK\r\nX: ')
      floods.push(flood(socket, endless))
    })
    assert.equal(failed(await posting.post(at(far.port))).code, 'invalid_answer')
    const [written = 0] = await Promise.all(floods)
    assert.ok(written < 16_000_000, `${written} bytes were taken`)
  }
})

test('the certificate of the receiver must be valid, from a known authority and for its host', async (t) => {
  const authority = new Authority('The authority of these tests')
  const untrusted = new Authority('Nobody')
  const hosts = ['hook.test']
  const posting = await Posting.start(t, undefined, { ca: authority.cert })
  const post = async (certified: Certified) => {
    const far = await farEnd(t, ({ socket }) => socket.end(reply(200)), { certified })
    return { far, result: await posting.post(`https://hook.test:${far.port}/`) }
  }
  const good = await post(authority.certify({ hosts }))
  assert.equal(answered(good.result).status, 200)
  for (const [word, certified] of [
    ['CERT_HAS_EXPIRED', authority.certify({ hosts, until: new Date(Date.now() - 1_000) })],
    ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', untrusted.certify({ hosts })],
    ['DEPTH_ZERO_SELF_SIGNED_CERT', untrusted.itself],
    ['ERR_TLS_CERT_ALTNAME_INVALID', authority.certify({ hosts: ['other.test'] })],
  ] as const) {
    const { far, result } = await post(certified)
    const { code, detail } = failed(result)
    assert.equal(code, 'tls_failed')
    assert.match(
      detail,
      new RegExp(`^The server's certificate was not accepted \\(${word}\\)\\. Install a valid certificate`),
    )
    assert.equal(far.asked.length, 0, 'nothing is said if the certificate is wrong')
  }
  const plain = await farEnd(t, () => {}, { greeting: reply(200) })
  assert.equal(failed(await posting.post(`https://hook.test:${plain.port}/`)).code, 'tls_failed')
})

test('a place to keep out of is refused in the same words, whether or not anybody is there', async (t) => {
  const canary = await farEnd(t, () => {}, { host: unlisted })
  const posting = await Posting.start(t, (name) => (name === 'inside.test' ? [unlisted] : [listed, unlisted]))
  await withoutDialling(async () => {
    for (const url of [
      `http://${unlisted}:${canary.port}/`,
      `https://${unlisted}:${canary.port + 1}/`,
      `http://inside.test:${canary.port}/`,
      `http://mixed.test:${canary.port}/`,
      'https://10.0.0.1/',
      'https://[::1]/',
      'https://169.254.169.254/latest/meta-data/',
      'http://9.9.9.9/',
      'https://9.9.9.9:8443/',
      `http://user:password@${listed}:${canary.port}/`,
      'file:///etc/passwd',
      'no URL',
    ]) {
      const { duration, ...rest } = await posting.post(url)
      const detail = sentencesOf(deliveryFailures.refused_by_policy)
      assert.deepEqual(rest, { kind: 'failed', code: 'refused_by_policy', detail }, url)
    }
  })
})

test('a name that changes its mind leads nowhere but to where it was vetted', async (t) => {
  const open = async (triesLeft: number) => {
    const canary = await farEnd(t, () => {}, { host: unlisted })
    const { port } = canary
    try {
      const far = await farEnd(t, ({ socket }) => socket.end(reply(200, { Connection: 'close' })), { port })
      return { far, canary }
    } catch (error) {
      // A port that is free at one address may be taken at the other.
      if (triesLeft === 0) throw error
      return open(triesLeft - 1)
    }
  }
  const { far, canary } = await open(5)
  let round = 0
  const posting = await Posting.start(t, (_name, type) => {
    if (type === 'AAAA') return []
    return [round++ % 2 === 0 ? listed : unlisted]
  })
  for (let attempt = 0; attempt < 20; attempt++) {
    assert.equal(answered(await posting.post(at(far.port))).status, 200)
    assert.equal(failed(await posting.post(at(far.port))).code, 'refused_by_policy')
  }
  assert.deepEqual([round, far.connections, canary.connections], [40, 20, 0])
})

test('whoever posts can end it at any moment', async (t) => {
  const posting = await Posting.start(t)
  const far = await farEnd(t, () => {})
  await withoutDialling(async () => {
    assert.equal(
      failed(await posting.post(at(far.port), { signal: AbortSignal.abort() })).code,
      'interrupted',
    )
    const silent = await Posting.start(t, () => 'silence')
    const early = new AbortController()
    const lookingUp = silent.post(at(far.port), { signal: early.signal })
    await silent.names.nextQuestion()
    early.abort()
    assert.equal(failed(await lookingUp).code, 'interrupted')
  })
  const late = new AbortController()
  const asked = far.nextRequest()
  const posted = posting.post(at(far.port), { signal: late.signal })
  await asked
  late.abort(new Error('stopping'))
  const { code, detail } = failed(await posted)
  assert.deepEqual([code, detail], ['interrupted', sentencesOf(deliveryFailures.interrupted)])
  await far.left()
  assert.equal(posting.time.waiting, 0, 'nothing is waited for')
})

test('no failure names the place or repeats what was sent', async (t) => {
  const posting = await Posting.start(t)
  const garbage = await farEnd(t, ({ socket }) => socket.end('garbage that was never HTTP\r\n'))
  for (const port of [await closedPort(t), garbage.port]) {
    const { detail } = failed(
      await posting.post(`http://hook.test:${port}/secret-path`, { body: '{"a":"secret-body"}' }),
    )
    assert.doesNotMatch(detail, /hook\.test|127\.0\.0\.1|secret|garbage|evt_1|v1,/)
  }
})
