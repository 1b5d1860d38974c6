import assert from 'node:assert/strict'
import { beforeEach, describe, test } from 'node:test'
import { DeliveryFixture, organizations, storesUnderTest } from '../../../test/kit/stores/delivery-fixture.ts'
import type { DeliveryModel } from '../../../test/kit/stores/delivery-model.ts'
import { forgetTestEvents } from '../../../test/kit/stores/delivery-store.ts'
import type { Store } from '../../store/store.ts'
import { testWebhook } from '../webhook-store.ts'
import type { DeliveryVerdict } from './attempt/retry-schedule.ts'
import { organizationsToDeliver } from './delivery.ts'
import { listDeliveries } from './queue/delivery-record.ts'
import { redeliver, redeliverEvents } from './queue/redelivery.ts'

const [a] = organizations as [string]
const day = 24 * 60 * 60_000
const everything = { organization: a, events: null, instances: null, ordering: 'none' } as const
const inOrder = { ...everything, ordering: 'per_instance' } as const
const delivered: DeliveryVerdict = { kind: 'delivered' }

for (const storeUnderTest of await storesUnderTest()) {
  describe(`deliveries in ${storeUnderTest.name}`, { skip: storeUnderTest.skip }, () => {
    const fixture = new DeliveryFixture(storeUnderTest)
    let store: Store
    let model: DeliveryModel
    beforeEach(() => {
      store = fixture.store
      model = fixture.model
    })

    test('what happened before a webhook began is passed over without a look', async () => {
      for (let count = 0; count < 30; count++) await model.append(a, 'message.sent', null)
      await model.create(everything)
      await model.append(a, 'message.sent', null)
      const { claimed, more } = await model.settleAndClaim(a, { limit: 1 })
      assert.deepEqual(
        claimed.map(({ events: [event] }) => event.sequence),
        [31],
      )
      assert.equal(more, false)
    })

    test('while a webhook is not enabled, what is pending waits, and what happens is not given to it', async () => {
      const id = await model.create(everything)
      await model.append(a, 'message.queued', null)
      await model.settleAndClaim(a)
      await model.append(a, 'message.sent', null)
      await model.settleAndClaim(a, { width: 1 })
      await model.change(a, id, { enabled: 0 })
      const [seq] = [...model.underway.keys()]
      assert.ok(seq)
      const waiting = await model.settleAndClaim(a, { ended: [[seq, { kind: 'again', at: model.now + 1 }]] })
      await model.append(a, 'message.delivered', null)
      assert.deepEqual([waiting.claimed, waiting.nextAt], [[], null])
      assert.deepEqual((await model.settleAndClaim(a)).claimed, [])
      await model.change(a, id, { enabled: 1 })
      model.now += 1
      const { claimed } = await model.settleAndClaim(a)
      assert.deepEqual(claimed.map(({ events: [event] }) => event.type).toSorted(), [
        'message.queued',
        'message.sent',
      ])
    })

    test('a test goes to its webhook alone, even if that is not enabled and much is waiting', async () => {
      const tested = await model.create({ ...everything, events: ['message.failed'] })
      await model.create(everything)
      await model.change(a, tested, { enabled: 0 })
      await store.transact(testWebhook, { organization: a, id: tested, now: model.now })
      const { claimed } = await model.settleAndClaim(a)
      assert.deepEqual(
        claimed.map(({ webhook, events: [event] }) => [webhook.id, event.type]),
        [[tested, 'webhook.test']],
      )
      const ended = claimed.map(({ seq }): [number, DeliveryVerdict] => [
        seq,
        { kind: 'again', at: model.now + 5_000 },
      ])
      assert.equal((await model.settleAndClaim(a, { ended })).nextAt, model.now + 5_000)
    })

    test('a test in a batch whose other events are given up is sent alone, at once', async () => {
      const id = await model.create({ ...everything, batch: 5 })
      await store.transact(testWebhook, { organization: a, id, now: model.now })
      await model.append(a, 'message.queued', null)
      const [both] = (await model.settleAndClaim(a)).claimed
      assert.ok(both && both.ids.length === 2)
      await model.append(a, 'message.queued', null)
      const failed: [number, DeliveryVerdict] = [both.seq, { kind: 'again', at: model.now + 5_000 }]
      const [last] = (await model.settleAndClaim(a, { ended: [failed] })).claimed
      assert.ok(last)
      assert.equal((await model.settleAndClaim(a, { ended: [[last.seq, { kind: 'gone' }]] })).more, true)
      const { claimed } = await model.settleAndClaim(a)
      assert.deepEqual(
        claimed.map(({ events }) => events.map(({ type }) => type)),
        [['webhook.test']],
      )
    })

    test('410 disables the webhook, an event says so, and what waits for it is given up but can be had again', async () => {
      const gone = await model.create(everything)
      const other = await model.create({ ...everything, events: ['webhook.disabled'] })
      for (let count = 0; count < 4; count++) await model.append(a, 'message.sent', null)
      const { claimed } = await model.settleAndClaim(a, { width: 1 })
      const claiming = await model.settleAndClaim(a, { ended: [[claimed[0]?.seq ?? 0, { kind: 'gone' }]] })
      const { webhooks, deliveries } = await model.rows()
      const row = webhooks.find(({ id }) => id === gone)
      assert.equal(row?.enabled, 0)
      const reason = JSON.parse(row.disabled_reason ?? '')
      assert.equal(reason.code, 'gone')
      assert.match(reason.detail, /^The receiver responded with 410 .+[.]$/)
      const [notice] = claiming.claimed
      assert.deepEqual([claiming.claimed.length, notice?.webhook.id], [1, other])
      assert.deepEqual(JSON.parse(notice?.events[0].data ?? ''), { webhook: { id: gone }, reason })
      const statuses = deliveries.filter(({ webhook_id }) => webhook_id === gone).map(({ status }) => status)
      assert.deepEqual(statuses, ['failed', 'failed', 'failed', 'failed'])
      await store.transact(testWebhook, { organization: a, id: gone, now: model.now })
      assert.deepEqual(
        (await model.settleAndClaim(a)).claimed.map(({ events: [event] }) => event.type),
        ['webhook.test'],
      )
      await model.change(a, gone, { enabled: 1 })
      const since = { since: 0, until: model.now + 1, missing: true, after: null, limit: 100 }
      const begun = await store.transact(redeliverEvents, {
        organization: a,
        webhook: gone,
        now: model.now,
        ...since,
      })
      assert.deepEqual(begun, { deliveries: 5, next: null }, 'four messages, and that it was disabled')
    })

    test('a webhook that is enabled while what waits for it is given up still gets the rest, in order', async () => {
      const id = await model.create(inOrder)
      await model.append(a, 'message.sent', 'support', 250)
      let claiming = await model.settleAndClaim(a, { limit: 250 })
      const first = claiming.claimed[0]
      while (claiming.more) claiming = await model.settleAndClaim(a)
      const { more } = await model.settleAndClaim(a, { ended: [[first?.seq ?? 0, { kind: 'gone' }]] })
      assert.equal(more, true, 'not everything is given up at once')
      await model.change(a, id, { enabled: 1 })
      await model.append(a, 'message.sent', 'support')
      await model.drain(organizations)
      const { deliveries } = await model.rows()
      const arrived = deliveries.filter(({ status }) => status === 'delivered')
      assert.ok(arrived.length > 1)
      assert.deepEqual(
        deliveries.filter(({ status }) => status === 'pending'),
        [],
      )
    })

    test('a page of deliveries continues after one that was forgotten meanwhile', async () => {
      const webhook = await model.create(everything)
      await model.append(a, 'message.sent', null, 3)
      await model.settleAndClaim(a)
      const ids = (await model.rows()).deliveries.map(({ id }) => id).toSorted()
      const of = { organization: a, webhook, status: null, limit: 10 }
      const page = async (before: string | null) =>
        (await store.read(listDeliveries, { ...of, before })).deliveries.map(({ id }) => id)
      // An id after the first, whose delivery is forgotten.
      const forgotten = `${ids[0]}0`
      assert.deepEqual(await page(null), ids.toReversed())
      assert.deepEqual(await page(forgotten), [ids[0]])
    })

    test('a webhook of which nothing arrived for five days is disabled at the next failure', async () => {
      const id = await model.create(everything)
      const state = async () => (await model.rows()).webhooks[0]
      const fail = async (verdict: DeliveryVerdict = { kind: 'failed' }) => {
        await model.append(a, 'message.sent', null)
        const { claimed } = await model.settleAndClaim(a)
        await model.settleAndClaim(a, { ended: claimed.map(({ seq }) => [seq, verdict]) })
      }
      const first = model.now
      await fail()
      assert.equal((await state())?.failing_since, first)
      model.now += 5 * day - 1
      await fail()
      assert.deepEqual([(await state())?.failing_since, (await state())?.enabled], [first, 1])
      await fail(delivered)
      assert.equal((await state())?.failing_since, null)
      const second = model.now
      await fail()
      model.now += 5 * day
      await fail()
      const { enabled, failing_since, disabled_reason } = (await state()) ?? {}
      assert.deepEqual([enabled, failing_since], [0, second])
      assert.equal(JSON.parse(disabled_reason ?? '').code, 'failing')
      await model.change(a, id, { enabled: 1 })
      await fail()
      assert.equal((await state())?.enabled, 1, 'whoever enables it begins anew')
    })

    test('what was said at an address that the webhook has left changes nothing for the present one', async () => {
      const id = await model.create(everything)
      await model.append(a, 'message.sent', null)
      const { claimed } = await model.settleAndClaim(a)
      await model.change(a, id, { url: 'https://example.org/moved' })
      await model.settleAndClaim(a, { ended: [[claimed[0]?.seq ?? 0, { kind: 'gone' }]] })
      const { webhooks, deliveries } = await model.rows()
      assert.deepEqual([webhooks[0]?.enabled, webhooks[0]?.failing_since], [1, null])
      assert.equal(deliveries[0]?.status, 'failed')
    })

    test('an attempt that ends after its webhook was removed leaves nothing', async () => {
      const id = await model.create(everything)
      await model.append(a, 'message.sent', null)
      const { claimed } = await model.settleAndClaim(a)
      await model.remove(a, id)
      await model.settleAndClaim(a, { ended: [[claimed[0]?.seq ?? 0, delivered]] })
      assert.deepEqual((await model.rows()).attempts, [])
    })

    test('a delivery whose event was removed is given up, and the next of its instance goes', async () => {
      await model.create(inOrder)
      for (let count = 0; count < 2; count++) await model.append(a, 'message.sent', 'first')
      await model.settleAndClaim(a, { capacity: { healthy: 0, failing: 0, shared: 0 } })
      await store.transact(forgetTestEvents, { organization: a, through: 1 })
      assert.deepEqual((await model.settleAndClaim(a)).claimed, [])
      assert.deepEqual(
        (await model.settleAndClaim(a)).claimed.map(({ events: [event] }) => event.sequence),
        [2],
      )
      assert.deepEqual((await model.rows()).deliveries[0]?.status, 'failed')
    })

    test('in order, one that does not arrive holds up those of its instance and no others', async () => {
      await model.create(inOrder)
      for (const instance of ['first', 'first', 'second', null, 'first', 'second'])
        await model.append(a, 'message.sent', instance)
      const begun = await model.settleAndClaim(a, { width: 10, limit: 10 })
      assert.deepEqual(begun.claimed.map(({ events: [event] }) => event.sequence).toSorted(), [1, 3, 4])
      const seqOf = (sequence: number) =>
        [...model.underway.values()].find(({ events: [event] }) => event.sequence === sequence)?.seq ?? 0
      const next = async (sequence: number, verdict: DeliveryVerdict) => {
        const { claimed } = await model.settleAndClaim(a, { width: 10, ended: [[seqOf(sequence), verdict]] })
        return claimed.map(({ events: [event] }) => event.sequence)
      }
      assert.deepEqual(await next(1, { kind: 'again', at: model.now + 5_000 }), [])
      assert.deepEqual(await next(3, delivered), [6])
      model.now += 5_000
      assert.deepEqual(await next(4, delivered), [1])
      assert.deepEqual(await next(6, delivered), [])
      assert.deepEqual(await next(1, { kind: 'failed' }), [2])
      assert.deepEqual(await next(2, delivered), [5])
    })

    test('in order, what is delivered again waits until what is under way of its instance is over', async () => {
      const webhook = await model.create(inOrder)
      for (let count = 0; count < 2; count++) await model.append(a, 'message.sent', 'first')
      const [first] = (await model.settleAndClaim(a)).claimed
      const [second] = (await model.settleAndClaim(a, { ended: [[first?.seq ?? 0, delivered]] })).claimed
      await store.transact(redeliver, { organization: a, webhook, id: first?.ids[0] ?? '', now: model.now })
      assert.deepEqual((await model.settleAndClaim(a)).claimed, [])
      const { claimed } = await model.settleAndClaim(a, { ended: [[second?.seq ?? 0, delivered]] })
      assert.deepEqual(
        claimed.map(({ events: [event] }) => event.sequence),
        [1],
      )
    })

    test('in order, however much waits for one that does not arrive, other instances are served', async () => {
      await model.create(inOrder)
      await model.append(a, 'message.sent', 'first')
      const [first] = (await model.settleAndClaim(a)).claimed
      const later: DeliveryVerdict = { kind: 'again', at: model.now + day }
      await model.settleAndClaim(a, { ended: [[first?.seq ?? 0, later]] })
      await model.append(a, 'message.sent', 'first', 500)
      await model.append(a, 'message.sent', 'second')
      const sequences: number[] = []
      for (let more = true; more; ) {
        const claiming = await model.settleAndClaim(a, { limit: 1_000 })
        sequences.push(...claiming.claimed.map(({ events: [event] }) => event.sequence))
        more = claiming.more
      }
      assert.deepEqual(sequences, [502])
    })

    test('what was held back for the order goes at once when there is no order', async () => {
      const id = await model.create(inOrder)
      await model.append(a, 'message.sent', 'first', 2)
      const [first] = (await model.settleAndClaim(a)).claimed
      await model.change(a, id, { ordering: 'none' })
      const sequences: number[] = []
      for (
        let more = true, ended: [number, DeliveryVerdict][] = [[first?.seq ?? 0, delivered]];
        more;
        ended = []
      ) {
        const claiming = await model.settleAndClaim(a, { ended })
        sequences.push(...claiming.claimed.map(({ events: [event] }) => event.sequence))
        more = claiming.more
      }
      assert.deepEqual(sequences, [2])
    })

    test('however much is held back for the order, some at a time is looked at, and nothing is forgotten', async () => {
      const id = await model.create(inOrder)
      await model.append(a, 'message.sent', 'first', 450)
      for (let count = 0; count < 2; count++) await model.settleAndClaim(a, { limit: 400, width: 1 })
      await model.change(a, id, { ordering: 'none' })
      await model.drain([a])
      const { deliveries } = await model.rows()
      assert.equal(deliveries.filter(({ status }) => status === 'delivered').length, 450)
    })

    test('those that fail take of the capacity for those that fail, one attempt each', async () => {
      const ids = [await model.create(everything), await model.create(everything)]
      for (let count = 0; count < 5; count++) await model.append(a, 'message.sent', null)
      const first = await model.settleAndClaim(a, { width: 1, limit: 50 })
      const failing = first.claimed.filter(({ webhook }) => webhook.id === ids[0])
      const again: DeliveryVerdict = { kind: 'again', at: model.now + 60_000 }
      const none = { healthy: 0, failing: 0, shared: 100 }
      const ended = failing.map(({ seq }): [number, DeliveryVerdict] => [seq, again])
      assert.deepEqual((await model.settleAndClaim(a, { ended, capacity: none })).lacks, {
        healthy: true,
        failing: true,
      })
      const healthy = await model.settleAndClaim(a, { capacity: { healthy: 100, failing: 0, shared: 100 } })
      assert.deepEqual(healthy.lacks, { healthy: false, failing: true })
      assert.deepEqual(
        healthy.claimed.map(({ webhook }) => webhook.id),
        [ids[1], ids[1]],
      )
      const { claimed } = await model.settleAndClaim(a, { capacity: { healthy: 0, failing: 9, shared: 100 } })
      assert.deepEqual(
        claimed.map(({ webhook }) => webhook.id),
        [ids[0]],
      )
    })

    test('if an organization has used its share, each of its webhooks may still make one attempt', async () => {
      const ids = [
        await model.create(everything),
        await model.create(everything),
        await model.create(everything),
      ]
      for (let count = 0; count < 9; count++) await model.append(a, 'message.sent', null)
      const { claimed } = await model.settleAndClaim(a, {
        width: 5,
        limit: 50,
        capacity: { healthy: 100, failing: 1, shared: 2 },
      })
      const counts = ids.map((id) => claimed.filter(({ webhook }) => webhook.id === id).length)
      assert.deepEqual(counts.toSorted(), [1, 1, 3])
      const scarce = { width: 5, capacity: { healthy: 1, failing: 1, shared: 100 } }
      const next = [
        await model.settleAndClaim(a, scarce),
        await model.settleAndClaim(a, scarce),
        await model.settleAndClaim(a, scarce),
      ]
      const who = next.map((claiming) => claiming.claimed[0]?.webhook.id)
      assert.equal(new Set(who).size, 3, 'they take turns')
    })

    test('the outcome of an attempt is stored as it was', async () => {
      await model.create(everything)
      await model.append(a, 'message.sent', null)
      const { claimed } = await model.settleAndClaim(a)
      const seq = claimed[0]?.seq ?? 0
      await model.settleAndClaim(a, { ended: [[seq, { kind: 'again', at: model.now + 5_000 }]] })
      const { attempts } = await model.rows()
      const said = { status_code: 500, error: null, body: 'Well.' }
      assert.deepEqual(
        attempts.map((row) => ({ ...row })),
        [{ delivery_seq: seq, number: 1, batch_id: null, started_at: model.now, duration: 7, ...said }],
      )
    })

    test('organizations with webhooks are listed in parts, with whether something waits', async () => {
      const look = async () => {
        const found = []
        for (let after = ''; ; after = found.at(-1)?.id ?? '') {
          const part = await store.read(organizationsToDeliver, { after, limit: 1 })
          if (part.length === 0) return found
          found.push(...part)
        }
      }
      assert.deepEqual(await look(), [])
      await model.append('org_b', 'message.sent', null)
      await model.create({ ...everything, organization: 'org_b' })
      await model.create(everything)
      assert.deepEqual(await look(), [
        { id: a, waits: false },
        { id: 'org_b', waits: true },
      ])
      await model.drain(organizations)
      await model.append(a, 'message.sent', null)
      assert.deepEqual(await look(), [
        { id: a, waits: true },
        { id: 'org_b', waits: false },
      ])
      const { claimed } = await model.settleAndClaim(a)
      const later: DeliveryVerdict = { kind: 'again', at: model.now + day }
      await model.settleAndClaim(a, { ended: claimed.map(({ seq }) => [seq, later]) })
      assert.equal((await look())[0]?.waits, true)
    })
  })
}
