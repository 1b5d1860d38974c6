import assert from 'node:assert/strict'
import { it } from 'node:test'
import { type Store, StoreUnavailable, type Turn } from '../../../src/store/store.ts'
import type { StoreFixture } from './fixture.ts'
import {
  addToAmount,
  insertOrganization,
  putAndWait,
  putThing,
  thing,
  thingNamed,
  thingNames,
} from './functions.ts'

const rounds = 25

/** Several processes write to one database, as nodes do. */
export function lockSuite(fixture: StoreFixture): void {
  const added = async (turnsOf: readonly [Turn, Turn]) => {
    const [one, two] = (await fixture.stores(2)) as [Store, Store]
    for (const id of ['org_a', 'org_b']) await one.transact(insertOrganization, { id })
    await one.transact(putThing, thing('counter'))
    const before = (await one.read(thingNamed, { name: 'counter' }))?.amount ?? 0
    await Promise.all(
      [one, two].map(async (store, index) => {
        for (let round = 0; round < rounds; round++)
          await store.transact(addToAmount, { name: 'counter' }, turnsOf[index] as Turn)
      }),
    )
    return ((await one.read(thingNamed, { name: 'counter' }))?.amount ?? 0) - before
  }

  it('lets calls of one organization see what the others have done, wherever they come from', async () => {
    assert.equal(await added([{ party: 'org_a' }, { party: 'org_a' }]), 2 * rounds)
  })

  it('lets a call that names no organization see what all have done, and all what it has', async () => {
    assert.equal(await added([{ party: 'housekeeping' }, { party: 'org_a' }]), 2 * rounds)
  })

  it('fails no call of others for a process that stands still in a transaction', async () => {
    const [frozen, other] = (await fixture.stores(2)) as [Store, Store]
    const holds = Promise.withResolvers<void>()
    const thaws = Promise.withResolvers<void>()
    const wait = () => {
      holds.resolve()
      return thaws.promise
    }
    const cut = assert.rejects(frozen.transact(putAndWait, { name: 'frozen', wait }), StoreUnavailable)
    await holds.promise
    try {
      for (const party of ['org_a', 'housekeeping'])
        await other.transact(putThing, thing(`of ${party}`), { party })
    } finally {
      thaws.resolve()
    }
    await cut
    assert.deepEqual(await other.read(thingNames, null), ['of org_a', 'of housekeeping'])
  })
}
