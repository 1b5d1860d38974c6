import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  createInstance,
  deleteInstance,
  getInstance,
} from '../../../src/contract/operations/instance-operations.ts'
import { cancelMessage, sendTextMessage } from '../../../src/contract/operations/message-operations.ts'
import type { RawReply } from '../../kit/http/checked-client.ts'
import { eventually, Follower } from '../../kit/play.ts'
import { type Posthorn, startPosthorn } from '../../kit/posthorn.ts'

/* Limits of sending: how much, how fast, for when, and how long a caller may let the response wait. */

function codeOf(reply: RawReply): string {
  return (reply.json as { code?: string } | undefined)?.code ?? `${reply.status}`
}

function faultsOf({ json }: RawReply): string[] {
  const { errors = [] } = json as { errors?: { pointer: string; code: string }[] }
  return errors.map(({ pointer, code }) => `${pointer} ${code}`)
}

describe('the rate of a key', () => {
  let posthorn: Posthorn

  before(async () => {
    posthorn = await startPosthorn({ environment: { POSTHORN_RATE_LIMIT: '5/2' } })
  })

  after(() => posthorn.stop())

  const ask = async (key: string, path = '/v1/instances') =>
    posthorn.client().rawRequest('GET', path, { headers: { authorization: `Bearer ${key}` } })
  const freshKey = async () => (await posthorn.createKey('default', 'read')).key
  const leftIn = ({ headers }: RawReply) => Number(/;r=(\d+)/.exec(headers.ratelimit ?? '')?.[1])

  test('is told with every reply, and counts down', async () => {
    const key = await freshKey()
    const first = await ask(key)
    assert.equal(first.headers['ratelimit-policy'], '"default";q=5;w=2')
    assert.match(first.headers.ratelimit ?? '', /^"default";r=4;t=[12]$/)
    assert.equal(leftIn(await ask(key, '/v1/instances/nobodys')), 3)
    assert.equal(leftIn(await ask(key, '/v1/instances?limit=0')), 2)
  })

  test('is refused when it is used up, and is there again after Retry-After', async () => {
    const key = await freshKey()
    let reply = await ask(key)
    while (reply.status === 200) reply = await ask(key)
    assert.equal(codeOf(reply), 'rate_limited')
    assert.equal(leftIn(reply), 0)
    const seconds = Number(reply.headers['retry-after'])
    assert.ok(seconds >= 1 && seconds <= 2)
    await sleep(seconds * 1000)
    assert.equal((await ask(key)).status, 200)
  })

  test('is each key’s own', async () => {
    const [busy, other] = [await freshKey(), await freshKey()]
    while ((await ask(busy)).status === 200);
    assert.equal(leftIn(await ask(other)), 4)
  })

  test('a hundred requests at once: no more than the burst, and what refilled meanwhile', async () => {
    const key = await freshKey()
    const begun = performance.now()
    const replies = await Promise.all(Array.from({ length: 100 }, () => ask(key)))
    const refilled = ((performance.now() - begun) / 1000) * (5 / 2)
    const answered = replies.filter(({ status }) => status === 200).length
    assert.ok(answered >= 5 && answered <= 5 + Math.ceil(refilled), `${answered} were answered`)
    assert.ok(replies.every(({ status }) => status === 200 || status === 429))
  })

  test('does not count for open operations and strangers', async () => {
    for (let count = 0; count < 10; count++) {
      const open = await posthorn.client().rawRequest('GET', '/healthz')
      assert.deepEqual([open.status, open.headers.ratelimit], [200, undefined])
      assert.equal((await posthorn.client().rawRequest('GET', '/v1/instances')).status, 401)
    }
  })
})

describe('the event streams of a key', () => {
  let posthorn: Posthorn

  before(async () => {
    posthorn = await startPosthorn({ environment: { POSTHORN_STREAM_LIMIT: '2' } })
    await posthorn.admin.call(createInstance, { body: { name: 'watched' }, waitSeconds: 10 })
  })

  after(() => posthorn.stop())

  const path = '/v1/instances/watched/status'
  const asked = (key: string, accept: string) =>
    posthorn.client().rawRequest('GET', path, { headers: { authorization: `Bearer ${key}`, accept } })

  test('are two and no third, until one of them ends; reading and other keys are not concerned', async () => {
    const { key } = await posthorn.createKey('default', 'read')
    const follow = async (by = key) => {
      const follower = new Follower(posthorn.client(by), 'watched')
      await follower.status('connected')
      return follower
    }
    const followers = [await follow(), await follow()]
    const third = await asked(key, 'text/event-stream')
    assert.deepEqual([codeOf(third), third.headers['retry-after']], ['too_many_streams', '5'])
    assert.equal((await asked(key, 'application/json')).status, 200)
    followers.push(await follow(posthorn.adminKey))

    followers[0]?.leave()
    await followers[0]?.ended
    // The server hears of the end a moment later than the listener.
    const another = new AbortController()
    const opened = await eventually(
      'a place for another stream',
      () =>
        fetch(`${posthorn.url}${path}`, {
          headers: { authorization: `Bearer ${key}`, accept: 'text/event-stream' },
          signal: another.signal,
        }),
      ({ status }) => status === 200,
    )
    assert.equal(opened.status, 200)
    assert.equal(codeOf(await asked(key, 'text/event-stream')), 'too_many_streams')
    another.abort()
    for (const follower of followers) follower.leave()
    await Promise.all(followers.map(({ ended }) => ended))
  })

  test('that were refused take no place', async () => {
    const { key } = await posthorn.createKey('default', 'read')
    const nobodys = '/v1/instances/nobodys/status'
    const headers = { authorization: `Bearer ${key}`, accept: 'text/event-stream' }
    for (let count = 0; count < 5; count++) {
      assert.equal((await posthorn.client().rawRequest('GET', nobodys, { headers })).status, 404)
    }
  })
})

describe('the queue of an instance', () => {
  let posthorn: Posthorn

  before(async () => {
    posthorn = await startPosthorn({
      environment: { POSTHORN_QUEUE_LIMIT: '5', POSTHORN_INSTANCE_LIMIT: '3' },
    })
  })

  after(() => posthorn.stop())

  const send = (instance: string, to = 'ana@stuck.sandbox') => {
    const headers = { authorization: `Bearer ${posthorn.adminKey}`, 'content-type': 'application/json' }
    const body = JSON.stringify({ instance, to, text: 'Hello' })
    return posthorn.client().rawRequest('POST', '/v1/messages/text', { headers, body })
  }

  test('takes five; a sixth is refused until one is canceled, and another instance is not concerned', async () => {
    const { admin } = posthorn
    for (const name of ['crowded', 'empty']) {
      await admin.call(createInstance, { body: { name }, waitSeconds: 10 })
    }
    const ids: string[] = []
    for (let count = 0; count < 5; count++) ids.push(((await send('crowded')).json as { id: string }).id)
    const sixth = await send('crowded')
    assert.deepEqual([codeOf(sixth), sixth.headers['retry-after']], ['queue_full', '5'])
    assert.equal(codeOf(await send('crowded', 'bo@delivers.sandbox')), 'queue_full')
    assert.equal((await send('empty')).status, 202)
    const { body: instance } = await admin.call(getInstance, { params: { name: 'crowded' } })
    assert.equal(instance.queue.depth, 5)

    await admin.call(cancelMessage, { params: { id: ids[4] ?? '' } })
    assert.equal((await send('crowded')).status, 202)
    assert.equal(codeOf(await send('crowded')), 'queue_full')
  })

  test('a hundred at once fill it and no more', async () => {
    const { admin } = posthorn
    await admin.call(createInstance, { body: { name: 'rushed' }, waitSeconds: 10 })
    const replies = await Promise.all(Array.from({ length: 100 }, () => send('rushed')))
    assert.equal(replies.filter(({ status }) => status === 202).length, 5)
    assert.equal(replies.filter((reply) => codeOf(reply) === 'queue_full').length, 95)
  })

  test('an organization has three instances and no fourth, until it removes one', async () => {
    const { admin, adminKey } = posthorn
    const create = (name: string) => {
      const headers = { authorization: `Bearer ${adminKey}`, 'content-type': 'application/json' }
      return posthorn
        .client()
        .rawRequest('POST', '/v1/instances', { headers, body: JSON.stringify({ name }) })
    }
    assert.equal(codeOf(await create('fourth')), 'instance_limit_reached')
    assert.equal(codeOf(await create('crowded')), 'instance_name_taken')
    assert.equal((await admin.call(deleteInstance, { params: { name: 'rushed' } })).status, 204)
    assert.equal((await create('fourth')).status, 201)
    await posthorn.createOrganization('neighbour')
    const neighbour = posthorn.client((await posthorn.createKey('neighbour', 'admin')).key)
    assert.equal((await neighbour.call(createInstance, { body: { name: 'first' } })).status, 201)
  })
})

describe('without limits', () => {
  let posthorn: Posthorn

  before(async () => {
    const off = { POSTHORN_RATE_LIMIT: 'off', POSTHORN_QUEUE_LIMIT: 'off', POSTHORN_INSTANCE_LIMIT: 'off' }
    posthorn = await startPosthorn({ environment: off })
    await posthorn.admin.call(createInstance, { body: { name: 'trial' }, waitSeconds: 10 })
  })

  after(() => posthorn.stop())

  const send = (changes: object, prefer?: string) => {
    const body = { instance: 'trial', to: 'ana@accepts.sandbox', text: 'Hello', ...changes }
    const headers = { authorization: `Bearer ${posthorn.adminKey}`, 'content-type': 'application/json' }
    return posthorn.client().rawRequest('POST', '/v1/messages/text', {
      headers: { ...headers, ...(prefer === undefined ? {} : { prefer }) },
      body: JSON.stringify(body),
    })
  }

  const inAnHour = () => new Date(Date.now() + 3_600_000).toISOString()

  test('no reply tells of any', async () => {
    const { headers } = await posthorn.admin.call(sendTextMessage, {
      body: { instance: 'trial', to: 'ana@accepts.sandbox', text: 'Hello' },
    })
    assert.ok(!('ratelimit' in headers) && !('ratelimit-policy' in headers))
  })

  describe('the length of a text', () => {
    const letters = { 'Latin letters': 'a', umlauts: 'ä', emoji: '😀', 'Chinese characters': '字' }
    for (const [name, letter] of Object.entries(letters)) {
      test(`4096 ${name} are taken, and one more is not`, async () => {
        const reply = await send({ text: letter.repeat(4096) })
        assert.equal((reply.json as { text: string }).text, letter.repeat(4096))
        assert.deepEqual(faultsOf(await send({ text: letter.repeat(4097) })), ['/text too_long'])
      })
    }

    test('what looks like one character but is many counts as many', async () => {
      assert.deepEqual(faultsOf(await send({ text: `a${'\u0301'.repeat(4096)}` })), ['/text too_long'])
    })
  })

  describe('times', () => {
    const ahead = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString()
    const tomorrow = ahead(1)
    const refused: Readonly<Record<string, readonly [changes: object, pointer: string]>> = {
      '31 days ahead': [{ send_at: ahead(31) }, '/send_at'],
      'year 9999': [{ send_at: '9999-12-31T23:59:59Z' }, '/send_at'],
      'the end before the beginning': [{ send_at: tomorrow, expires_at: ahead(0.5) }, '/expires_at'],
      'the end at the beginning': [{ send_at: tomorrow, expires_at: tomorrow }, '/expires_at'],
      'a time that is past': [{ send_at: '2020-01-01T00:00:00Z' }, '/send_at'],
      'an end that is past': [{ expires_at: '2020-01-01T00:00:00Z' }, '/expires_at'],
      'an end in 31 days': [{ expires_at: ahead(31) }, '/expires_at'],
      'no zone': [{ send_at: '2030-01-01T00:00:00' }, '/send_at'],
      'no time': [{ send_at: '2030-01-01' }, '/send_at'],
      'a day that does not exist': [{ send_at: '2030-02-30T00:00:00Z' }, '/send_at'],
      'a number': [{ send_at: 1_900_000_000 }, '/send_at'],
      'an empty text': [{ send_at: '' }, '/send_at'],
      'forty characters of nonsense': [{ send_at: 'x'.repeat(40) }, '/send_at'],
      'forty-one characters': [{ send_at: `2030-01-01T00:00:00.${'0'.repeat(20)}Z` }, '/send_at'],
    }
    for (const [name, [changes, pointer]] of Object.entries(refused)) {
      test(`${name} is refused`, async () => {
        const reply = await send(changes)
        assert.equal(reply.status, 400, reply.text)
        assert.ok(
          faultsOf(reply).some((fault) => fault.startsWith(`${pointer} `)),
          reply.text,
        )
      })
    }

    test('offsets, lower case and fractions mean the moment that they name', async () => {
      const day = tomorrow.slice(0, 10)
      for (const written of ['T10:00:00+02:00', 'T08:00:00.000Z', 't08:00:00z', 'T05:30:00-02:30']) {
        const reply = await send({ send_at: `${day}${written}` })
        assert.equal((reply.json as { send_at: string }).send_at, `${day}T08:00:00.000Z`, written)
      }
    })

    test('30 days are not too many', async () => {
      assert.equal((await send({ send_at: ahead(29.99), expires_at: ahead(59.9) })).status, 202)
    })
  })

  describe('Prefer', () => {
    const followed: Readonly<Record<string, string>> = {
      'wait=10': 'wait=10',
      'wait="10"': 'wait=10',
      'WAIT = 10': 'wait=10',
      'wait=999999': 'wait=60',
      'wait=99999999999999999999': 'wait=60',
      'respond-async, wait=10': 'wait=10',
      'wait=10, wait=20': 'wait=10',
      'return=minimal; foo="a, wait=3", wait=10; x=y': 'wait=10',
    }
    for (const [prefer, applied] of Object.entries(followed)) {
      test(`${prefer} is followed as ${applied}`, async () => {
        const reply = await send({}, prefer)
        assert.equal(reply.headers['preference-applied'], applied)
        assert.equal((reply.json as { status: string }).status, 'sent')
      })
    }

    const ignored = [
      'wait=0',
      'wait=abc',
      'wait=1.5',
      'wait=-1',
      'wait',
      'respond-async',
      'x; wait=10',
      'x="wait=10"',
      '',
    ]
    for (const prefer of ignored) {
      test(`${prefer || 'an empty one'} is passed over`, async () => {
        const reply = await send({ send_at: inAnHour() }, prefer)
        assert.deepEqual([reply.status, reply.headers['preference-applied']], [202, undefined])
      })
    }

    test('that waits no longer is told how far it is', async () => {
      const begun = performance.now()
      const reply = await send({ send_at: inAnHour() }, 'wait=1')
      assert.ok(performance.now() - begun >= 990)
      assert.deepEqual([reply.status, reply.headers['preference-applied']], [202, 'wait=1'])
      assert.equal((reply.json as { status: string }).status, 'queued')
    })
  })
})
