import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { FakeTime } from '../../test/kit/fake-time.ts'
import { eventually } from '../../test/kit/play.ts'
import { bothStores } from '../../test/kit/stores/both-stores.ts'
import { forgetOldAudit } from '../gateway/housekeeping.ts'
import { storeFunctions } from '../gateway/transactions.ts'
import { newId } from '../runtime/ids.ts'
import { silentLog } from '../runtime/log.ts'
import type { Store } from '../store/store.ts'
import { forgetAudit, listAudit, noteRefusal, trimAudit } from './audit-log.ts'
import { createOrganization } from './organization-store.ts'

const thread = new URL('../gateway/store-thread.js', import.meta.url)
const stores = await bothStores(storeFunctions, thread)

/** An organization whose log has an entry at each of these moments, after the entry of its creation at the first of them. */
async function logOf(store: Store, organization: string, moments: readonly number[]): Promise<void> {
  const created_at = moments[0] ?? 0
  await store.transact(createOrganization, { id: organization, name: organization, created_at })
  const entries = moments.map((at) => ({
    id: newId('aud'),
    organizationId: organization,
    key: null,
    action: 'deleteInstance',
    target: `${at}`,
    instance: null,
    address: null,
    requestId: null,
    at,
  }))
  await Promise.all(entries.map((note) => store.transact(noteRefusal, { note, result: 'forbidden' })))
}

const everything = { actor: null, action: null, instance: null, since: null, until: null, before: null }

/** Returns the targets of the entries of an organization, oldest first. */
async function toldTo(store: Store, organization: string): Promise<(string | null)[]> {
  const filter = { ...everything, organization, limit: 10_000 }
  return (await store.read(listAudit, filter)).entries.map(({ target }) => target).toReversed()
}

for (const { name, skip, newPlace } of stores) {
  const fresh = async () => (await newPlace())()

  describe(`entries whose time is over, ${name}`, { skip }, () => {
    test('are forgotten, whoever they belong to, and no other', async () => {
      const store = await fresh()
      await logOf(store, 'org_a', [10, 20, 30, 31])
      await logOf(store, 'org_b', [10, 29, 30])
      assert.equal(await store.transact(forgetAudit, { before: 10, limit: 100 }), 0)
      assert.equal(await store.transact(forgetAudit, { before: 30, limit: 100 }), 6)
      assert.deepEqual(await toldTo(store, 'org_a'), ['30', '31'])
      assert.deepEqual(await toldTo(store, 'org_b'), ['30'])
    })

    test('go a few at a time, even if calls that began earlier ended later', async () => {
      const store = await fresh()
      await logOf(store, 'org_a', [1, 40, 2, 3, 41, 4])
      const forget = () => store.transact(forgetAudit, { before: 40, limit: 4 })
      assert.deepEqual([await forget(), await forget(), await forget()], [3, 2, 0])
      assert.deepEqual(await toldTo(store, 'org_a'), ['40', '41'])
    })

    test('go after the days that are set, in small steps between which others have their turn', async () => {
      const [day, now] = [24 * 3_600_000, Date.now()]
      const store = await fresh()
      const old = Array.from({ length: 2_300 }, () => now - 30 * day - 60_000)
      await logOf(store, 'org_a', [...old, now - 30 * day + 600_000, now])
      const time = new FakeTime()
      const steps: number[] = []
      const counting: Pick<Store, 'transact'> = {
        async transact(asked, args) {
          const result = await store.transact(asked, args)
          steps.push(Number(result))
          return result
        },
      }
      forgetOldAudit(
        { store: counting, alarms: time.alarms, log: silentLog, isOnDuty: () => true },
        { days: 30, most: undefined },
      )
      for (const [step, delay] of [60_000, 200, 200, 10 * 60_000].entries()) {
        time.pass(delay)
        await eventually(
          'a step',
          async () => [steps.length, time.waiting],
          ([made, waiting]) => made === step + 1 && waiting === 1,
        )
      }
      assert.deepEqual(steps, [1_000, 1_000, 301, 0], 'with what the creation left')
      assert.equal((await toldTo(store, 'org_a')).length, 2)
    })
  })

  describe(`entries beyond the limit, ${name}`, { skip }, () => {
    test('go from the oldest, a few at a time, and only if there are too many', async () => {
      const store = await fresh()
      await logOf(store, 'org_a', [1, 2, 3, 4, 5, 6])
      await logOf(store, 'org_b', [1, 2])
      await logOf(store, 'org_c', [1, 2, 3, 4, 5])
      const trim = () => store.transact(trimAudit, { most: 3, limit: 3 })
      assert.deepEqual([await trim(), await trim(), await trim(), await trim()], [3, 3, 1, 0])
      assert.deepEqual(await toldTo(store, 'org_a'), ['4', '5', '6'])
      assert.deepEqual(await toldTo(store, 'org_b'), ['org_b', '1', '2'])
      assert.deepEqual(await toldTo(store, 'org_c'), ['3', '4', '5'])
    })
  })
}
