import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { ClientEvent } from '../../../src/contract/client/client.ts'
import { listEvents } from '../../../src/contract/operations/event-operations.ts'
import { createWebhook } from '../../../src/contract/operations/webhook-operations.ts'
import type { ConversationTypingEvent } from '../../../src/contract/resources/event.ts'
import { Listener } from '../../kit/http/listener.ts'
import { problemOf } from '../../kit/http/problem-of.ts'
import { create, eventually, everythingReceived, text } from '../../kit/play.ts'
import { type Posthorn, startPosthorn } from '../../kit/posthorn.ts'

class Watcher extends Listener<ClientEvent> {
  protected take(event: ClientEvent): void {
    this.seen.push(event)
  }
}

describe('people who type, on event streams', { timeout: 60_000 }, () => {
  let posthorn: Posthorn

  before(async () => {
    posthorn = await startPosthorn()
    await create(posthorn.admin, 'trial')
    await create(posthorn.admin, 'other')
  })
  after(() => posthorn.stop())

  const watch = (query: object, client = posthorn.admin) =>
    new Watcher((signal) => client.stream(listEvents, { query, signal }))
  const answered = (words: string) =>
    eventually(
      'the answer',
      async () =>
        (await everythingReceived(posthorn.admin, 'trial')).filter((message) => message.text === words),
      ({ length }) => length > 0,
    )
  const isTyping = ({ event }: ClientEvent) => event === 'conversation.typing'

  test('a stream that asks for it sees a person begin and stop, without ids, before their answer', async () => {
    const both = watch({ types: ['conversation.typing', 'message.received'], instances: ['trial'] })
    const alone = watch({ types: ['conversation.typing'] })
    const elsewhere = watch({ types: ['conversation.typing'], instances: ['other'] })
    const usual = watch({})
    for (const watcher of [both, alone, elsewhere, usual]) {
      // Each stream begins with its position.
      await eventually(
        'the streams to have begun',
        () => text(posthorn.admin, { instance: 'trial', to: 'bob@types.sandbox', text: 'begin' }),
        () => watcher !== both || both.seen.some(isTyping),
      )
    }
    await text(posthorn.admin, { instance: 'trial', to: 'ana@types.sandbox', text: 'Hello' }, 10)
    await answered('Hello')
    const ofAna = ({ event, data }: ClientEvent) =>
      event === 'conversation.typing' &&
      (data as ConversationTypingEvent).data.conversation === 'ana@types.sandbox'
    const received = await both.until(
      'the answer of Ana',
      ({ event, data }) => event === 'message.received' && JSON.stringify(data).includes('ana@types.sandbox'),
    )
    const [first] = both.seen.filter(ofAna)
    assert.ok(first)
    const { type, data, ...rest } = first.data as ConversationTypingEvent
    assert.deepEqual(Object.keys(rest), ['timestamp'])
    assert.equal(type, 'conversation.typing')
    assert.deepEqual(
      [data.instance.name, data.conversation, data.from, data.state],
      ['trial', 'ana@types.sandbox', 'ana@types.sandbox', 'typing'],
    )
    assert.ok(both.seen.indexOf(first) < both.seen.indexOf(received))
    const paused = await alone.until(
      'the end of it',
      (event) => ofAna(event) && (event.data as ConversationTypingEvent).data.state === 'paused',
    )
    assert.equal(paused.id, alone.seen.find(({ id }) => id)?.id ?? paused.id, 'it has no id of its own')
    assert.deepEqual(new Set(alone.seen.map(({ event }) => event)), new Set(['conversation.typing']))
    assert.deepEqual(elsewhere.seen.filter(isTyping), [])
    assert.deepEqual(usual.seen.filter(isTyping), [])
    for (const watcher of [both, alone, elsewhere, usual]) watcher.leave()
  })

  test('a key that sees one instance sees only who types to that', async () => {
    const { key } = await posthorn.createKey('default', 'read', { instances: ['other'] })
    const client = posthorn.client(key)
    const limited = watch({ types: ['conversation.typing'] }, client)
    const whole = watch({ types: ['conversation.typing'] })
    const say = (instance: string) =>
      text(posthorn.admin, { instance, to: 'cy@types.sandbox', text: 'Hello' }, 10)
    await eventually(
      'the streams',
      async () => await say('other'),
      () => limited.seen.length > 0,
    )
    await say('trial')
    await whole.until(
      'who types to the other one',
      ({ data }) => (data as ConversationTypingEvent).data?.instance.name === 'trial',
    )
    const names = limited.seen.map(({ data }) => (data as ConversationTypingEvent).data.instance.name)
    assert.deepEqual(new Set(names), new Set(['other']))
    limited.leave()
    whole.leave()
  })

  test('a page and a webhook that ask for it are told where it is', async () => {
    const page = await problemOf(
      posthorn.admin.call(listEvents, { query: { types: ['conversation.typing', 'message.sent'] } }),
    )
    const body = { url: 'https://example.org/hook', events: ['conversation.typing'] } as never
    const webhook = await problemOf(posthorn.admin.call(createWebhook, { body }))
    for (const { code, problem } of [page, webhook]) {
      assert.equal(code, 'invalid_request')
      assert.match(problem.errors?.[0]?.detail ?? '', /only a stream of `GET \/v1\/events`/)
    }
  })
})
