import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { FakeTime } from '../../test/kit/fake-time.ts'
import { silentLog } from '../runtime/log.ts'
import { type StoreForAll, StoreUnavailable } from '../store/store.ts'
import { Duties, housekeeping } from './duties.ts'
import { lookAtDuties, releaseDuty } from './duty-store.ts'

/*
 * A node gives a duty to another one, and from then on only that one has it, however late a look at the store says otherwise. The store
 * here answers when the play says so.
 */

const second = 1_000
const turnOfLoop = async () => {
  for (let step = 0; step < 5; step++) await new Promise(setImmediate)
}

let time = new FakeTime()
/** The duties as they are stored. */
let stored: { held: readonly string[]; over: readonly string[] }
/** Looks that are answered later; their answers say what was stored when they began. */
let late: (() => void)[]
let isLate = false
let fails: 'after' | undefined
let gained = 0
let lost: string[] = []

beforeEach(() => {
  time = new FakeTime()
  stored = { held: [housekeeping, 'organizations/1'], over: [] }
  late = []
  isLate = false
  fails = undefined
  gained = 0
  lost = []
})

function store(): StoreForAll {
  const look = () => {
    const seen = { ...stored, free: [] }
    return isLate ? new Promise((resolve) => late.push(() => resolve(seen))) : Promise.resolve(seen)
  }
  const release = async ({ duty }: { duty: string }) => {
    stored = { held: stored.held.filter((one) => one !== duty), over: [] }
    if (fails) throw new StoreUnavailable('the answer was lost')
  }
  return {
    read: (query: unknown) => (query === lookAtDuties ? look() : assert.fail()),
    transact: (transaction: unknown, args: never) =>
      transaction === releaseDuty ? release(args) : assert.fail(),
  } as never
}

/** The duties of a node, which lets go of each when the returned function is called. */
async function begun() {
  const node = { id: 'node_one', trusted: true, isAlone: false } as never
  const duties = new Duties({ store: store(), node, alarms: time.alarms, log: silentLog })
  await duties.take()
  const { promise, resolve: letGo } = Promise.withResolvers<void>()
  duties.begin({
    gained: () => gained++,
    lost: (duty) => {
      lost.push(duty)
      return promise
    },
  })
  return { duties, letGo }
}

/** Lets a node look, which is to give this duty away. */
async function givingAway(duty: string) {
  const begins = await begun()
  stored = { ...stored, over: [duty] }
  time.pass(second)
  await turnOfLoop()
  assert.deepEqual(lost, [duty])
  assert.equal(begins.duties.has(duty), false)
  return begins
}

test('a look that began before a duty was given away does not bring it back', async () => {
  const { duties, letGo } = await givingAway(housekeeping)
  isLate = true
  time.pass(second)
  await turnOfLoop()
  assert.equal(late.length, 1)
  letGo()
  await turnOfLoop()
  late[0]?.()
  await turnOfLoop()
  assert.equal(duties.has(housekeeping), false)
  assert.equal(gained, 0)
  assert.deepEqual(lost, [housekeeping])
  assert.equal(duties.has('organizations/1'), true)
  duties.end()
})

test('a duty of which the store does not say whether it was given away is not done until it says so', async () => {
  const { duties, letGo } = await givingAway(housekeeping)
  fails = 'after'
  letGo()
  await turnOfLoop()
  assert.equal(duties.has(housekeeping), false)
  // It was not given away after all.
  stored = { held: [housekeeping, 'organizations/1'], over: [] }
  time.pass(second)
  await turnOfLoop()
  assert.equal(duties.has(housekeeping), true)
  assert.equal(gained, 1)
  duties.end()
})
