import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { listEvents } from '../../../src/contract/operations/event-operations.ts'
import { createInstance, getInstance } from '../../../src/contract/operations/instance-operations.ts'
import { sendTextMessage } from '../../../src/contract/operations/message-operations.ts'
import type { Event } from '../../../src/contract/resources/event.ts'
import { countArrivals } from '../../kit/crash/count-arrivals.ts'
import { PersistentSender } from '../../kit/crash/persistent-sender.ts'
import { type CheckedClient, createCheckedClient } from '../../kit/http/checked-client.ts'
import { allEvents, endOf } from '../../kit/http/feed.ts'
import { longLease, Nodes } from '../../kit/nodes/nodes.ts'
import { eventually } from '../../kit/play.ts'
import { type PostgresForTests, startOwnPostgres } from '../../kit/postgres.ts'
import { startHaproxy, whyNoHaproxy } from '../../kit/processes/haproxy.ts'
import type { PostgresServer } from '../../kit/processes/postgres-server.ts'

const reason = whyNoHaproxy()

/** A caller who follows all events, and takes the stream up again wherever it ends. */
class PersistentFollower {
  readonly sequences: number[] = []
  readonly #ended = new AbortController()

  constructor(client: CheckedClient) {
    void this.#follow(client)
  }

  end(): void {
    this.#ended.abort()
  }

  async #follow(client: CheckedClient): Promise<void> {
    const { signal } = this.#ended
    for (let lastEventId: string | undefined; !signal.aborted; ) {
      const from = lastEventId === undefined ? {} : { lastEventId }
      try {
        for await (const { data, id } of client.stream(listEvents, { query: {}, signal, ...from })) {
          this.sequences.push((data as Event).sequence)
          lastEventId = id
        }
      } catch {
        await wait(200)
      }
    }
  }
}

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
    const nodes = await Nodes.on(postgres.server, longLease)
    t.after(() => nodes.end())
    const one = await nodes.start('one')
    const balancer = await startHaproxy({ one: new URL(one.url).host })
    t.after(() => balancer.stop())
    const admin = createCheckedClient({ baseUrl: balancer.url, key: one.adminKey })
    await admin.call(createInstance, { body: { name: 'ana' }, waitSeconds: 10 })
    const query = { types: ['message.sent' as const], after: await endOf(admin) }
    const stream = admin.stream(listEvents, { query })
    const reading = stream[Symbol.asyncIterator]().next()
    const text = { instance: 'ana', to: 'a@accepts.sandbox', text: 'Hello' }
    await admin.call(sendTextMessage, { body: text, waitSeconds: 10 })
    assert.equal((await reading).value?.event, 'message.sent')
  })

  test('a stream of events is taken up at another node when its own is killed, and nothing is missed', async (t) => {
    if (!postgres.available) return t.skip(postgres.reason)
    if (reason !== null) return t.skip(reason)
    const nodes = await Nodes.on(postgres.server)
    t.after(() => nodes.end())
    const running = [await nodes.start('one'), await nodes.start('two'), await nodes.start('three')] as const
    const [one, two, three] = running.map(({ url }) => new URL(url).host) as [string, string, string]
    const balancer = await startHaproxy({ one, two, three })
    t.after(() => balancer.stop())
    const { adminKey } = running[0]
    const admin = createCheckedClient({ baseUrl: balancer.url, key: adminKey })
    await admin.call(createInstance, { body: { name: 'ana' }, waitSeconds: 10 })

    const follower = new PersistentFollower(admin)
    t.after(() => follower.end())
    const sender = new PersistentSender({ url: balancer.url, adminKey }, [
      { instance: 'ana', to: 'a@accepts.sandbox', pause: 50 },
    ])
    const sees = (count: number) =>
      eventually(
        `${count} events`,
        async () => follower.sequences.length,
        (seen) => seen >= count,
      )
    await sees(10)
    // One of these two had the stream, or the third has it.
    await running[0].end('SIGKILL')
    await sees(follower.sequences.length + 10)
    await running[1].end('SIGKILL')
    await sees(follower.sequences.length + 10)
    await sender.finish()
    const last = (await allEvents(admin)).at(-1)?.sequence ?? 0
    await eventually(
      'the last event',
      async () => follower.sequences.at(-1),
      (seen = 0) => seen >= last,
    )
    const [first = 0] = follower.sequences
    assert.deepEqual(
      follower.sequences,
      follower.sequences.map((_, index) => first + index),
    )
  })
})
