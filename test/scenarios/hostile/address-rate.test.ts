import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { RawConnection } from '../../kit/http/raw-connection.ts'
import { codeOf } from '../../kit/http/raw-request.ts'
import { type Posthorn, startPosthorn } from '../../kit/posthorn.ts'

/* Requests without a valid key, by address: few are taken, and never to the harm of callers who have one. */

const wrongKey = { authorization: 'Bearer phk_wrong' }
const rate = { POSTHORN_ADDRESS_RATE: '5/600' }

function asker(posthorn: Posthorn) {
  return (path: string, headers: Readonly<Record<string, string>> = {}) =>
    posthorn.client().rawRequest('GET', path, { headers })
}

describe('an address that asked too much without a valid key', () => {
  let posthorn: Posthorn
  let ask: ReturnType<typeof asker>
  let key: { authorization: string }

  before(async () => {
    posthorn = await startPosthorn({ environment: rate })
    ask = asker(posthorn)
    key = { authorization: `Bearer ${posthorn.adminKey}` }
  })
  after(() => posthorn.stop())

  test('is told when to come again, whatever it asks for', async () => {
    assert.equal((await ask('/v1/instances')).status, 401)
    assert.equal((await ask('/v1/instances', wrongKey)).status, 401)
    assert.equal((await ask('/no/such/path', wrongKey)).status, 401)
    assert.equal((await ask('/problems/queue_full')).status, 200)
    assert.equal((await ask('/metrics', key)).status, 403)
    const emptyAt = performance.now()
    for (const path of [
      '/v1/instances',
      '/no/such/path',
      '/problems/queue_full',
      '/v1/openapi.json',
      '/metrics',
    ]) {
      const reply = await ask(path, wrongKey)
      assert.equal(codeOf(reply), 'rate_limited')
      const wait = Number(reply.headers['retry-after'])
      const elapsed = (performance.now() - emptyAt) / 1000
      assert.ok(wait <= 120 && wait >= 119 - elapsed, `told to wait ${wait} s after ${elapsed} s`)
      assert.equal(reply.headers['ratelimit-policy'], '"address";q=5;w=600')
      assert.match(reply.text, /POSTHORN_ADDRESS_RATE/)
    }
    const page = await fetch(`${posthorn.url}/docs`)
    assert.equal(page.status, 429)
  })

  test('is told late, so that who asks in a loop asks less, and who has a key waits for nobody', async () => {
    const anonymous = await RawConnection.open(posthorn.url)
    let isAnswered = false
    anonymous.write('GET /v1/instances HTTP/1.1\r\nhost: localhost\r\n\r\n')
    const reply = anonymous.reply('GET', '/v1/instances').then(({ status }) => {
      isAnswered = true
      return status
    })
    assert.equal((await ask('/v1/instances', key)).status, 200)
    assert.equal((await ask('/healthz')).status, 200)
    assert.equal(isAnswered, false)
    assert.equal(await reply, 429)
    anonymous.close()
  })

  test('still has health checks answered', async () => {
    for (const path of ['/healthz', '/readyz']) assert.equal((await ask(path)).status, 200)
  })

  test('still has every request with a valid key answered, also for what is open', async () => {
    for (let count = 0; count < 20; count++) {
      assert.equal((await ask('/v1/instances', key)).status, 200)
      assert.equal((await ask('/v1/openapi.json', key)).status, 200)
    }
  })

  test('may send good requests among bad ones, on one connection', async () => {
    const connection = await RawConnection.open(posthorn.url)
    const line = 'GET /v1/instances HTTP/1.1\r\nhost: localhost\r\n'
    const good = `${line}authorization: Bearer ${posthorn.adminKey}\r\n\r\n`
    const bad = `${line}authorization: Bearer wrong\r\n\r\n`
    connection.write(bad + good + bad + good)
    for (const status of [429, 200, 429, 200])
      assert.equal((await connection.reply('GET', '/v1/instances')).status, status)
    connection.close()
  })

  test('is none of the other addresses', async () => {
    const connection = await RawConnection.open(posthorn.url, '127.0.0.77')
    connection.write('GET /v1/instances HTTP/1.1\r\nhost: localhost\r\n\r\n')
    assert.equal((await connection.reply('GET', '/v1/instances')).status, 401)
    connection.close()
  })

  test('is not believed to be somebody else', async () => {
    for (const header of [{ 'x-forwarded-for': '192.0.2.1' }, { forwarded: 'for=192.0.2.1' }])
      assert.equal((await ask('/v1/instances', header)).status, 429)
  })
})

describe('behind a trusted proxy', () => {
  let posthorn: Posthorn
  let ask: ReturnType<typeof asker>

  before(async () => {
    posthorn = await startPosthorn({ environment: { ...rate, POSTHORN_TRUSTED_PROXIES: '127.0.0.0/8' } })
    ask = asker(posthorn)
  })
  after(() => posthorn.stop())

  /** Asks as this client does until it is refused for asking too often; returns how often it was not. */
  async function exhaust(headers: Readonly<Record<string, string>>): Promise<number> {
    for (let count = 0; ; count++) if ((await ask('/v1/instances', headers)).status === 429) return count
  }

  test('each client is counted by itself, in whichever header the proxy names it', async () => {
    assert.equal(await exhaust({ 'x-forwarded-for': '192.0.2.1' }), 5)
    assert.equal(await exhaust({ 'x-forwarded-for': '192.0.2.2' }), 5)
    assert.equal(await exhaust({ forwarded: 'for=192.0.2.3;proto=https' }), 5)
    assert.equal(await exhaust({ forwarded: 'for=192.0.2.1' }), 0)
  })

  test('what a client itself wrote into the header changes nothing', async () => {
    assert.equal(await exhaust({ 'x-forwarded-for': '198.51.100.1, 192.0.2.1' }), 0)
    assert.equal(await exhaust({ 'x-forwarded-for': '198.51.100.1', forwarded: 'for=192.0.2.9' }), 5)
    assert.equal(await exhaust({ 'x-forwarded-for': '198.51.100.2', forwarded: 'for=192.0.2.10' }), 0)
  })

  test('all addresses of a /64 of IPv6 are one client', async () => {
    assert.equal(await exhaust({ 'x-forwarded-for': '2001:db8::1' }), 5)
    assert.equal(await exhaust({ forwarded: 'for="[2001:db8::ffff]:4711"' }), 0)
    assert.equal(await exhaust({ 'x-forwarded-for': '2001:db8:0:1::1' }), 5)
  })
})

test('organizations that fill all places share them, and health checks are answered all the same', async () => {
  // Two of the twenty places are for those without a key.
  const posthorn = await startPosthorn({ environment: { POSTHORN_MAX_CONNECTIONS: '20' } })
  await posthorn.createOrganization('other')
  const { key: otherKey } = await posthorn.createKey('other', 'read')
  const leaving = new AbortController()
  // A reply without a reference is given up by `fetch`, which ends its stream.
  const replies: Response[] = []
  /** Opens this many streams one after the other, each on its connection; returns how often there was a place. */
  const follow = async (key: string, times: number) => {
    const headers = { authorization: `Bearer ${key}`, accept: 'text/event-stream' }
    const open = () => fetch(`${posthorn.url}/v1/events`, { headers, signal: leaving.signal })
    let opened = 0
    for (let count = 0; count < times; count++) {
      const reply = await open()
      replies.push(reply)
      if (reply.status === 200) opened++
      else {
        const { code } = (await reply.json()) as { code: string }
        assert.deepEqual([code, reply.headers.get('retry-after')], ['too_many_connections', '1'])
      }
      assert.equal((await posthorn.client().rawRequest('GET', '/healthz')).status, 200)
    }
    return opened
  }
  try {
    assert.equal(await follow(posthorn.adminKey, 25), 18)
    assert.equal(await follow(otherKey, 25), 9)
    assert.equal(await follow(posthorn.adminKey, 5), 0)
  } finally {
    leaving.abort()
    await posthorn.stop()
  }
})
