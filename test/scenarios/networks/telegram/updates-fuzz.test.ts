import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { Value } from 'typebox/value'
import { contentFields } from '../../../../src/contract/resources/content.ts'
import { groupChanges } from '../../../../src/contract/statuses.ts'
import Type from '../../../../src/contract/type.ts'
import { incomingMessage } from '../../../../src/messages/inbox/incoming-message.ts'
import { isGroup, parseAddress } from '../../../../src/networks/telegram/address.ts'
import { groupNewsIn } from '../../../../src/networks/telegram/incoming/group-news.ts'
import { messageIn, movedChatIn } from '../../../../src/networks/telegram/incoming/incoming-message.ts'
import { kills, seed } from '../../../kit/crash/kills.ts'
import { type Mutation, mutatedBytes, mutatedValues } from '../../../kit/networks/callback-mutations.ts'
import { type Fuzzed, fuzzedNetworks } from '../../../kit/networks/fuzzed-networks.ts'
import { randomOf } from '../../../kit/random.ts'

/* Updates of every kind with something else in them: they are read, or they are not, and what is told always fits the contract. */

/** Ten thousand in each run, and more by `npm run test:long`, which kills more often. */
const mutations = 2_000 * kills

const schema = Type.Object(contentFields)
const bot = 8_000_000_001

let fuzzed: Fuzzed
let genuine: readonly Buffer[]

before(async () => {
  const begin = fuzzedNetworks.find(({ name }) => name === 'telegram') ?? assert.fail()
  fuzzed = await begin()
  genuine = await fuzzed.genuine('')
})
after(() => fuzzed?.stop())

test('updates with anything in them fit what callers are told, and take no time', (context) => {
  const random = randomOf(seed)
  const now = Date.now()
  let [read, told, slowest] = [0, 0, 0]
  for (let number = 0; number < mutations; number++) {
    const body = genuine[number % genuine.length] ?? assert.fail()
    const mutate: Mutation = random() < 0.2 ? mutatedBytes : mutatedValues
    const update = updateIn(number < genuine.length ? body : mutate(body, random))
    if (!update) continue
    const before = process.threadCpuUsage()
    const message = messageIn(update, now)
    const news = groupNewsIn(update, bot, now)
    const moved = movedChatIn(update)
    const stored = message && incomingMessage(message, now)
    const { user, system } = process.threadCpuUsage(before)
    slowest = Math.max(slowest, (user + system) / 1_000)
    const where = `seed ${seed}, number ${number}: ${JSON.stringify(update).slice(0, 2_000)}`
    if (stored) {
      read += 1
      assert.deepEqual([...Value.Errors(schema, stored.content)].slice(0, 1), [], where)
    }
    for (const { group, change, members = [], by, at, subject = '' } of news) {
      told += 1
      assert.ok(isGroup(group) && groupChanges.includes(change) && at <= now, where)
      assert.ok(members.length <= 100 && subject.isWellFormed(), where)
      for (const address of [group, ...members, ...(by == null ? [] : [by])])
        assert.deepEqual(parseAddress(address), { ok: true, address }, where)
    }
    for (const address of [...(moved?.addresses ?? []), ...(moved?.formerly ? [moved.formerly] : [])])
      assert.deepEqual(parseAddress(address), { ok: true, address }, where)
  }
  assert.ok(read >= genuine.length / 2 && told > 0)
  assert.ok(slowest < 1_000, `one took ${slowest} ms`)
  context.diagnostic(
    `seed ${seed}: ${mutations} mutations of ${genuine.length} updates, ${read} of them messages, ${told} changes of groups, the slowest in ` +
      `${slowest.toFixed(1)} ms`,
  )
})

function updateIn(body: Buffer): Record<string, unknown> | null {
  try {
    const update: unknown = JSON.parse(body.toString())
    return typeof update === 'object' && update !== null && !Array.isArray(update)
      ? (update as Record<string, unknown>)
      : null
  } catch {
    return null
  }
}
