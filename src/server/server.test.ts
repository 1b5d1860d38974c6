import assert from 'node:assert/strict'
import dns from 'node:dns'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { setImmediate, setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { idleSources } from '../../test/kit/http/idle-sources.ts'
import { RawConnection } from '../../test/kit/http/raw-connection.ts'
import type { Draft } from '../contract/handler.ts'
import { type Handler, handler } from '../contract/handler.ts'
import { createInstance, listInstances } from '../contract/operations/instance-operations.ts'
import { sendMediaMessage } from '../contract/operations/message-operations.ts'
import {
  type Readiness,
  type StoreFailureStatus,
  storeFailures,
} from '../contract/operations/service-operations.ts'
import { Problem } from '../contract/problem.ts'
import type { CallbackIntake } from '../instances/callbacks/callback-intake.ts'
import type { KeyRing } from '../organizations/key-ring.ts'
import type { SessionStore } from '../organizations/sessions.ts'
import { systemClock } from '../runtime/clock.ts'
import { silentLog } from '../runtime/log.ts'
import { Alarms } from '../runtime/timers/alarms.ts'
import { StoreUnavailable } from '../store/store.ts'
import { AccessControl } from './access/access-control.ts'
import { LinkPageLimit } from './access/link-page-limit.ts'
import { BrowserSessions } from './access/sessions/browser-sessions.ts'
import { ClientAddresses } from './connections/client-address.ts'
import { Connections } from './connections/connections.ts'
import { UnreadBytes } from './connections/unread-bytes.ts'
import { Metrics } from './metrics/metrics.ts'
import { ResponseMemory } from './responses/response-memory.ts'
import { buildServer } from './server.ts'
import type { TimeLimits } from './server-context.ts'
import { serviceHandlers } from './service-handlers.ts'

/* The server on its own, with short time limits and handlers that do as they are told. */

const times: TimeLimits = {
  headers: 300,
  request: 600,
  upload: 60_000,
  pace: 300,
  rest: 300,
  idle: 300,
  check: 50,
  linger: 300,
  parting: 50,
  stop: 300,
}
const host = 'host: localhost\r\n'
const key = 'authorization: Bearer anything\r\n'

const operatorTokens = { operator: 'x'.repeat(32), metrics: 'y'.repeat(32) }
const unasked = {
  browserSessions: new BrowserSessions({} as unknown as SessionStore, undefined),
  callbackIntake: {} as unknown as CallbackIntake,
  callbackLimit: undefined,
}
const unaskedContract = () => Promise.reject(new Error('no contract'))
const unlimited = {
  rateLimit: undefined,
  linkPageLimit: new LinkPageLimit(systemClock),
  waitingLimit: undefined,
  logLimit: undefined,
}
let readiness: Readiness = 'ok'
let failure: Error

const caller = {
  organizationId: 'org_1',
  keyId: 'key_1',
  keyHint: 'abcdef',
  role: 'admin' as const,
  instances: null,
}

async function serve({ host = '127.0.0.1', linger = times.linger } = {}) {
  const stopping = new AbortController()
  let lists = 0
  const keyRing = { identify: async () => caller } as unknown as KeyRing
  const alarms = new Alarms(systemClock)
  const limits = { addresses: new ClientAddresses([]), most: 50, perAddress: undefined, onCut: () => {} }
  const connections = new Connections({ clock: systemClock, alarms, ...limits })
  const metrics = new Metrics()
  metrics.measure({ ...idleSources, connections: () => connections.counts() })
  const health = { read: () => Promise.reject(failure) }
  const handlers: Handler[] = [
    handler(listInstances, async () => {
      lists++
      return { status: 200, body: { data: [], next_cursor: null } }
    }),
    handler(createInstance, async () => {
      throw failure
    }),
    handler(sendMediaMessage, async ({ upload }) => {
      throw new Problem('queue_full', { detail: `${upload?.file.size}`, headers: { 'retry-after': '1' } })
    }),
    ...serviceHandlers({ openapi: unaskedContract, metrics, readiness: async () => readiness, health }),
  ]
  const server = buildServer({
    handlers,
    accessControl: new AccessControl({
      ...{ keyRing, operatorTokens, connections, alarms, hosts: [], anonymousLimit: undefined },
      browserSessions: unasked.browserSessions,
    }),
    fingerprint: (text) => text,
    connections,
    responseMemory: new ResponseMemory({ unread: new UnreadBytes(2 ** 24), alarms, connections, metrics }),
    ...unlimited,
    metrics,
    clock: systemClock,
    alarms,
    log: silentLog,
    ...unasked,
    intake: { reserve: async () => ({ receive: received }) as never },
    stopping: stopping.signal,
    version: '1.2.3',
    uploadRate: 1024,
    times: { ...times, linger },
  })
  const url = await server.listen({ host, port: 0 })
  const stop = async () => {
    stopping.abort()
    await server.close()
    alarms.stop()
  }
  /** Resolves once no connection is left. */
  const left = async () => {
    while ((await promisify(server.server.getConnections.bind(server.server))()) > 0) await setImmediate()
  }
  return { url, addresses: server.addresses(), lists: () => lists, left, stop }
}

/** Takes in a file and keeps nothing of it. */
async function received(bytes: AsyncIterable<Uint8Array>): Promise<Draft> {
  let size = 0
  for await (const chunk of bytes) size += chunk.length
  return { size, sha256: '', mimeType: 'image/png', discard: async () => {} } as unknown as Draft
}

function codeOf(text: string): string {
  return (JSON.parse(text) as { code: string }).code
}

/** An upload up to the bytes of its file, of which there will be this many. */
function upload(bytes: number): string {
  const opening =
    '--b\r\ncontent-disposition: form-data; name="kind"\r\n\r\nimage\r\n' +
    '--b\r\ncontent-disposition: form-data; name="instance"\r\n\r\ntrial\r\n' +
    '--b\r\ncontent-disposition: form-data; name="to"\r\n\r\nana\r\n' +
    '--b\r\ncontent-disposition: form-data; name="file"; filename="a.png"\r\n\r\n'
  const type = 'content-type: multipart/form-data; boundary=b\r\n'
  const length = `content-length: ${opening.length + bytes + '\r\n--b--\r\n'.length}\r\n`
  return `POST /v1/messages/media HTTP/1.1\r\n${host}${key}${type}${length}\r\n${opening}`
}

describe('slow callers', () => {
  let server: Awaited<ReturnType<typeof serve>>

  before(async () => {
    server = await serve()
  })

  after(() => server.stop())

  test('who opens a connection and says nothing is told so, and disconnected', async () => {
    const connection = await RawConnection.open(server.url)
    assert.match(await connection.ended(), /^HTTP\/1\.1 408 /)
  })

  test('who sends headers byte after byte is told so, and disconnected', async () => {
    const connection = await RawConnection.open(server.url)
    connection.write('GET /v1/instances HTTP/1.1\r\nx-slow: ')
    const dripping = setInterval(() => connection.write('x'), 20)
    const reply = await connection.reply('GET', '/v1/instances')
    clearInterval(dripping)
    assert.equal(codeOf(reply.text), 'request_timeout')
    await connection.ended()
  })

  test('who sends a body byte after byte, also to sign in, is told so, disconnected, and hinders nobody', async () => {
    const type = 'content-type: application/json\r\ncontent-length: 1000\r\n'
    const drip = async (path: string, said: string, checkedAs = 'POST') => {
      const connection = await RawConnection.open(server.url)
      connection.write(`POST ${path} HTTP/1.1\r\n${host}${said}${type}\r\n{`)
      const dripping = setInterval(() => connection.write(' '), 20)
      const reply = await connection.reply(checkedAs, path)
      clearInterval(dripping)
      assert.equal(codeOf(reply.text), 'request_timeout')
      await connection.ended()
    }
    const signIn = () => drip('/console/session', 'sec-fetch-site: same-origin\r\n', 'CONSOLE')
    const slow = [drip('/v1/instances', key), ...Array.from({ length: 20 }, signIn)]
    const other = await RawConnection.open(server.url)
    other.write(`GET /v1/instances HTTP/1.1\r\n${host}${key}\r\n`)
    assert.equal((await other.reply('GET', '/v1/instances')).status, 200)
    await Promise.all(slow)
  })

  test('who goes on sending a body after its answer is disconnected', async () => {
    const connection = await RawConnection.open(server.url)
    connection.write(`GET /v1/instances HTTP/1.1\r\n${host}${key}content-length: 1000\r\n\r\n`)
    const dripping = setInterval(() => connection.write(' '), 20)
    assert.equal((await connection.reply('GET', '/v1/instances')).status, 200)
    assert.equal(await connection.ended(), '')
    clearInterval(dripping)
  })

  test('who sends a file below the least pace is told so, and disconnected', async () => {
    const connection = await RawConnection.open(server.url)
    connection.write(upload(10_000))
    const dripping = setInterval(() => connection.write('x'), 20)
    const reply = await connection.reply('POST', '/v1/messages/media')
    clearInterval(dripping)
    assert.equal(codeOf(reply.text), 'request_timeout')
    await connection.ended()
  })

  test('who sends a file slowly, but above it, is waited for', async () => {
    const connection = await RawConnection.open(server.url)
    const bytes = 10_000
    connection.write(upload(bytes))
    // Longer than a body without a file may take, and than the pace is measured over.
    for (let sent = 0; sent < bytes; sent += 100) {
      connection.write('x'.repeat(100))
      await sleep(15)
    }
    const reply = await connection.write(`\r\n--b--\r\n`).reply('POST', '/v1/messages/media')
    assert.deepEqual([codeOf(reply.text), JSON.parse(reply.text).detail], ['queue_full', `${bytes}`])
    connection.close()
  })

  test('who has nothing more to ask is disconnected', async () => {
    const connection = await RawConnection.open(server.url)
    connection.write(`GET /healthz HTTP/1.1\r\n${host}\r\n`)
    assert.equal((await connection.reply('GET', '/healthz')).status, 200)
    assert.equal(await connection.ended(), '')
  })

  test('more connections than are allowed are not taken, and make room when they end', async () => {
    const opened = await Promise.all(Array.from({ length: 60 }, () => RawConnection.open(server.url)))
    const ends = await Promise.all(opened.map((connection) => connection.ended()))
    assert.ok(ends.filter((end) => end === '').length >= 10)
    // The server hears of the ends a moment later than the callers.
    let status: number | undefined
    while (status !== 200) {
      const connection = await RawConnection.open(server.url)
      connection.write(`GET /healthz HTTP/1.1\r\n${host}\r\n`)
      const reply = await connection.reply('GET', '/healthz').catch(() => undefined)
      status = reply?.status
      connection.close()
    }
  })

  test('a stop does not wait for who never finishes a request', async () => {
    const other = await serve()
    const connection = await RawConnection.open(other.url)
    const type = 'content-type: application/json\r\ncontent-length: 1000\r\n'
    connection.write(`POST /v1/instances HTTP/1.1\r\n${host}${key}${type}\r\n{`)
    const dripping = setInterval(() => connection.write(' '), 20)
    await (await fetch(`${other.url}/healthz`)).text()
    await other.stop()
    clearInterval(dripping)
    await connection.ended()
  })
})

describe('who was refused and goes on sending', () => {
  /** Sends the beginning of a large body without a key, reads the refusal to its end, and keeps its own side open. */
  async function refused(url: string, length = 1_000_000_000): Promise<Socket> {
    const { hostname, port } = new URL(url)
    const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true })
    socket.on('error', () => {})
    let received = ''
    socket.on('data', (chunk: Buffer) => {
      received += chunk.toString()
    })
    const headers = `content-type: application/json\r\ncontent-length: ${length}\r\n`
    socket.write(`POST /v1/instances HTTP/1.1\r\n${host}${headers}\r\n`)
    await once(socket, 'end')
    assert.match(received, /^HTTP\/1\.1 401 /)
    return socket
  }

  test('is cut off after a while', async () => {
    const server = await serve()
    const socket = await refused(server.url)
    const dripping = setInterval(() => socket.write(' '), 20)
    await new Promise((resolve) => socket.once('close', resolve))
    clearInterval(dripping)
    await server.stop()
  })

  test('is cut off when it is too much', async () => {
    const server = await serve({ linger: 600_000 })
    const socket = await refused(server.url)
    const chunk = Buffer.alloc(1024 * 1024, ' ')
    const send = () =>
      promisify(socket.write.bind(socket) as (bytes: Buffer, done: () => void) => void)(chunk)
    let sent = 0
    let most = 0
    const { arrayBuffers } = process.memoryUsage()
    await assert.rejects(async () => {
      for (; sent < 1_000; sent++) {
        await send()
        most = Math.max(most, process.memoryUsage().arrayBuffers - arrayBuffers)
      }
    })
    assert.ok(sent >= 128, `${sent} MB`)
    assert.ok(most < 16e6, `${most} bytes gathered`)
    await server.stop()
  })

  test('has nothing carried out of what it sends behind', async () => {
    const server = await serve({ linger: 600_000 })
    const socket = await refused(server.url, 300_000)
    socket.end(`${' '.repeat(300_000)}GET /v1/instances HTTP/1.1\r\n${host}${key}\r\n`)
    await server.left()
    assert.equal(server.lists(), 0)
    await server.stop()
  })
})

test('a name with two addresses is served on one, by the server that has the limits', async ({ mock }) => {
  const known: Readonly<Record<string, string[]>> = { localhost: ['127.0.0.1', '127.0.0.2'] }
  mock.method(dns, 'lookup', (name: string, _: object, done: (error: null, found: object[]) => void) =>
    done(
      null,
      (known[name] ?? [name]).map((address) => ({ address, family: 4 })),
    ),
  )
  const server = await serve({ host: 'localhost' })
  assert.equal(server.addresses.length, 1)
  await server.stop()
})

describe('what the server tells about itself', () => {
  let server: Awaited<ReturnType<typeof serve>>

  before(async () => {
    server = await serve()
  })

  after(() => server.stop())

  async function get(path: string, headers = key) {
    const connection = await RawConnection.open(server.url)
    const reply = await connection.write(`GET ${path} HTTP/1.1\r\n${host}${headers}\r\n`).reply('GET', path)
    connection.close()
    return reply
  }

  for (const state of ['starting', 'stopping', 'store_unavailable', 'store_corrupt'] as const) {
    test(`it is not ready while it is ${state}, and lives nevertheless`, async () => {
      readiness = state
      const detail = state.startsWith('store_') && { detail: storeFailures[state as StoreFailureStatus] }
      const reply = await get('/readyz')
      assert.deepEqual([reply.status, reply.text], [503, JSON.stringify({ status: state, ...detail })])
      assert.equal((await get('/healthz')).status, 200)
      readiness = 'ok'
      assert.equal((await get('/readyz')).status, 200)
    })
  }

  const failures = {
    store_unavailable: new StoreUnavailable('disk I/O error in /var/lib/posthorn.db'),
    storage_full: new StoreUnavailable('database or disk is full', { full: true }),
    internal_error: new TypeError("Cannot read properties of undefined (reading 'secret')"),
  }
  for (const [code, error] of Object.entries(failures)) {
    test(`${error.name} is answered as ${code}, and what happened inside is not told`, async () => {
      failure = error
      const connection = await RawConnection.open(server.url)
      const type = 'content-type: application/json\r\ncontent-length: 12\r\n'
      connection.write(`POST /v1/instances HTTP/1.1\r\n${host}${key}${type}\r\n{"name":"a"}`)
      const reply = await connection.reply('POST', '/v1/instances')
      connection.close()
      assert.equal(codeOf(reply.text), code)
      assert.doesNotMatch(reply.text, /posthorn\.db|secret|database/)
    })
  }
})
