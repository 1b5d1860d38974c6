import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { listEvents } from '../../../src/contract/operations/event-operations.ts'
import type { Event, MessageEventData } from '../../../src/contract/resources/event.ts'
import { allEvents, cursorAt, EventListener, endOf, numberIn, range, sequences } from '../../kit/http/feed.ts'
import { create, eventually, text } from '../../kit/play.ts'
import { type Posthorn, startPosthorn } from '../../kit/posthorn.ts'

/* The events, followed as they happen; and changing between pages and streams. */

let posthorn: Posthorn

before(async () => {
  posthorn = await startPosthorn()
  await create(posthorn.admin, 'trial')
})

after(() => posthorn.stop())

const to = 'ana@accepts.sandbox'

/** Sends texts one after the other until it is told to stop, and tells how many. */
function chatter(instance = 'trial') {
  let sent = 0
  let going = true
  const client = posthorn.admin
  const talking = (async () => {
    for (; going; sent++) await text(client, { instance, to, client_ref: `${sent}` })
  })()
  return {
    async atLeast(count: number) {
      await eventually(
        `${count} texts`,
        async () => sent,
        (now) => now >= count,
      )
    },
    async stop(): Promise<number> {
      going = false
      await talking
      return sent
    },
  }
}

test('a stream begins now, or after the event that it names, and its ids are cursors', async () => {
  const { admin } = posthorn
  const after = await endOf(admin)
  const first = await text(admin, { instance: 'trial', to }, 10)
  const fromThere = new EventListener(admin, { query: { after } })
  await fromThere.until('the first text', ({ type }) => type === 'message.sent')
  const fromNow = new EventListener(admin)
  // It may not have begun before the next text: then it begins behind that one.
  await eventually(
    'the stream to have begun',
    () => text(admin, { instance: 'trial', to }),
    () => fromNow.seen.length > 0,
  )
  const last = await text(admin, { instance: 'trial', to }, 10)
  const isLast = ({ type, data }: Event) =>
    type === 'message.sent' && (data as MessageEventData).message.id === last.id
  const { sequence } = await fromThere.until('the last text', isLast)
  await fromNow.until('the last text', isLast)
  const isFirst = ({ data }: Event) => (data as MessageEventData).message.id === first.id
  assert.ok(fromThere.seen.some(isFirst) && !fromNow.seen.some(isFirst))
  assert.equal(numberIn(fromThere.lastEventId ?? ''), sequence)
  const numbers = sequences(fromNow.seen)
  assert.deepEqual(numbers, range(numbers[0] as number, sequence))
  for (const listener of [fromThere, fromNow]) listener.leave()
})

test('from pages to a stream and back, while messages are being sent: nothing is missing and nothing twice', async () => {
  const { admin } = posthorn
  const seen: Event[] = []
  let after = await endOf(admin)
  const talk = chatter()
  const first = numberIn(after) + 1
  for (let turn = 1; turn <= 6; turn++) {
    await talk.atLeast(turn * 15)
    const { body } = await admin.call(listEvents, { query: { after, limit: 7 } })
    seen.push(...body.data)
    after = body.next_cursor
    const listener = new EventListener(admin, { query: { after } })
    await listener.until('some events', () => listener.seen.length >= 10)
    listener.leave()
    await listener.ended
    seen.push(...listener.seen)
    after = listener.lastEventId ?? after
  }
  const sent = await talk.stop()
  const queued = ({ type }: Event) => type === 'message.queued'
  seen.push(...(await allEvents(admin, { after })))
  assert.deepEqual(sequences(seen), range(first, first + seen.length - 1))
  const refs = seen.filter(queued).map(({ data }) => Number((data as MessageEventData).message.client_ref))
  assert.equal(refs.length, sent)
  assert.deepEqual(refs, range(0, sent - 1))
})

test('a stream shows only the types and the instances that are asked for', async () => {
  const { admin } = posthorn
  await create(admin, 'other')
  const query = { instances: ['other'], types: ['message.sent', 'message.failed'] as const }
  const listener = new EventListener(admin, {
    query: { instances: query.instances, types: [...query.types], after: await endOf(admin) },
  })
  const expected: [string, string][] = []
  for (const instance of ['trial', 'other', 'trial'])
    for (const recipient of [to, 'bo@refuses.sandbox']) {
      const { id, status } = await text(admin, { instance, to: recipient }, 10)
      if (instance === 'other') expected.push([`message.${status}`, id])
    }
  const last = await text(admin, { instance: 'other', to }, 10)
  await listener.until('the last text', ({ data }) => (data as MessageEventData).message.id === last.id)
  listener.leave()
  const seen = listener.seen.map(({ type, data }) => [type, (data as MessageEventData).message.id])
  assert.deepEqual(seen, [...expected, ['message.sent', last.id]])
})

describe('a stream that ends', () => {
  test('goes on where it was: over a restart of the server, nothing is lost and nothing twice', async () => {
    let server = await startPosthorn()
    try {
      await create(server.admin, 'trial')
      const seen: Event[] = []
      let lastEventId: string | undefined = await endOf(server.admin)
      for (let life = 1; life <= 3; life++) {
        const listener = new EventListener(server.admin, { lastEventId })
        const ids = new Set<string>()
        for (let count = 0; count < 20; count++)
          ids.add((await text(server.admin, { instance: 'trial', to })).id)
        await listener.until('some of them', () => listener.seen.length >= 10)
        const next = server.restart()
        // A text that is accepted at the very end, or refused: no caller follows it.
        const late = await text(server.admin, { instance: 'trial', to }).catch(() => undefined)
        server = await next
        await listener.ended
        seen.push(...listener.seen)
        lastEventId = listener.lastEventId
        if (late) ids.add(late.id)
        const queued = (await allEvents(server.admin, { types: ['message.queued'] })).map(
          ({ data }) => (data as MessageEventData).message.id,
        )
        assert.ok([...ids].every((id) => queued.includes(id)))
      }
      const rest = new EventListener(server.admin, { lastEventId })
      const last = (await allEvents(server.admin)).at(-1) as Event
      await rest.until('the last event', ({ sequence }) => sequence === last.sequence)
      rest.leave()
      seen.push(...rest.seen)
      const begin = seen[0]?.sequence as number
      assert.deepEqual(sequences(seen), range(begin, last.sequence))
    } finally {
      await server.stop()
    }
  })

  test('goes on after the last event that was seen, wherever it broke off', async () => {
    const { admin } = posthorn
    await Promise.all(Array.from({ length: 60 }, () => text(admin, { instance: 'trial', to }, 10)))
    const end = await endOf(admin)
    const last = numberIn(end)
    const seen: number[] = []
    let lastEventId = cursorAt(0, end)
    while (seen.length < last) {
      const until = seen.length + 1 + (seen.length % 61)
      for await (const { data, id } of admin.stream(listEvents, { lastEventId })) {
        seen.push((data as Event).sequence)
        lastEventId = id
        if (seen.length >= Math.min(until, last)) break
      }
    }
    assert.deepEqual(seen, range(1, last))
  })

  test('tells by its position alone where to go on, and refuses other media types than it has', async () => {
    const ask = (accept: string) =>
      fetch(`${posthorn.url}/v1/events`, {
        headers: { authorization: `Bearer ${posthorn.adminKey}`, accept },
      })
    const response = await ask('text/event-stream')
    const reader = response.body?.getReader()
    const begun = new TextDecoder().decode((await reader?.read())?.value)
    await reader?.cancel()
    const [, id] = /^id: (\S+)\n\n$/.exec(begun) ?? assert.fail(begun)
    assert.equal(id, await endOf(posthorn.admin))
    const { status } = await ask('text/html')
    assert.equal(status, 406)
  })
})

test('a reader may follow, and nobody without a key', async () => {
  const { key } = await posthorn.createKey('default', 'read')
  const listener = new EventListener(posthorn.client(key))
  await eventually(
    'an event',
    () => text(posthorn.admin, { instance: 'trial', to }),
    () => listener.seen.length > 0,
  )
  listener.leave()
  const anonymous = posthorn.client().stream(listEvents)
  await assert.rejects(anonymous.next(), { name: 'ProblemError', code: 'unauthenticated' })
})
