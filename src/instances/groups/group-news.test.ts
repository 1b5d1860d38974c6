import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FakeTime } from '../../../test/kit/fake-time.ts'
import { sharesForTests } from '../../../test/kit/shares.ts'
import { maxToldMembers } from '../../contract/resources/people/group.ts'
import type { GroupChanged } from '../../networks/driver/abilities/groups.ts'
import { silentLog } from '../../runtime/log.ts'
import { type Store, StoreUnavailable } from '../../store/store.ts'
import { GroupNews } from './group-news.ts'
import type { ToldGroupChange } from './group-news-store.ts'

/** The news of one instance, with a store that does what the test says. */
function setUp() {
  const time = new FakeTime()
  const stored: ToldGroupChange[] = []
  const fixture = { fault: null as Error | null, calls: 0 }
  const transact = async (_: unknown, { news }: { news: ToldGroupChange[] }) => {
    fixture.calls++
    if (fixture.fault) throw fixture.fault
    stored.push(...news)
  }
  const context = {
    ...{ clock: time.clock, alarms: time.alarms as never, log: silentLog },
    ...{ store: { transact } as unknown as Store, incomingCapacity: { limit: null } },
  }
  const share = sharesForTests().of('org_1')
  const news = new GroupNews(context, 'inst_1', share.holding('incoming'))
  const changed = (group: string, subject: string, more: Partial<GroupChanged> = {}): GroupChanged => ({
    ...{ kind: 'group-changed', group, change: 'renamed', subject, at: time.now, ...more },
  })
  return { time, stored, fixture, news, changed, share }
}

const done = () => new Promise(setImmediate)
/** The changes that were told of a group, with their subjects. */
const told = (stored: readonly ToldGroupChange[], group: string) =>
  stored.filter((one) => one.group === group).map(({ change, subject }) => `${change} ${subject}`)

test('changes are stored in order, and one that is told twice is stored once', async () => {
  const { stored, news, changed } = setUp()
  const results = [
    news.take(changed('g', 'one')),
    news.take(changed('g', 'one')),
    news.take(changed('g', 'two')),
  ]
  assert.deepEqual(await Promise.all(results), [true, true, true])
  assert.equal(await news.take(changed('g', 'one')), true)
  assert.deepEqual(told(stored, 'g'), ['renamed one', 'renamed two'])
})

test('a group that changes ten thousand times a second is told as having changed, and others are not held up', async () => {
  const { time, stored, fixture, news, changed } = setUp()
  for (let second = 0; second < 60; second++) {
    for (let count = 0; count < 1_000; count++) void news.take(changed('bad', `${second} ${count}`))
    if (second % 10 === 0) assert.equal(await news.take(changed(`good${second}`, 'fine')), true)
    await done()
    time.pass(1_000)
  }
  await done()
  assert.ok(told(stored, 'bad').length <= 42, String(told(stored, 'bad').length))
  assert.ok(fixture.calls < 100)
  assert.equal(told(stored, 'bad').at(-1), 'changed 59 999')
  for (const second of [0, 10, 20, 30, 40, 50])
    assert.deepEqual(told(stored, `good${second}`), ['renamed fine'])
})

test('many groups that change often share the rate of their instance, and more than are remembered are dropped', async () => {
  const { time, stored, news, changed } = setUp()
  for (let second = 0; second < 60; second++) {
    for (let count = 0; count < 3_000; count++)
      void news.take(changed(`bad${count % 300}`, `${second} ${count}`))
    await done()
    time.pass(1_000)
  }
  await done()
  assert.ok(stored.length <= 240, String(stored.length))
})

test('a single change beyond the rate is told as it was', async () => {
  const { time, stored, news, changed } = setUp()
  for (let count = 0; count < 20; count++) void news.take(changed('g', `${count}`))
  void news.take(changed('g', 'last', { members: ['ana'], by: 'bo' }))
  await done()
  assert.equal(stored.length, 20)
  time.pass(4_000)
  await done()
  assert.deepEqual([stored.at(-1)?.change, stored.at(-1)?.by], ['renamed', 'bo'])
})

test('while the store is away some are held, what is beyond is not stored, and nothing stays in memory', async () => {
  const { time, stored, fixture, news, changed, share } = setUp()
  fixture.fault = new StoreUnavailable('the store is away')
  const results = Array.from({ length: 120 }, (_, at) => news.take(changed(`g${at}`, 'x')))
  await done()
  fixture.fault = null
  for (let waits = 0; waits < 5; waits++) {
    time.pass(10_000)
    await done()
  }
  const isStored = await Promise.all(results)
  assert.equal(isStored.filter(Boolean).length, 100)
  assert.equal(stored.length, 100)
  assert.equal(share.full, false)
  fixture.fault = new Error('a mistake')
  assert.equal(await news.take(changed('g', 'wrong')), false)
  fixture.fault = null
  assert.equal(await news.take(changed('g', 'wrong')), true)
})

test('the end stores what was put together, and waits for nothing', async () => {
  const { stored, news, changed } = setUp()
  for (let count = 0; count < 30; count++) void news.take(changed('g', `${count}`))
  await news.end()
  assert.equal(told(stored, 'g').at(-1), 'changed 29')
})

test('what a network tells is cut: a million members, addresses of a megabyte, a time to come', async () => {
  const { time, stored, news, changed } = setUp()
  const members = Array.from({ length: 1_000_000 }, (_, at) => `m${at}`)
  await news.take(
    changed('g', 'x'.repeat(1_000_000), { members, by: 'y'.repeat(2_000), at: time.now + 99_999 }),
  )
  const [one] = stored
  assert.deepEqual([one?.members.length, one?.members_left_out], [maxToldMembers, 999_900])
  assert.deepEqual([one?.by, one?.at, one?.subject?.length], [null, time.now, 256])
  assert.equal(await news.take(changed('z'.repeat(2_000), 'x')), true)
  const long = Array.from({ length: 100 }, (_, at) => `${at}${'m'.repeat(1_000)}`)
  await news.take(changed('g', 'x', { members: long }))
  assert.ok((stored.at(-1)?.members.length ?? 100) < 20)
  assert.equal(stored.length, 2)
})
