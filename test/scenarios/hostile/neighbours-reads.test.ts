import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { processorTime, tellsProcessorTime } from '../../../bench/processor.ts'
import { Attacker } from '../../kit/attacks/attacker.ts'
import { SilentReaders } from '../../kit/attacks/connections.ts'
import {
  askForStatistics,
  callWithManyKeys,
  createKeys,
  fillQueues,
  listLargePages,
  pageOf,
  statisticsOf,
  storeLargeTexts,
  storeShortTexts,
} from '../../kit/attacks/lists.ts'
import { attackers, Stage, underWay } from '../../kit/attacks/stage.ts'
import { residentMemory } from '../../kit/resident-memory.ts'
import { tamper } from '../../kit/rows.ts'

/*
 * While one organization reads as much as it can, the calls of another are answered in turn with its: what is counted is how many of
 * the attacker's calls are answered while the neighbour's wait. If everybody waits for all who came before, that is as many as the
 * attacker has connections, or more, for each call of the neighbour.
 */

const calls = 20
/** Of 42 KB each. */
const messages = 50
/** The bench judges the figure, beside a quiet server; without a bound, it is a gigabyte. */
const maxMemory = 128e6

/** Asserts that at most half of the attacker's calls that wait at any time go before one of the neighbour's. */
async function assertTurns(
  t: TestContext,
  stage: Stage,
  attacker: Attacker,
  connections: number,
): Promise<void> {
  t.after(() => attacker.end())
  await underWay(() => attacker.answered)
  const most = (calls * connections) / 2
  const answered = await stage.whileAnswered(calls, () => attacker.answered, most)
  t.diagnostic(`${answered / calls} of ${connections} for each of ${calls} calls of the neighbour`)
  assert.ok(answered <= most, `${answered} went before ${calls} calls of the neighbour`)
  assert.equal(attacker.refused, 0, 'the attacker waits, and is not refused')
}

test('beside 32 lists at a time of large messages, the neighbour has its turns', async (t) => {
  const stage = await Stage.open(t)
  const attacking = await stage.attacking()
  await storeLargeTexts(attacking, messages)
  await assertTurns(t, stage, listLargePages(attacking, pageOf(messages), 32), 32)
})

test('beside 200 callers who read nothing of such lists, the neighbour is answered, and the server keeps no more than a share of them', async (t) => {
  const stage = await Stage.open(t)
  const attacking = await stage.attacking()
  await storeLargeTexts(attacking, messages)
  await stage.whileAnswered(calls, () => 0)
  // The memory that reading pages takes at all is not measured.
  for (let read = 0; read < 120; read++) {
    const headers = { authorization: `Bearer ${attacking.key}` }
    await (await fetch(`${attacking.url}${pageOf(messages)}`, { headers })).arrayBuffer()
  }
  const before = residentMemory(stage.pid)
  const readers = new SilentReaders(attacking, pageOf(messages), 200)
  t.after(() => readers.end())
  await underWay(() => readers.begun)
  const grown = await stage.whileAnswered(5 * calls, () => residentMemory(stage.pid) - before, maxMemory)
  t.diagnostic(`the process grew by ${Math.round(grown / 1e6)} MB`)
  assert.ok(grown <= maxMemory, `it grew by ${grown} bytes`)
})

test('beside 64 questions at a time for statistics of thirty days, the neighbour has its turns', async (t) => {
  const stage = await Stage.open(t)
  const attacking = await stage.attacking()
  const statements = statisticsOf(attackers, []).join(';\n')
  await tamper(stage.data, { sqlite: statements, postgres: statements })
  await assertTurns(t, stage, askForStatistics(attacking, [attacking.key], 64), 64)
})

test('beside 64 connections with a hundred keys of one organization, the neighbour has its turns', async (t) => {
  const stage = await Stage.open(t)
  const attacking = await stage.attacking()
  await storeShortTexts(attacking, 400)
  const keys = await createKeys(attacking, 100)
  await assertTurns(t, stage, callWithManyKeys(attacking, keys, { connections: 64 }), 64)
})

test('a list of instances costs about the same if a queue has just lost its oldest text', {
  skip: !tellsProcessorTime && 'only Linux tells what a process has used',
}, async (t) => {
  const stage = await Stage.open(t)
  const attacking = await stage.attacking()
  const lists = 40
  const rounds = 8
  const { oldest } = await fillQueues(attacking, {
    queues: 1,
    texts: 6_000,
    keys: 1,
    kept: (2 * rounds + 1) * lists,
  })
  const attacker = new Attacker(attacking, 1)
  t.after(() => attacker.end())
  const costWithout = async (ids: readonly string[]) => {
    const before = processorTime(stage.pid)
    for (const id of ids) {
      await attacker.get('POST', `/v1/messages/${id}/cancel`, 200)
      await attacker.get('GET', '/v1/instances', 200)
    }
    return processorTime(stage.pid) - before
  }
  const first = [...(oldest[0] ?? [])]
  await costWithout(first.splice(-lists))
  // Beside each other, and the least of each: what else the process and the machine do falls into some of them.
  let [warm, cold] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY]
  for (let round = 0; round < rounds && (round < 3 || cold > 1.5 * warm); round++) {
    warm = Math.min(warm, await costWithout(first.splice(-lists)))
    cold = Math.min(cold, await costWithout(first.splice(0, lists)))
  }
  t.diagnostic(`${warm} µs for ${lists} lists, ${cold} µs if the oldest was lost before each`)
  assert.ok(cold <= 1.5 * warm, `${cold} µs instead of ${warm}`)
})
