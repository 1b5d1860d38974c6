import assert from 'node:assert/strict'
import { test } from 'node:test'
import { processorTime, tellsProcessorTime } from '../../../bench/processor.ts'
import { Attacker } from '../../kit/attacks/attacker.ts'
import { waitForNothing } from '../../kit/attacks/connections.ts'
import { followUnknown } from '../../kit/attacks/followers.ts'
import { endlessChats, endlessReactions, hostileServers } from '../../kit/attacks/hostile-servers.ts'
import { fillWithCallbacks, fillWithTexts, removeInstances } from '../../kit/attacks/removals.ts'
import { attackers, Stage, underWay } from '../../kit/attacks/stage.ts'
import { kills } from '../../kit/crash/kills.ts'
import { eventually } from '../../kit/play.ts'
import { residentMemory } from '../../kit/resident-memory.ts'
import { rowsIn } from '../../kit/rows.ts'

/* While one organization has as much written as it can, the calls of another are answered in turn with that. */

/** Returns the `number` that a query finds for the attackers. */
async function numberOf(stage: Stage, query: string): Promise<number> {
  const [row] = await rowsIn<{ number: number | string }>(stage.data, query)
  return Number(row?.number ?? 0)
}

const calls = 20
const texts = 40
/** The most megabytes that a flood may add to the memory of the server. */
const maxGrowth = 64

test('beside 30 servers that send chats without end, few of these are stored for each call of the neighbour', async (t) => {
  const stage = await Stage.open(t)
  const attacking = await stage.attacking()
  t.after(await hostileServers(attacking, 30, endlessChats))
  const stored = () =>
    numberOf(stage, `select incoming_messages as number from organizations where name = '${attackers}'`)
  await underWay(stored, 1_000)
  const most = calls * 200
  const meanwhile = await stage.whileAnswered(calls, stored, most)
  t.diagnostic(`${meanwhile / calls} chats for each call of the neighbour`)
  assert.ok(meanwhile <= most, `${meanwhile} chats were stored during ${calls} calls of the neighbour`)
})

test('beside one person who reacts without end, the neighbour has its turns, and memory stays', async (t) => {
  const stage = await Stage.open(t)
  t.after(await hostileServers(await stage.attacking(), 1, endlessReactions))
  const stored = () =>
    numberOf(stage, `select incoming_messages as number from organizations where name = '${attackers}'`)
  await underWay(stored, 1_000)
  const before = residentMemory(stage.pid)
  const most = calls * 200
  const meanwhile = await stage.whileAnswered(calls, stored, most)
  const grown = (residentMemory(stage.pid) - before) / 1e6
  t.diagnostic(`${meanwhile / calls} reactions for each call of the neighbour; ${grown.toFixed(0)} MB more`)
  assert.ok(meanwhile <= most, `${meanwhile} reactions were stored during ${calls} calls of the neighbour`)
  assert.ok(grown <= maxGrowth, `memory grew by ${grown} MB`)
})

test('beside 30 callers who send batches of a hundred texts, the neighbour has its turns', async (t) => {
  const stage = await Stage.open(t)
  const callers = 30
  const attacker = new Attacker(await stage.attacking(), callers)
  t.after(() => attacker.end())
  await attacker.createInstance('bulk', { stopped: true })
  const messages = Array.from({ length: 100 }, (_, number) => ({
    ...{ type: 'text', instance: 'bulk', to: `b${number}@accepts.sandbox`, text: 'x'.repeat(1_000) },
  }))
  attacker.keepAsking(() => attacker.ask('POST', '/v1/messages/batch', { body: { messages } }))
  await underWay(() => attacker.answered)
  // If everybody waited for all who came before, 30 batches would go before each call.
  const most = (calls * callers) / 4
  const answered = await stage.whileAnswered(calls, () => attacker.answered, most)
  t.diagnostic(`${answered / calls} batches for each call of the neighbour`)
  assert.ok(answered <= most, `${answered} batches went before ${calls} calls of the neighbour`)
  assert.equal(attacker.refused, 0, 'the attacker waits, and is not refused')
})

test('callbacks of an instance that is removed go in parts, and the neighbour is answered between them', async (t) => {
  const stage = await Stage.open(t)
  const attacking = await stage.attacking()
  const callbacks = 6_000
  await fillWithCallbacks(attacking, { instances: 1, callbacks, bytes: 200 })
  const waiting = () =>
    numberOf(
      stage,
      `select count(*) as number from callbacks join organizations on organizations.id = organization_id where name = '${attackers}'`,
    )
  assert.equal(await waiting(), callbacks)
  const removed = removeInstances(attacking, 1)
  let between = 0
  for (let left = callbacks; left > 0; ) {
    await stage.neighbourLists()
    left = await waiting()
    if (left > 0 && left < callbacks) between++
  }
  await removed
  t.diagnostic(`${between} calls of the neighbour were answered while some had gone and others not`)
  assert.ok(between > 0, 'the neighbour waited for all of them')
})

test('long texts of an instance that is removed are canceled in parts, and the neighbour sends between them', async (t) => {
  const stage = await Stage.open(t)
  const attacking = await stage.attacking()
  const waiting = 400
  await fillWithTexts(attacking, waiting)
  const unsettled = () =>
    numberOf(stage, `select unsettled_messages as number from organizations where name = '${attackers}'`)
  assert.equal(await unsettled(), waiting)
  const removed = removeInstances(attacking, 1)
  const seen = new Set<number>()
  for (let left = waiting; left > 0; ) {
    await stage.neighbourCalls()
    left = await unsettled()
    if (left > 0 && left < waiting) seen.add(left)
  }
  await removed
  t.diagnostic(`after calls of the neighbour, so many waited: ${[...seen]}`)
  // In two halves, there would be one such moment.
  assert.ok(seen.size >= 2, `${seen.size} parts were seen`)
})

test('a text costs about the same while a thousand callers of its organization wait for other events', {
  skip: !tellsProcessorTime && 'only Linux tells what a process has used',
}, async (t) => {
  const stage = await Stage.open(t)
  const attacking = await stage.attacking()
  const sender = new Attacker(attacking, 1)
  t.after(() => sender.end())
  await sender.createInstance('busy')
  const queued = () =>
    numberOf(stage, `select unsettled_messages as number from organizations where name = '${attackers}'`)
  const costOfTexts = async (atMost = Number.POSITIVE_INFINITY) => {
    const before = processorTime(stage.pid)
    const spent = () => processorTime(stage.pid) - before
    for (let number = 0; number < texts && spent() <= atMost; number++) {
      const body = { instance: 'busy', to: `w${number}@accepts.sandbox`, text: 'Hello' }
      await sender.get('POST', '/v1/messages/text', 202, { body })
    }
    await eventually('the last text to be sent', queued, (number) => number === 0)
    return spent()
  }
  /** The least of some rounds: what else the process and the machine do falls into some of them. */
  const leastCost = async (rounds: number, atMost?: number) => {
    let least = Number.POSITIVE_INFINITY
    for (let round = 0; round < rounds && (atMost === undefined || least > atMost); round++)
      least = Math.min(least, await costOfTexts(atMost))
    return least
  }
  await costOfTexts()
  const alone = await leastCost(3)
  const before = await stage.metric('posthorn_http_connections')
  const waits = waitForNothing(attacking, 1_000)
  t.after(() => waits.end())
  // A look has no key: among so many callers who come at once, it may be cut off, and is made again.
  const open = () => stage.metric('posthorn_http_connections').catch(() => before)
  await underWay(async () => (await open()) - before + waits.refused, 1_000)
  await stage.whileAnswered(calls, () => 0)
  const most = 3 * alone
  const beside = await leastCost(6, most)
  t.diagnostic(`${alone} µs for ${texts} texts alone, ${beside} µs beside the waits`)
  assert.ok(beside <= most, `${beside} µs instead of ${alone}`)
})

/** Thirty and a thousand by `npm run test:long`, which kills more often. */
const isLong = kills >= 50
const followed = isLong ? { organizations: 30, followers: 1_000 } : { organizations: 6, followers: 200 }

test(`beside ${followed.organizations} organizations with ${followed.followers} replies each to a message of which nothing is known, the neighbour has its turns`, {
  skip: !tellsProcessorTime && 'only Linux tells what a process has used',
}, async (t) => {
  const stage = await Stage.open(t)
  const all = followed.organizations * followed.followers
  const organizations = await Promise.all(
    Array.from({ length: followed.organizations }, (_, number) => stage.attacking(`followed-${number}`)),
  )
  const before = residentMemory(stage.pid)
  const said = Promise.all(organizations.map((each) => followUnknown(each, followed.followers)))
  const waiting = (since = 0) =>
    numberOf(stage, `select count(*) as number from outbox where joins_lane_at > ${since}`)
  await underWay(waiting)
  const meanwhile = async (count: () => Promise<number>) => {
    let [slowest, answered] = [0, 0]
    while ((await count()) < all) {
      const begun = performance.now()
      await stage.neighbourCalls()
      slowest = Math.max(slowest, performance.now() - begun)
      answered += 2
    }
    assert.ok(answered > 0)
    return `${answered} calls of the neighbour, two of which took at most ${slowest.toFixed(0)} ms`
  }
  const stepping = await meanwhile(waiting)
  await said
  // They look again after a minute, and nothing looks for them until then.
  const spentBefore = processorTime(stage.pid)
  await new Promise((resolve) => setTimeout(resolve, 2_000))
  const spent = (processorTime(stage.pid) - spentBefore) / 1e6
  t.diagnostic(`${all} replies step aside: ${stepping}; then ${spent.toFixed(2)} s of 2 s`)
  assert.ok(spent <= 0.5, `${spent} s of processor time while all wait`)
  assert.equal(await waiting(), all)
  if (isLong) {
    const last = await numberOf(stage, 'select max(joins_lane_at) as number from outbox')
    await eventually(
      'them to look again',
      () => waiting(last),
      (looked) => looked > 0,
      120_000,
    )
    t.diagnostic(`all look again: ${await meanwhile(() => waiting(last))}`)
  }
  const grown = (residentMemory(stage.pid) - before) / 1e6
  t.diagnostic(`${grown.toFixed(0)} MB more`)
  // To accept thirty thousand replies takes as much memory as any other flood, and their waiting none.
  assert.ok(grown <= (isLong ? 2 : 1) * maxGrowth, `memory grew by ${grown} MB`)
})
