import assert, { AssertionError } from 'node:assert/strict'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, describe, test } from 'node:test'
import {
  deleteInstance,
  getInstance,
  getInstanceStatus,
} from '../../../src/contract/operations/instance-operations.ts'
import { sendTextMessage } from '../../../src/contract/operations/message-operations.ts'
import { getMetrics } from '../../../src/contract/operations/service-operations.ts'
import { Problem, type ProblemBody } from '../../../src/contract/problem.ts'
import type { ProblemCode } from '../../../src/contract/problems.ts'
import {
  connectedInstance,
  connectedStatus,
  exampleRequestId,
  queuedMessage,
  statusStream,
} from '../../../src/contract/resources/examples.ts'
import { type CheckedClient, createCheckedClient } from './checked-client.ts'

let answer: (response: ServerResponse) => void
let target = ''
const server = createServer((request, response) => {
  target = `${request.method} ${request.url}`
  request.resume().on('end', () => answer(response))
})
let client: CheckedClient

before(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  client = createCheckedClient({ baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}` })
})
after(() => {
  server.closeAllConnections()
  server.close()
})

interface Lie {
  readonly status?: number
  readonly headers?: Record<string, string | undefined>
  readonly body?: unknown
}

/** Makes the server answer so. A header that is undefined is left out. */
function reply({ status = 200, headers = {}, body = '' }: Lie): void {
  const all = { 'request-id': exampleRequestId, 'content-type': 'application/json', ...headers }
  answer = (response) => {
    response.writeHead(
      status,
      Object.fromEntries(Object.entries(all).filter((entry) => entry[1] !== undefined)),
    )
    response.end(typeof body === 'string' ? body : JSON.stringify(body))
  }
}

function replyProblem(
  code: ProblemCode,
  headers: Lie['headers'] = {},
  changes: Partial<ProblemBody> = {},
): void {
  const problem = new Problem(code)
  const type = { 'content-type': 'application/problem+json' }
  reply({
    status: problem.status,
    headers: { ...type, ...headers },
    body: { ...problem.body(exampleRequestId), ...changes },
  })
}

const read = () => client.call(getInstance, { params: { name: 'support' } })
const follow = () => Array.fromAsync(client.stream(getInstanceStatus, { params: { name: 'support' } }))
const send = () =>
  client.call(sendTextMessage, { body: { instance: 'trial', to: 'ana@delivers.sandbox', text: 'Hello' } })

async function caught(request: () => Promise<unknown>, message: RegExp): Promise<void> {
  const error = await request().catch((thrown: unknown) => thrown)
  assert.ok(error instanceof AssertionError, `nothing was noticed: ${error}`)
  assert.match(error.message, message)
}

describe('honest replies pass', () => {
  test('a body, a Location, no body, another media type', async () => {
    reply({
      body: connectedInstance,
      headers: { ratelimit: '"default";r=1;t=1', 'ratelimit-policy': '"default";q=1;w=1' },
    })
    assert.equal((await read()).body.name, 'support')
    reply({ status: 202, body: queuedMessage, headers: { location: `/v1/messages/${queuedMessage.id}` } })
    assert.equal((await send()).status, 202)
    reply({ status: 204, headers: { 'content-type': undefined } })
    assert.equal((await client.call(deleteInstance, { params: { name: 'support' } })).status, 204)
    reply({ body: 'up 1\n', headers: { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' } })
    assert.equal((await client.call(getMetrics)).text, 'up 1\n')
  })

  test('a stream', async () => {
    reply({
      body: `${statusStream}event: deleted\ndata: {"name":"support"}\n\n`,
      headers: { 'content-type': 'text/event-stream' },
    })
    assert.equal((await follow()).length, 3)
  })

  test('a problem is thrown as a problem', async () => {
    replyProblem('instance_not_found')
    await assert.rejects(read, { name: 'ProblemError', code: 'instance_not_found' })
    replyProblem('unauthenticated', { 'www-authenticate': 'Bearer' })
    await assert.rejects(read, { name: 'ProblemError', code: 'unauthenticated' })
  })
})

describe('lies about a success are caught', () => {
  const lies: [string, Lie, RegExp][] = [
    [
      'an undocumented status',
      { status: 201, body: connectedInstance },
      /getInstance was answered 201: the status is not documented/,
    ],
    ['an undocumented error', { status: 500, body: {} }, /500: the status is not documented/],
    [
      'an undocumented media type',
      { headers: { 'content-type': 'text/html' } },
      /media type text\/html is not documented/,
    ],
    ['no media type', { headers: { 'content-type': undefined } }, /media type \(none\) is not documented/],
    [
      'an unknown field',
      { body: { ...connectedInstance, secret: 1 } },
      /does not fit.*additional properties.*secret/,
    ],
    [
      'an unknown field further down',
      { body: { ...connectedInstance, queue: { depth: 0, oldest_at: null, x: 1 } } },
      /\/queue/,
    ],
    ['a missing field', { body: { ...connectedInstance, sendable: undefined } }, /does not fit.*sendable/],
    ['a wrong value', { body: { ...connectedInstance, status: 'sunny' } }, /does not fit.*\/status/],
    [
      'a wrong moment',
      { body: { ...connectedInstance, created_at: 'yesterday' } },
      /\/created_at must match format/,
    ],
    ['a body that is not JSON', { body: '{' }, /the body is not JSON/],
    [
      'no Request-Id',
      { body: connectedInstance, headers: { 'request-id': undefined } },
      /Request-Id is missing/,
    ],
    [
      'an undocumented header',
      { body: connectedInstance, headers: { location: '/x' } },
      /Location is not documented/,
    ],
    [
      'half a rate limit',
      { body: connectedInstance, headers: { ratelimit: '"default";r=1;t=1' } },
      /go together/,
    ],
  ]
  for (const [name, lie, message] of lies) {
    test(name, async () => {
      reply(lie)
      await caught(read, message)
    })
  }

  test('a send without Location, or with a replay that is not true', async () => {
    reply({ status: 202, body: queuedMessage })
    await caught(send, /sendTextMessage was answered 202: the header Location is missing/)
    reply({ status: 202, body: queuedMessage, headers: { location: '/x', 'idempotency-replayed': 'false' } })
    await caught(send, /Idempotency-Replayed may not be "false"/)
  })

  test('a body where none is documented', async () => {
    reply({ status: 204 })
    await caught(() => client.call(deleteInstance, { params: { name: 'support' } }), /no body is documented/)
  })

  test('events that are not documented, or hold something else', async () => {
    const type = { 'content-type': 'text/event-stream' }
    reply({ body: 'event: weather\ndata: {}\n\n', headers: type })
    await caught(follow, /getInstanceStatus streamed an event weather: it is not documented/)
    reply({
      body: `event: status\ndata: ${JSON.stringify({ ...connectedStatus, qr: 'x' })}\n\n`,
      headers: type,
    })
    await caught(follow, /does not fit.*qr/)
  })
})

describe('lies about a problem are caught', () => {
  const lies: [string, () => void, RegExp][] = [
    [
      'a problem of another operation',
      () => replyProblem('message_not_found'),
      /message_not_found is not documented/,
    ],
    ['a problem of no operation', () => replyProblem('route_not_found'), /route_not_found is not documented/],
    [
      'another status than the catalogue has',
      () =>
        reply({
          status: 400,
          headers: { 'content-type': 'application/problem+json' },
          body: new Problem('instance_not_found').body(exampleRequestId),
        }),
      /belongs to the status 404/,
    ],
    [
      'an unknown code',
      () => replyProblem('instance_not_found', {}, { code: 'oops' }),
      /does not fit.*\/code/,
    ],
    [
      'another title',
      () => replyProblem('instance_not_found', {}, { title: 'Gone' }),
      /title of the problem is not/,
    ],
    [
      'another type',
      () => replyProblem('instance_not_found', {}, { type: 'about:blank' }),
      /type of the problem/,
    ],
    [
      'another status in the body',
      () => replyProblem('instance_not_found', {}, { status: 410 }),
      /status of the problem/,
    ],
    [
      'another promise to repeat',
      () => replyProblem('instance_not_found', {}, { retryable: true }),
      /retryable of/,
    ],
    [
      'another request id',
      () => replyProblem('instance_not_found', {}, { request_id: 'req_1' }),
      /request_id is not/,
    ],
    [
      'invalid values elsewhere',
      () => replyProblem('instance_not_found', {}, { errors: [] }),
      /only invalid_request/,
    ],
    ['401 without WWW-Authenticate', () => replyProblem('unauthenticated'), /WWW-Authenticate is missing/],
    ['429 without Retry-After', () => replyProblem('rate_limited'), /Retry-After is missing/],
    [
      '429 without its limit',
      () => replyProblem('rate_limited', { 'retry-after': '1' }),
      /RateLimit is missing/,
    ],
    [
      'a Retry-After that is no number',
      () => replyProblem('store_unavailable', { 'retry-after': 'soon' }),
      /may not be "soon"/,
    ],
  ]
  for (const [name, lie, message] of lies) {
    test(name, async () => {
      lie()
      await caught(read, message)
    })
  }
})

describe('a raw request', () => {
  test('goes out as it is given, and its reply is checked', async () => {
    reply({ body: connectedInstance })
    const { status, json } = await client.rawRequest('GET', '/v1/instances/support?x=%zz')
    assert.deepEqual([status, json], [200, connectedInstance])
    assert.equal(target, 'GET /v1/instances/support?x=%zz')
    reply({ body: { ...connectedInstance, extra: true } })
    await caught(() => client.rawRequest('GET', '/v1/instances/support'), /getInstance .*does not fit/)
  })

  test('to an unknown path or method may only be answered as such', async () => {
    replyProblem('route_not_found')
    assert.equal((await client.rawRequest('GET', '/v1/../nothing')).status, 404)
    assert.equal(target, 'GET /v1/../nothing')
    replyProblem('method_not_allowed', { allow: 'GET, HEAD, POST' })
    assert.equal((await client.rawRequest('PUT', '/v1/instances', { body: '{}' })).status, 405)
    replyProblem('method_not_allowed')
    await caught(() => client.rawRequest('PUT', '/v1/instances'), /PUT \/v1\/instances .*Allow is missing/)
    replyProblem('instance_not_found')
    await caught(() => client.rawRequest('GET', '/v1/nothing'), /instance_not_found is not documented/)
    reply({ body: {} })
    await caught(() => client.rawRequest('GET', '/v1/nothing'), /only a problem can be the answer/)
  })

  test('tells an operation with a fixed path from one with a parameter', async () => {
    replyProblem('message_not_cancelable')
    await caught(() => client.rawRequest('POST', '/v1/messages/text'), /sendTextMessage .*is not documented/)
    await assert.doesNotReject(client.rawRequest('POST', '/v1/messages/msg_1/cancel'))
  })
})
