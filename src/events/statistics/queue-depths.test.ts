import assert from 'node:assert/strict'
import fc from 'fast-check'
import { outboxCommands, RealOutbox } from '../../../test/kit/stores/outbox-commands.ts'
import { instances, OutboxModel } from '../../../test/kit/stores/outbox-model.ts'
import { testOnBothStores } from '../../../test/kit/stores/outbox-on-both-stores.ts'
import { inspectOutbox, resetOutbox } from '../../../test/kit/stores/outbox-store.ts'
import type { Store } from '../../store/store.ts'
import type { Span } from '../../store/tables/statistics.ts'
import { lengthOf, startOf } from './interval.ts'
import { depthsAtEnds } from './queue-depths.ts'
import { countSomeEvents, readCounts } from './statistics-store.ts'

/*
 * After any course of messages and at any time of counting, the depth of a queue at the end of an hour is the number of
 * messages that were in it then. The judge looks at the messages themselves.
 */

const organization = 'org_test'
const names = ['', ...instances.map(({ id }) => id)]
const { hour, day } = lengthOf
const begin = startOf('day', new OutboxModel().now)

/** An outbox, and who looks at its messages at the end of each hour. */
class WatchedOutbox extends RealOutbox {
  /** Number of messages that wait in each queue, and since when, as the times of events tell it. */
  readonly seen: { readonly at: number; readonly waiting: ReadonlyMap<string, number> }[] = []

  async look(): Promise<void> {
    const { messages, organizations } = await this.store.read(inspectOutbox, null)
    const waiting = messages.filter(({ status }) => status === 'queued' || status === 'sending')
    const of = (name: string) => waiting.filter(({ instance_name }) => name === '' || name === instance_name)
    const at = organizations.find(({ id }) => id === organization)?.last_event_at ?? 0
    this.seen.push({ at, waiting: new Map(names.map((name) => [name, of(name).length])) })
  }

  /** Returns the number of messages that waited before a moment. */
  waitingBefore(moment: number, name: string): number {
    return this.seen.findLast(({ at }) => at < moment)?.waiting.get(name) ?? 0
  }
}

type Command = fc.AsyncCommand<OutboxModel, WatchedOutbox>

const watched = (of: fc.Arbitrary<fc.AsyncCommand<OutboxModel, RealOutbox>>): fc.Arbitrary<Command> =>
  of.map((command) => ({
    check: (model) => command.check(model),
    async run(model, real) {
      await command.run(model, real)
      await real.look()
    },
    toString: () => command.toString(),
  }))

const hoursPass = (hours: number): Command => ({
  check: () => true,
  async run(model) {
    model.passTime(hours * hour)
  },
  toString: () => `${hours} hours pass`,
})

const countSome = (limit: number): Command => ({
  check: () => true,
  async run(_, { store }) {
    await store.transact(countSomeEvents, { organization, limit })
  },
  toString: () => `count ${limit} events`,
})

const commands = [
  ...outboxCommands.map(watched),
  ...Array.from({ length: 5 }, () => fc.integer({ min: 1, max: 9 }).map(hoursPass)),
  ...Array.from({ length: 4 }, () => fc.integer({ min: 1, max: 20 }).map(countSome)),
]

async function assertDepths(real: WatchedOutbox, span: Span, from: number, to: number): Promise<void> {
  const { rows, depths } = await real.store.read(readCounts, {
    ...{ organization, span, instances: names, from, to },
  })
  const starts: number[] = []
  for (let at = from; at < to; at += lengthOf[span]) starts.push(at)
  for (const name of names) {
    const own = rows.filter(({ instance_name }) => instance_name === name)
    const ends = depthsAtEnds(starts, own, depths.get(name) ?? 0)
    const told = starts.map((at) => ends.get(at))
    const seen = starts.map((at) => real.waitingBefore(at + lengthOf[span], name))
    assert.deepEqual(told, seen, `${span}s of "${name}"`)
  }
}

async function tellsWhatWasThere(store: Store, numRuns: number): Promise<void> {
  const stories = fc.asyncProperty(fc.commands(commands, { maxCommands: 60, size: 'max' }), async (story) => {
    await store.transact(resetOutbox, instances)
    const real = new WatchedOutbox(store)
    await fc.asyncModelRun(() => ({ model: new OutboxModel(), real }), story)
    while ((await store.transact(countSomeEvents, { organization, limit: 100 })).more);
    const end = Math.max(begin, ...real.seen.map(({ at }) => at)) + hour
    await assertDepths(real, 'hour', begin, startOf('hour', end) + hour)
    await assertDepths(real, 'day', begin, startOf('day', end) + day)
    // A time that is long past is told by what came next.
    await assertDepths(real, 'hour', begin, begin + day)
    await assertDepths(real, 'hour', begin + day, begin + 2 * day)
  })
  await fc.assert(stories, { numRuns, endOnFailure: false })
}

testOnBothStores('the depth of a queue is how many messages waited at the end of the hour', (store) =>
  // Each step waits for the disk of PostgreSQL, and what the stories find out, they find in SQLite.
  tellsWhatWasThere(store, store.dialect === 'sqlite' ? 60 : 5),
)
