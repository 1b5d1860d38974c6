import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  DeliveryFixture,
  organizations,
  storesUnderTest,
} from '../../../../test/kit/stores/delivery-fixture.ts'
import { appendTestEvents } from '../../../../test/kit/stores/delivery-store.ts'
import type { DeliveryVerdict } from '../attempt/retry-schedule.ts'
import { redeliver, redeliverEvents } from './redelivery.ts'

const [a] = organizations as [string]
const delivered: DeliveryVerdict = { kind: 'delivered' }

for (const storeUnderTest of await storesUnderTest()) {
  describe(`events of one stretch in ${storeUnderTest.name}`, { skip: storeUnderTest.skip }, () => {
    const fixture = new DeliveryFixture(storeUnderTest)

    /** Appends five events at once, a second after those before. */
    async function append(from: number): Promise<void> {
      const { store, model } = fixture
      model.now += 1_000
      const events = [0, 1, 2, 3, 4].map((more) => {
        return { type: 'message.sent', instance: 'first', data: { number: from + more } } as const
      })
      await store.transact(appendTestEvents, { organization: a, now: model.now, events })
    }

    /** Lets all arrive, and returns what each attempt says. */
    async function deliver(): Promise<string[]> {
      const { model } = fixture
      const said: string[] = []
      for (;;) {
        const ended = [...model.underway.keys()].map((seq): [number, DeliveryVerdict] => [seq, delivered])
        const { claimed, more } = await model.settleAndClaim(a, { ended, width: 40, limit: 3 })
        said.push(
          ...claimed.flatMap(({ events }) => events.map(({ sequence, data }) => `${sequence} ${data}`)),
        )
        if (claimed.length === 0 && !more) return said
      }
    }

    const shown = (...numbers: number[]) => numbers.map((number) => `${number} {"number":${number}}`)

    test('are delivered one by one, and again alone or from a time on', async () => {
      const { store, model } = fixture
      const webhook = await model.create({ organization: a, events: null, instances: null, ordering: 'none' })
      await append(1)
      await append(6)
      assert.deepEqual(await deliver(), shown(1, 2, 3, 4, 5, 6, 7, 8, 9, 10))

      const third = (await model.rows()).deliveries.find((row) => row.event_sequence === 3)
      assert.ok(third)
      await store.transact(redeliver, { organization: a, webhook, id: third.id, now: model.now })
      assert.deepEqual(await deliver(), shown(3))

      const range = { organization: a, webhook, until: model.now + 1, missing: false, limit: 2 }
      let place: { readonly after: number | null; readonly since: number } = { after: null, since: model.now }
      const begun: number[] = []
      for (;;) {
        const { now } = model
        const done = await store.transact(redeliverEvents, { ...range, ...place, now })
        assert.ok(typeof done === 'object')
        begun.push(done.deliveries)
        if (done.next === null) break
        place = done.next
      }
      assert.deepEqual(begun, [2, 2, 1])
      assert.deepEqual(await deliver(), shown(6, 7, 8, 9, 10))
    })
  })
}
