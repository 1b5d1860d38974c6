import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { QueryOf } from '../../../src/contract/operation.ts'
import { deleteInstance, getInstanceStatus } from '../../../src/contract/operations/instance-operations.ts'
import { cancelMessage } from '../../../src/contract/operations/message-operations.ts'
import { getQuotas } from '../../../src/contract/operations/quota-operations.ts'
import { getStatistics } from '../../../src/contract/operations/statistics-operations.ts'
import type { Event, MessageEventData } from '../../../src/contract/resources/event.ts'
import type { CheckedClient } from '../../kit/http/checked-client.ts'
import { assertCounted, statisticsOf } from '../../kit/http/counted-events.ts'
import { allEvents } from '../../kit/http/feed.ts'
import { create, eventually, inMs, reaches, text } from '../../kit/play.ts'
import { type Posthorn, startPosthorn } from '../../kit/posthorn.ts'

/* Statistics, judged by the events that every caller can read. */

let posthorn: Posthorn
before(async () => {
  posthorn = await startPosthorn()
})
after(() => posthorn.stop())

async function newcomer(name: string): Promise<CheckedClient> {
  await posthorn.createOrganization(name)
  return posthorn.client((await posthorn.createKey(name, 'admin')).key)
}

const about = (events: readonly Event[], ...names: readonly string[]) =>
  events.filter(({ data }) => names.includes((data as MessageEventData).instance?.name))

/** Sends what ends in every way there is, and waits until it has; returns the events of it. */
async function everyEnd(client: CheckedClient, instance: string): Promise<Event[]> {
  const send = async (to: string, more: { send_at?: string; expires_at?: string } = {}) =>
    (await text(client, { instance, to: `${to}.sandbox`, ...more })).id
  const ends = [
    ['read', await send('ana@reads')],
    ['read', await send('ben@reads')],
    ['delivered', await send('cem@replies')],
    ['failed', await send('bo@refuses')],
    ['expired', await send('di@busy', { expires_at: inMs(300) })],
    ['delivered', await send('eve@delivers', { send_at: inMs(800) })],
  ] as const
  const canceled = await send('cy@reads', { send_at: inMs(3_600_000), expires_at: inMs(7_200_000) })
  await client.call(cancelMessage, { params: { id: canceled } })
  for (const [status, id] of ends) await reaches(client, id, status)
  const events = () => allEvents(client)
  const isAnswered = (seen: Event[]) => about(seen, instance).some(({ type }) => type === 'message.received')
  return eventually('an answer', events, isAnswered)
}

describe('what happened to messages', () => {
  let client: CheckedClient
  let events: readonly Event[]
  before(async () => {
    client = await newcomer('counted')
    await create(client, 'shop')
    await create(client, 'desk')
    await everyEnd(client, 'shop')
    events = await everyEnd(client, 'desk')
  })

  test('is counted, hour by hour and day by day, as the events tell it', async () => {
    const numbers = await assertCounted(client, events)
    const { accepted, read, failed, expired, canceled, received } = numbers
    assert.deepEqual([accepted, read, failed, expired, canceled, received], [14, 4, 2, 2, 2, 2])
    await assertCounted(client, events, { interval: 'day' })
    await assertCounted(client, events, { interval: 'minute', from: inMs(-3_600_000) })
    const { data } = (await client.call(getStatistics, { query: { interval: 'minute' } })).body
    assert.ok([180, 181].includes(data.length), `${data.length} minutes are kept, and shown by default`)
    await assertCounted(client, about(events, 'shop'), {
      ...{ interval: 'minute', from: inMs(-7_200_000), instance: 'shop' },
    })
    await assertCounted(client, events, { from: inMs(-900 * 86_400_000), interval: 'day' })
    await assertCounted(client, [], { from: '2020-01-01T00:30:00Z', to: '2020-01-02T00:00:00+01:00' })
  })

  test('is counted on the days of a time zone', async () => {
    const { numbers } = { numbers: await assertCounted(client, events) }
    for (const [time_zone, first, midnight] of [
      ['America/Sao_Paulo', '2026-11-20T03:00:00.000Z', 3],
      // Its midnight is at 18:30, and its day begins with the next hour.
      ['Asia/Kolkata', '2026-11-19T19:00:00.000Z', 19],
      ['UTC', '2026-11-20T00:00:00.000Z', 0],
    ] as const) {
      const query = {
        interval: 'day',
        time_zone,
        from: '2026-11-20T12:00:00Z',
        to: '2026-11-23T17:10:00Z',
      } as const
      const past = (await client.call(getStatistics, { query })).body
      assert.deepEqual([past.from, past.data[0]?.from, past.to], [first, first, '2026-11-23T18:00:00.000Z'])
      assert.ok(
        past.data.every(({ from }) => new Date(from).getUTCHours() === midnight),
        time_zone,
      )
      const lately = { interval: 'day', time_zone, from: inMs(-2 * 86_400_000) } as const
      const { data, totals } = (await client.call(getStatistics, { query: lately })).body
      assert.ok(data.length === 3 || data.length === 4)
      assert.equal(totals.accepted, numbers.accepted)
      assert.equal(
        data.reduce((sum, { accepted }) => sum + accepted, 0),
        numbers.accepted,
      )
      assert.equal(data.at(-1)?.queue_depth, 0)
    }
  })

  test('on the day on which the clocks of a time zone are set', async () => {
    const days = async (time_zone: string, from: string, to: string) => {
      const query = { interval: 'day', time_zone, from, to } as const
      const { body } = await client.call(getStatistics, { query })
      return [...body.data.map(({ from }) => from.slice(5, 13)), body.to.slice(5, 13)]
    }
    const berlin = await days('Europe/Berlin', '2026-03-28T12:00:00Z', '2026-03-30T22:00:00Z')
    assert.deepEqual(berlin, ['03-27T23', '03-28T23', '03-29T22', '03-30T22'])
    // At midnight, so that the day begins at one.
    const santiago = await days('America/Santiago', '2026-09-05T12:00:00Z', '2026-09-07T03:00:00Z')
    assert.deepEqual(santiago, ['09-05T04', '09-06T04', '09-07T03'])
  })

  test('is known since the organization was made, and each minute for three hours', async () => {
    const since = async (query: QueryOf<typeof getStatistics>) =>
      Date.now() - Date.parse((await client.call(getStatistics, { query })).body.counted_from)
    assert.ok((await since({})) < 600_000)
    const old = (await posthorn.admin.call(getStatistics, {})).body
    assert.ok(Date.parse(old.counted_from) <= Date.now())
  })

  test('is told of many instances in one response, of each the same as of it alone', async () => {
    await assertCounted(client, events)
    const names = ['desk', 'nobodys', 'shop']
    const range = { from: inMs(-3_600_000), to: inMs(60_000), interval: 'minute' } as const
    const { body } = await client.call(getStatistics, { query: { ...range, by_instance: names } })
    const own = names.map((instance) => client.call(getStatistics, { query: { ...range, instance } }))
    const apart = (await Promise.all(own)).map(({ body: { data } }) => data)
    assert.ok(apart[0]?.some(({ failed }) => failed > 0))
    assert.deepEqual(
      body.by_instance,
      names.map((instance, at) => ({
        instance,
        sent: apart[at]?.map(({ sent }) => sent),
        failed: apart[at]?.map(({ failed }) => failed),
        received: apart[at]?.map(({ received }) => received),
      })),
    )
    const { key } = await posthorn.createKey('counted', 'read', { instances: ['shop'] })
    const limited = await posthorn.client(key).call(getStatistics, { query: { by_instance: names } })
    assert.deepEqual(
      limited.body.by_instance.map(({ instance }) => instance),
      ['shop'],
    )
  })

  test('is told from what happens to others', async () => {
    await assertCounted(client, about(events, 'shop'), { instance: 'shop' })
    await assertCounted(client, [], { instance: 'nobodys' })
    const key = async (...instances: string[]) => {
      const limited = posthorn.client((await posthorn.createKey('counted', 'read', { instances })).key)
      await assertCounted(limited, about(events, ...instances))
      return limited
    }
    const desk = await key('desk')
    await key('desk', 'shop')
    await assertCounted(desk, [], { instance: 'shop' })
    await assertCounted(desk, about(events, 'desk'), { instance: 'desk' })
    const otherOrganization = await newcomer('stranger')
    for (const query of [{}, { instance: 'shop' }]) await assertCounted(otherOrganization, [], query)
  })

  test('stays counted when its instance is removed, and its events are forgotten', async () => {
    await client.call(deleteInstance, { params: { name: 'desk' } })
    await posthorn.forgetEvents(Date.now())
    await assertCounted(client, about(events, 'desk'), { instance: 'desk' })
    await assertCounted(client, events)
    const { failures } = (await client.call(getStatistics)).body.totals
    assert.deepEqual(
      failures.map(({ network, code, count }) => [network, code, count]),
      [['sandbox', 'message_refused', 2]],
    )
    assert.match(failures[0]?.detail ?? '', /^The sandbox refuses/)
  })
})

test('the queue is as deep as the messages in it, which may leave it with their instance', async () => {
  const client = await newcomer('waiting')
  for (const name of ['shop', 'desk', 'bar']) await create(client, name)
  const later = { send_at: inMs(3_600_000), expires_at: inMs(7_200_000) }
  const wait = async (instance: string) =>
    (await text(client, { instance, to: 'ana@reads.sandbox', ...later })).id
  const first = await wait('shop')
  for (const instance of ['shop', 'shop', 'desk', 'bar']) await wait(instance)
  const { id } = await text(client, { instance: 'shop', to: 'ben@reads.sandbox' })
  await reaches(client, id, 'read')
  const depth = async (query: { instance?: string } = {}, of = client) => {
    const { data } = (await of.call(getStatistics, { query })).body
    return data.at(-1)?.queue_depth
  }
  await assertCounted(client, await allEvents(client))
  assert.equal(await depth(), 5)
  assert.equal((await client.call(getQuotas)).body.unsettled_messages.used, 5)
  assert.equal(await depth({ instance: 'shop' }), 3)
  assert.equal((await client.call(getInstanceStatus, { params: { name: 'shop' } })).body.queue.depth, 3)
  const { key } = await posthorn.createKey('waiting', 'read', { instances: ['desk', 'bar'] })
  assert.equal(await depth({}, posthorn.client(key)), 2)
  assert.equal(await depth({ instance: 'shop' }, posthorn.client(key)), 0)

  await client.call(cancelMessage, { params: { id: first } })
  await assertCounted(client, await allEvents(client))
  assert.equal(await depth(), 4)
  await client.call(deleteInstance, { params: { name: 'shop' } })
  const events = await eventually(
    'the rest to be canceled',
    () => allEvents(client),
    (seen) => {
      return seen.filter(({ type }) => type === 'message.canceled').length === 3
    },
  )
  await assertCounted(client, events)
  assert.deepEqual([await depth(), await depth({ instance: 'shop' })], [2, 0])
})

test('events that are forgotten at once are counted, and a restart counts nothing twice', async () => {
  const client = await newcomer('forgotten')
  await create(client, 'shop')
  const { id } = await text(client, { instance: 'shop', to: 'ana@reads.sandbox' })
  await reaches(client, id, 'read')
  const seen = await allEvents(client)
  assert.ok((await posthorn.forgetEvents(Date.now() + 1)) >= seen.length)
  const { key } = await posthorn.createKey('forgotten', 'read')
  posthorn = await posthorn.restart()
  const again = posthorn.client(key)
  const sinceThen = await allEvents(again)
  assert.ok(!sinceThen.some(({ id }) => seen.some((event) => event.id === id)))
  await assertCounted(again, seen)
})

describe('a question', () => {
  const refusal = async (query: string, key = posthorn.adminKey) => {
    const headers = { authorization: `Bearer ${key}` }
    const { status, json } = await posthorn.client().rawRequest('GET', `/v1/statistics?${query}`, { headers })
    assert.equal(status, 400)
    const [error] = (json as { errors: { pointer: string; code: string; detail: string }[] }).errors
    return error ?? assert.fail('no error')
  }

  test('for more than a reply has is refused, with what to do', async () => {
    const most = { from: '2026-01-01T00:00:00Z', to: '2026-02-11T16:00:00Z' }
    assert.equal((await posthorn.admin.call(getStatistics, { query: most })).body.data.length, 1_000)
    const more = await refusal('from=2026-01-01T00:00:00Z&to=2026-02-11T16:00:00.001Z')
    assert.deepEqual([more.pointer, more.code], ['query/from', 'out_of_range'])
    assert.match(
      more.detail,
      /at most 1000 intervals\. Ask for a shorter time, or ask for the interval `day`\./,
    )
    assert.match(
      (await refusal('interval=minute&from=2026-01-01T00:00:00Z&to=2026-01-01T16:41:00Z')).detail,
      /at most 1000 intervals\. Ask for a shorter time, or ask for the interval `hour`\.$/,
    )
    assert.match(
      (await refusal('interval=day&time_zone=UTC&from=2026-01-01T00:00:00Z&to=2026-02-11T16:00:01Z')).detail,
      /or leave `time_zone` out: its days are made of hours, and those count\.$/,
    )
    const instances = Array.from({ length: 100 }, (_, number) => `shop-${number}`)
    const { key } = await posthorn.createKey('default', 'read', { instances })
    const days = 'interval=day&from=2026-01-01T00:00:00Z&to='
    const limited = await refusal(`${days}2026-07-21T00:00:00Z`, key)
    assert.match(limited.detail, /at most 200 intervals for so many instances .* or name one `instance`\.$/)
    const query = { interval: 'day', from: '2026-01-01T00:00:00Z', to: '2026-07-20T00:00:00Z' } as const
    assert.equal((await posthorn.client(key).call(getStatistics, { query })).body.data.length, 200)
    const one = await posthorn.client(key).call(getStatistics, {
      query: {
        interval: 'day',
        from: '2024-01-01T00:00:00Z',
        to: '2026-07-21T00:00:00Z',
        instance: 'shop-1',
      },
    })
    assert.equal(one.body.data.length, 932)
  })

  test('about no time is refused', async () => {
    for (const [query, pointer] of [
      ['from=2026-01-02T00:00:00Z&to=2026-01-02T00:00:00Z', 'query/from'],
      ['from=9999-01-01T00:00:00Z', 'query/from'],
      ['from=0001-01-01T00:00:00Z&to=1969-01-01T00:00:00Z', 'query/to'],
      ['interval=day&time_zone=Middle/Earth', 'query/time_zone'],
    ] as const)
      assert.equal((await refusal(query)).pointer, pointer, query)
  })

  test('that ends with a leap second is answered', async () => {
    const query = { from: '2016-12-31T22:00:00Z', to: '2016-12-31T23:59:60Z' }
    const { body } = await posthorn.admin.call(getStatistics, { query })
    assert.deepEqual([body.data.length, body.to], [2, '2017-01-01T00:00:00.000Z'])
  })

  test('for the present is answered with what is counted, which is almost all', async () => {
    const { data, counted_until, from, to } = await statisticsOf(posthorn.admin, [])
    assert.equal(data.length, 25)
    assert.equal(data[0]?.from, from)
    assert.ok(Date.parse(to) > Date.now() - 60_000)
    const behind = Date.now() - Date.parse(counted_until)
    assert.ok(behind >= 60_000 && behind < 120_000, `${behind} ms behind`)
  })
})
