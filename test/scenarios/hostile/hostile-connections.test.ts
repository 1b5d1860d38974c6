import assert from 'node:assert/strict'
import { after, afterEach, before, beforeEach, describe, test } from 'node:test'
import { createInstance } from '../../../src/contract/operations/instance-operations.ts'
import { sendTextMessage } from '../../../src/contract/operations/message-operations.ts'
import { RawConnection, type WireReply } from '../../kit/http/raw-connection.ts'
import { type Posthorn, startPosthorn } from '../../kit/posthorn.ts'

/*
 * Hostile bytes over a connection: bodies without an end, paths that no client would send, methods, headers, and bytes that
 * are no HTTP at all. After each of them the next caller is answered as if nothing had been.
 */

let posthorn: Posthorn
let connection: RawConnection
let authorization: string
const path = '/v1/messages/text'

before(async () => {
  posthorn = await startPosthorn()
  authorization = `authorization: Bearer ${posthorn.adminKey}\r\n`
  await posthorn.admin.call(createInstance, { body: { name: 'trial' }, waitSeconds: 10 })
})

beforeEach(async () => {
  connection = await RawConnection.open(posthorn.url)
})

afterEach(async () => {
  connection.close()
  const sent = await posthorn.admin.call(sendTextMessage, { body: textOf('Good morning') })
  assert.equal(sent.status, 202)
})

after(() => posthorn.stop())

const host = 'host: localhost\r\n'

function textOf(text: string) {
  return { instance: 'trial', to: 'ana@accepts.sandbox', text }
}

/** A request line and headers, ready to be written. */
function head(method: string, target: string, headers = ''): string {
  return `${method} ${target} HTTP/1.1\r\n${host}${authorization}${headers}\r\n`
}

function post(text: string): string {
  const body = JSON.stringify(textOf(text))
  return `${head('POST', path, `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n`)}${body}`
}

function codeOf({ text, status }: WireReply): string {
  return text.startsWith('{"type"') ? (JSON.parse(text) as { code: string }).code : `${status}`
}

describe('bodies that are too large', () => {
  const limit = 256 * 1024

  test('exactly 256 KB are read', async () => {
    const body = `{"x":"${'x'.repeat(limit - 8)}"}`
    connection.write(head('POST', path, `content-type: application/json\r\ncontent-length: ${limit}\r\n`))
    assert.equal(codeOf(await connection.write(body).reply('POST', path)), 'invalid_request')
  })

  test('a byte more is refused by its length, before it is sent', async () => {
    connection.write(head('POST', path, `content-type: application/json\r\ncontent-length: ${limit + 1}\r\n`))
    const reply = await connection.reply('POST', path)
    assert.equal(codeOf(reply), 'body_too_large')
    assert.equal(reply.headers.connection, 'close')
    await connection.ended()
  })

  test('a body in chunks without an end is refused where the limit is', async () => {
    connection.write(head('POST', path, 'content-type: application/json\r\ntransfer-encoding: chunked\r\n'))
    const chunk = `4000\r\n${' '.repeat(0x4000)}\r\n`
    for (let sent = 0; sent <= limit; sent += 0x4000) connection.write(chunk)
    assert.equal(codeOf(await connection.reply('POST', path)), 'body_too_large')
    await connection.ended()
  })

  test('a client that sends all of a large body before it looks still reads the answer', async () => {
    const headers = { authorization: `Bearer ${posthorn.adminKey}`, 'content-type': 'application/json' }
    const reply = await posthorn.client().rawRequest('POST', path, { headers, body: ' '.repeat(limit + 1) })
    assert.equal(reply.status, 413)
  })

  test('who has no key is refused before a byte of the body, and sends no more', async () => {
    const strange = `POST ${path} HTTP/1.1\r\n${host}content-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n`
    assert.equal(codeOf(await connection.write(strange).reply('POST', path)), 'unauthenticated')
    await connection.ended()
  })

  test('an unknown path reads no body either', async () => {
    connection.write(head('POST', '/v2', 'content-type: application/json\r\ntransfer-encoding: chunked\r\n'))
    assert.equal(codeOf(await connection.reply('POST', '/v2')), 'route_not_found')
    await connection.ended()
  })
})

describe('paths', () => {
  const notFound = [
    '/v2',
    '/v1',
    '/v1/',
    '//v1/instances',
    '/v1//instances',
    '/v1/instances/',
    '/V1/instances',
  ]
  const tricks = [
    '/v1/instances;a=b',
    '/v1/./instances',
    '/v1/x/../instances',
    '/v1/%69nstances%2f',
    '/v1/instances%2ftrial',
    '/v1/instances%3flimit=1',
    '/healthz/../v1/instances',
    '/healthz/',
    '/%',
    '/v1/%zz',
    '/docs/../package.json',
    '/docs/%2e%2e/package.json',
    `/${'a'.repeat(8_000)}`,
    '/v1/instances\\trial',
  ]
  for (const target of [...notFound, ...tricks]) {
    test(`${target.slice(0, 40)} is none`, async () => {
      const reply = await connection.write(head('GET', target)).reply('GET', target)
      assert.equal(codeOf(reply), 'route_not_found')
    })
    test(`${target.slice(0, 40)} tells nothing without a key`, async () => {
      const anonymous = `GET ${target} HTTP/1.1\r\n${host}\r\n`
      assert.equal(codeOf(await connection.write(anonymous).reply('GET', target)), 'unauthenticated')
    })
  }

  const names = [
    '..%2f..',
    '%2e%2e',
    '%00',
    'trial%00',
    'trial;a=b',
    'TRIAL',
    'trial%20',
    'tri%61l%0a',
    'n'.repeat(900),
  ]
  for (const name of names) {
    test(`/v1/instances/${name.slice(0, 20)} names no instance`, async () => {
      const target = `/v1/instances/${name}`
      const reply = await connection.write(head('GET', target)).reply('GET', target)
      assert.equal(codeOf(reply), 'instance_not_found')
    })
  }

  for (const name of ['%zz', '%c3%28', '%', 'n'.repeat(1_100)]) {
    test(`/v1/instances/${name.slice(0, 20)} is no path at all`, async () => {
      const target = `/v1/instances/${name}`
      const reply = await connection.write(head('GET', target)).reply('GET', target)
      assert.equal(codeOf(reply), 'instance_not_found')
      const anonymous = await RawConnection.open(posthorn.url)
      anonymous.write(`GET ${target} HTTP/1.1\r\n${host}\r\n`)
      assert.equal(codeOf(await anonymous.reply('GET', target)), 'unauthenticated')
      anonymous.close()
    })
  }

  test('an encoded letter is the letter', async () => {
    const reply = await connection
      .write(head('GET', '/v1/instances/tri%61l'))
      .reply('GET', '/v1/instances/trial')
    assert.equal(reply.status, 200)
  })

  test('a whole URL leads to its path, and needs the same key', async () => {
    const target = 'http://elsewhere.example/v1/instances'
    assert.equal((await connection.write(head('GET', target)).reply('GET', '/v1/instances')).status, 200)
    connection.write(`GET ${target} HTTP/1.1\r\n${host}\r\n`)
    assert.equal(codeOf(await connection.reply('GET', '/v1/instances')), 'unauthenticated')
  })

  test('/ leads to /docs, also for who has no key', async () => {
    const reply = await fetch(`${posthorn.url}/`, { redirect: 'manual' })
    assert.equal(reply.status, 307)
    assert.equal(reply.headers.get('location'), 'docs')
    connection.write(`POST / HTTP/1.1\r\n${host}\r\n`)
    assert.equal((await connection.reply('POST', '/')).headers.allow, 'GET, HEAD')
  })

  test('/docs/ leads to /docs', async () => {
    const reply = await fetch(`${posthorn.url}/docs/`, { redirect: 'manual' })
    assert.equal(reply.status, 308)
    assert.equal(new URL(reply.headers.get('location') ?? '', reply.url).pathname, '/docs')
  })
})

describe('methods', () => {
  for (const method of ['OPTIONS', 'TRACE', 'PATCH', 'PUT', 'PROPFIND', 'QUERY', 'DELETE']) {
    test(`${method} on a path that takes others`, async () => {
      const reply = await connection.write(head(method, '/v1/instances')).reply(method, '/v1/instances')
      assert.deepEqual([reply.status, reply.headers.allow], [405, 'GET, HEAD, POST'])
      assert.match(reply.text, /"detail":"The path supports GET, HEAD, POST\. ?(`[A-Z]+` is for `[^`]+`\.)?"/)
      const anonymous = await RawConnection.open(posthorn.url)
      anonymous.write(`${method} /v1/instances HTTP/1.1\r\n${host}\r\n`)
      assert.equal((await anonymous.reply(method, '/v1/instances')).status, 401)
      anonymous.close()
    })
    test(`${method} on an unknown path`, async () => {
      assert.equal((await connection.write(head(method, '/v2')).reply(method, '/v2')).status, 404)
    })
  }

  test('a path that is written out takes its own methods, not those of the parameter in its place', async () => {
    const reply = await connection.write(head('PUT', path)).reply('PUT', path)
    assert.equal(reply.headers.allow, 'POST')
  })

  test('headers that pretend another method, or another path, change nothing', async () => {
    const headers =
      'x-http-method-override: DELETE\r\nx-method-override: DELETE\r\nx-original-url: /metrics\r\n'
    const target = '/v1/instances/trial'
    const reply = await connection.write(head('GET', target, headers)).reply('GET', target)
    assert.equal((JSON.parse(reply.text) as { name: string }).name, 'trial')
  })

  test('other methods on an open path and on the reference are told to everybody', async () => {
    for (const [method, target] of [
      ['POST', '/healthz'],
      ['POST', '/docs'],
      ['DELETE', '/docs/start.js'],
    ] as const) {
      connection.write(`${method} ${target} HTTP/1.1\r\n${host}\r\n`)
      assert.equal((await connection.reply(method, target)).headers.allow, 'GET, HEAD')
    }
  })

  test('OPTIONS * is no path', async () => {
    const reply = await connection.write(head('OPTIONS', '*')).reply('OPTIONS', '*')
    assert.equal(reply.status, 404)
  })
})

describe('what is no proper HTTP', () => {
  test('headers of more than 16 KB are answered 431', async () => {
    connection.write(head('GET', '/v1/instances', `x-filler: ${'x'.repeat(17_000)}\r\n`))
    assert.equal(codeOf(await connection.reply('GET', '/v1/instances')), 'headers_too_large')
    await connection.ended()
  })

  const wrong: Readonly<Record<string, string>> = {
    nonsense: 'EHLO posthorn\r\n\r\n',
    'a TLS handshake': '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03',
    'HTTP/2': 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
    'backslashes for slashes': 'GET \\v1\\instances HTTP/1.1\r\nhost: a\r\n\r\n',
    'an unknown method': 'FETCH / HTTP/1.1\r\nhost: a\r\n\r\n',
    'a space in the path': 'GET /v1 /instances HTTP/1.1\r\nhost: a\r\n\r\n',
    'two lengths': `POST ${path} HTTP/1.1\r\n${host}content-length: 1\r\ncontent-length: 2\r\n\r\nab`,
    'a length and chunks': `POST ${path} HTTP/1.1\r\n${host}content-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`,
    'a length that is none': `POST ${path} HTTP/1.1\r\n${host}content-length: -1\r\n\r\n`,
    'a space before the colon': `GET / HTTP/1.1\r\n${host}x-a : b\r\n\r\n`,
    'a control character in a header': `GET / HTTP/1.1\r\n${host}x-a: a\x00b\r\n\r\n`,
    'lines that end in CR': 'GET / HTTP/1.1\rhost: a\r\r',
  }
  for (const [name, bytes] of Object.entries(wrong)) {
    test(`${name} is answered 400, and the connection ends`, async () => {
      connection.socket.write(bytes, 'latin1')
      const reply = await connection.reply('GET', '/no/operation')
      assert.equal(codeOf(reply), 'invalid_request')
      assert.equal(new Date(reply.headers.date ?? '').toUTCString(), reply.headers.date)
      assert.equal(await connection.ended(), '')
    })
  }

  test('chunks that are none, in the middle of a body', async () => {
    connection.write(head('POST', path, 'content-type: application/json\r\ntransfer-encoding: chunked\r\n'))
    connection.write('5\r\n{"a":\r\nZZ\r\n')
    assert.equal((await connection.reply('POST', path)).status, 400)
    assert.equal(await connection.ended(), '')
  })

  test('no Host is refused, two expectations are not', async () => {
    connection.write(`GET /v1/instances HTTP/1.1\r\n${authorization}\r\n`)
    assert.equal(codeOf(await connection.reply('GET', '/v1/instances')), 'invalid_request')
    connection.write(head('GET', '/v1/instances', 'expect: the-unexpected\r\n'))
    assert.equal((await connection.reply('GET', '/v1/instances')).status, 200)
  })

  test('nonsense behind a good request does not take its answer', async () => {
    connection.write(`${post('Before the nonsense')}NONSENSE\r\n\r\n`)
    assert.equal((await connection.reply('POST', path)).status, 202)
    assert.equal(await connection.ended(), '')
  })

  test('an upgrade that nobody offers is a request like any other', async () => {
    connection.write(head('GET', '/v1/instances', 'connection: upgrade\r\nupgrade: websocket\r\n'))
    assert.equal((await connection.reply('GET', '/v1/instances')).status, 200)
  })
})

describe('connections', () => {
  test('ten requests at once are answered in their order', async () => {
    const texts = Array.from({ length: 10 }, (_, index) => `Number ${index}`)
    connection.write(texts.map(post).join(''))
    for (const text of texts) {
      const reply = await connection.reply('POST', path)
      assert.equal((JSON.parse(reply.text) as { text: string }).text, text)
    }
  })

  test('a body that is no JSON does not take the answer of the request behind it', async () => {
    const broken = '{"text":"a",}'
    const headers = `content-type: application/json\r\ncontent-length: ${broken.length}\r\n`
    connection.write(head('POST', path, headers) + broken + post('Behind it'))
    assert.equal(codeOf(await connection.reply('POST', path)), 'malformed_body')
    assert.equal((await connection.reply('POST', path)).status, 202)
  })

  test('a form that is refused at its beginning does not take the answer of the request behind it', async () => {
    const field = '--b\r\ncontent-disposition: form-data; name="x"\r\n\r\ny\r\n'
    const body = `${field.repeat(30)}${'z'.repeat(200_000)}`
    const type = `content-type: multipart/form-data; boundary=b\r\ncontent-length: ${body.length}\r\n`
    connection
      .write(head('POST', '/v1/messages/media', type))
      .write(body)
      .write(post('After it'))
    assert.equal(codeOf(await connection.reply('POST', '/v1/messages/media')), 'malformed_body')
    assert.equal(codeOf(await connection.reply('POST', path)), '202')
  })

  test('a request that comes in single bytes is answered', async () => {
    connection.socket.setNoDelay(true)
    for (const byte of post('One by one')) connection.write(byte)
    assert.equal((await connection.reply('POST', path)).status, 202)
  })

  test('Expect: 100-continue is told to go on', async () => {
    const body = JSON.stringify(textOf('Expected'))
    const headers = `content-type: application/json\r\nexpect: 100-continue\r\ncontent-length: ${body.length}\r\n`
    connection.write(head('POST', path, headers)).write(body)
    assert.equal((await connection.reply('POST', path)).status, 202)
  })

  test('Expect: 100-continue with a wrong key, or with too much, is refused and told nothing else', async () => {
    for (const [key, size, status] of [
      ['authorization: Bearer wrong\r\n', 10, 401],
      [authorization, 300_000, 413],
    ] as const) {
      const refused = await RawConnection.open(posthorn.url)
      refused.write(
        `POST ${path} HTTP/1.1\r\n${host}${key}content-type: application/json\r\nexpect: 100-continue\r\ncontent-length: ${size}\r\n\r\n`,
      )
      const head = await refused.ended()
      assert.match(head, new RegExp(`^HTTP/1\\.1 ${status} `))
    }
  })

  test('a connection that is reset in the middle of a body leaves nothing behind', async () => {
    connection.write(head('POST', path, 'content-type: application/json\r\ncontent-length: 1000\r\n'))
    connection.write('{"instance":"trial"')
    connection.socket.resetAndDestroy()
    await connection.ended()
  })

  test('a caller who hangs up while waiting is not waited for', async () => {
    const body = JSON.stringify({ ...textOf('Waiting'), to: 'ana@stuck.sandbox' })
    const headers = `content-type: application/json\r\nprefer: wait=60\r\ncontent-length: ${body.length}\r\n`
    connection.write(head('POST', path, headers)).write(body)
    connection.socket.resetAndDestroy()
    await connection.ended()
  })

  test('500 idle connections do not hinder others', async () => {
    const idle = await Promise.all(Array.from({ length: 500 }, () => RawConnection.open(posthorn.url)))
    const sent = await Promise.all(
      Array.from({ length: 50 }, (_, index) =>
        posthorn.admin.call(sendTextMessage, { body: textOf(`${index}`) }),
      ),
    )
    assert.ok(sent.every(({ status }) => status === 202))
    for (const each of idle) each.close()
  })
})
