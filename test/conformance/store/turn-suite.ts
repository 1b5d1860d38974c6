import assert from 'node:assert/strict'
import { it } from 'node:test'
import { CallerGone } from '../../../src/store/store.ts'
import type { StoreFixture } from './fixture.ts'
import { ask, echoBriefly, echoRead, putThing, spin, tell, thing, thingNamed } from './functions.ts'

/** A statement of a second, or so. */
const lasting = {
  postgres: 'select pg_sleep(1)',
  sqlite:
    'with recursive counted(n) as (select 1 union all select n + 1 from counted where n < 5000000) select count(*) from counted',
}

/** The laws of whose turn it is. */
export function turnSuite(fixture: StoreFixture): void {
  transactionTurns(fixture)
  readTurns(fixture)
}

function transactionTurns(fixture: StoreFixture): void {
  it('answers a party that asks for little while another that asked for much still waits', async () => {
    const store = await fixture.store()
    let answered = 0
    const greedy = Array.from({ length: 200 }, () =>
      store.transact(spin, { milliseconds: 5 }, { party: 'greedy' }).then(() => answered++),
    )
    for (let index = 0; index < 10; index++)
      await store.transact(putThing, thing(`${index}`), { party: 'modest' })
    assert.ok(answered < 150, `${answered} of 200 calls came before 10 of another party`)
    await Promise.all(greedy)
  })

  it('performs the transactions of one party in the order in which they were asked for', async () => {
    const store = await fixture.store()
    const amounts = Array.from({ length: 40 }, (_, index) => index)
    await Promise.all(
      amounts.flatMap((amount) => [
        store.transact(tell, `update things set amount = ${amount}`, { party: 'one' }),
        store.transact(spin, { milliseconds: 2 }, { party: 'two' }),
      ]),
    )
    await store.transact(putThing, thing('counter', { amount: -1 }))
    await Promise.all(
      amounts.map((amount) =>
        store.transact(tell, `update things set amount = ${amount} where amount = ${amount - 1}`, {
          party: 'one',
        }),
      ),
    )
    assert.equal((await store.read(thingNamed, { name: 'counter' }))?.amount, 39)
  })
}

function readTurns(fixture: StoreFixture): void {
  it('reads while a long transaction is under way', async () => {
    const store = await fixture.store()
    await store.read(echoRead, 'warm')
    let written = false
    const writing = store.transact(tell, lasting[store.dialect]).then(() => {
      written = true
    })
    for (let index = 0; index < 20; index++) await store.read(echoRead, index)
    assert.equal(written, false)
    await writing
  })

  it('answers brief reads while a long read is under way', async () => {
    const store = await fixture.store()
    for (const warm of [store.read(ask, 'select 1'), store.read(echoBriefly, 'warm')]) await warm
    let answered = false
    const long = store.read(ask, lasting[store.dialect]).then(() => {
      answered = true
    })
    // All of them are of one party: no turn of another comes first.
    for (let index = 0; index < 3; index++) await store.read(echoBriefly, index)
    assert.equal(answered, false)
    await long
  })

  it('drops a read whose caller has gone before its turn', async () => {
    const store = await fixture.store()
    const leaving = new AbortController()
    const read = store.read(echoRead, 'in vain', { party: 'one', signal: leaving.signal })
    leaving.abort()
    await assert.rejects(read, CallerGone)
  })
}
