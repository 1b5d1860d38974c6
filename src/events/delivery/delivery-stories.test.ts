import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { DeliveryFixture, organizations, storesUnderTest } from '../../../test/kit/stores/delivery-fixture.ts'
import type { DeliveryModel } from '../../../test/kit/stores/delivery-model.ts'
import type { EventType } from '../../contract/resources/event.ts'
import { skipBacklog, testWebhook } from '../webhook-store.ts'
import type { DeliveryVerdict } from './attempt/retry-schedule.ts'
import { redeliver } from './queue/redelivery.ts'

const types: EventType[] = ['message.queued', 'message.sent', 'message.received', 'instance.created']

const one = <T>(values: readonly T[]) => fc.constantFrom(...values)
const organization = one(organizations)
const instance = fc.option(one(['first', 'second']), { freq: 4 })
const anyVerdict = fc.oneof(
  { weight: 15, arbitrary: fc.constant({ kind: 'delivered' } as const) },
  { weight: 9, arbitrary: fc.nat(5_000).map((delay) => ({ kind: 'again', delay }) as const) },
  { weight: 3, arbitrary: fc.constant({ kind: 'failed' } as const) },
  { weight: 4, arbitrary: fc.constant({ kind: 'split' } as const) },
  { weight: 1, arbitrary: fc.constant({ kind: 'gone' } as const) },
)

type Step = (fixture: DeliveryFixture) => Promise<unknown>

/** A step that names itself when fast-check shows a story that went wrong. */
function step<W>(
  what: string,
  wishes: fc.Arbitrary<W>,
  act: (fixture: DeliveryFixture, wish: W) => Promise<unknown>,
) {
  return wishes.map((wish): Step => {
    const shown = { [fc.toStringMethod]: () => `${what} ${JSON.stringify(wish)}` }
    return Object.assign((fixture: DeliveryFixture) => act(fixture, wish), shown)
  })
}

/** One of what is there, chosen by a number. */
const chosen = <T>(list: readonly T[], which: number): T | undefined => list[which % list.length]

const create = step(
  'create',
  fc.record({
    organization,
    events: fc.option(fc.uniqueArray(one(types), { minLength: 1 }), { freq: 1 }),
    instances: fc.option(fc.uniqueArray(one(['first', 'second']), { minLength: 1 })),
    ordering: one(['none', 'per_instance'] as const),
    batch: one([1, 2, 5]),
  }),
  ({ model }, wish) => model.create(wish),
)

const append = step(
  'append',
  fc.record({ organization, type: one(types), instance, count: one([1, 1, 2, 5]) }),
  ({ model }, { organization, type, instance, count }) => model.append(organization, type, instance, count),
)

const someChange = fc.oneof(
  one([0, 1] as const).map((enabled) => ({ enabled })),
  one([0, 1] as const).map((paused) => ({ paused })),
  one([1, 2, 3]).map((batch) => ({ batch })),
  one(['none', 'per_instance'] as const).map((ordering) => ({ ordering })),
  fc.option(one(types)).map((type) => ({ event_types: type && JSON.stringify([type]) })),
)

const change = step(
  'change',
  fc.record({ which: fc.nat(), change: fc.oneof(someChange, fc.constantFrom('remove', 'test')) }),
  async ({ store, model }, { which, change }) => {
    const webhook = chosen((await model.rows()).webhooks, which)
    if (!webhook) return
    const { organization_id: organization, id } = webhook
    if (typeof change === 'object') await model.change(organization, id, change)
    else if (change === 'remove') await model.remove(organization, id)
    else await store.transact(testWebhook, { organization, id, now: model.now })
  },
)

const again = step('redeliver', fc.nat(), async ({ store, model }, which) => {
  const row = chosen((await model.rows()).deliveries, which)
  if (!row) return
  const { organization_id: organization, webhook_id: webhook, id } = row
  await store.transact(redeliver, { organization, webhook, id, now: model.now })
})

const wait = step('wait', fc.nat(4_000), async ({ model }, milliseconds) => {
  model.now += milliseconds
})

const settleAndClaimOf = (whose: fc.Arbitrary<string>, endings: fc.Arbitrary<[number, AnyVerdict][]>) =>
  step(
    'settleAndClaim',
    fc.record({
      organization: whose,
      ended: endings,
      limit: fc.integer({ min: 1, max: 8 }),
      width: fc.integer({ min: 1, max: 4 }),
      lost: fc.boolean(),
    }),
    async ({ model }, { ended: endings, ...wish }) => {
      const underway = [...model.underway.values()].filter(
        ({ webhook }) => webhook.organization_id === wish.organization,
      )
      const ended = new Map<number, DeliveryVerdict>()
      for (const [which, verdict] of endings) {
        const delivery = chosen(underway, which)
        const { now } = model
        if (delivery) ended.set(delivery.seq, verdictOf(verdict, now, delivery.ids.length > 1))
      }
      await model.settleAndClaim(wish.organization, { ...wish, ended: [...ended] })
    },
  )

const settleAndClaim = settleAndClaimOf(
  organization,
  fc.array(fc.tuple(fc.nat(), anyVerdict), { maxLength: 4 }),
)

type AnyVerdict = typeof anyVerdict extends fc.Arbitrary<infer V> ? V : never

/** Returns the consequence of an attempt at a time; a delivery alone is not split. */
function verdictOf(verdict: AnyVerdict, now: number, isBatch: boolean): DeliveryVerdict {
  if (verdict.kind === 'again') return { kind: 'again', at: now + verdict.delay }
  if (verdict.kind === 'split') return { kind: isBatch ? 'split' : 'again', at: now }
  return verdict
}

const skip = step(
  'skip',
  fc.record({ which: fc.nat(), ago: fc.nat(3_000) }),
  async ({ store, model }, { which, ago }) => {
    const webhook = chosen((await model.rows()).webhooks, which)
    if (!webhook) return
    const { organization_id: organization, id } = webhook
    const { now } = model
    const skipped = await store.transact(skipBacklog, {
      organization,
      id,
      until: now - ago,
      place: null,
      now,
    })
    assert.equal(skipped?.next, null)
  },
)

const story = fc.array(
  fc.oneof(
    { weight: 3, arbitrary: create },
    { weight: 8, arbitrary: append },
    { weight: 2, arbitrary: change },
    { weight: 1, arbitrary: again },
    { weight: 1, arbitrary: skip },
    { weight: 1, arbitrary: wait },
    { weight: 9, arbitrary: settleAndClaim },
  ),
  { maxLength: 60, size: 'max' },
)

const soleWebhook = step(
  'create',
  fc.record({
    organization: fc.constant('org_a'),
    events: fc.constant(null),
    instances: fc.constant(null),
    ordering: one(['none', 'per_instance'] as const),
    batch: one([2, 3, 5]),
  }),
  ({ model }, wish) => model.create(wish),
)

const appendToIt = step(
  'append',
  fc.record({ instance, count: one([1, 2, 5]) }),
  ({ model }, { instance, count }) => model.append('org_a', 'message.queued', instance, count),
)

const changeIt = step(
  'change',
  fc.oneof(
    one(['none', 'per_instance'] as const).map((ordering) => ({ ordering })),
    one([1, 2, 5]).map((batch) => ({ batch })),
  ),
  async ({ model }, change) => {
    for (const { id } of (await model.rows()).webhooks) await model.change('org_a', id, change)
  },
)

const settleAndClaimIt = settleAndClaimOf(
  fc.constant('org_a'),
  fc.array(fc.tuple(fc.nat(), anyVerdict), { maxLength: 2 }),
)

const anything = fc.oneof(skip, wait, again, appendToIt)

/** One webhook with batches that changes its mind about them and about the order while something is under way. */
const storyOfBatches = fc
  .tuple(
    soleWebhook,
    fc.array(
      fc.tuple(
        appendToIt,
        appendToIt,
        settleAndClaimIt,
        settleAndClaimIt,
        changeIt,
        settleAndClaimIt,
        anything,
      ),
      {
        minLength: 1,
        maxLength: 5,
        size: 'max',
      },
    ),
  )
  .map(([first, rounds]) => [first, ...rounds.flat()])

const runs = { SQLite: 60, PostgreSQL: 10 }

for (const storeUnderTest of await storesUnderTest()) {
  describe(`stories of deliveries in ${storeUnderTest.name}`, { skip: storeUnderTest.skip }, () => {
    const fixture = new DeliveryFixture(storeUnderTest)

    const holds = async (stories: fc.Arbitrary<Step[]>) => {
      const play = fc.asyncProperty(stories, async (steps) => {
        await fixture.begin()
        for (const take of steps) await take(fixture)
        await endsWell(fixture.model)
      })
      const numRuns = Number(process.env.POSTHORN_TEST_DELIVERY_RUNS ?? runs[storeUnderTest.name])
      await fc.assert(play, { numRuns })
    }

    test('whatever happens, every event goes once to each webhook that wants it, and in order if it is to', () =>
      holds(story))

    test('the same holds while a webhook changes its mind about batches and the order', () =>
      holds(storyOfBatches))
  })
}

/** Everything that is left is delivered, once every webhook is enabled and every receiver well. */
async function endsWell(model: DeliveryModel): Promise<void> {
  for (const { organization_id: organization, id } of (await model.rows()).webhooks)
    await model.change(organization, id, { enabled: 1, paused: 0 })
  await model.drain(organizations)
  const { deliveries, organizations: counters, webhooks } = await model.rows()
  const wanted = new Set(webhooks.map(({ id }) => id))
  const pending = deliveries.filter((row) => row.status === 'pending' && wanted.has(row.webhook_id))
  assert.deepEqual(pending, [])
  for (const { id, last_event, last_fanned_out } of counters)
    if (webhooks.some(({ organization_id }) => organization_id === id))
      assert.equal(last_fanned_out, last_event)
}
