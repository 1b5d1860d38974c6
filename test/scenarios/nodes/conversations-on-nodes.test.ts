import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { ClientEvent } from '../../../src/contract/client/client.ts'
import { forgetContact, getContactPicture } from '../../../src/contract/operations/conversation-operations.ts'
import { listEvents } from '../../../src/contract/operations/event-operations.ts'
import {
  checkAddresses,
  createInstance,
  showTyping,
  stopInstance,
} from '../../../src/contract/operations/instance-operations.ts'
import { sendTextMessage } from '../../../src/contract/operations/message-operations.ts'
import type { ConversationTypingEvent } from '../../../src/contract/resources/event.ts'
import { Listener } from '../../kit/http/listener.ts'
import { problemOf } from '../../kit/http/problem-of.ts'
import { longLease, Nodes } from '../../kit/nodes/nodes.ts'
import { eventually } from '../../kit/play.ts'
import { type PostgresForTests, startOwnPostgres } from '../../kit/postgres.ts'
import type { PosthornProcess } from '../../kit/posthorn.ts'
import type { PostgresServer } from '../../kit/processes/postgres-server.ts'

/* A node is asked for what only the connection of an instance can do, and does not run that. */

class Typists extends Listener<ConversationTypingEvent> {
  protected take({ event, data }: ClientEvent): void {
    if (event === 'conversation.typing') this.seen.push(data as ConversationTypingEvent)
  }
}

describe('conversations, at the node that does not run their instance', { timeout: 120_000 }, () => {
  let postgres: PostgresForTests<PostgresServer>
  let nodes: Nodes
  let runs: PosthornProcess
  let other: PosthornProcess
  const params = { name: 'trial' }

  before(async () => {
    postgres = await startOwnPostgres()
    if (!postgres.available) return
    nodes = await Nodes.on(postgres.server, longLease)
    runs = await nodes.start('first')
    await runs.admin.call(createInstance, { body: { name: 'trial' }, waitSeconds: 10 })
    other = await nodes.start('second')
  })
  after(async () => {
    if (!postgres.available) return
    await nodes.end()
    await postgres.server.stop()
  })

  const say = (node: PosthornProcess, to: string) =>
    node.admin.call(sendTextMessage, { body: { instance: 'trial', to, text: 'Hello' }, waitSeconds: 20 })

  test('addresses are checked, and that one writes is shown', async (t) => {
    if (!postgres.available) return t.skip(postgres.reason)
    const addresses = ['ana@reads.sandbox', 'bob@unknown.sandbox']
    const { body } = await other.admin.call(checkAddresses, { params, body: { addresses } })
    assert.deepEqual(
      body.data.map(({ exists }) => exists),
      ['yes', 'no'],
    )
    await other.admin.call(showTyping, { params, body: { to: 'ana@reads.sandbox', seconds: 3 } })
    const typings = () => nodes.arrived().filter(({ kind }) => kind === 'typing')
    await eventually(
      'it to be shown',
      async () => typings(),
      ({ length }) => length === 1,
    )
  })

  test('who waits for a message is told of its end as soon as at the other node', async (t) => {
    if (!postgres.available) return t.skip(postgres.reason)
    /** Milliseconds that the middle one of many took; a node that looks only now and then takes a quarter of a second more. */
    const middleOf = async (node: PosthornProcess) => {
      const times: number[] = []
      for (let count = 0; count < 15; count++) {
        const begun = performance.now()
        assert.notEqual((await say(node, 'ana@accepts.sandbox')).body.status, 'queued')
        times.push(performance.now() - begun)
      }
      return times.sort((one, next) => one - next)[7] ?? 0
    }
    const own = await middleOf(runs)
    const others = await middleOf(other)
    t.diagnostic(`${own.toFixed()} ms, through the other node ${others.toFixed()} ms`)
    assert.ok(others < 3 * own + 150)
  })

  test('a picture crosses whole, and is forgotten where it is kept', async (t) => {
    if (!postgres.available) return t.skip(postgres.reason)
    const address = 'ana@replies.sandbox'
    await say(other, address)
    const ask = (node: PosthornProcess) =>
      node.admin.call(getContactPicture, { params: { ...params, address } })
    const { bytes } = await ask(other)
    assert.ok(bytes && bytes.length > 50)
    assert.deepEqual((await ask(runs)).bytes, bytes)
    await other.admin.call(forgetContact, { params: { ...params, address } })
    await runs.admin.call(stopInstance, { params, waitSeconds: 10 })
    for (const node of [runs, other])
      assert.equal((await problemOf(ask(node))).code, 'instance_not_connected', 'nothing of it is kept')
  })

  test('a stream of either node shows who types, as long as it listens', async (t) => {
    if (!postgres.available) return t.skip(postgres.reason)
    await runs.admin.call(createInstance, { body: { name: 'second' }, waitSeconds: 10 })
    const typistsAt = (node: PosthornProcess) =>
      new Typists((signal) =>
        node.admin.stream(listEvents, { query: { types: ['conversation.typing'] }, signal }),
      )
    const streams = [typistsAt(runs), typistsAt(other)]
    const speak = (to: string) =>
      other.admin.call(sendTextMessage, {
        body: { instance: 'second', to, text: 'Hello' },
        waitSeconds: 20,
      })
    // The node that runs the instance may not have heard of the other's listener yet.
    await eventually(
      'both streams to show them',
      () => speak('ana@types.sandbox'),
      () => streams.every(({ seen }) => seen.length > 0),
    )
    await speak('bob@types.sandbox')
    for (const stream of streams) {
      const seen = await stream.until('Bob', ({ data }) => data.from === 'bob@types.sandbox')
      assert.equal(seen.data.instance.name, 'second')
      stream.leave()
    }
  })
})
