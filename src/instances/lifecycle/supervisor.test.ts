import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FakeTime } from '../../../test/kit/fake-time.ts'
import { sharesForTests } from '../../../test/kit/shares.ts'
import { settleAndClaim } from '../../messages/outbox/queue/settle-and-claim.ts'
import { expireMessages } from '../../messages/outbox/sweep/sweep.ts'
import type { ConnectContext } from '../../networks/driver/connection.ts'
import type { Driver } from '../../networks/driver/driver.ts'
import { networksOf } from '../../networks/driver/registry.ts'
import { sandbox } from '../../networks/sandbox/driver.ts'
import { Changes } from '../../runtime/changes.ts'
import { silentLog } from '../../runtime/log.ts'
import { StoreUnavailable } from '../../store/store.ts'
import { recordConnection } from '../connection/connection-store.ts'
import { Supervisor } from './supervisor.ts'
import {
  countInstances,
  findFree,
  hasFreeInstances,
  listOwn,
  releaseInstance,
  takeOverInstances,
} from './take-over.ts'

const instance = {
  id: 'inst_1',
  organization_id: 'org_1',
  name: 'one',
  network: 'sandbox',
  wanted: 'running',
  linked_at: null,
  epoch: 1,
}

const taken = {
  ...{ instances: [{ ...instance, status: 'connecting' }], numbers: [1] },
  recovered: { interrupted: 0, next: null },
}

/** A network that lets everybody in at once. */
const open: Driver = {
  ...sandbox(),
  connect({ report }: ConnectContext) {
    setImmediate(() => report({ kind: 'connection-opened' }))
    return { send: () => new Promise(() => {}), probe: () => {}, close: async () => {} }
  },
}

const stored = () => ({ settings: '{}', credentials: new Uint8Array(), restriction: null })

/** State of the store, as the play sets it and counts what is asked. */
const newFixture = (time: FakeTime) => ({
  ...{ time, away: false, calls: 0, recorded: 0, clockAhead: 0 },
  takingOver: Promise.resolve(),
})

/** The answers of a store in which nothing is due, by the transaction. */
function answersOf(fixture: ReturnType<typeof newFixture>): ReadonlyMap<unknown, () => unknown> {
  const checkStore = () => {
    if (fixture.away) throw new StoreUnavailable('the store is away')
  }
  return new Map<unknown, () => unknown>([
    [takeOverInstances, () => fixture.takingOver.then(() => taken)],
    [releaseInstance, checkStore],
    [
      recordConnection,
      () => {
        fixture.recorded++
        checkStore()
      },
    ],
    [
      expireMessages,
      () => {
        checkStore()
        return { expired: [], more: false }
      },
    ],
    [
      settleAndClaim,
      () => {
        fixture.calls++
        return { claimed: [], refused: [], nextDueAt: null }
      },
    ],
  ])
}

/** One instance that is connected. */
async function setUp({ isAlone = true } = {}) {
  const time = new FakeTime()
  const fixture = newFixture(time)
  const answers = answersOf(fixture)
  const owned = [{ id: 'inst_1', organization_id: 'org_1' }]
  const found = new Map<unknown, () => unknown>([
    [listOwn, () => owned.splice(0)],
    [countInstances, () => 1],
    [findFree, () => []],
    [hasFreeInstances, () => false],
  ])
  const supervisor = new Supervisor({
    ...time,
    clock: { ...time.clock, now: () => time.now + fixture.clockAhead },
    store: {
      transact: async (transaction: unknown) => answers.get(transaction)?.(),
      read: async (query: unknown) => (found.get(query) ?? stored)(),
    },
    node: { id: 'node_one', isAlone, trusted: true },
    isOnDuty: () => true,
    elsewhere: { gave: () => {} },
    peers: { running: [] },
    secrets: { access: () => ({}), openCredentials: () => ({}) },
    networks: networksOf([open]),
    connectRate: undefined,
    shares: sharesForTests(),
    callbackUrls: { of: () => null, isAbandoned: async () => false },
    ...{ http: { of: () => ({}) }, random: () => 0, log: silentLog },
    ...{ instanceChanges: new Changes(), messageChanges: new Changes() },
    metrics: { attempted: () => {}, disconnected: () => {} },
  } as never)
  await supervisor.takeOver()
  supervisor.begin()
  await done()
  return Object.assign(fixture, { supervisor })
}

async function done(): Promise<void> {
  for (let step = 0; step < 10; step++) await new Promise(setImmediate)
}

/** Lets a second pass; returns how often the instance has looked for due work by then. */
async function callsAfterSecond(fixture: { time: FakeTime; calls: number }): Promise<number> {
  fixture.time.pass(1_000)
  await done()
  return fixture.calls
}

test('once the store answers again, every instance looks whether a sweep that was not answered freed a lane', async () => {
  const fixture = await setUp()
  const second = () => callsAfterSecond(fixture)
  assert.deepEqual(
    [fixture.calls, await second()],
    [1, 1],
    'nothing follows from a sweep that gave up nothing',
  )
  fixture.away = true
  assert.equal(await second(), 1)
  fixture.away = false
  assert.deepEqual([await second(), await second()], [2, 2])
})

test('when the clock was set, every instance looks for what is due by it', async () => {
  const fixture = await setUp()
  const second = () => callsAfterSecond(fixture)
  for (const [ahead, calls] of [
    [0, 1],
    [3_600_000, 2],
    [3_600_500, 2],
    [-3_600_000, 3],
  ] as const) {
    fixture.clockAhead = ahead
    assert.deepEqual([await second(), await second()], [calls, calls])
  }
})

for (const isAlone of [false, true])
  test(`an instance goes on if the store does not say what became of it, ${isAlone ? 'alone' : 'beside others'}`, async () => {
    const fixture = await setUp({ isAlone })
    const { supervisor } = fixture
    fixture.away = true
    const { signal } = new AbortController()
    await assert.rejects(supervisor.release('inst_1', signal), StoreUnavailable)
    assert.equal(supervisor.runnerOf('inst_1'), undefined)
    fixture.away = false
    await callsAfterSecond(fixture)
    assert.ok(supervisor.runnerOf('inst_1'))
  })

test('what another node gives to this one runs at once, and what it runs is not taken again', async () => {
  const fixture = await setUp({ isAlone: false })
  const { supervisor } = fixture
  const runner = supervisor.runnerOf('inst_1')
  supervisor.takeGiven({ id: 'inst_1', organization_id: 'org_1' })
  await done()
  assert.equal(supervisor.runnerOf('inst_1'), runner)
  await supervisor.release('inst_1', new AbortController().signal)
  supervisor.takeGiven({ id: 'inst_1', organization_id: 'org_1' })
  await done()
  assert.equal(supervisor.runnerOf('inst_1')?.status, 'connected')
})

test('what could not be stored of an instance is not stored over what the next node says of it', async () => {
  const fixture = await setUp({ isAlone: false })
  const { supervisor } = fixture
  fixture.away = true
  await supervisor.perform('inst_1', 'order', 'stop')
  fixture.away = false
  await supervisor.release('inst_1', new AbortController().signal)
  const { recorded } = fixture
  await callsAfterSecond(fixture)
  await callsAfterSecond(fixture)
  assert.equal(fixture.recorded, recorded)
})

test('an order that comes while its instance is taken over waits for it, and is carried out', async () => {
  const fixture = await setUp({ isAlone: false })
  const { supervisor } = fixture
  await supervisor.release('inst_1', new AbortController().signal)
  const { promise, resolve: answer } = Promise.withResolvers<void>()
  fixture.takingOver = promise
  supervisor.takeGiven({ id: 'inst_1', organization_id: 'org_1' })
  await done()
  const ordered = supervisor.perform('inst_1', 'order', 'stop')
  await done()
  answer()
  assert.equal(await ordered, null)
  await done()
  assert.equal(supervisor.runnerOf('inst_1')?.status, 'stopped')
})

test('what is taken over while the node ends is left to those that run', async () => {
  const fixture = await setUp({ isAlone: false })
  const { supervisor } = fixture
  const { signal } = new AbortController()
  await supervisor.release('inst_1', signal)
  const { promise, resolve: answer } = Promise.withResolvers<void>()
  fixture.takingOver = promise
  supervisor.takeGiven({ id: 'inst_1', organization_id: 'org_1' })
  await done()
  const ended = supervisor.end(signal)
  answer()
  await ended
  await done()
  assert.equal(supervisor.runnerOf('inst_1'), undefined)
})
