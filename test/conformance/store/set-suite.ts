import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { Store } from '../../../src/store/store.ts'
import type { StoreFixture } from './fixture.ts'
import { putThing, thing, thingNamed, thingNames } from './functions.ts'
import {
  addToAmounts,
  countAdded,
  dropThings,
  highestAbove,
  putAndRank,
  putInOrder,
  putLast,
  putThings,
  putTogether,
} from './set-functions.ts'

const row = (name: string, amount: number | null = null, note: string | null = null) => ({
  name,
  amount,
  at: null,
  note,
})

/** Laws of a statement for a set of rows, and of a transaction for all its calls of one moment. */
export function setSuite(fixture: StoreFixture): void {
  statementLaws(fixture)
  sendingLaws(fixture)
  callLaws(fixture)
}

function statementLaws(fixture: StoreFixture): void {
  it('inserts a set of rows, whatever their texts are made of', async () => {
    const store = await fixture.store()
    const notes = [
      '',
      'NULL',
      'null',
      '{a,b}',
      '"quoted"',
      "it's",
      'back\\slash',
      'two\nlines',
      ' ',
      'zażółć 🦄',
    ]
    const rows = notes.map((note, index) => row(`thing ${index}`, index, note))
    const kept = await store.transact(putThings, [...rows, row('nothing')])
    assert.deepEqual(kept.map(({ name }) => name).sort(), [...rows.map(({ name }) => name), 'nothing'].sort())
    for (const { name, note } of rows) assert.equal((await store.read(thingNamed, { name }))?.note, note)
    assert.equal((await store.read(thingNamed, { name: 'nothing' }))?.note, null)
  })

  it('changes each row by what is given for it, and returns or counts those that there are', async () => {
    const store = await fixture.store()
    await store.transact(putThings, [row('a', 1), row('b', 2), row('c', 3)])
    const added = ['a', 'c', 'no such thing'].map((name, index) => ({ name, amount: 10 * (index + 1) }))
    const changed = await store.transact(addToAmounts, added)
    assert.deepEqual(changed.map(({ name, amount }) => [name, amount]).sort(), [
      ['a', 11],
      ['c', 23],
    ])
    assert.equal(await store.transact(countAdded, added), 2)
    assert.equal((await store.read(thingNamed, { name: 'b' }))?.amount, 2)
    assert.equal(await store.transact(dropThings, ['a', 'b', 'no such thing']), 2)
    assert.deepEqual(await store.read(thingNames, null), ['c'])
  })

  it('selects for each row in an order and up to a limit of its own', async () => {
    const store = await fixture.store()
    await store.transact(
      putThings,
      [1, 2, 3, 4, 5].map((amount) => row(`n${amount}`, amount)),
    )
    const found = await store.read(highestAbove, [
      { above: 0, limit: 2 },
      { above: 4, limit: 2 },
      { above: 9, limit: 2 },
    ])
    assert.deepEqual(found.map(({ name }) => name).sort(), ['n4', 'n5', 'n5'])
  })

  it('does nothing for an empty set', async () => {
    const store = await fixture.store()
    assert.deepEqual(await store.transact(putThings, []), [])
    assert.equal(await store.transact(countAdded, []), 0)
    assert.deepEqual(await store.read(highestAbove, []), [])
  })
}

function sendingLaws(fixture: StoreFixture): void {
  it('executes what was not waited for before what is asked next', async () => {
    const store = await fixture.store()
    const put = ['one', 'two', 'three'].map((name) => row(name, 1))
    const ranked = await store.transact(putAndRank, { put, add: [{ name: 'three', amount: 4 }] })
    assert.deepEqual(ranked[0], { name: 'three', amount: 5 })
    assert.equal((await store.read(thingNames, null)).length, 3)
  })

  it('fails alone the call of which a statement failed that was not waited for', async () => {
    const store = await fixture.store()
    await store.transact(putThing, thing('taken'))
    const outcomes = await Promise.allSettled([
      store.transact(putLast, [row('first')]),
      store.transact(putLast, [row('new'), row('taken')]),
      store.transact(putAndRank, { put: [row('taken')], add: [{ name: 'taken', amount: 1 }] }),
      store.transact(putThing, thing('beside')),
      store.transact(putLast, [row('last')]),
    ])
    assert.deepEqual(
      outcomes.map((outcome) => (outcome.status === 'rejected' ? /unique/i.test(outcome.reason) : 'done')),
      ['done', true, true, 'done', 'done'],
    )
    assert.deepEqual((await store.read(thingNames, null)).sort(), ['beside', 'first', 'last', 'taken'])
  })
}

/** Puts a, b, c and d at once, and returns how many were performed together with each, and what was there before. */
async function putTogetherInOrder(store: Store, number: number) {
  const put = (name: string) => store.transact(putInOrder, { name: `${name}${number}` })
  const [a, b, , c, , d] = await Promise.all([
    put('a'),
    put('b'),
    store.transact(putThing, thing(`between${number}`)),
    put('c'),
    // Its calls have no order among others.
    store.transact(putTogether, { name: `anywhere${number}` }),
    put('d'),
  ])
  return [a, b, c, d].map(({ before, together }) => ({
    together,
    before: before.filter((name) => name.endsWith(`${number}`) && !name.startsWith('anywhere')).toSorted(),
  }))
}

function callLaws(fixture: StoreFixture): void {
  it('performs the calls of one moment at once, and gives each its own answer', async () => {
    const store = await fixture.store()
    const names = Array.from({ length: 300 }, (_, index) => `thing ${index}`)
    const answers = await Promise.all(names.map((name) => store.transact(putTogether, { name })))
    assert.deepEqual(
      answers.map(({ name }) => name),
      names,
    )
    assert.ok(answers.some(({ together }) => together > 1))
    assert.deepEqual((await store.read(thingNames, null)).sort(), names.toSorted())
  })

  it('performs calls at once that come in a row, and the others in their order', async () => {
    const store = await fixture.store()
    // The calls of one moment may reach the store in two, so there are some rounds.
    const wereTogether = new Set<string>()
    for (let number = 10; number < 30; number++) {
      const seen = await putTogetherInOrder(store, number)
      const all = ['a', 'b', 'between', 'c'].map((name) => `${name}${number}`)
      const inOrder = [0, seen[1]?.together === 1 ? 1 : 0, 3, seen[3]?.together === 1 ? 4 : 3]
      assert.deepEqual(
        seen.map(({ before }) => before),
        inOrder.map((count) => all.slice(0, count)),
      )
      wereTogether.add(seen.map(({ together }) => together).join())
    }
    assert.ok(wereTogether.has('2,2,2,2'), [...wereTogether].join(' '))
  })

  it('fails the calls alone that have a fault, and keeps the others', async () => {
    const store = await fixture.store()
    const outcomes = await Promise.allSettled([
      store.transact(putTogether, { name: 'one' }),
      store.transact(putThing, thing('between')),
      store.transact(putTogether, { name: 'fault' }),
      store.transact(putTogether, { name: 'two' }),
      store.transact(putTogether, { name: 'two' }),
    ])
    assert.deepEqual(
      outcomes.map(({ status }) => status),
      ['fulfilled', 'fulfilled', 'rejected', 'fulfilled', 'rejected'],
    )
    assert.deepEqual((await store.read(thingNames, null)).sort(), ['between', 'one', 'two'])
  })
}
