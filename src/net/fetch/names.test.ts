import assert from 'node:assert/strict'
import { syncBuiltinESMExports } from 'node:module'
import os from 'node:os'
import { test } from 'node:test'
import {
  Fetching,
  failureOf,
  farEnd,
  listed,
  reply,
  unlisted,
  withoutDialling,
} from '../../../test/kit/far-ends/fetching.ts'
import type { NameAnswer, RecordType } from '../../../test/kit/far-ends/name-server.ts'

/** A name server's response with these A and AAAA records. */
const records =
  (a: NameAnswer, aaaa: NameAnswer = []) =>
  (_name: string, type: RecordType) =>
    type === 'A' ? a : aaaa

const innerIpv4 = [
  '0.0.0.0',
  '10.0.0.1',
  '100.64.0.1',
  '127.0.0.1',
  '169.254.169.254',
  '172.16.0.1',
  '192.168.0.1',
]
const innerIpv6 = [
  '::',
  '::1',
  '::ffff:10.0.0.1',
  '::ffff:9.9.9.9',
  '64:ff9b::a00:1',
  '2002:a00:1::',
  'fd00:ec2::254',
  'fe80::1',
]

test('a name with one address inside is refused, however many good ones stand around it', async (t) => {
  const good = ['9.9.9.9', '1.1.1.1']
  for (const [a, aaaa] of [
    ...innerIpv4.map((address) => [[address], []]),
    ...innerIpv4.map((address) => [['9.9.9.9', address, '1.1.1.1'], ['2620:fe::fe']]),
    ...innerIpv6.map((address) => [[], [address]]),
    ...innerIpv6.map((address) => [good, ['2620:fe::fe', address]]),
    [{ cname: 'inner.test', addresses: ['10.0.0.1'] }, []],
    [good, { cname: 'inner.test', addresses: ['fd00::1'] }],
  ] as [NameAnswer, NameAnswer][]) {
    const fetching = await Fetching.start(t, records(a, aaaa), { allowedBlocks: [] })
    await withoutDialling(async () => {
      const failure = await failureOf(fetching.get('https://media.test/'))
      assert.deepEqual([failure.reason, failure.permanent], ['refused', true], JSON.stringify([a, aaaa]))
    })
  }
})

test('if nothing is listed, an existing internal address looks like a missing one', async (t) => {
  const fetching = await Fetching.start(t, (name) => (name === 'there.internal' ? ['10.0.0.1'] : 'unknown'), {
    allowedBlocks: [],
  })
  for (const host of ['there.internal', 'missing.internal', 'there', 'missing']) {
    assert.equal((await failureOf(fetching.get(`https://${host}/`))).reason, 'refused', host)
  }
  assert.equal((await failureOf(fetching.get('http://missing.test/'))).reason, 'refused')
  assert.deepEqual(fetching.names.asked, [], 'nothing is looked up')
})

test('if plain http needs the operator’s word, one address without it is enough to refuse', async (t) => {
  const fetching = await Fetching.start(t, records([listed, '9.9.9.9']))
  await withoutDialling(async () => {
    assert.equal((await failureOf(fetching.get('http://media.test/'))).reason, 'refused')
  })
})

test('the addresses of this machine are refused though they be public, unless the operator lists them', async (t) => {
  const far = await farEnd(t, ({ socket }) => socket.end(reply(200, {}, 'good')))
  t.mock.method(os, 'networkInterfaces', () => ({
    lo: [{ address: listed, family: 'IPv4' }],
    eth0: [{ address: '9.9.9.9', family: 'IPv4' }],
    eth1: [{ address: '2620:fe::fe', family: 'IPv6' }],
  }))
  syncBuiltinESMExports()
  t.after(() => {
    t.mock.restoreAll()
    syncBuiltinESMExports()
  })
  const fetching = await Fetching.start(t, records([listed]))
  await withoutDialling(async () => {
    for (const host of ['9.9.9.9', '[2620:fe::fe]']) {
      assert.equal((await failureOf(fetching.get(`https://${host}/`))).reason, 'refused', host)
    }
  })
  assert.equal(await fetching.read(`http://media.test:${far.port}/`), 'good')
})

test('a name that changes its mind after it was asked is dialled where it said first', async (t) => {
  let inside = 0
  const canary = await farEnd(t, () => inside++, { host: unlisted })
  const good = await farEnd(t, ({ socket }) => socket.end(reply(200, {}, 'good')), { port: canary.port })
  let round = 0
  const fetching = await Fetching.start(t, (_name, type) => {
    if (type === 'AAAA') return []
    return round++ % 2 === 0 ? [listed] : [unlisted]
  })
  const url = `http://media.test:${good.port}/`
  for (let fetch = 0; fetch < 100; fetch++) {
    assert.equal(await fetching.read(url), 'good')
    assert.equal((await failureOf(fetching.get(url))).reason, 'refused')
  }
  assert.deepEqual([round, good.connections, canary.connections, inside], [200, 100, 0, 0])
})

test('a name that answers otherwise for each redirect is judged for each', async (t) => {
  const canary = await farEnd(t, () => {}, { host: unlisted })
  const far = await farEnd(t, ({ socket }) => socket.end(reply(302, { Location: '/again' })), {
    port: canary.port,
  })
  let questions = 0
  const fetching = await Fetching.start(t, (_name, type) => {
    if (type === 'AAAA') return []
    return ++questions < 3 ? [listed] : [unlisted]
  })
  assert.equal((await failureOf(fetching.get(`http://media.test:${far.port}/`))).reason, 'refused')
  assert.deepEqual([far.asked.length, canary.connections], [2, 0])
})

test('an alias is followed to addresses that are good', async (t) => {
  const far = await farEnd(t, ({ socket }) => socket.end(reply(200, {}, 'good')))
  const fetching = await Fetching.start(t, records({ cname: 'edge.test', addresses: [listed] }))
  assert.equal(await fetching.read(`http://media.test:${far.port}/`), 'good')
  assert.match(far.asked[0]?.head ?? '', /^Host: media\.test:/m)
})

test('of several good addresses, one at which nobody listens costs nothing but a try', async (t) => {
  const far = await farEnd(t, ({ socket }) => socket.end(reply(200, {}, 'good')))
  const fetching = await Fetching.start(t, records([unlisted, listed]), { allowedBlocks: ['127.0.0.0/8'] })
  assert.equal(await fetching.read(`http://media.test:${far.port}/`), 'good')
})

test('one answer of A and AAAA is enough, whatever becomes of the other', async (t) => {
  const far = await farEnd(t, ({ socket }) => socket.end(reply(200, {}, 'good')))
  const url = `http://media.test:${far.port}/`
  for (const aaaa of ['unknown', 'fault'] as const) {
    assert.equal(await (await Fetching.start(t, records([listed], aaaa))).read(url), 'good', aaaa)
  }
  const halfSilent = await Fetching.start(t, records([listed], 'silence'))
  const reading = halfSilent.read(url)
  // The query without a response is sent again, and by then the other response is there.
  while (halfSilent.names.asked.length < 3) await halfSilent.names.nextQuestion()
  halfSilent.time.pass(3_000)
  assert.equal(await reading, 'good')
})

test('a name that leads nowhere says so, and whether another try may help', async (t) => {
  const failureFor = async (a: NameAnswer, aaaa: NameAnswer) => {
    const fetching = await Fetching.start(t, records(a, aaaa))
    return failureOf(fetching.get('https://media.test/'))
  }
  const unknown = await failureFor('unknown', 'unknown')
  assert.deepEqual([unknown.reason, unknown.permanent], ['unreachable', true])
  const empty = await failureFor([], [])
  assert.deepEqual([empty.reason, empty.permanent], ['unreachable', true])
  const broken = await failureFor('fault', 'fault')
  assert.deepEqual([broken.reason, broken.permanent], ['unreachable', false])
  const halfBroken = await failureFor([], 'fault')
  assert.deepEqual([halfBroken.reason, halfBroken.permanent], ['unreachable', false])
})

test('name servers that say nothing are given up after three seconds', async (t) => {
  const fetching = await Fetching.start(t, records('silence', 'silence'))
  const failure = failureOf(fetching.get('https://media.test/'))
  await fetching.names.nextQuestion()
  fetching.time.pass(2_999)
  await fetching.names.nextQuestion()
  fetching.time.pass(1)
  const { reason, permanent } = await failure
  assert.deepEqual([reason, permanent], ['timeout', false])
})
