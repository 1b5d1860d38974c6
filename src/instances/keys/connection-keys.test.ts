import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { testOnBothStores } from '../../../test/kit/stores/outbox-on-both-stores.ts'
import { inspectKeys, resetOutbox } from '../../../test/kit/stores/outbox-store.ts'
import {
  type KeyChange,
  KeyLimitReached,
  type KeyStore,
  longestValue,
  maxChanges,
  maxKeyNameLength,
  NoLongerOwner,
} from '../../networks/driver/keys.ts'
import { FairSemaphore } from '../../runtime/limits/fair-semaphore.ts'
import { Seal, SealBroken } from '../../runtime/secrets/seal.ts'
import { type Store, StoreUnavailable } from '../../store/store.ts'
import { readConnectionSecrets, replaceCredentials } from '../connection/connection-store.ts'
import { InstanceSecrets } from '../credentials.ts'
import { orderInstance } from '../instance-store.ts'
import { erase } from '../lifecycle/removal.ts'
import { ConnectionKeys } from './connection-keys.ts'
import { forgetExpiredKeys, forgetKeys } from './key-store.ts'

const secrets = new InstanceSecrets(new Seal(randomBytes(32)))
const clock = { time: 1_000, now: () => clock.time, monotonic: () => 0 }

const keyTurns = new FairSemaphore({ limit: 1 })

const bytes = (text: string) => Uint8Array.from(Buffer.from(text))
const texts = (found: ReadonlyMap<string, Uint8Array>) =>
  Object.fromEntries([...found].map(([id, value]) => [id, Buffer.from(value).toString()]))
const session = (id: string, value: string | null): KeyChange => ({
  type: 'session',
  id,
  value: value === null ? null : bytes(value),
})

const withInstances = (store: Store) =>
  store.transact(resetOutbox, [
    { id: 'inst_a', network: 'sandbox' },
    { id: 'inst_b', network: 'sandbox' },
  ])

interface Opening {
  readonly limit?: number
  readonly isPresent?: () => boolean
}

/** The keys as a connection has them that is opened now. */
async function open(store: Store, instance = 'inst_a', { limit = 1_000, isPresent }: Opening = {}) {
  const row = await store.read(readConnectionSecrets, { id: instance })
  return new ConnectionKeys(
    { store, clock, keyLimit: limit, keyTurns },
    {
      instance,
      organization: 'org_test',
      before: row?.key_owner ?? assert.fail(`${instance} is gone`),
      isPresent: isPresent ?? (() => true),
      seal: () => secrets.keySeal(instance),
    },
  )
}

/** Returns the stored keys of an instance; checks that all keys are counted right. */
async function stored(store: Store, instance = 'inst_a') {
  const { keys, counts } = await store.read(inspectKeys, null)
  for (const { id, key_count } of counts)
    assert.equal(key_count, keys.filter(({ instance_id }) => instance_id === id).length, `of ${id}`)
  return keys.filter(({ instance_id }) => instance_id === instance).map(({ type, id }) => `${type} ${id}`)
}

testOnBothStores('keys are found by type and id, until they are removed', async (store) => {
  await withInstances(store)
  const keys = await open(store)
  const anyBytes = Uint8Array.from({ length: 256 }, (_, byte) => byte)
  await keys.set([
    session('ana', 'one'),
    session('bo', 'two'),
    { type: 'prekey', id: 'ana', value: anyBytes },
    { type: 'prekey', id: 'empty', value: new Uint8Array() },
  ])
  assert.deepEqual(texts(await keys.get('session', ['ana', 'bo', 'nobody'])), { ana: 'one', bo: 'two' })
  assert.deepEqual(
    [...(await keys.get('prekey', ['ana', 'empty'])).values()].map((value) => [...value]),
    [[...anyBytes], []],
  )
  assert.equal((await keys.get('session', [])).size, 0)
  await keys.set([session('ana', 'three'), session('bo', null), session('nobody', null)])
  assert.deepEqual(texts(await keys.get('session', ['ana', 'bo'])), { ana: 'three' })
  assert.deepEqual(await stored(store), ['prekey ana', 'prekey empty', 'session ana'])
  assert.equal((await (await open(store, 'inst_b')).get('session', ['ana'])).size, 0)
  await keys.clear()
  assert.deepEqual(await stored(store), [])
})

testOnBothStores('what comes in one moment is as if it had come one after the other', async (store) => {
  const someId = fc.constantFrom('a', 'b', 'c', 'd')
  const someSet = fc.record({
    instance: fc.constantFrom('inst_a', 'inst_b'),
    changes: fc.array(fc.tuple(someId, fc.option(fc.string({ maxLength: 4 }))), { maxLength: 5 }),
  })
  const limit = 3
  await fc.assert(
    fc.asyncProperty(fc.array(fc.array(someSet, { maxLength: 5 }), { maxLength: 5 }), async (moments) => {
      await withInstances(store)
      const keys = new Map<string, KeyStore>()
      const expected = new Map<string, Map<string, string>>()
      for (const instance of ['inst_a', 'inst_b']) {
        keys.set(instance, await open(store, instance, { limit }))
        await keys.get(instance)?.get('session', ['a'])
        expected.set(instance, new Map())
      }
      for (const moment of moments) {
        const results = await Promise.allSettled(
          moment.map(({ instance, changes }) =>
            keys.get(instance)?.set(changes.map(([id, value]) => session(id, value))),
          ),
        )
        for (const [index, { instance, changes }] of moment.entries()) {
          const before = expected.get(instance) ?? assert.fail()
          const after = new Map(before)
          for (const [id, value] of changes) value === null ? after.delete(id) : after.set(id, value)
          const fits = after.size <= limit || after.size <= before.size
          assert.equal(results[index]?.status, fits ? 'fulfilled' : 'rejected')
          if (fits) expected.set(instance, after)
        }
      }
      for (const [instance, values] of expected) {
        const found = await keys.get(instance)?.get('session', ['a', 'b', 'c', 'd'])
        assert.deepEqual(texts(found ?? assert.fail()), Object.fromEntries(values))
        await stored(store, instance)
      }
    }),
    { numRuns: 30 },
  )
})

testOnBothStores('a connection that was replaced writes nothing any more', async (store) => {
  await withInstances(store)
  const former = await open(store)
  await former.set([session('ana', 'of the former')])
  const next = await open(store)
  await former.set([session('bo', 'of the former')])
  assert.deepEqual(texts(await next.get('session', ['ana', 'bo'])), {
    ana: 'of the former',
    bo: 'of the former',
  })
  await assert.rejects(former.set([session('ana', 'too late')]), NoLongerOwner)
  await assert.rejects(former.set([session('new', 'too late')]), NoLongerOwner)
  await assert.rejects(former.set([session('ana', null)]), NoLongerOwner)
  await assert.rejects(former.clear(), NoLongerOwner)
  await next.set([session('ana', 'of the next')])
  assert.deepEqual(await stored(store), ['session ana', 'session bo'])
  assert.deepEqual(texts(await next.get('session', ['ana'])), { ana: 'of the next' })
})

testOnBothStores('whoever never used the keys before the next connection did, never does', async (store) => {
  await withInstances(store)
  const former = await open(store)
  const next = await open(store)
  await next.set([session('ana', 'of the next')])
  await assert.rejects(former.set([session('ana', 'too late')]), NoLongerOwner)
  await assert.rejects(former.get('session', ['ana']), NoLongerOwner)
  let isPresent = true
  const closed = await open(store, 'inst_a', { isPresent: () => isPresent })
  isPresent = false
  await assert.rejects(closed.get('session', ['ana']), NoLongerOwner)
  // It took nothing from the one that is open.
  await next.set([session('ana', 'still of the next')])
})

testOnBothStores('a connection with replaced credentials writes nothing any more', async (store) => {
  await withInstances(store)
  const writing = await open(store)
  await writing.set([session('ana', 'before')])
  const silent = await open(store, 'inst_b')
  for (const id of ['inst_a', 'inst_b'])
    await store.transact(replaceCredentials, {
      organization: 'org_test',
      id,
      credentials: bytes('new'),
      sharedCallback: 0,
      now: 1,
    })
  await assert.rejects(writing.set([session('ana', 'too late')]), NoLongerOwner)
  await assert.rejects(silent.set([session('ana', 'too late')]), NoLongerOwner)
  assert.deepEqual(texts(await (await open(store)).get('session', ['ana'])), { ana: 'before' })
})

testOnBothStores('with an instance, its keys are erased, and nobody writes new ones', async (store) => {
  await withInstances(store)
  const keys = await open(store)
  const other = await open(store, 'inst_b')
  const changes = Array.from({ length: 1_001 }, (_, number) => session(`${number}`, 'x'))
  await keys.set(changes.slice(0, 1_000))
  await keys.set([session('1', null), session('1000', 'x')])
  await other.set([session('ana', 'stays')])
  assert.equal(
    (
      await keys.get(
        'session',
        changes.map(({ id }) => id),
      )
    ).size,
    1_000,
  )
  await store.transact(orderInstance, { organization: 'org_test', name: 'inst_a', wanted: 'removed', now: 1 })
  // A connection needs this for logging out.
  await keys.set([session('0', 'y')])
  await store.transact(forgetKeys, { instance: 'inst_a', owner: null, limit: 10 })
  assert.equal((await stored(store)).length, 990)
  await assert.rejects(keys.set([session('late', 'x')]), NoLongerOwner)
  await erase({ store, clock }, 'inst_a')
  assert.deepEqual(await stored(store), [])
  await assert.rejects(keys.set([session('late', 'x')]), NoLongerOwner)
  assert.deepEqual(await stored(store), [])
  assert.deepEqual(await stored(store, 'inst_b'), ['session ana'])
})

testOnBothStores('a set that adds too many keys stores none of its changes', async (store) => {
  await withInstances(store)
  const keys = await open(store, 'inst_a', { limit: 3 })
  await keys.set([session('a', '1'), session('b', '1'), session('c', '1')])
  const full = keys.set([session('a', '2'), session('d', '2')])
  await assert.rejects(full, (error) => error instanceof KeyLimitReached && error.limit === 3)
  assert.deepEqual(texts(await keys.get('session', ['a', 'd'])), { a: '1' })
  await keys.set([session('a', '3')])
  await keys.set([session('a', null), session('d', '3')])
  assert.deepEqual(await stored(store), ['session b', 'session c', 'session d'])
  const stricter = await open(store, 'inst_a', { limit: 1 })
  await stricter.set([session('b', null), session('c', '4')])
  await stricter.set([session('d', null), session('e', '4')])
  await assert.rejects(stricter.set([session('f', '4')]), KeyLimitReached)
  assert.deepEqual(await stored(store), ['session c', 'session e'])
})

testOnBothStores('what has expired is not found, and is removed in steps', async (store) => {
  await withInstances(store)
  const keys = await open(store)
  clock.time = 1_000
  const message = (id: string, expires_at: number) => ({ ...session(id, 'x'), type: 'sent', expires_at })
  await keys.set([message('a', 1_001), message('b', 1_002), message('c', 1_100), session('stays', 'x')])
  clock.time = 1_002
  assert.deepEqual(texts(await keys.get('sent', ['a', 'b', 'c'])), { c: 'x' })
  assert.equal(await store.transact(forgetExpiredKeys, { now: 1_002, limit: 1 }), 1)
  assert.deepEqual(await stored(store), ['sent b', 'sent c', 'session stays'])
  assert.equal(await store.transact(forgetExpiredKeys, { now: 1_002, limit: 5 }), 1)
  await keys.set([{ type: 'sent', id: 'c', value: bytes('kept') }])
  assert.equal(await store.transact(forgetExpiredKeys, { now: 9_999, limit: 5 }), 0)
  assert.deepEqual(await stored(store), ['sent c', 'session stays'])
})

testOnBothStores('at the limit, keys that expire make room for new ones, the oldest first', async (store) => {
  await withInstances(store)
  clock.time = 1_000
  const keys = await open(store, 'inst_a', { limit: 4 })
  const message = (id: string, expires_at: number) => ({ ...session(id, 'x'), type: 'sent', expires_at })
  await keys.set([session('ana', '1'), message('b', 2_002), message('a', 2_001), message('c', 2_003)])
  await (await open(store, 'inst_b')).set([message('other', 2_000)])
  await keys.set([message('d', 2_004)])
  assert.deepEqual(await stored(store), ['sent b', 'sent c', 'sent d', 'session ana'])
  await Promise.all([keys.set([message('e', 2_005)]), keys.set([session('bo', '1'), message('d', 2_006)])])
  assert.deepEqual(await stored(store), ['sent d', 'sent e', 'session ana', 'session bo'])
  await keys.set([session('cy', '1'), session('di', '1')])
  await assert.rejects(keys.set([session('eve', '1')]), KeyLimitReached)
  await keys.set([session('ana', '2')])
  assert.deepEqual(await stored(store), ['session ana', 'session bo', 'session cy', 'session di'])
  assert.deepEqual(await stored(store, 'inst_b'), ['sent other'])
})

testOnBothStores('a key that is moved, altered or sealed with another key does not open', async (store) => {
  await withInstances(store)
  const keys = await open(store)
  await keys.set([session('ana', 'a secret of Ana'), session('bo', 'other')])
  const { keys: rows } = await store.read(inspectKeys, null)
  const [{ value } = assert.fail()] = rows
  assert.ok(!Buffer.from(value).includes('a secret of Ana'))
  const seal = secrets.keySeal('inst_a')
  const place = (row: string) => ({ table: 'network_keys', column: 'value', row })
  assert.deepEqual(Buffer.from(seal.open(value, place('["session","ana"]'))).toString(), 'a secret of Ana')
  assert.throws(() => seal.open(value, place('["session","bo"]')), SealBroken)
  assert.throws(() => seal.open(value, place('["prekey","ana"]')), SealBroken)
  assert.throws(() => secrets.keySeal('inst_b').open(value, place('["session","ana"]')), SealBroken)
  const row = await store.read(readConnectionSecrets, { id: 'inst_a' })
  const otherInstance = new ConnectionKeys(
    { store, clock, keyLimit: 10, keyTurns },
    {
      instance: 'inst_a',
      organization: 'org_test',
      before: row?.key_owner ?? -1,
      isPresent: () => true,
      seal: () => new InstanceSecrets(new Seal(randomBytes(32))).keySeal('inst_a'),
    },
  )
  await assert.rejects(otherInstance.get('session', ['ana']), SealBroken)
})

testOnBothStores('what a driver must not ask is its mistake', async (store) => {
  await withInstances(store)
  const keys = await open(store)
  const long = 'ü'.repeat(128)
  const tooMany = Array.from({ length: maxChanges + 1 }, (_, number) => session(`${number}`, 'x'))
  const large = new Uint8Array(longestValue)
  const mistakes: KeyChange[][] = [
    [{ type: 'session', id: 'a', value: new Uint8Array(longestValue + 1) }],
    [{ type: long, id: 'a', value: null }],
    [{ type: 'session', id: long, value: null }],
    tooMany,
    Array.from({ length: 65 }, (_, number) => ({ type: 'session', id: `${number}`, value: large })),
  ]
  for (const changes of mistakes) await assert.rejects(keys.set(changes), RangeError)
  await assert.rejects(keys.get(long, []), RangeError)
  await assert.rejects(keys.get('session', [long]), RangeError)
  const longest = 'x'.repeat(maxKeyNameLength)
  await keys.set([{ type: longest, id: longest, value: large }])
  assert.equal((await keys.get(longest, [longest])).get(longest)?.length, longestValue)
})

testOnBothStores(
  'sets are stored in the order in which they were asked for, however large',
  async (store) => {
    await withInstances(store)
    const keys = await open(store)
    const other = await open(store, 'inst_b')
    const large = (value: string) => Array.from({ length: 300 }, (_, number) => session(`${number}`, value))
    await Promise.all([
      other.set(large('of another')),
      keys.set(large('first')),
      keys.set([session('1', 'second')]),
      keys.set(large('third')),
      keys.set([session('2', 'fourth')]),
    ])
    assert.deepEqual(texts(await keys.get('session', ['1', '2', '3'])), {
      1: 'third',
      2: 'fourth',
      3: 'third',
    })
    const last = keys.set(large('fifth'))
    await Promise.all([last, keys.clear()])
    assert.deepEqual(await stored(store), [])
    assert.equal((await stored(store, 'inst_b')).length, 300)
  },
)

testOnBothStores(
  'a set in the last moment of a connection is stored, and found by the next one',
  async (store) => {
    await withInstances(store)
    let isPresent = true
    const former = await open(store, 'inst_a', { isPresent: () => isPresent })
    await former.set([session('ana', 'one')])
    const large = Array.from({ length: 300 }, (_, number) => session(`${number}`, 'x'))
    const last = [former.set(large), former.set([session('ana', 'two')])]
    isPresent = false
    await Promise.all(last)
    const next = await open(store)
    assert.equal((await next.get('session', ['0', '299'])).size, 2)
    assert.deepEqual(texts(await next.get('session', ['ana'])), { ana: 'two' })
  },
)

testOnBothStores('after the store was away, the next use takes the keys over', async (store) => {
  await withInstances(store)
  let away = true
  const flaky: Store = {
    ...store,
    dialect: store.dialect,
    close: () => store.close(),
    read: (query, args) => store.read(query, args),
    transact: (transaction, args) =>
      away ? Promise.reject(new StoreUnavailable('it is away')) : store.transact(transaction, args),
  }
  const row = await store.read(readConnectionSecrets, { id: 'inst_a' })
  const keys = new ConnectionKeys(
    { store: flaky, clock, keyLimit: 10, keyTurns },
    {
      instance: 'inst_a',
      organization: 'org_test',
      before: row?.key_owner ?? -1,
      isPresent: () => true,
      seal: () => secrets.keySeal('inst_a'),
    },
  )
  await assert.rejects(keys.set([session('ana', 'one')]), StoreUnavailable)
  await assert.rejects(keys.get('session', ['ana']), StoreUnavailable)
  away = false
  await keys.set([session('bo', 'two')])
  assert.deepEqual(texts(await keys.get('session', ['ana', 'bo'])), { bo: 'two' })
})
