import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, get } from 'node:https'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import { WebSocket, WebSocketServer } from 'ws'
import { Authority } from '../../../test/kit/far-ends/certificates.ts'
import { startHttpProxy, startSocksProxy } from '../../../test/kit/far-ends/proxies.ts'
import { NetFailure } from '../failure.ts'
import { outboundGuard } from '../guard/guard.ts'
import { NameResolver, type PartyNames } from '../resolve/names.ts'
import type { ProxySettings } from '../tunnel/proxy.ts'
import { type AgentOptions, GuardedAgent } from './agent.ts'

type Reach = Pick<AgentOptions, 'guard' | 'names'>
type ProxyAgentOptions = AgentOptions & ProxySettings

function directAgent(options: AgentOptions): GuardedAgent {
  return new GuardedAgent(options)
}

function proxyAgent({ url, username, password, ...options }: ProxyAgentOptions): GuardedAgent {
  const proxy = {
    url,
    ...(username !== undefined && { username }),
    ...(password !== undefined && { password }),
  }
  return new GuardedAgent({ ...options, proxy })
}

const authority = new Authority('The authority of these tests')
const { cert: ca } = authority
const names = new NameResolver().of('org')
const loopback: Reach = { guard: outboundGuard(['127.0.0.0/8']), names }
const nothing: Reach = { guard: outboundGuard([]), names }
const credentials = { username: 'jürgen', password: 'geheim-4711' }
const proxies = [
  ['http', startHttpProxy],
  ['socks5', startSocksProxy],
] as const

type Agent = ReturnType<typeof directAgent>

/** A server with TLS for `web.test` and its address, which echoes over WebSocket. */
async function startServer(t: TestContext, hosts = ['web.test', '127.0.0.1']): Promise<number> {
  const server = createServer(authority.certify({ hosts }), (_, reply) => reply.end('good'))
  new WebSocketServer({ server }).on('connection', (socket) =>
    socket.on('message', (data) => socket.send(data)),
  )
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  return (server.address() as AddressInfo).port
}

async function read(url: string, agent: Agent, more: object = {}): Promise<string> {
  const asking = get(url, { agent, ...more })
  const [reply] = await once(asking, 'response')
  return Buffer.concat(await reply.toArray()).toString()
}

/** Why a request fails: the reason or the code if it is about TLS. No error has the password in it, however deep. */
async function failureOf(reading: Promise<unknown>): Promise<string> {
  const error = await reading.then(
    () => assert.fail('it succeeded'),
    (caught: Error & { code?: string }) => caught,
  )
  const shown = `${error.message} ${error.stack} ${JSON.stringify(error, Object.getOwnPropertyNames(error))} ${error.cause}`
  const basic = Buffer.from(`${credentials.username}:${credentials.password}`).toString('base64')
  for (const secret of [credentials.password, basic]) assert.ok(!shown.includes(secret))
  assert.ok(error instanceof NetFailure)
  if (error.message.startsWith('the proxy did not connect')) return 'target_refused'
  return error.reason === 'tls' ? `${error.code}` : error.reason
}

for (const [kind, start] of proxies) {
  const through = (port: number, more: Partial<ProxyAgentOptions> = {}) =>
    proxyAgent({ url: `${kind}://127.0.0.1:${port}`, ...loopback, ca, ...more })

  test(`${kind}: requests and WebSockets go through the proxy, which resolves the name`, async (t) => {
    const port = await startServer(t)
    const routes = { 'web.test:443': port, 'web.test:5222': port, '127.0.0.1:443': port }
    const proxy = await start(t, { routes })
    const agent = through(proxy.port)
    assert.equal(await read('https://web.test/', agent), 'good')
    assert.equal(await read('https://127.0.0.1/', agent), 'good')
    const socket = new WebSocket('wss://web.test:5222/ws', { agent })
    await once(socket, 'open')
    socket.send('Good morning')
    const [echo] = await once(socket, 'message')
    assert.equal(String(echo), 'Good morning')
    socket.terminate()
    assert.deepEqual(proxy.asked, ['web.test:443', '127.0.0.1:443', 'web.test:5222'])
  })

  test(`${kind}: a proxy may want credentials, and refuses others`, async (t) => {
    const routes = { 'web.test:443': await startServer(t) }
    const proxy = await start(t, { routes, credentials })
    assert.equal(await read('https://web.test/', through(proxy.port, credentials)), 'good')
    const wrong = { username: 'nobody', password: credentials.password }
    for (const given of [{}, wrong])
      assert.equal(await failureOf(read('https://web.test/', through(proxy.port, given))), 'authentication')
  })

  test(`${kind}: the proxy can neither read what is said, nor be the server`, async (t) => {
    const other = await startServer(t, ['other.test'])
    const proxy = await start(t, { routes: { 'web.test:443': other, 'other.test:443': other } })
    const agent = through(proxy.port)
    const lax = { rejectUnauthorized: false, checkServerIdentity: () => undefined, servername: 'other.test' }
    for (const more of [{}, lax])
      assert.equal(await failureOf(read('https://web.test/', agent, more)), 'ERR_TLS_CERT_ALTNAME_INVALID')
    const untrusted = through(proxy.port, { ca: new Authority('Nobody').cert })
    assert.match(await failureOf(read('https://other.test/', untrusted)), /UNABLE_TO/)
  })

  test(`${kind}: a server that the proxy does not reach, or a proxy that is not there, is told apart`, async (t) => {
    const proxy = await start(t, {})
    assert.equal(await failureOf(read('https://web.test/', through(proxy.port))), 'target_refused')
    assert.equal(await failureOf(read('https://web.test/', through(1))), 'unreachable')
  })

  test(`${kind}: a proxy at an address that is not allowed is not connected to, whatever its name is`, async (t) => {
    const proxy = await start(t, {})
    for (const host of [
      '127.0.0.1',
      'localhost',
      '[::1]',
      '[::ffff:127.0.0.1]',
      '0.0.0.0',
      '169.254.169.254',
    ]) {
      const agent = through(1, { url: `${kind}://${host}:${proxy.port}`, ...nothing })
      assert.equal(await failureOf(read('https://web.test/', agent)), 'refused', host)
    }
    assert.equal(proxy.taken, 0)
  })

  test(`${kind}: a name that leads elsewhere when it is asked again does not help`, async (t) => {
    const proxy = await start(t, {})
    let asked = 0
    const rebinding: PartyNames = {
      ...names,
      addresses: async () => (asked++ === 0 ? ['127.0.0.1'] : ['192.0.2.1']),
    }
    const agent = through(1, { url: `${kind}://rebinds.test:${proxy.port}`, ...nothing, names: rebinding })
    assert.equal(await failureOf(read('https://web.test/', agent)), 'refused')
    assert.deepEqual([asked, proxy.taken], [1, 0])
  })

  const endless = (text: string) => (socket: Socket) => {
    const send = () => void socket.write(text.repeat(1_000), (error) => error || setImmediate(send))
    send()
  }
  const misbehaviours: [string, (socket: Socket) => void, RegExp][] = [
    ['says nothing', () => {}, /^timeout$/],
    ['hangs up at once', (socket) => socket.destroy(), /^unreachable$/],
    ['hangs up when it is asked', (socket) => socket.once('data', () => socket.end()), /^unreachable$/],
    ['sends garbage', (socket) => socket.end('\x07garbage\r\n\r\n'), /^malformed$/],
    ['never stops', endless('x'), /^malformed$/],
    [
      'hangs up in the middle',
      (socket) => socket.once('data', () => socket.end('\x05')),
      /^(unreachable|malformed)$/,
    ],
  ]
  for (const [what, misbehave, reason] of misbehaviours) {
    test(`${kind}: a proxy that ${what} costs no more than its time`, async (t) => {
      const proxy = await start(t, { misbehave })
      const agent = through(proxy.port, { timeout: 500, ...credentials })
      assert.match(await failureOf(read('https://web.test/', agent)), reason)
    })
  }
}

test('http: a header without end, interim answers without end, and a redirect lead nowhere', async (t) => {
  const cases: [string, string][] = [
    [`HTTP/1.1 200 OK\r\n${'x: y\r\n'.repeat(10_000)}`, 'malformed'],
    [`HTTP/1.1 200 OK\r\nx: ${'y'.repeat(100_000)}`, 'malformed'],
    ['HTTP/1.1 100 Continue\r\n\r\n'.repeat(1_000), 'target_refused'],
    ['HTTP/1.1 302 Found\r\nlocation: http://127.0.0.1/\r\n\r\n', 'target_refused'],
    ['HTTP/1.1 101 Switching Protocols\r\nupgrade: tls\r\n\r\n', 'target_refused'],
    ['HTTP/1.1 200 OK\r\n\r\nThis is no TLS at all', 'ERR_SSL_[A-Z_]+'],
  ]
  for (const [answer, reason] of cases) {
    const misbehave = (socket: Socket) => void socket.once('data', () => socket.write(answer))
    const proxy = await startHttpProxy(t, { misbehave })
    const agent = proxyAgent({ url: `http://127.0.0.1:${proxy.port}`, ...loopback, ca, timeout: 1_000 })
    assert.match(
      await failureOf(read('https://web.test/', agent)),
      new RegExp(`^${reason}$`),
      answer.slice(0, 40),
    )
  }
})

test('socks5: each answer must be what the protocol says', async (t) => {
  const cases: [number[], string][] = [
    [[4, 0], 'malformed'],
    [[5, 1], 'malformed'],
    [[5, 2], 'malformed'],
    [[5, 255], 'authentication'],
    [[5, 0, 4, 0, 0, 1], 'malformed'],
    [[5, 0, 5, 2, 0, 1], 'target_refused'],
    [[5, 0, 5, 99, 0, 1], 'target_refused'],
    [[5, 0, 5, 0, 0, 9], 'malformed'],
    [[5, 0, 5, 0, 0, 3, 255, 1], 'timeout'],
  ]
  for (const [answer, reason] of cases) {
    const misbehave = (socket: Socket) => void socket.write(Buffer.from(answer))
    const proxy = await startSocksProxy(t, { misbehave })
    const agent = proxyAgent({ url: `socks5://127.0.0.1:${proxy.port}`, ...loopback, timeout: 500 })
    assert.equal(await failureOf(read('https://web.test/', agent)), reason, `${answer}`)
  }
})

test('a request that is given up while the proxy is asked leaves no connection behind', async (t) => {
  const port = await startServer(t)
  const abandon = new AbortController()
  const closed = Promise.withResolvers<void>()
  const misbehave = (socket: Socket) => {
    socket.once('close', closed.resolve).once('data', () => {
      abandon.abort()
      const far = connect(port, '127.0.0.1')
      socket.write('HTTP/1.1 200 OK\r\n\r\n')
      socket.pipe(far).pipe(socket)
    })
  }
  const proxy = await startHttpProxy(t, { misbehave })
  const agent = proxyAgent({ url: `http://127.0.0.1:${proxy.port}`, ...loopback, ca })
  const asking = get('https://web.test/', { agent, signal: abandon.signal })
  const [error] = await once(asking, 'error')
  assert.equal(error.name, 'AbortError')
  await closed.promise
})

test('https: the connection to the proxy is encrypted as well, and its certificate counts', async (t) => {
  const routes = { 'web.test:443': await startServer(t) }
  const certified = authority.certify({ hosts: ['127.0.0.1'] })
  const proxy = await startHttpProxy(t, { routes, credentials, certified })
  const options = { url: `https://127.0.0.1:${proxy.port}`, ...loopback, ca, ...credentials }
  assert.equal(await read('https://web.test/', proxyAgent({ ...options, proxyCa: ca })), 'good')
  assert.equal(await failureOf(read('https://web.test/', proxyAgent(options))), 'unreachable')
  assert.equal(proxy.asked.length, 1, 'nothing is said to a proxy whose certificate is wrong')
})

test('without a proxy, the guard decides about the server, and the certificate counts, whatever Node is told', async (t) => {
  const port = await startServer(t)
  const url = `https://127.0.0.1:${port}/`
  process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0'
  t.after(() => delete process.env.NODE_TLS_REJECT_UNAUTHORIZED)
  assert.equal(await read(url, directAgent({ ...loopback, ca })), 'good')
  assert.equal(await failureOf(read(url, directAgent({ ...nothing, ca }))), 'refused')
  assert.match(
    await failureOf(read(url, directAgent({ ...loopback }), { rejectUnauthorized: false })),
    /UNABLE_TO/,
  )
  const silent = await startHttpProxy(t, { misbehave: () => {} })
  const hasty = directAgent({ ...loopback, ca, timeout: 200 })
  assert.equal(await failureOf(read(`https://127.0.0.1:${silent.port}/`, hasty)), 'timeout')
})
