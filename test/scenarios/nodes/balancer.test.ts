import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { listEvents } from '../../../src/contract/operations/event-operations.ts'
import { createInstance, getInstance } from '../../../src/contract/operations/instance-operations.ts'
import { sendTextMessage } from '../../../src/contract/operations/message-operations.ts'
import { countArrivals } from '../../kit/crash/count-arrivals.ts'
import { PersistentSender } from '../../kit/crash/persistent-sender.ts'
import { createCheckedClient } from '../../kit/http/checked-client.ts'
import { Nodes } from '../../kit/nodes/nodes.ts'
import { eventually } from '../../kit/play.ts'
import { type PostgresForTests, startOwnPostgres } from '../../kit/postgres.ts'
import { startHaproxy, whyNoHaproxy } from '../../kit/processes/haproxy.ts'
import type { PostgresServer } from '../../kit/processes/postgres-server.ts'

const reason = whyNoHaproxy()

describe('nodes behind HAProxy, with the configuration that comes with Posthorn', () => {
  let postgres: PostgresForTests<PostgresServer>
  before(async () => {
    postgres = await startOwnPostgres()
  })
  after(() => (postgres.available ? postgres.server.stop() : undefined))

  test('a caller needs to know one URL, while one node is killed and another is stopped', async (t) => {
    if (!postgres.available) return t.skip(postgres.reason)
    if (reason !== null) return t.skip(reason)
    const nodes = await Nodes.on(postgres.server, { POSTHORN_TRUSTED_PROXIES: '127.0.0.1/32' })
    t.after(() => nodes.end())
    const one = await nodes.start('one')
    const two = await nodes.start('two')
    const three = await nodes.start('three')
    const placeOf = ({ url }: { readonly url: string }) => new URL(url).host
    const balancer = await startHaproxy({ one: placeOf(one), two: placeOf(two), three: placeOf(three) })
    t.after(() => balancer.stop())
    const admin = createCheckedClient({ baseUrl: balancer.url, key: one.adminKey })
    for (const name of ['ana', 'ben', 'cem'])
      await admin.call(createInstance, { body: { name }, waitSeconds: 10 })

    const lines = ['ana', 'ben', 'cem'].map((instance) => ({
      instance,
      to: 'a@accepts.sandbox',
      patient: true,
    }))
    const sender = new PersistentSender({ url: balancer.url, adminKey: one.adminKey }, lines)
    const more = () => {
      const enough = sender.acknowledged.length + 30
      return eventually(
        'texts to be acknowledged',
        async () => sender.acknowledged.length,
        (count) => count >= enough,
      )
    }
    await more()
    await one.end('SIGKILL')
    await more()
    assert.equal(await two.end('SIGTERM'), 0)
    await more()
    await sender.finish()
    for (const name of ['ana', 'ben', 'cem'])
      await eventually(
        'an empty queue',
        async () => (await admin.call(getInstance, { params: { name } })).body.queue.depth,
        (depth) => depth === 0,
      )
    const { repeats: _, ...broken } = countArrivals(sender.acknowledged, nodes.arrived())
    assert.deepEqual(broken, { lost: [], doubled: [], renamed: [], overtaking: [] })
  })

  test('events are streamed through it as they happen', async (t) => {
    if (!postgres.available) return t.skip(postgres.reason)
    if (reason !== null) return t.skip(reason)
    const nodes = await Nodes.on(postgres.server)
    t.after(() => nodes.end())
    const one = await nodes.start('one')
    const balancer = await startHaproxy({ one: new URL(one.url).host })
    t.after(() => balancer.stop())
    const admin = createCheckedClient({ baseUrl: balancer.url, key: one.adminKey })
    await admin.call(createInstance, { body: { name: 'ana' }, waitSeconds: 10 })
    const stream = admin.stream(listEvents, { query: { types: ['message.sent'] } })
    const reading = stream[Symbol.asyncIterator]().next()
    const text = { instance: 'ana', to: 'a@accepts.sandbox', text: 'Hello' }
    await admin.call(sendTextMessage, { body: text, waitSeconds: 10 })
    assert.equal((await reading).value?.event, 'message.sent')
  })
})
