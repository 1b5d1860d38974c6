import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, beforeEach, describe, test } from 'node:test'
import {
  createInstance,
  getInstance,
  getInstanceStatus,
  stopInstance,
} from '../../../src/contract/operations/instance-operations.ts'
import {
  getMessage,
  listMessages,
  sendTextMessage,
} from '../../../src/contract/operations/message-operations.ts'
import { getHealth, getReadiness } from '../../../src/contract/operations/service-operations.ts'
import { RawConnection } from '../../kit/http/raw-connection.ts'
import { type Posthorn, startPosthorn } from '../../kit/posthorn.ts'
import { measureOwnTime } from '../../kit/run/own-time.ts'

/* The operator looks at a running server, and stops it. */

describe('a running server', () => {
  let posthorn: Posthorn
  let log = ''

  before(async () => {
    const write = (line: string): void => {
      log += line
    }
    posthorn = await startPosthorn({ log: { write } })
  })

  after(() => posthorn.stop())

  const text = (to: string) => ({ instance: 'trial', to, text: 'Good morning' })

  /** The metrics by name and labels, as they stand in the Prometheus text. */
  async function metrics(): Promise<Map<string, number>> {
    const token = readFileSync(join(posthorn.data, 'metrics.token'), 'utf8').trim()
    const headers = { authorization: `Bearer ${token}` }
    const reply = await posthorn.client().rawRequest('GET', '/metrics', { headers })
    assert.equal(reply.headers['content-type'], 'text/plain; version=0.0.4; charset=utf-8')
    const lines = reply.text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
    return new Map(
      lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.split(' ').at(-1))]),
    )
  }

  test('is alive and ready, and tells everybody who asks', async () => {
    const anonymous = posthorn.client()
    assert.deepEqual((await anonymous.call(getHealth)).body, { status: 'ok' })
    assert.deepEqual((await anonymous.call(getReadiness)).body, { status: 'ok' })
  })

  test('counts what it did', async () => {
    const { admin } = posthorn
    const before = await metrics()
    await admin.call(createInstance, { body: { name: 'trial' }, waitSeconds: 10 })
    await admin.call(createInstance, { body: { name: 'idle' }, waitSeconds: 10 })
    await admin.call(stopInstance, { params: { name: 'idle' }, waitSeconds: 10 })
    for (const to of ['ana@accepts.sandbox', 'bo@accepts.sandbox', 'cy@refuses.sandbox']) {
      await admin.call(sendTextMessage, { body: text(to), waitSeconds: 10 })
    }
    const send_at = new Date(Date.now() + 3_600_000).toISOString()
    await admin.call(sendTextMessage, { body: { ...text('di@accepts.sandbox'), send_at } })
    const { headers } = await posthorn.client().rawRequest('GET', '/v1/instances')
    assert.ok(headers['request-id'])

    const now = await metrics()
    const grown = (name: string) => (now.get(name) ?? 0) - (before.get(name) ?? 0)
    assert.equal(grown('posthorn_http_requests_total{operation="sendTextMessage",status="202"}'), 4)
    assert.equal(grown('posthorn_http_requests_total{operation="listInstances",status="401"}'), 1)
    assert.equal(grown('posthorn_http_request_seconds_count{operation="sendTextMessage"}'), 4)
    assert.equal(grown('posthorn_message_accept_seconds_count'), 4)
    assert.ok(grown('posthorn_message_accept_seconds_sum') > 0)
    assert.equal(grown('posthorn_message_attempts_total{outcome="sent"}'), 2)
    assert.equal(grown('posthorn_message_attempts_total{outcome="failed"}'), 1)
    assert.ok(grown('posthorn_store_commit_transactions_count') >= 6)
    assert.ok(
      grown('posthorn_store_commit_transactions_sum') >= grown('posthorn_store_commit_transactions_count'),
    )
    assert.equal(now.get('posthorn_instances{status="connected"}'), 1)
    assert.equal(now.get('posthorn_instances{status="stopped"}'), 1)
    assert.equal(now.get('posthorn_queue_depth'), 1)
    const age = now.get('posthorn_queue_oldest_age_seconds') ?? 0
    assert.ok(age > 0 && age < 60, `${age}`)
    assert.ok((now.get('process_resident_memory_bytes') ?? 0) > 0)
  })

  test('counts a stream as a request, and not its length as the time of an answer', async () => {
    const before = await metrics()
    const listening = new AbortController()
    const stream = posthorn.admin.stream(getInstanceStatus, {
      params: { name: 'trial' },
      signal: listening.signal,
    })
    assert.equal((await stream.next()).value?.event, 'status')
    listening.abort()
    await assert.rejects(stream.next())
    const requests = 'posthorn_http_requests_total{operation="getInstanceStatus",status="200"}'
    let now = await metrics()
    while ((now.get(requests) ?? 0) === (before.get(requests) ?? 0)) now = await metrics()
    const seconds = 'posthorn_http_request_seconds_count{operation="getInstanceStatus"}'
    assert.equal(now.get(seconds) ?? 0, before.get(seconds) ?? 0)
  })

  test('gives a request the same name in the reply, in the problem and in the log', async () => {
    const reply = await posthorn.client(posthorn.adminKey).rawRequest('GET', '/v1/instances/nobodys', {
      headers: { authorization: `Bearer ${posthorn.adminKey}`, 'request-id': 'req_of_the_caller' },
    })
    const id = reply.headers['request-id'] ?? ''
    assert.match(id, /^req_[0-9a-z]{26}$/)
    assert.equal((reply.json as { request_id: string }).request_id, id)
    const lines = log.split('\n').filter((line) => line.includes(id))
    const entry = JSON.parse(lines.at(-1) ?? '{}') as Record<string, unknown>
    assert.deepEqual(
      [entry.level, entry.method, entry.path, entry.status],
      ['info', 'GET', '/v1/instances/nobodys', 404],
    )
    assert.match(String(entry.key_id), /^key_/)
    assert.doesNotMatch(log, /req_of_the_caller/)
  })
})

describe('a server that is told to stop', () => {
  let posthorn: Posthorn

  beforeEach(async () => {
    posthorn = await startPosthorn()
    await posthorn.admin.call(createInstance, { body: { name: 'trial' }, waitSeconds: 10 })
  })

  const scheduled = (changes: object = {}) => ({
    instance: 'trial',
    to: 'ana@accepts.sandbox',
    text: 'Later',
    send_at: new Date(Date.now() + 3_600_000).toISOString(),
    ...changes,
  })

  /** The message once it is there, found by its reference, while the request that sent it still waits. */
  async function accepted(client_ref: string): Promise<string> {
    for (;;) {
      const { body } = await posthorn.admin.call(listMessages, { query: { client_ref } })
      if (body.data[0]) return body.data[0].id
    }
  }

  test('answers at once who waits for a result, and keeps what was accepted', async () => {
    const body = scheduled({ client_ref: 'patient' })
    const waiting = posthorn.admin.call(sendTextMessage, { body, waitSeconds: 30 })
    await accepted('patient')
    const ownTime = measureOwnTime()
    const restarted = posthorn.restart()
    const reply = await waiting
    assert.ok(ownTime() < 5_000)
    assert.deepEqual([reply.status, reply.body.status], [202, 'queued'])
    posthorn = await restarted
    const { body: kept } = await posthorn.admin.call(getMessage, { params: { id: reply.body.id } })
    assert.equal(kept.status, 'queued')
    await posthorn.stop()
  })

  test('ends the streams', async () => {
    const stream = posthorn.admin.stream(getInstanceStatus, { params: { name: 'trial' } })
    assert.equal((await stream.next()).value?.event, 'status')
    const stopped = posthorn.stop()
    while (!(await stream.next()).done);
    await stopped
  })

  test('finishes a request that is under way, and tells that it is stopping on the same connection', async () => {
    const connection = await RawConnection.open(posthorn.url)
    const key = `authorization: Bearer ${posthorn.adminKey}\r\n`
    const body = JSON.stringify(scheduled({ client_ref: 'under way' }))
    const head = [
      'POST /v1/messages/text HTTP/1.1\r\nhost: localhost\r\n',
      `${key}content-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n`,
    ].join('')
    connection.write(head + body.slice(0, 10))
    // The server has read all that was sent once it has answered a later caller.
    await posthorn.admin.call(getInstance, { params: { name: 'trial' } })
    const restarted = posthorn.restart()
    await assert.rejects(fetch(`${posthorn.url}/readyz`), 'new connections are refused')

    const get = (path: string) => `GET ${path} HTTP/1.1\r\nhost: localhost\r\n${key}\r\n`
    connection.write(body.slice(10) + get('/readyz') + get('/v1/instances'))
    const sent = await connection.reply('POST', '/v1/messages/text')
    assert.equal(sent.status, 202)
    const ready = await connection.reply('GET', '/readyz')
    assert.deepEqual([ready.status, ready.text], [503, '{"status":"stopping"}'])
    await connection.ended()

    posthorn = await restarted
    const { id } = JSON.parse(sent.text) as { id: string }
    assert.equal((await posthorn.admin.call(getMessage, { params: { id } })).body.status, 'queued')
    await posthorn.stop()
  })

  test('says with the last answer on a connection that it is the last', async () => {
    const connection = await RawConnection.open(posthorn.url)
    const key = `authorization: Bearer ${posthorn.adminKey}\r\n`
    const body = JSON.stringify(scheduled())
    connection.write(`POST /v1/messages/text HTTP/1.1\r\nhost: localhost\r\n${key}`)
    connection.write(`content-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n{`)
    await posthorn.admin.call(getInstance, { params: { name: 'trial' } })
    const stopped = posthorn.stop()
    const sent = await connection.write(body.slice(1)).reply('POST', '/v1/messages/text')
    assert.deepEqual([sent.status, sent.headers.connection], [202, 'close'])
    assert.equal(await connection.ended(), '')
    await stopped
  })

  test('refuses what comes too late, and answers it as such', async () => {
    const connection = await RawConnection.open(posthorn.url)
    const key = `authorization: Bearer ${posthorn.adminKey}\r\n`
    const empty = '{}'
    connection.write(`POST /v1/instances HTTP/1.1\r\nhost: localhost\r\n${key}`)
    connection.write(`content-type: application/json\r\ncontent-length: ${empty.length}\r\n\r\n{`)
    await posthorn.admin.call(getInstance, { params: { name: 'trial' } })
    const stopped = posthorn.stop()
    const late = `POST /v1/instances/trial/stop HTTP/1.1\r\nhost: localhost\r\n${key}\r\n`
    connection.write(`}${late}`)
    assert.equal((await connection.reply('POST', '/v1/instances')).status, 400)
    const refused = await connection.reply('POST', '/v1/instances/trial/stop')
    assert.deepEqual([refused.status, refused.headers.connection], [503, 'close'])
    assert.match(refused.text, /"code":"shutting_down"/)
    await connection.ended()
    await stopped
  })

  test('loses nothing that it accepted under load', async () => {
    const ids: string[] = []
    let refused = 0
    const sendOn = async (worker: number) => {
      for (let count = 0; ; count++) {
        const body = scheduled({ text: `${worker} ${count}` })
        try {
          ids.push((await posthorn.admin.call(sendTextMessage, { body })).body.id)
        } catch {
          refused++
          return
        }
      }
    }
    const senders = Array.from({ length: 8 }, (_, worker) => sendOn(worker))
    while (ids.length < 100) await posthorn.admin.call(getInstance, { params: { name: 'trial' } })
    const restarted = posthorn.restart()
    await Promise.all(senders)
    assert.equal(refused, 8)
    posthorn = await restarted
    for (const id of ids) {
      assert.equal((await posthorn.admin.call(getMessage, { params: { id } })).body.id, id)
    }
    await posthorn.stop()
  })
})
