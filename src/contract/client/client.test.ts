import assert from 'node:assert/strict'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, beforeEach, describe, test } from 'node:test'
import { listEvents } from '../operations/event-operations.ts'
import {
  createInstance,
  deleteInstance,
  getInstance,
  getInstanceStatus,
  listInstances,
} from '../operations/instance-operations.ts'
import { getLink, startLink } from '../operations/link-operations.ts'
import { sendMediaMessage, sendTextMessage } from '../operations/message-operations.ts'
import { getMetrics, getReadiness } from '../operations/service-operations.ts'
import { Problem } from '../problem.ts'
import {
  connectedInstance,
  connectedStatus,
  deliveredEvent,
  eventStream,
  exampleRequestId,
  linkingStatus,
  linkStep,
  queuedEvent,
  queuedMessage,
  statusStream,
} from '../resources/examples.ts'
import { type Client, createClient, ProblemError, UnexpectedResponseError } from './client.ts'

let answer: (request: IncomingMessage, response: ServerResponse) => void
let seen: { method: string; url: string; headers: IncomingMessage['headers']; body: string }
const server = createServer(async (request, response) => {
  let body = ''
  for await (const chunk of request.setEncoding('latin1')) body += chunk
  seen = { method: request.method ?? '', url: request.url ?? '', headers: request.headers, body }
  answer(request, response)
})
let baseUrl: string
let client: Client

before(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/under/a/path/`
  client = createClient({ baseUrl, key: 'phk_test' })
})
after(() => {
  server.closeAllConnections()
  server.close()
})
beforeEach(() => {
  answer = (_, response) => response.destroy()
})

/** Makes the server respond with this status, content type and body. */
function reply(
  status: number,
  type: string | undefined,
  body: unknown = '',
  headers: Record<string, string> = {},
) {
  answer = (_, response) => {
    response.writeHead(status, { ...(type ? { 'content-type': type } : {}), ...headers })
    response.end(typeof body === 'string' ? body : JSON.stringify(body))
  }
}

const text = { instance: 'trial', to: 'ana@delivers.sandbox', text: 'Hello' }

describe('a call', () => {
  test('sends what the operation takes', async () => {
    reply(202, 'application/json; charset=utf-8', queuedMessage, {
      location: `/v1/messages/${queuedMessage.id}`,
    })
    const sent = await client.call(sendTextMessage, { body: text, idempotencyKey: 'key 1', waitSeconds: 3 })
    assert.equal(sent.status, 202)
    assert.equal(sent.body.status, 'queued')
    assert.equal(sent.headers.location, `/v1/messages/${queuedMessage.id}`)
    assert.equal(`${seen.method} ${seen.url}`, 'POST /under/a/path/v1/messages/text')
    assert.deepEqual(JSON.parse(seen.body), text)
    assert.equal(seen.headers.authorization, 'Bearer phk_test')
    assert.equal(seen.headers['content-type'], 'application/json')
    assert.equal(seen.headers['idempotency-key'], 'key 1')
    assert.equal(seen.headers.prefer, 'wait=3')
    assert.equal(seen.headers.accept, 'application/json, application/problem+json')
  })

  test('encodes parameters of path and query, and leaves out what is undefined', async () => {
    reply(200, 'application/json', connectedInstance)
    await client.call(getInstance, { params: { name: 'a/b?c d' } })
    assert.equal(seen.url, '/under/a/path/v1/instances/a%2Fb%3Fc%20d')
    assert.equal(seen.headers['content-type'], undefined)
    reply(200, 'application/json', { data: [], next_cursor: null })
    const page = await client.call(listInstances, { query: { status: 'connected', limit: 2 } })
    assert.equal(seen.url, '/under/a/path/v1/instances?status=connected&limit=2')
    assert.deepEqual(page.body.data, [])
    await client.call(listInstances)
    assert.equal(seen.url, '/under/a/path/v1/instances')
    await client.call(listEvents, { query: { types: ['message.sent', 'message.read'] } })
    assert.equal(seen.url, '/under/a/path/v1/events?types=message.sent%2Cmessage.read')
  })

  test('refuses path parameters that a URL would swallow', async () => {
    for (const name of ['', '.', '..']) {
      await assert.rejects(client.call(getInstance, { params: { name } }), TypeError)
    }
  })

  test('uploads a form', async () => {
    reply(202, 'application/json', queuedMessage)
    const body = new FormData()
    body.set('file', new Blob(['bytes']), 'a.txt')
    await client.call(sendMediaMessage, { body })
    assert.match(String(seen.headers['content-type']), /^multipart\/form-data; boundary=/)
    assert.match(seen.body, /filename="a\.txt"/)
  })

  test('tells the documented replies apart', async () => {
    reply(204, undefined)
    const removed = await client.call(deleteInstance, { params: { name: 'trial' } })
    assert.equal(removed.status, 204)
    assert.equal(removed.body, undefined)
    reply(503, 'application/json', { status: 'starting' })
    const readiness = await client.call(getReadiness)
    assert.deepEqual([readiness.status, readiness.body.status], [503, 'starting'])
    reply(200, 'text/plain; version=0.0.4', 'posthorn_up 1\n')
    assert.equal((await client.call(getMetrics)).text, 'posthorn_up 1\n')
  })

  test('asks for a picture instead of JSON, and returns its bytes', async () => {
    const params = { name: 'trial' }
    reply(200, 'application/json', linkingStatus)
    assert.equal((await client.call(getLink, { params })).body.link?.value, linkStep.value)
    assert.equal(seen.headers.accept, 'application/json, application/problem+json')
    reply(200, 'image/png', '\u0089PNG')
    const png = await client.call(getLink, { params, accept: 'image/png' })
    assert.equal(Buffer.from(png.bytes ?? []).toString(), '\u0089PNG')
    assert.equal(seen.headers.accept, 'image/png, application/problem+json')
    reply(200, 'image/svg+xml', '<svg/>')
    assert.equal((await client.call(getLink, { params, accept: 'image/svg+xml' })).text, '<svg/>')
  })

  test('sends no body if the operation needs none', async () => {
    reply(202, 'application/json', linkingStatus)
    await client.call(startLink, { params: { name: 'trial' } })
    assert.deepEqual([seen.body, seen.headers['content-type']], ['', undefined])
    await client.call(startLink, { params: { name: 'trial' }, body: { kind: 'qr' } })
    assert.equal(seen.body, '{"kind":"qr"}')
  })

  test('throws a problem as a ProblemError', async () => {
    const problem = new Problem('instance_not_found').body(exampleRequestId)
    reply(404, 'application/problem+json', problem, { 'request-id': exampleRequestId })
    const error = await client.call(getInstance, { params: { name: 'trial' } }).catch((thrown) => thrown)
    assert.ok(error instanceof ProblemError)
    assert.deepEqual(error.problem, problem)
    assert.equal(error.status, 404)
    assert.equal(error.code, 'instance_not_found')
    assert.equal(error.operation, 'getInstance')
    assert.equal(error.headers['request-id'], exampleRequestId)
    assert.match(error.message, /There is no such instance: .*req_06/)
  })

  test('says clearly when the reply is none of the contract', async () => {
    const call = () => client.call(getInstance, { params: { name: 'trial' } })
    const cases: [number, string | undefined, string, RegExp][] = [
      [
        502,
        'text/html',
        '<h1>Bad gateway</h1>',
        /GET \/v1\/instances\/\{name\} was answered 502 with text\/html/,
      ],
      [418, 'application/json', '{}', /documents no such response/],
      [200, 'text/html', '<p>', /knows no such media type/],
      [200, 'application/json', '{"id":', /is not JSON/],
      [404, 'application/problem+json', '{"nothing":1}', /the problem is not one of the contract/],
      [302, undefined, '', /302 with no content type/],
    ]
    for (const [status, type, body, message] of cases) {
      reply(status, type, body)
      await assert.rejects(call, (error) => {
        assert.ok(error instanceof UnexpectedResponseError)
        assert.match(error.message, message)
        assert.equal(error.status, status)
        return true
      })
    }
  })

  test('gives up when its signal aborts', async () => {
    answer = () => {}
    const signal = AbortSignal.timeout(20)
    await assert.rejects(client.call(listInstances, { signal }), { name: 'TimeoutError' })
  })

  test('is typed by the operation', () => {
    // Never called: the types are the test.
    const typed = async () => {
      const created = await client.call(createInstance, { body: { name: 'a' } })
      created.status satisfies 201
      created.body.queue.depth satisfies number
      // @ts-expect-error the name is missing
      await client.call(createInstance, { body: {} })
      // @ts-expect-error the body is missing
      await client.call(createInstance)
      // @ts-expect-error the parameter is missing
      await client.call(getInstance, {})
      // @ts-expect-error the operation takes no body
      await client.call(listInstances, { body: {} })
      // @ts-expect-error the operation takes no idempotency key
      await client.call(listInstances, { idempotencyKey: 'a' })
      // @ts-expect-error the operation does not wait
      await client.call(listInstances, { waitSeconds: 1 })
      // @ts-expect-error the operation has no stream to take up again
      await client.call(listInstances, { lastEventId: 'a' })
      // @ts-expect-error there is no such status
      await client.call(listInstances, { query: { status: 'sunny' } })
    }
    assert.equal(typeof typed, 'function')
  })
})

describe('a stream', () => {
  const follow = (signal?: AbortSignal) =>
    client.stream(getInstanceStatus, { params: { name: 'support' }, signal })

  test('gives the events with their data parsed', async () => {
    reply(200, 'text/event-stream; charset=utf-8', `: hello\n\n${statusStream}`)
    const events = await Array.fromAsync(follow())
    assert.deepEqual(
      events.map(({ event }) => event),
      ['status', 'status'],
    )
    assert.deepEqual(events[1]?.data, connectedStatus)
    assert.equal(seen.headers.accept, 'text/event-stream')
  })

  test('says behind which event it goes on, and tells where each event is', async () => {
    reply(200, 'text/event-stream', eventStream)
    const events = await Array.fromAsync(client.stream(listEvents, { lastEventId: 'NDA' }))
    assert.equal(seen.headers['last-event-id'], 'NDA')
    const told = events.map(({ id, event, data }) => [id, event, data])
    assert.deepEqual(told, [
      ['NDE', 'message.queued', queuedEvent],
      ['NDM', 'message.delivered', deliveredEvent],
    ])
  })

  test('throws a problem, and whatever else is no stream', async () => {
    reply(404, 'application/problem+json', new Problem('instance_not_found').body(exampleRequestId))
    await assert.rejects(Array.fromAsync(follow()), { name: 'ProblemError', code: 'instance_not_found' })
    reply(200, 'application/json', connectedStatus)
    await assert.rejects(Array.fromAsync(follow()), /an event stream was expected/)
    reply(200, 'text/event-stream', 'data: {\n\n')
    await assert.rejects(Array.fromAsync(follow()), /is not JSON/)
  })

  test('closes the connection when the reader leaves', async () => {
    const closed = new Promise<void>((resolve) => {
      answer = (_, response) => {
        response.on('close', resolve)
        response.writeHead(200, { 'content-type': 'text/event-stream' })
        response.write('data: 1\n\n')
      }
    })
    for await (const { data } of follow()) {
      assert.equal(data, 1)
      break
    }
    await closed
  })

  test('ends when its signal aborts', async () => {
    const leaving = new AbortController()
    answer = (_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write('data: 1\n\n')
    }
    await assert.rejects(
      async () => {
        for await (const _ of follow(leaving.signal)) leaving.abort()
      },
      { name: 'AbortError' },
    )
  })
})
