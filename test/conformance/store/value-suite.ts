import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { StoreFixture } from './fixture.ts'
import {
  echoRead,
  echoTransaction,
  putThing,
  putThingAdHoc,
  thing,
  thingNamed,
  thingNamedAdHoc,
} from './functions.ts'
import type { Thing } from './things.ts'

/** Laws of values that cross to the store and back, and of those that the columns keep. */
export function valueSuite(fixture: StoreFixture): void {
  valueLaws(fixture)
  textLaws(fixture)
}

function valueLaws(fixture: StoreFixture): void {
  it('brings back unchanged what a function returns', async () => {
    const store = await fixture.store()
    const value = {
      whole: 42,
      broken: -0.5,
      large: Number.MAX_SAFE_INTEGER,
      nothing: null,
      absent: undefined,
      yes: true,
      list: [1, [2, { three: 3 }]],
      text: 'zażółć 🦄',
      bytes: new Uint8Array([0, 1, 255]),
    }
    assert.deepEqual(await store.read(echoRead, value), value)
    assert.deepEqual(await store.transact(echoTransaction, value), value)
    assert.equal(await store.transact(echoTransaction, undefined), undefined)
    assert.equal(await store.read(echoRead, null), null)
  })

  it('keeps every column type, through statements and through queries', async () => {
    const store = await fixture.store()
    const full: Thing = {
      name: 'full',
      amount: -2_147_483_648,
      at: Number.MAX_SAFE_INTEGER,
      note: '',
      data: new Uint8Array([0, 1, 2, 253, 254, 255]),
    }
    assert.equal(await store.transact(putThing, full), 1)
    const again = { ...full, name: 'again', at: 2 ** 31 + 1, data: new Uint8Array(0) }
    assert.deepEqual({ ...(await store.transact(putThingAdHoc, again)) }, again)
    await store.transact(putThing, thing('empty'))
    for (const kept of [full, again, thing('empty')]) {
      for (const reading of [thingNamed, thingNamedAdHoc]) {
        const row = await store.read(reading, { name: kept.name })
        assert.deepEqual({ ...row }, kept)
        if (kept.data) assert.equal(Object.getPrototypeOf(row?.data), Uint8Array.prototype)
      }
    }
    assert.equal(await store.read(thingNamed, { name: 'nobody' }), undefined)
  })
}

function textLaws(fixture: StoreFixture): void {
  it('keeps text of any script and of 300 KB', async () => {
    const store = await fixture.store()
    const texts = [
      '👩‍👩‍👧‍👦🇧🇷',
      'שלום \u200f',
      'O\'Brien \\ "%_$1 :x ?',
      '\u0001\u001f\u007f\uffff',
      '🦄'.repeat(75_000),
    ]
    for (const [index, note] of texts.entries()) {
      await store.transact(putThing, thing(`text ${index}`, { note }))
      assert.equal((await store.read(thingNamed, { name: `text ${index}` }))?.note, note)
    }
  })

  it('replaces half a surrogate pair by U+FFFD', async () => {
    const store = await fixture.store()
    await store.transact(putThing, thing('lone', { note: 'a\ud83eb' }))
    assert.equal((await store.read(thingNamed, { name: 'lone' }))?.note, 'a\ufffdb')
  })

  it('keeps U+0000 in text whole or refuses it alone: SQLite does the one, PostgreSQL the other', async () => {
    const store = await fixture.store()
    const [nul, neighbour] = await Promise.allSettled([
      store.transact(putThing, thing('nul', { note: 'a\u0000b' })),
      store.transact(putThing, thing('neighbour')),
    ])
    assert.equal(neighbour.status, 'fulfilled')
    if (store.dialect === 'sqlite') {
      assert.equal((await store.read(thingNamed, { name: 'nul' }))?.note, 'a\u0000b')
    } else {
      assert.match((nul as PromiseRejectedResult).reason.message, /invalid byte sequence.*22021/)
    }
  })
}
