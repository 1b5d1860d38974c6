import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { groupBudget } from '../../../src/store/commit.ts'
import { StoreUnavailable } from '../../../src/store/store.ts'
import type { StoreFixture } from './fixture.ts'
import {
  addToAmount,
  announceAndPut,
  ask,
  createThings,
  echoRead,
  echoTransaction,
  putAndAnnounce,
  putAndSwallow,
  putAndThrow,
  putPair,
  putThing,
  reckon,
  tellAsOwner,
  thing,
  thingNamed,
  thingNames,
  throwRead,
  writingRead,
} from './functions.ts'
import { setSuite } from './set-suite.ts'
import { turnSuite } from './turn-suite.ts'
import { valueSuite } from './value-suite.ts'

/** The laws of every store, with any database. */
export function storeSuite(fixture: StoreFixture): void {
  describe('transactions', () => transactionLaws(fixture))
  describe('faults', () => faultLaws(fixture))
  describe('groups', () => groupLaws(fixture))
  describe('announcements', () => announcementLaws(fixture))
  describe('reads', () => readLaws(fixture))
  describe('turns', () => turnSuite(fixture))
  describe('values', () => valueSuite(fixture))
  describe('sets', () => setSuite(fixture))
  describe('opening and closing', () => openingLaws(fixture))
}

function transactionLaws(fixture: StoreFixture): void {
  it('shows what a transaction wrote to the next read', async () => {
    const store = await fixture.store()
    for (const name of ['one', 'two', 'three']) {
      await store.transact(putThing, thing(name))
      assert.equal((await store.read(thingNamed, { name }))?.name, name)
    }
  })

  it('keeps nothing of a transaction that throws, and hands its error to its caller', async () => {
    const store = await fixture.store()
    await assert.rejects(store.transact(putAndThrow, { name: 'gone', message: 'the sky fell' }), (error) => {
      assert.ok(error instanceof Error && !(error instanceof StoreUnavailable))
      assert.equal(error.message, 'the sky fell')
      return true
    })
    assert.deepEqual(await store.read(thingNames, null), [])
  })

  it('loses no update when two stores change one row', async () => {
    const stores = await fixture.stores(2)
    await stores[0]?.transact(putThing, thing('counter', { amount: 0 }))
    await Promise.all(
      stores.map(async (store) => {
        for (let turn = 0; turn < 20; turn++) await store.transact(addToAmount, { name: 'counter' })
      }),
    )
    assert.equal((await stores[0]?.read(thingNamed, { name: 'counter' }))?.amount, 40)
  })

  it('refuses a function that it does not serve', async () => {
    const store = await fixture.store()
    const unknown = { name: 'no-such-function', run: async () => null }
    await assert.rejects(store.transact(unknown, null), /no function no-such-function/)
    await assert.rejects(store.read(unknown, null), /no function no-such-function/)
  })
}

function faultLaws(fixture: StoreFixture): void {
  it('makes the violation of a constraint a fault of that call', async () => {
    const store = await fixture.store()
    await store.transact(putThing, thing('one'))
    const outcomes = await Promise.allSettled(
      ['zero', 'one', 'two'].map((name) => store.transact(putThing, thing(name))),
    )
    assert.deepEqual(
      outcomes.map(({ status }) => status),
      ['fulfilled', 'rejected', 'fulfilled'],
    )
    const { reason } = outcomes[1] as PromiseRejectedResult
    assert.ok(!(reason instanceof StoreUnavailable))
    assert.match(reason.message, /unique/i)
    assert.deepEqual(await store.read(thingNames, null), ['one', 'zero', 'two'])
  })

  it('fails a transaction of which a statement failed, even if it hid the error', async () => {
    const store = await fixture.store()
    await store.transact(putThing, thing('taken'))
    await assert.rejects(store.transact(putAndSwallow, { name: 'hidden', taken: 'taken' }), /unique/i)
    assert.deepEqual(await store.read(thingNames, null), ['taken'])
  })
}

function groupLaws(fixture: StoreFixture): void {
  it('executes the transactions of one turn in the order in which they were asked for', async () => {
    const store = await fixture.store()
    const names = Array.from({ length: 600 }, (_, index) => `thing ${index}`)
    await Promise.all(names.map((name) => store.transact(putThing, thing(name))))
    assert.deepEqual(await store.read(thingNames, null), names)
  })

  it('shares one commit among the transactions of one turn', async () => {
    const store = await fixture.store()
    const commits: number[] = []
    store.onCommit = (transactions) => commits.push(transactions)
    const begun = performance.now()
    await Promise.all(Array.from({ length: 64 }, (_, index) => store.transact(putThing, thing(`${index}`))))
    const took = performance.now() - begun
    assert.equal(
      commits.reduce((sum, count) => sum + count, 0),
      64,
    )
    // A group ends when its time is over, and the first ones do not know yet how long theirs will take.
    assert.ok(commits.length <= 8 + took / groupBudget, `${commits.length} commits in ${took} ms`)
  })

  it('rolls back one that throws and commits its neighbours, in order, each once', async () => {
    const store = await fixture.store()
    const commits: number[] = []
    store.onCommit = (transactions) => commits.push(transactions)
    const outcomes = await Promise.allSettled(
      Array.from({ length: 9 }, (_, index) =>
        index % 3 === 1
          ? store.transact(putAndThrow, { name: `bad ${index}`, message: `fault ${index}` })
          : store.transact(putThing, thing(`good ${index}`)),
      ),
    )
    assert.deepEqual(
      outcomes.map((outcome) => (outcome.status === 'rejected' ? outcome.reason.message : 'kept')),
      ['kept', 'fault 1', 'kept', 'kept', 'fault 4', 'kept', 'kept', 'fault 7', 'kept'],
    )
    const good = ['good 0', 'good 2', 'good 3', 'good 5', 'good 6', 'good 8']
    assert.deepEqual(await store.read(thingNames, null), good)
    assert.equal(
      commits.reduce((sum, count) => sum + count, 0),
      6,
    )
  })
}

function announcementLaws(fixture: StoreFixture): void {
  it('are heard after the commit that they belong to, with all of it there to be read', async () => {
    const store = await fixture.store()
    const heard: string[][] = []
    const seen: Promise<string[]>[] = []
    store.onCommit = (_, announced) => {
      heard.push([...announced])
      seen.push(store.read(thingNames, null))
    }
    const names = ['one', 'two', 'three']
    const all = names.map((name) => store.transact(putAndAnnounce, { name }))
    await Promise.all([...all, store.transact(echoTransaction, null)])
    await store.transact(putThing, thing('four'))
    assert.deepEqual(heard.flat().toSorted(), names.toSorted())
    assert.deepEqual(heard.at(-1), [])
    // On a busy machine the time of a group can end before the third: how many commits there are is not promised.
    for (const [index, topics] of heard.entries()) {
      const there = await seen[index]
      for (const name of topics)
        assert.ok(there?.includes(name), `${name} was heard of before it could be read`)
    }
  })

  it('are heard of nothing that was not kept, whatever was committed beside it', async () => {
    const store = await fixture.store()
    const heard: string[] = []
    store.onCommit = (_, announced) => heard.push(...announced)
    const fault = 'the sky fell'
    await store.transact(putThing, thing('taken'))
    await Promise.allSettled([
      store.transact(putAndAnnounce, { name: 'first' }),
      store.transact(putAndAnnounce, { name: 'fallen', fault }),
      store.transact(announceAndPut, { name: 'taken' }),
      store.transact(putAndAnnounce, { name: 'last' }),
    ])
    assert.deepEqual(heard.toSorted(), ['first', 'last'])
    await store.transact(putAndAnnounce, { name: 'alone', fault }).catch(() => {})
    await store.transact(putThing, thing('later'))
    assert.deepEqual(heard.toSorted(), ['first', 'last'])
  })
}

function readLaws(fixture: StoreFixture): void {
  it('sees only what is committed', async () => {
    const store = await fixture.store()
    let writing = true
    const writes = Promise.all(
      Array.from({ length: 60 }, async (_, index) => {
        await store.transact(putPair, { first: `a${index}`, second: `b${index}` })
        await store.transact(putAndThrow, { name: `c${index}`, message: 'no' }).catch(() => {})
      }),
    ).finally(() => {
      writing = false
    })
    const counts: number[] = []
    while (writing) counts.push((await store.read(thingNames, null)).length)
    await writes
    assert.deepEqual(
      counts.filter((count) => count % 2 !== 0),
      [],
    )
    assert.equal((await store.read(thingNames, null)).length, 120)
  })

  it('hands the error of a read to its caller, and to nobody else', async () => {
    const store = await fixture.store()
    const outcomes = await Promise.allSettled([
      store.read(echoRead, 'before'),
      store.read(throwRead, 'no such luck'),
      store.read(echoRead, 'after'),
    ])
    assert.deepEqual(
      outcomes.map((outcome) => (outcome.status === 'rejected' ? outcome.reason.message : outcome.value)),
      ['before', 'no such luck', 'after'],
    )
  })

  it('keeps nothing of what a read writes', async () => {
    const store = await fixture.store()
    await store.read(writingRead, thing('smuggled')).catch(() => {})
    assert.deepEqual(await store.read(thingNames, null), [])
    await store.transact(putThing, thing('declared'))
    assert.deepEqual(await store.read(thingNames, null), ['declared'])
  })

  it('reckons in numbers', async () => {
    const store = await fixture.store()
    await store.transact(putThing, thing('one', { at: 1_800_000_000_000 }))
    await store.transact(putThing, thing('two', { at: 1_800_000_000_001 }))
    const { now, ...reckoned } = (await store.read(reckon, null)) ?? { now: 0 }
    assert.deepEqual({ ...reckoned }, { count: 2, sum: 3_600_000_000_001, max: 1_800_000_000_001, any: 1 })
    assert.ok(Math.abs(now - Date.now()) < 60_000, `${now} is the database's time in milliseconds`)
  })
}

function openingLaws(fixture: StoreFixture): void {
  it('migrates once, however often and by however many it is opened', async () => {
    const opening = await fixture.place()
    const stores = await Promise.all([opening(), opening(), opening()])
    const text = 'select name from migrations order by name'
    const applied = await stores[0]?.read(ask, text)
    assert.ok(applied && applied.length > 0)
    assert.deepEqual(await (await opening()).read(ask, text), applied)
  })

  it('refuses a schema that a newer version contracted, and takes one that it only expanded', async () => {
    const opening = await fixture.place()
    const store = await opening()
    const went = (name: string, expands: number) =>
      store.transact(
        tellAsOwner,
        `insert into migrations (name, expands, indexed) values ('${name}', ${expands}, 1)`,
      )
    await went('9998-of-tomorrow', 1)
    await opening()
    await went('9999-from-the-future', 0)
    await assert.rejects(opening(), /newer Posthorn.*9999-from-the-future/)
  })

  it('refuses a store from before the first release, and takes it for no empty one', async () => {
    for (const first of ['0001-first', '0001-tables']) {
      const opening = await fixture.place()
      const store = await opening()
      await store.transact(tellAsOwner, `update migrations set name = '${first}' where name = '0001-schema'`)
      await assert.rejects(opening(), /made before the first release of Posthorn/, first)
    }
  })

  it('answers the reads that were asked before it closes', async () => {
    const store = await fixture.store()
    const asked = Array.from({ length: 20 }, (_, index) => store.read(echoRead, index))
    await store.close()
    assert.equal((await Promise.all(asked)).length, 20)
  })

  it('answers the transactions that were asked before it closes, and nothing after', async () => {
    const opening = await fixture.place()
    const store = await opening()
    await store.transact(createThings, null)
    const asked = Array.from({ length: 20 }, (_, index) => store.transact(putThing, thing(`${index}`)))
    await Promise.all([store.close(), store.close()])
    await Promise.all(asked)
    await assert.rejects(store.transact(echoTransaction, 1), StoreUnavailable)
    await assert.rejects(store.read(echoRead, 1), StoreUnavailable)
    assert.equal((await (await opening()).read(thingNames, null)).length, 20)
  })
}
