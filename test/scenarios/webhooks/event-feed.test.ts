import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { listEvents } from '../../../src/contract/operations/event-operations.ts'
import {
  createInstance,
  deleteInstance,
  startInstance,
  stopInstance,
} from '../../../src/contract/operations/instance-operations.ts'
import {
  cancelMessage,
  getMessage,
  sendTextMessage,
} from '../../../src/contract/operations/message-operations.ts'
import type { Event, MessageEventData } from '../../../src/contract/resources/event.ts'
import { writeCursor } from '../../../src/runtime/text/cursor.ts'
import type { CheckedClient, RawReply } from '../../kit/http/checked-client.ts'
import { allEvents, cursorAt, endOf, numberIn, pagesOf, range, sequences } from '../../kit/http/feed.ts'
import { create, Follower, inMs, reaches, text } from '../../kit/play.ts'
import { type Posthorn, startPosthorn } from '../../kit/posthorn.ts'

/* The events, read page by page. */

let posthorn: Posthorn

before(async () => {
  posthorn = await startPosthorn()
})

after(() => posthorn.stop())

/** An organization of its own for a test, so that its events are counted from 1. */
async function newcomer(name: string): Promise<CheckedClient> {
  await posthorn.createOrganization(name)
  return posthorn.client((await posthorn.createKey(name, 'admin')).key)
}

const types = (events: readonly Event[]) => events.map(({ type }) => type)
const messageOf = ({ data }: Event) => (data as MessageEventData).message
const ofMessage = (events: readonly Event[], id: string) =>
  events.filter(
    ({ type, data }) => type.startsWith('message.') && (data as MessageEventData).message.id === id,
  )

describe('the whole life', () => {
  test('of messages is reported, step by step, with everything by which a caller knows them', async () => {
    const client = await newcomer('messages')
    const metadata = { department: 'support' }
    await client.call(createInstance, { body: { name: 'trial', metadata }, waitSeconds: 10 })
    const send = async (to: string, more: { send_at?: string; expires_at?: string } = {}) => {
      const body = {
        instance: 'trial',
        to,
        text: `to ${to}`,
        client_ref: `for ${to}`,
        metadata: { to },
        ...more,
      }
      return (await client.call(sendTextMessage, { body })).body.id
    }
    const read = await send('ana@reads.sandbox')
    const failed = await send('bo@refuses.sandbox')
    const canceled = await send('cy@accepts.sandbox', {
      send_at: inMs(3_600_000),
      expires_at: inMs(7_200_000),
    })
    const expired = await send('di@busy.sandbox', { expires_at: inMs(300) })
    await client.call(cancelMessage, { params: { id: canceled } })
    await reaches(client, read, 'read')
    await reaches(client, failed, 'failed')
    await reaches(client, expired, 'expired')

    const events = await allEvents(client)
    assert.deepEqual(sequences(events), range(1, events.length))
    assert.deepEqual(types(ofMessage(events, read)), [
      'message.queued',
      'message.sent',
      'message.delivered',
      'message.read',
    ])
    assert.deepEqual(types(ofMessage(events, failed)), ['message.queued', 'message.failed'])
    assert.deepEqual(types(ofMessage(events, canceled)), ['message.queued', 'message.canceled'])
    assert.deepEqual(types(ofMessage(events, expired)), ['message.queued', 'message.expired'])
    for (const id of [read, failed, canceled, expired]) {
      const own = ofMessage(events, id)
      for (const event of own) {
        const { instance, message } = event.data as MessageEventData
        assert.deepEqual([instance.name, instance.metadata], ['trial', metadata])
        assert.equal(message.client_ref, `for ${message.to}`)
        assert.deepEqual(message.metadata, { to: message.to })
        assert.equal(`message.${message.status}`, event.type)
      }
      const { body } = await client.call(getMessage, { params: { id } })
      const { waits_for, ...told } = body
      assert.equal(waits_for, null)
      assert.deepEqual(messageOf(own.at(-1) as Event), told, 'the last event shows the message as it is')
    }
    const moments = events.map(({ timestamp }) => timestamp)
    assert.deepEqual(moments, moments.toSorted())
    assert.equal(new Set(events.map(({ id }) => id)).size, events.length)
  })

  test('of an instance is reported too, from its creation to its end', async () => {
    const client = await newcomer('instances')
    await create(client, 'trial')
    await client.call(stopInstance, { params: { name: 'trial' }, waitSeconds: 10 })
    await client.call(startInstance, { params: { name: 'trial' }, waitSeconds: 10 })
    assert.equal((await client.call(deleteInstance, { params: { name: 'trial' } })).status, 204)
    const settings = { link: 'qr', links_after_seconds: 600, link_step_seconds: 600 }
    await client.call(createInstance, { body: { name: 'linked', settings } })
    const follower = new Follower(client, 'linked')
    await follower.until('a link', ({ link }) => link !== null)
    follower.leave()

    const events = await allEvents(client)
    const steps = events.map(({ type, data }) => {
      const { instance } = data as { instance: { name: string; status: string } }
      return `${instance.name} ${type} ${instance.status}`
    })
    const wanted = [
      'trial instance.created connecting',
      'trial instance.status_changed connected',
      'trial instance.status_changed stopped',
      'trial instance.status_changed connected',
      'trial instance.deleted deleting',
      'linked instance.created connecting',
      'linked instance.link_changed awaiting_link',
    ]
    // States between two of these, such as `connecting`, may be too short to be seen.
    assert.deepEqual(
      steps.filter((step) => wanted.includes(step)),
      wanted,
    )
    assert.deepEqual(sequences(events), range(1, events.length))
  })

  test('is nobody else’s: another organization sees none of it, and counts its own', async () => {
    const [one, other] = [await newcomer('one'), await newcomer('other')]
    await create(one, 'private')
    await text(one, { instance: 'private', to: 'ana@accepts.sandbox' }, 10)
    assert.deepEqual(await allEvents(other), [])
    assert.deepEqual(await allEvents(other, { instances: ['private'] }), [])
    await create(other, 'private')
    const [mine, theirs] = [await allEvents(one), await allEvents(other)]
    assert.equal(theirs[0]?.sequence, 1)
    const ids = new Set(mine.map(({ id }) => id))
    assert.ok(theirs.every(({ id }) => !ids.has(id)))
  })
})

describe('pages', () => {
  let client: CheckedClient
  let all: Event[]

  before(async () => {
    client = await newcomer('pages')
    await create(client, 'first')
    await create(client, 'second')
    for (const instance of ['first', 'second', 'first'])
      await text(client, { instance, to: 'ana@accepts.sandbox' }, 10)
    await text(client, { instance: 'second', to: 'bo@refuses.sandbox' }, 10)
    all = await allEvents(client)
  })

  test('of any size show the same', async () => {
    for (const limit of [1, 2, 3, 200]) {
      const pages = await Array.fromAsync(pagesOf(client, { limit }))
      assert.ok(pages.every(({ data }) => data.length <= limit))
      assert.deepEqual(
        pages.flatMap(({ data }) => data),
        all,
      )
    }
  })

  test('show only the types and the instances that are asked for', async () => {
    const wanted = ['message.sent', 'message.failed'] as const
    const some = all.filter(({ type }) => wanted.some((each) => each === type))
    assert.equal(some.length, 4)
    assert.deepEqual(await allEvents(client, { types: [...wanted], limit: 1 }), some)
    const ofSecond = all.filter(({ data }) => (data as MessageEventData).instance.name === 'second')
    assert.deepEqual(await allEvents(client, { instances: ['second', 'nobodys'] }), ofSecond)
    const both = some.filter((event) => ofSecond.includes(event))
    assert.deepEqual(await allEvents(client, { instances: ['second'], types: [...wanted] }), both)
    assert.deepEqual(await allEvents(client, { instances: ['nobodys'] }), [])
  })

  test('lead on from where they end, and say where that is also when there is nothing', async () => {
    const end = await endOf(client)
    const { body } = await client.call(listEvents, { query: { after: end } })
    assert.deepEqual(body, { data: [], next_cursor: end })
    await text(client, { instance: 'first', to: 'ana@accepts.sandbox' }, 10)
    assert.deepEqual(types(await allEvents(client, { after: end })), ['message.queued', 'message.sent'])
  })
})

describe('a reader who waits', () => {
  test('is answered by the first event that fits', async () => {
    const client = await newcomer('waiting')
    await create(client, 'trial')
    const after = await endOf(client)
    const query = { after, types: ['message.sent' as const] }
    const waiting = client.call(listEvents, { query, waitSeconds: 30 })
    const sent = await text(client, { instance: 'trial', to: 'ana@accepts.sandbox' })
    const { body, headers } = await waiting
    assert.equal(headers['preference-applied'], 'wait=30')
    assert.deepEqual(
      body.data.map((event) => [event.type, messageOf(event).id]),
      [['message.sent', sent.id]],
    )
  })

  test('waits for what comes from now on, whatever was before', async () => {
    const client = await newcomer('from-now')
    await create(client, 'trial')
    const waiting = client.call(listEvents, { query: { after: 'latest' }, waitSeconds: 30 })
    // Until it is answered, one after the other: the first may have been before it asked.
    let answered = false
    const firstEvents = waiting.then(({ body }) => {
      answered = true
      return body.data
    })
    while (!answered) await text(client, { instance: 'trial', to: 'ana@accepts.sandbox' })
    assert.equal((await firstEvents).at(0)?.type.startsWith('message.'), true)
  })

  test('is answered with nothing and the same cursor when the time is over', async () => {
    const client = await newcomer('patient')
    const end = await endOf(client)
    const begun = performance.now()
    const { body, headers } = await client.call(listEvents, { query: { after: 'latest' }, waitSeconds: 1 })
    assert.ok(performance.now() - begun >= 990)
    assert.deepEqual(body, { data: [], next_cursor: end })
    assert.equal(numberIn(end), 0)
    assert.equal(headers['preference-applied'], 'wait=1')
  })
})

describe('a cursor', () => {
  const ask = (path: string, headers: Record<string, string> = {}, key = posthorn.adminKey) =>
    posthorn.client().rawRequest('GET', path, { headers: { authorization: `Bearer ${key}`, ...headers } })
  const codeOf = ({ json }: RawReply) => (json as { code: string }).code
  const faultsOf = ({ json }: RawReply) =>
    (json as { errors?: { pointer: string; code: string }[] }).errors?.map(
      ({ pointer, code }) => `${pointer} ${code}`,
    )
  const stream = { accept: 'text/event-stream' }

  test('that no page gave is refused by its name', async () => {
    const strange = [
      'x',
      'NDI.',
      'NDI=',
      writeCursor(7),
      writeCursor('.-1'),
      writeCursor('42'),
      writeCursor(1.5),
      '42',
      'Latest',
    ]
    for (const cursor of strange) {
      assert.deepEqual(faultsOf(await ask(`/v1/events?after=${cursor}`)), ['query/after wrong_form'], cursor)
      const followed = await ask('/v1/events', { ...stream, 'last-event-id': cursor })
      assert.deepEqual(faultsOf(followed), ['header/Last-Event-ID wrong_form'], cursor)
    }
    assert.deepEqual(faultsOf(await ask('/v1/events', { ...stream, 'last-event-id': 'latest' })), [
      'header/Last-Event-ID wrong_form',
    ])
    assert.deepEqual(faultsOf(await ask(`/v1/events?after=${'N'.repeat(201)}`)), ['query/after too_long'])
  })

  test('beyond the last event is refused and not waited for', async () => {
    const end = (await allEvents(posthorn.admin)).length
    const ahead = cursorAt(end + 1_000_000, await endOf(posthorn.admin))
    assert.equal(codeOf(await ask(`/v1/events?after=${ahead}`, { prefer: 'wait=30' })), 'cursor_expired')
    assert.equal(codeOf(await ask('/v1/events', { ...stream, 'last-event-id': ahead })), 'cursor_expired')
  })

  test('behind which events were removed is refused, for pages and streams; what is kept can be read', async () => {
    const client = await newcomer('old')
    const { key } = await posthorn.createKey('old', 'read')
    await create(client, 'trial')
    const between = await endOf(client)
    await text(client, { instance: 'trial', to: 'ana@accepts.sandbox' }, 10)
    const end = await endOf(client)
    const removed = await posthorn.forgetEvents(Date.now() + 1)
    assert.ok(removed > 0)
    for (const cursor of [cursorAt(0, between), between]) {
      assert.equal(codeOf(await ask(`/v1/events?after=${cursor}`, {}, key)), 'cursor_expired')
      assert.equal(
        codeOf(await ask('/v1/events', { ...stream, 'last-event-id': cursor }, key)),
        'cursor_expired',
      )
    }
    assert.deepEqual(await allEvents(client), [])
    await text(client, { instance: 'trial', to: 'ana@accepts.sandbox' }, 10)
    const kept = await allEvents(client)
    assert.deepEqual(types(kept), ['message.queued', 'message.sent'])
    assert.deepEqual(await allEvents(client, { after: end }), kept)
  })

  test('and filters that mean nothing are refused by their names, all at once', async () => {
    const reply = await ask('/v1/events?types=message.sent,message.lost&instances=A&limit=0&x=1')
    assert.deepEqual(faultsOf(reply)?.toSorted(), [
      'query/instances/0 wrong_form',
      'query/limit out_of_range',
      'query/types/1 not_allowed',
      'query/x unknown_field',
    ])
  })
})
