import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import {
  ConnectionError,
  isProblem,
  Posthorn,
  PosthornError,
  type PosthornOptions,
  PosthornTimeoutError,
  UnexpectedResponseError,
} from '../../../clients/javascript/src/index.ts'
import { retryDelayMs } from '../../../clients/javascript/src/retry.ts'

/* Repetitions of the JavaScript client, before a server that does as it is told. */

type Answer = (request: Request) => Promise<Response> | Response

/** A client whose server gives these answers, one after the other, and the requests that it got. */
function clientOf(answers: readonly Answer[], options: Partial<PosthornOptions> = {}) {
  const requests: Request[] = []
  const send = async (url: string | URL | Request, init?: RequestInit) => {
    const request = new Request(url, init)
    const answer = answers[requests.length]
    requests.push(request)
    assert.ok(answer, 'there were more attempts than expected')
    return answer(request)
  }
  const given = { baseUrl: 'http://posthorn.example/', key: 'phk_1', fetch: send as typeof fetch, ...options }
  return { client: new Posthorn(given), requests }
}

const accepted: Answer = () => Response.json({ id: 'msg_1' }, { status: 202 })
const cut: Answer = () => Promise.reject(new TypeError('fetch failed', { cause: withCode('ECONNRESET') }))
const refused: Answer = () =>
  Promise.reject(new TypeError('fetch failed', { cause: withCode('ECONNREFUSED') }))
const broken: Answer = () =>
  new Response(new ReadableStream({ pull: (stream) => stream.error(withCode('ECONNRESET')) }), json)
const json = { headers: { 'content-type': 'application/json' } }

/** Silence until the attempt is given up. */
const silent: Answer = ({ signal }) =>
  new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))

function withCode(code: string): Error {
  return Object.assign(new Error(code), { code })
}

function problem(status: number, code: string, retryable = true, retryAfter?: string): Answer {
  const body = {
    status,
    code,
    retryable,
    title: 'No',
    detail: 'Not now.',
    request_id: 'req_1',
    type: '/problems/x',
  }
  const headers = {
    'content-type': 'application/problem+json',
    ...(retryAfter && { 'retry-after': retryAfter }),
  }
  return () => new Response(JSON.stringify(body), { status, headers })
}

const text = { instance: 'trial', to: 'ana@reads.sandbox', text: 'Good morning' }

describe('an operation that takes an Idempotency-Key', () => {
  test('is repeated with one key over all attempts, and each call has its own', async () => {
    const { client, requests } = clientOf([cut, broken, accepted, accepted])
    assert.equal((await client.messages.sendText(text)).id, 'msg_1')
    await client.messages.sendText(text)
    const keys = requests.map(({ headers }) => headers.get('idempotency-key'))
    assert.match(keys[0] ?? '', /^[0-9a-f]{32}$/)
    assert.deepEqual(keys.slice(0, 3), [keys[0], keys[0], keys[0]])
    assert.notEqual(keys[3], keys[0])
    assert.deepEqual(await requests[2]?.json(), text)
  })

  for (const [what, answer] of [
    ['a proxy without a server', () => new Response('<h1>Bad gateway</h1>', { status: 502 })],
    ['a store that is unavailable', problem(503, 'store_unavailable')],
    ['a repetition that came too soon', problem(409, 'idempotency_in_progress', true, '0')],
  ] satisfies [string, Answer][]) {
    test(`is repeated after ${what}`, async () => {
      const { client, requests } = clientOf([answer, accepted])
      await client.messages.sendText(text)
      assert.equal(requests.length, 2)
    })
  }

  for (const [what, answer] of [
    ['another conflict', problem(409, 'instance_deleting', false)],
    ['a quota that is a conflict', problem(409, 'stored_quota_exceeded')],
    ['a request that is not valid', problem(400, 'invalid_request', false)],
    ['a pause that is too long', problem(429, 'queue_full', true, '61')],
    ['a problem that is not retryable', problem(503, 'instance_not_connected', false)],
  ] satisfies [string, Answer][]) {
    test(`is not repeated after ${what}`, async () => {
      const { client, requests } = clientOf([answer])
      await assert.rejects(client.messages.sendText(text), (error) => isProblem(error))
      assert.equal(requests.length, 1)
    })
  }

  test('is given up after as many attempts as were asked for, with the last error', async () => {
    const { client, requests } = clientOf([cut, cut, cut])
    await assert.rejects(client.messages.sendText(text), ConnectionError)
    assert.equal(requests.length, 3)
    const never = clientOf([cut], { maxRetries: 0 })
    await assert.rejects(never.client.messages.sendText(text), ConnectionError)
  })
})

describe('an operation that could double', () => {
  const webhook = { url: 'https://example.org/hook' }
  const created: Answer = () => Response.json({ id: 'wh_1' }, { status: 201 })

  for (const [what, answer] of [
    ['a connection that was refused', refused],
    ['a rate limit', problem(429, 'rate_limited')],
    ['a server that is stopping', problem(503, 'shutting_down')],
  ] satisfies [string, Answer][]) {
    test(`is repeated after ${what}`, async () => {
      const { client, requests } = clientOf([answer, created])
      assert.equal((await client.webhooks.create(webhook)).id, 'wh_1')
      assert.equal(requests[1]?.headers.get('idempotency-key'), null)
    })
  }

  for (const [what, answer] of [
    ['a connection that was cut', cut],
    ['an answer that was cut', broken],
    ['a failure of the server', problem(500, 'internal_error')],
    ['a proxy that waited in vain', () => new Response('', { status: 504 })],
  ] satisfies [string, Answer][]) {
    test(`is not repeated after ${what}`, async () => {
      const { client } = clientOf([answer])
      await assert.rejects(client.webhooks.create(webhook))
    })
  }
})

describe('time', () => {
  test('grows between attempts, at random, up to eight seconds', () => {
    const error = new ConnectionError('http://posthorn.example', withCode('ECONNRESET'))
    const longest = [0, 1, 2, 3, 4, 5, 20].map((retry) => retryDelayMs(error, retry, true, () => 1))
    assert.deepEqual(longest, [500, 1_000, 2_000, 4_000, 8_000, 8_000, 8_000])
    assert.equal(
      retryDelayMs(error, 3, true, () => 0),
      0,
    )
  })

  test('limits an attempt, which is repeated, and a call, which is not', async () => {
    const { client } = clientOf([silent, accepted], { attemptTimeoutMs: 20 })
    await client.messages.sendText(text)
    const { client: other, requests } = clientOf([silent], { callTimeoutMs: 20 })
    await assert.rejects(other.messages.sendText(text), PosthornTimeoutError)
    assert.equal(requests.length, 1)
  })

  test('is up when the signal says so, during an attempt and between two', async () => {
    const reason = new Error('enough')
    const during = new AbortController()
    const asked: Answer = (request) => {
      setImmediate(() => during.abort(reason))
      return silent(request)
    }
    await assert.rejects(clientOf([asked]).client.messages.sendText(text, { signal: during.signal }), reason)
    const between = new AbortController()
    const late: Answer = (request) => {
      setImmediate(() => between.abort(reason))
      return problem(503, 'store_unavailable', true, '60')(request)
    }
    await assert.rejects(clientOf([late]).client.messages.sendText(text, { signal: between.signal }), reason)
    await assert.rejects(
      clientOf([]).client.messages.sendText(text, { signal: AbortSignal.abort(reason) }),
      reason,
    )
  })
})

describe('requests', () => {
  test('say who asks, and how long the server may wait', async () => {
    const { client, requests } = clientOf([accepted])
    await client.messages.sendText(text, { waitSeconds: 5, idempotencyKey: 'order-1' })
    const headers = requests[0]?.headers
    assert.match(headers?.get('user-agent') ?? '', /^posthorn-client\/\d+\.\d+\.\d+ Node\.js\/\d+/)
    assert.equal(headers?.get('prefer'), 'wait=5')
    assert.equal(headers?.get('idempotency-key'), 'order-1')
    assert.equal(headers?.get('authorization'), 'Bearer phk_1')
  })

  test('keep what a path cannot hold', () => {
    const { client } = clientOf([])
    for (const id of ['', '.', '..']) assert.throws(() => client.messages.get(id), TypeError)
    assert.throws(() => new Posthorn({ baseUrl: 'ftp://posthorn.example' }), TypeError)
  })

  test('that something else than Posthorn answers are told apart', async () => {
    const page: Answer = () => new Response('<html>', { headers: { 'content-type': 'text/html' } })
    await assert.rejects(clientOf([page]).client.keys.me(), UnexpectedResponseError)
  })
})

describe('in a browser', () => {
  /** A key that the page uses. */
  const me =
    (role: string): Answer =>
    () =>
      Response.json({
        kind: 'key',
        organization: { name: 'default' },
        key: { role, instances: null },
        version: '1',
      })

  before(() => {
    Object.assign(globalThis, { document: {} })
  })
  after(() => {
    Reflect.deleteProperty(globalThis, 'document')
  })

  test('a key that may do everything is refused, unless the page allows it', async () => {
    const { client, requests } = clientOf([me('admin')])
    await assert.rejects(client.messages.sendText(text), /each visitor of the page can read it/)
    await assert.rejects(client.messages.sendText(text), PosthornError)
    assert.deepEqual(
      requests.map(({ url }) => new URL(url).pathname),
      ['/v1/me'],
    )
    await clientOf([accepted], { allowAdminKeyInBrowser: true }).client.messages.sendText(text)
  })

  test('a key that may do less is asked about once, and no User-Agent is set', async () => {
    const { client, requests } = clientOf([cut, me('send'), accepted, accepted])
    await assert.rejects(client.messages.sendText(text), ConnectionError)
    await client.messages.sendText(text)
    await client.messages.sendText(text)
    assert.equal(requests.length, 4)
    assert.equal(requests[3]?.headers.get('user-agent'), null)
  })
})
