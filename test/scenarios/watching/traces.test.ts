import assert from 'node:assert/strict'
import { PassThrough } from 'node:stream'
import { after, before, beforeEach, test } from 'node:test'
import { createWebhook, deleteWebhook } from '../../../src/contract/operations/webhook-operations.ts'
import { type Received, WebhookReceiver } from '../../kit/far-ends/webhook-receiver.ts'
import { create, eventually } from '../../kit/play.ts'
import { type Posthorn, startPosthorn } from '../../kit/posthorn.ts'

/* The trace of a request goes on to the receivers of the events of its message, and stands in the log. */

let posthorn: Posthorn
let receiver: WebhookReceiver
const log = new PassThrough()
let logged = ''
log.on('data', (chunk) => {
  logged += chunk
})

const trace = '4bf92f3577b34da6a3ce929d0e0e4736'
const traceparent = `00-${trace}-00f067aa0ba902b7-01`
const tracestate = 'congo=t61rcWkgMzE,rojo=00f067aa0ba902b7'

before(async () => {
  posthorn = await startPosthorn({ environment: { POSTHORN_WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8' }, log })
  receiver = await WebhookReceiver.start()
  await create(posthorn.admin, 'trial')
  const events = ['message.queued', 'message.sent', 'message.delivered'] as const
  await posthorn.admin.call(createWebhook, { body: { url: receiver.url, events: [...events] } })
})
beforeEach(() => {
  receiver.received.length = 0
})
after(async () => {
  await posthorn.stop()
  await receiver.stop()
})

/** Sends a text with these headers; returns its deliveries once all three have come. */
async function deliveriesOf(headers: Readonly<Record<string, string>>): Promise<readonly Received[]> {
  const response = await fetch(`${posthorn.url}/v1/messages/text`, {
    method: 'POST',
    headers: { authorization: `Bearer ${posthorn.adminKey}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ instance: 'trial', to: 'ana@delivers.sandbox', text: 'Hello' }),
  })
  assert.equal(response.status, 202)
  return eventually(
    'three events',
    async () => [...receiver.received],
    ({ length }) => length === 3,
  )
}

const tracesOf = (deliveries: readonly Received[]) =>
  deliveries.map(({ headers }) => [headers.traceparent, headers.tracestate])

test('each event of a message carries the trace of its request', async () => {
  const deliveries = await deliveriesOf({ traceparent, tracestate })
  assert.deepEqual(tracesOf(deliveries), Array(3).fill([traceparent, tracestate]))
  assert.ok(logged.includes(`"trace_id":"${trace}"`))
})

test('a message that came without a trace, or with one that is invalid, has none', async () => {
  for (const headers of [
    {},
    { tracestate },
    { traceparent: `ff-${trace}-00f067aa0ba902b7-01` },
    { traceparent: `00-${'0'.repeat(32)}-00f067aa0ba902b7-01` },
    { traceparent: `00-${trace.toUpperCase()}-00f067aa0ba902b7-01` },
    { traceparent: `${traceparent}-${'x'.repeat(4_000)}` },
  ]) {
    receiver.received.length = 0
    assert.deepEqual(tracesOf(await deliveriesOf(headers)), Array(3).fill([undefined, undefined]))
  }
})

test('what vendors add is left out if it is too long', async () => {
  const deliveries = await deliveriesOf({ traceparent, tracestate: `a=${'x'.repeat(511)}` })
  assert.deepEqual(tracesOf(deliveries), Array(3).fill([traceparent, undefined]))
})

test('a batch carries the trace that all its events share, and none if they differ', async () => {
  const another = `00-${trace.replace('4', '5')}-00f067aa0ba902b7-01`
  for (const [second, third, carried] of [
    [another, another, another],
    [traceparent, another, undefined],
  ] as const) {
    // While the first event is not taken, the others wait for it, and then come together.
    const first = Promise.withResolvers<void>()
    const together = await WebhookReceiver.start(async (_, response) => {
      await first.promise
      response.writeHead(204).end()
    })
    const events = ['message.queued'] as const
    const body = { url: together.url, events: [...events], batch: 10, ordering: 'per_instance' as const }
    const { id: webhook } = (await posthorn.admin.call(createWebhook, { body })).body
    for (const own of [traceparent, second, third]) {
      receiver.received.length = 0
      await deliveriesOf({ traceparent: own })
    }
    first.resolve()
    const received = await eventually(
      'a batch to come',
      async () => [...together.received],
      (requests) => requests.flatMap((request) => request.events).length === 3,
    )
    assert.deepEqual(
      received.map((request) => [request.events.length, request.headers.traceparent]),
      [
        [1, traceparent],
        [2, carried],
      ],
    )
    await posthorn.admin.call(deleteWebhook, { params: { webhook } })
    await together.stop()
  }
})
