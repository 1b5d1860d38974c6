import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { after, afterEach, before, describe, test } from 'node:test'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { Compile } from 'typebox/compile'
import {
  createWebhook,
  deleteWebhook,
  getWebhook,
  listDeliveries,
  redeliverEvents,
  rotateWebhookSecret,
  testWebhook,
  updateWebhook,
} from '../../../src/contract/operations/webhook-operations.ts'
import { Event, schemaOfEvent } from '../../../src/contract/resources/event.ts'
import type { CreateWebhook, Delivery } from '../../../src/contract/resources/webhook.ts'
import { Authority } from '../../kit/far-ends/certificates.ts'
import { isVerified, type Reception, WebhookReceiver } from '../../kit/far-ends/webhook-receiver.ts'
import type { CheckedClient } from '../../kit/http/checked-client.ts'
import { create, eventually, text } from '../../kit/play.ts'
import { type Posthorn, startPosthorn } from '../../kit/posthorn.ts'
import { measureOwnTime } from '../../kit/run/own-time.ts'

/* Deliveries that arrive at receivers, and the fate of those that do not. */

const authority = new Authority('An authority that this process trusts')
const trusted = getCACertificates('default')
let posthorn: Posthorn
const receivers: WebhookReceiver[] = []

before(async () => {
  setDefaultCACertificates([...trusted, authority.cert])
  posthorn = await startPosthorn({ environment: { POSTHORN_WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8' } })
  await create(posthorn.admin, 'support')
  await create(posthorn.admin, 'sales')
})
after(async () => {
  await posthorn.stop()
  setDefaultCACertificates(trusted)
})
afterEach(async () => {
  for (const receiver of receivers.splice(0)) await receiver.stop()
})

async function receive(...wishes: Parameters<typeof WebhookReceiver.start>): Promise<WebhookReceiver> {
  const receiver = await WebhookReceiver.start(...wishes)
  receivers.push(receiver)
  return receiver
}

/** A webhook for one play, removed at its end. */
async function withWebhook(
  wish: CreateWebhook,
  play: (webhook: string, secret: string) => Promise<void>,
  admin: CheckedClient = posthorn.admin,
): Promise<void> {
  const { body } = await admin.call(createWebhook, { body: wish })
  try {
    await play(body.id, body.secret)
  } finally {
    await admin.call(deleteWebhook, { params: { webhook: body.id } })
  }
}

/** The one delivery of a webhook, once it has had so many attempts. */
function delivery(webhook: string, attempts: number): Promise<Delivery> {
  const read = async () =>
    (await posthorn.admin.call(listDeliveries, { params: { webhook } })).body.data.at(-1) as Delivery
  return eventually('attempts', read, (now) => now !== undefined && now.attempts.length >= attempts)
}

const answerWith =
  (status: number, headers: Record<string, string> = {}, body = ''): Reception =>
  (_, response) =>
    response.writeHead(status, headers).end(body)

test('an honest receiver gets every event once, signed, and as the contract has it', async () => {
  const receiver = await receive(undefined, authority.certify({ hosts: ['127.0.0.1'] }))
  await withWebhook({ url: receiver.url, instances: ['support'] }, async (_, secret) => {
    const sent: string[] = []
    for (let count = 0; count < 40; count++) {
      const to = `person-${count % 5}@${count % 4 === 0 ? 'refuses' : 'reads'}.sandbox`
      sent.push((await text(posthorn.admin, { instance: 'support', to, client_ref: `ref ${count}` })).id)
      await text(posthorn.admin, { instance: 'sales', to })
    }
    const settled = (id: string) =>
      receiver.received.some(
        ({ event }) => ['message.read', 'message.failed'].includes(event.type) && messageIn(event).id === id,
      )
    await receiver.until('the end of every message', () => sent.every(settled))
    const { received } = receiver
    assert.equal(new Set(received.map(({ event }) => event.id)).size, received.length)
    for (const each of received) {
      assert.ok(isVerified(each, secret))
      assert.equal(each.headers['webhook-id'], each.event.id)
      assert.equal(each.headers['content-type'], 'application/json')
      assert.match(each.headers['user-agent'] ?? '', /^Posthorn[/]/)
      assert.ok(Compile(Event).Check(each.event), each.body)
      assert.ok(Compile(schemaOfEvent(each.event.type)).Check(each.event), each.body)
      assert.equal(messageIn(each.event).instance, 'support')
    }
    for (const [index, id] of sent.entries()) {
      const eventsOfMessage = received.filter(({ event }) => messageIn(event).id === id)
      const types = new Set(eventsOfMessage.map(({ event }) => event.type))
      const wanted = index % 4 === 0 ? ['message.failed'] : ['message.read']
      for (const type of ['message.queued', ...wanted]) assert.ok(types.has(type as never), `${id} ${type}`)
      for (const { event } of eventsOfMessage) assert.equal(messageIn(event).client_ref, `ref ${index}`)
    }
  })
})

function messageIn({ data }: Event): { id: string; instance: string; client_ref: string } {
  return (data as { message: { id: string; instance: string; client_ref: string } }).message
}

test('what is to come in order comes in order, instance by instance, even if the receiver stumbles', async () => {
  let refused = 0
  const receiver = await receive(({ event }, response) => {
    const stumbles = event.sequence % 7 === 0 && refused++ < 1
    return response.writeHead(stumbles ? 500 : 204).end()
  })
  const wish = { url: receiver.url, ordering: 'per_instance', events: ['message.queued'] } as const
  await withWebhook({ ...wish, events: [...wish.events] }, async () => {
    for (let count = 0; count < 20; count++)
      for (const instance of ['support', 'sales'])
        await text(posthorn.admin, { instance, to: `person-${count}@accepts.sandbox` })
    const distinct = () => new Set(receiver.sequences).size
    await receiver.until('all of them', () => distinct() === 40)
    assert.equal(refused > 0, true)
    for (const instance of ['support', 'sales']) {
      const own = receiver.received.filter(({ event }) => messageIn(event).instance === instance)
      const sequences = own.map(({ event }) => event.sequence)
      assert.deepEqual(
        sequences,
        sequences.toSorted((a, b) => a - b),
      )
    }
  })
})

test('an event that does not arrive at first is sent again, the same in every byte, with a new time', async () => {
  let count = 0
  let ownTime = () => 0
  let pause = Number.POSITIVE_INFINITY
  const receiver = await receive((_, response) => {
    count++
    if (count === 1) ownTime = measureOwnTime()
    else pause = ownTime() / 1_000
    response.writeHead(count === 1 ? 500 : 204).end('Hm.')
  })
  await withWebhook({ url: receiver.url, events: ['message.queued'] }, async (webhook, secret) => {
    await text(posthorn.admin, { instance: 'support', to: 'ana@accepts.sandbox' })
    const { attempts, status, settled_at } = await delivery(webhook, 2)
    assert.equal(status, 'delivered')
    assert.ok(settled_at)
    assert.deepEqual(
      attempts.map(({ number, status, error, body }) => ({ number, status, error, body })),
      [
        { number: 1, status: 500, error: null, body: 'Hm.' },
        { number: 2, status: 204, error: null, body: null },
      ],
    )
    const [first, second] = receiver.received
    assert.ok(first && second)
    assert.equal(first.body, second.body)
    assert.equal(first.headers['webhook-id'], second.headers['webhook-id'])
    const waited = Number(second.headers['webhook-timestamp']) - Number(first.headers['webhook-timestamp'])
    assert.ok(waited >= 3 && pause <= 8, `${waited} s, ${pause} s of our own time`)
    assert.ok(isVerified(second, secret))
  })
})

/** Says a status and part of a body, and then cuts the connection. */
function breakOff(response: ServerResponse): void {
  response.writeHead(200, { 'content-length': '1000' })
  response.write('Half of', () => response.socket?.resetAndDestroy())
}

/** Never comes to an end, as fast as it can. */
function endless(response: ServerResponse): void {
  const chunk = Buffer.alloc(65_536, 'x')
  const more = () => {
    while (!response.destroyed && response.write(chunk));
    if (!response.destroyed) response.once('drain', more)
  }
  response.on('error', () => {})
  response.writeHead(200)
  more()
}

interface Misbehaviour {
  readonly does: Reception
  readonly certified?: () => ReturnType<Authority['certify']>
  /** The record of the attempt, and the seconds until the next one; null if there is none. */
  readonly seen: { status: number | null; code: string | null; body?: RegExp; next: number | null }
  readonly becomes?: Delivery['status']
}

const again = { code: null, next: 5 }

const misbehaviours: Readonly<Record<string, Misbehaviour>> = {
  'answers 500': {
    does: answerWith(500, {}, 'Out of order.'),
    seen: { status: 500, ...again, body: /^Out of/ },
  },
  'answers 400': { does: answerWith(400), seen: { status: 400, ...again } },
  redirects: {
    does: answerWith(302, { location: '/elsewhere' }),
    seen: { status: 302, ...again, code: 'redirected' },
  },
  'redirects for good': {
    does: answerWith(308, { location: '/elsewhere' }),
    seen: { status: 308, ...again, code: 'redirected' },
  },
  'asks for an hour': {
    does: answerWith(429, { 'retry-after': '3600' }),
    seen: { status: 429, code: null, next: 3_600 },
  },
  'asks for a week': {
    does: answerWith(503, { 'retry-after': '604800' }),
    seen: { status: 503, code: null, next: 86_400 },
  },
  'is gone': { does: answerWith(410), seen: { status: 410, code: null, next: null }, becomes: 'failed' },
  'shows a certificate that nobody trusts': {
    does: answerWith(204),
    certified: () => new Authority('Somebody').certify({ hosts: ['127.0.0.1'] }),
    seen: { status: null, code: 'tls_failed', next: 5 },
  },
  'shows the certificate of another host': {
    does: answerWith(204),
    certified: () => authority.certify({ hosts: ['elsewhere.example'] }),
    seen: { status: null, code: 'tls_failed', next: 5 },
  },
  'cuts the connection': {
    does: (_, response) => response.socket?.resetAndDestroy(),
    seen: { status: null, code: 'connection_lost', next: 5 },
  },
  hangs: { does: () => {}, seen: { status: null, code: 'timeout', next: 5 } },
  'breaks off its answer': {
    does: (_, response) => breakOff(response),
    seen: { status: 200, code: null, body: /^(Half of)?$/, next: null },
    becomes: 'delivered',
  },
  'answers without end': {
    does: (_, response) => endless(response),
    seen: { status: 200, code: null, body: /^x{1024}$/, next: null },
    becomes: 'delivered',
  },
}

describe('a receiver that misbehaves', { concurrency: true }, () => {
  for (const [what, { does, certified, seen, becomes = 'pending' }] of Object.entries(misbehaviours)) {
    test(`one that ${what}`, async () => {
      const receiver = await WebhookReceiver.start(does, certified?.())
      // Also if it fails: a receiver that still listens would keep this process alive.
      try {
        await withWebhook({ url: receiver.url, events: ['webhook.test'] }, async (webhook) => {
          await posthorn.admin.call(testWebhook, { params: { webhook } })
          const { attempts, status, next_attempt_at } = await delivery(webhook, 1)
          const [attempt] = attempts
          assert.ok(attempt)
          assert.deepEqual(
            [attempt.status, attempt.error?.code ?? null, status],
            [seen.status, seen.code, becomes],
          )
          if (attempt.error) assert.match(attempt.error.detail, /^[A-Z].+[.] [A-Z].+[.]$/)
          if (seen.body) assert.match(attempt.body ?? '', seen.body)
          const over = Date.parse(attempt.started_at) + attempt.duration_ms
          if (seen.next === null) assert.equal(next_attempt_at, null)
          else assertNear((Date.parse(next_attempt_at ?? '') - over) / 1_000, seen.next)
          assert.ok(receiver.received.every(({ event }) => event.type === 'webhook.test'))
          assert.ok(receiver.received.length <= 1)
        })
      } finally {
        await receiver.stop()
      }
    })
  }
})

function assertNear(seconds: number, wanted: number): void {
  const spread = wanted === 5 ? 1 : 0
  assert.ok(seconds >= wanted - spread - 0.1 && seconds <= wanted + spread + 1, `${seconds} s, not ${wanted}`)
}

test('a receiver that hangs holds up no other of the same organization', async () => {
  const hanging = await receive(() => {})
  const well = await receive()
  await withWebhook({ url: hanging.url }, () =>
    withWebhook({ url: well.url, events: ['message.queued'] }, async () => {
      for (let count = 0; count < 30; count++)
        await text(posthorn.admin, { instance: 'support', to: 'ana@accepts.sandbox' })
      await well.until('everything', (received) => received.length === 30)
      assert.equal(hanging.received.length, 1, 'and has one connection')
    }),
  )
})

test('the events of one organization are sent to nobody else', async () => {
  const receiver = await receive()
  await posthorn.createOrganization('other')
  const { key } = await posthorn.createKey('other', 'admin')
  const other = posthorn.client(key)
  await withWebhook(
    { url: receiver.url },
    async () => {
      await text(posthorn.admin, { instance: 'support', to: 'ana@accepts.sandbox' })
      await create(other, 'support')
      await receiver.until('an event', (received) => received.length >= 2)
      for (const { event } of receiver.received) assert.match(event.type, /^instance[.]/)
    },
    other,
  )
})

test('after a rotation both secrets verify', async () => {
  const receiver = await receive()
  await withWebhook({ url: receiver.url, events: ['webhook.test'] }, async (webhook, old) => {
    const params = { webhook }
    const { body: rotated } = await posthorn.admin.call(rotateWebhookSecret, { params })
    await posthorn.admin.call(testWebhook, { params })
    await receiver.until('the test', (received) => received.length === 1)
    const [received] = receiver.received
    assert.ok(received && isVerified(received, old) && isVerified(received, rotated.secret))
    assert.ok(!isVerified({ ...received, body: `${received.body} ` }, rotated.secret))
  })
})

test('a receiver that is gone is told nothing more, the others hear of it, and it can have it all again', async () => {
  const gone = await receive(answerWith(410))
  const other = await receive()
  const since = new Date().toISOString()
  await withWebhook({ url: other.url, events: ['webhook.disabled'] }, () =>
    withWebhook({ url: gone.url, events: ['message.queued'] }, async (webhook) => {
      const params = { webhook }
      await text(posthorn.admin, { instance: 'support', to: 'ana@accepts.sandbox' })
      await other.until('the notice', (received) => received.length === 1)
      const { body } = await posthorn.admin.call(getWebhook, { params })
      assert.deepEqual([body.enabled, body.disabled_reason?.code], [false, 'gone'])
      assert.deepEqual(other.received[0]?.event.data, {
        webhook: { id: webhook },
        reason: body.disabled_reason,
      })
      await text(posthorn.admin, { instance: 'support', to: 'ben@accepts.sandbox' })
      const tested = await posthorn.admin.call(testWebhook, { params, waitSeconds: 20 })
      assert.deepEqual(
        tested.body.attempts.map(({ status }) => status),
        [410],
      )
      assert.equal(gone.received.length, 2, 'the first message, and the test')
      gone.answer = answerWith(204)
      await posthorn.admin.call(updateWebhook, { params, body: { enabled: true } })
      await posthorn.admin.call(redeliverEvents, { params, body: { since } })
      await gone.until('both messages', (received) => received.length === 4)
      const again = gone.received.slice(2).map(({ event }) => messageIn(event).id)
      assert.equal(new Set(again).size, 2)
      assert.equal((await posthorn.admin.call(getWebhook, { params })).body.disabled_reason, null)
    }),
  )
})

test('a test waits for its first attempt, even if the webhook is not enabled', async () => {
  const receiver = await receive(answerWith(202, {}, 'Taken.'))
  await withWebhook({ url: receiver.url, events: ['message.received'] }, async (webhook) => {
    const params = { webhook }
    await posthorn.admin.call(updateWebhook, { params, body: { enabled: false } })
    const { body } = await posthorn.admin.call(testWebhook, { params, waitSeconds: 20 })
    assert.equal(body.status, 'delivered')
    assert.deepEqual([body.attempts[0]?.status, body.attempts[0]?.body], [202, 'Taken.'])
    assert.deepEqual(receiver.received[0]?.event.data, { webhook: { id: webhook } })
  })
})

test('a webhook that was moved is followed by what waits for it', async () => {
  const old = await receive(answerWith(500))
  const fresh = await receive()
  await withWebhook({ url: old.url, events: ['message.queued'] }, async (webhook) => {
    await text(posthorn.admin, { instance: 'support', to: 'ana@accepts.sandbox' })
    await delivery(webhook, 1)
    await posthorn.admin.call(updateWebhook, { params: { webhook }, body: { url: fresh.url } })
    await fresh.until('the event', (received) => received.length === 1)
    assert.equal(fresh.received[0]?.body, old.received[0]?.body)
  })
})
