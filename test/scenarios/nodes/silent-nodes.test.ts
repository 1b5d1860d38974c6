import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type ClientRequest, type IncomingMessage, request } from 'node:http'
import { after, before, describe, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { getInstance, stopInstance } from '../../../src/contract/operations/instance-operations.ts'
import { getMessage, sendTextMessage } from '../../../src/contract/operations/message-operations.ts'
import { createWebhook } from '../../../src/contract/operations/webhook-operations.ts'
import { WebhookReceiver } from '../../kit/far-ends/webhook-receiver.ts'
import { problemOf } from '../../kit/http/problem-of.ts'
import { lease, Nodes } from '../../kit/nodes/nodes.ts'
import { create, eventually, reaches } from '../../kit/play.ts'
import { type PostgresForTests, startOwnPostgres } from '../../kit/postgres.ts'
import type { PosthornProcess } from '../../kit/posthorn.ts'
import type { PostgresServer } from '../../kit/processes/postgres-server.ts'
import { measureOwnTime } from '../../kit/run/own-time.ts'

const trial = { params: { name: 'trial' } }
const hello = { instance: 'trial', to: 'ana@accepts.sandbox', text: 'Hello' }

const shown = async ({ admin }: PosthornProcess) => (await admin.call(getInstance, trial)).body

const says = (posthorn: PosthornProcess, words: RegExp) =>
  eventually(
    `the log to say ${words}`,
    async () => posthorn.output(),
    (output) => words.test(output),
  )

describe('a node that is silent', () => {
  let postgres: PostgresForTests<PostgresServer>
  before(async () => {
    postgres = await startOwnPostgres()
  })
  after(() => (postgres.available ? postgres.server.stop() : undefined))

  test('is known as such, cannot be asked, and is killed when it goes on after it was replaced', async (t) => {
    if (!postgres.available) return t.skip(postgres.reason)
    const nodes = await Nodes.on(postgres.server)
    t.after(() => nodes.end())
    const first = await nodes.start('first')
    const second = await nodes.start('second')
    await create(first.admin, 'trial')
    await eventually(
      'the other node to see it',
      () => shown(second),
      ({ status }) => status === 'connected',
    )

    process.kill(first.pid, 'SIGSTOP')
    const lost = await eventually(
      'it to be known',
      () => shown(second),
      ({ status }) => status !== 'connected',
    )
    assert.deepEqual([lost.status, lost.reason?.code, lost.sendable], ['reconnecting', 'owner_lost', false])
    const { body: waiting } = await second.admin.call(sendTextMessage, { body: hello })
    assert.equal(waiting.status, 'queued')

    await says(second, /a node was not heard of for too long/)
    await reaches(second.admin, waiting.id, 'sent')
    assert.equal((await shown(second)).status, 'connected')
    process.kill(first.pid, 'SIGCONT')
    await first.ended
    const [only, ...others] = nodes.arrived()
    assert.deepEqual([only?.text, only?.epoch, others], ['Hello', 2, []])
  })

  test('is asked in vain: the caller is told to come again, and the order counts nevertheless', async (t) => {
    if (!postgres.available) return t.skip(postgres.reason)
    const nodes = await Nodes.on(postgres.server)
    t.after(() => nodes.end())
    const first = await nodes.start('first')
    const second = await nodes.start('second')
    await create(first.admin, 'trial')
    process.kill(first.pid, 'SIGSTOP')
    // It may have stood still in the middle of a transaction: then the store is unavailable to its organization for some seconds.
    const stop = () => problemOf(second.admin.call(stopInstance, trial))
    const isAnswer = ({ code }: { readonly code: string }) => code !== 'store_unavailable'
    const { code, headers } = await eventually('an answer', stop, isAnswer)
    assert.deepEqual([code, headers['retry-after']], ['instance_unreachable', '5'])
    process.kill(first.pid, 'SIGCONT')
    await eventually(
      'the order to be carried out',
      () => shown(second),
      ({ status }) => status === 'stopped',
    )
  })

  test('has its events delivered by the others, each of them', async (t) => {
    if (!postgres.available) return t.skip(postgres.reason)
    const receiver = await WebhookReceiver.start()
    t.after(() => receiver.stop())
    const nodes = await Nodes.on(postgres.server, { POSTHORN_WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8' })
    t.after(() => nodes.end())
    const first = await nodes.start('first')
    const second = await nodes.start('second')
    await create(first.admin, 'trial')
    const body = { url: receiver.url, events: ['message.sent'] as const, ordering: 'per_instance' as const }
    await second.admin.call(createWebhook, { body: { ...body, events: ['message.sent'] } })
    const send = async (by: PosthornProcess, text: string) => {
      const sent = await by.admin.call(sendTextMessage, { body: { ...hello, text }, waitSeconds: 10 })
      assert.equal(sent.body.status, 'sent')
    }
    const told = () =>
      new Set(
        receiver.received
          .flatMap(({ events }) => events)
          .map(({ data }) => (data as { message: { text: string } }).message.text),
      )
    for (let number = 0; number < 10; number++) await send(number % 2 ? first : second, `${number}`)
    await receiver.until('ten', () => told().size === 10)
    await first.end('SIGKILL')
    await second.admin.call(sendTextMessage, { body: { ...hello, text: 'last' } })
    await receiver.until('the last', () => told().has('last'))
    assert.equal(told().size, 11)
  })

  test('is not what a database that hangs makes of all: nothing is taken over, and all go on when it is back', async (t) => {
    if (!postgres.available) return t.skip(postgres.reason)
    const { server } = postgres
    t.after(() => server.thaw())
    const nodes = await Nodes.on(server)
    t.after(() => nodes.end())
    const both = [await nodes.start('first'), await nodes.start('second')] as const
    await create(both[0].admin, 'trial')
    await reaches(both[1].admin, (await both[1].admin.call(sendTextMessage, { body: hello })).body.id, 'sent')

    await server.freeze()
    const sending = () => problemOf(both[1].admin.call(sendTextMessage, { body: hello }))
    assert.equal((await sending()).code, 'store_unavailable')
    for (const node of both) await says(node, /could not be renewed in time/)
    // For longer than others wait for a node that is silent.
    await wait(2 * lease)
    server.thaw()
    for (const node of both) await says(node, /is renewed; resuming/)
    const { body } = await both[1].admin.call(sendTextMessage, { body: hello })
    await reaches(both[1].admin, body.id, 'sent')
    for (const node of both) assert.doesNotMatch(node.output(), /was not heard of/)
    assert.deepEqual(new Set(nodes.arrived().map(({ epoch }) => epoch)), new Set([1]))
  })

  test('that is stopped gives its instances away at once', async (t) => {
    if (!postgres.available) return t.skip(postgres.reason)
    const nodes = await Nodes.on(postgres.server, { POSTHORN_NODE_LEASE_MS: '60000' })
    t.after(() => nodes.end())
    const first = await nodes.start('first')
    const second = await nodes.start('second')
    await create(first.admin, 'trial')
    assert.equal(await first.end('SIGTERM'), 0)
    const ownTime = measureOwnTime()
    const { body } = await second.admin.call(sendTextMessage, { body: hello })
    await reaches(second.admin, body.id, 'sent')
    const { body: message } = await second.admin.call(getMessage, { params: { id: body.id } })
    assert.equal(message.status, 'sent')
    assert.ok(ownTime() < 15_000, 'it waited for no lease')
  })

  test('that is stopped gives its instances away while it still waits for a slow caller', async (t) => {
    if (!postgres.available) return t.skip(postgres.reason)
    const stopped = { POSTHORN_NODE_LEASE_MS: '60000', POSTHORN_STOP_SECONDS: '300' }
    const nodes = await Nodes.on(postgres.server, stopped)
    t.after(() => nodes.end())
    const first = await nodes.start('first')
    const second = await nodes.start('second')
    await create(first.admin, 'trial')
    const body = JSON.stringify({ ...hello, text: 'Slowly' })
    const slow = await beginToSend(first, body)
    const ended = first.end('SIGTERM')
    const { body: quick } = await second.admin.call(sendTextMessage, { body: hello })
    await reaches(second.admin, quick.id, 'sent')
    slow.end(body)
    const [response] = (await once(slow, 'response')) as [IncomingMessage]
    assert.equal(response.statusCode, 202, 'it was there for its caller')
    assert.equal(await ended, 0)
    await eventually(
      'both texts',
      async () => nodes.arrived().map(({ text }) => text),
      (texts) => texts.length === 2,
    )
  })
})

/** Begins to send a text, and resolves when the server waits for its body. */
async function beginToSend({ url, adminKey }: PosthornProcess, body: string): Promise<ClientRequest> {
  const headers = {
    ...{ authorization: `Bearer ${adminKey}`, 'content-type': 'application/json' },
    ...{ 'content-length': String(body.length), expect: '100-continue' },
  }
  const slow = request(`${url}/v1/messages/text`, { method: 'POST', headers })
  slow.flushHeaders()
  await once(slow, 'continue')
  return slow
}
