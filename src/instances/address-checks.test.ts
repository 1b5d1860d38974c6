import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FakeTime } from '../../test/kit/fake-time.ts'
import type { FoundAddress } from '../networks/driver/abilities/checking.ts'
import { AddressChecker } from './address-checks.ts'

const pace = { count: 10, seconds: 100 }
const never = new AbortController().signal
const named = (count: number, from = 0) => Array.from({ length: count }, (_, at) => `a${from + at}`)

function plays(exists: FoundAddress['exists'] = 'yes') {
  const time = new FakeTime()
  const checker = new AddressChecker({ clock: time.clock, alarms: time.alarms })
  const asked: string[] = []
  const connection = {
    checkAddresses: async (addresses: readonly string[]) => {
      asked.push(...addresses)
      return { kind: 'checked' as const, addresses: addresses.map((one) => ({ asked: one, exists })) }
    },
  }
  const ask = (addresses: readonly string[], id = 'inst_a') =>
    checker.ask({ id, connection }, { addresses, pace }, never)
  return { time, checker, asked, ask }
}

test('the network is asked once in a day about one that exists, and through each instance', async () => {
  const { time, asked, ask } = plays()
  await ask(['ana'])
  await ask(['ana'])
  assert.deepEqual(asked, ['ana'])
  await ask(['ana'], 'inst_b')
  time.pass(24 * 60 * 60_000)
  await ask(['ana'])
  assert.deepEqual(asked, ['ana', 'ana', 'ana'])
})

test('it is asked again after an hour about one that does not exist, and at once if it could not say', async () => {
  const no = plays('no')
  await no.ask(['ana'])
  no.time.pass(59 * 60_000)
  await no.ask(['ana'])
  assert.equal(no.asked.length, 1)
  no.time.pass(60_000)
  await no.ask(['ana'])
  assert.equal(no.asked.length, 2)
  const unknown = plays('unknown')
  await unknown.ask(['ana'])
  await unknown.ask(['ana'])
  assert.equal(unknown.asked.length, 2)
})

test('no more than the pace allows are asked about, and what is known costs nothing', async () => {
  const { time, asked, ask } = plays()
  await ask(named(8))
  assert.deepEqual(await ask(named(5, 8)), { kind: 'paced', seconds: 30 })
  assert.equal((await ask(named(8))).kind, 'checked')
  assert.equal((await ask(named(2, 8))).kind, 'checked')
  assert.equal((await ask(['other'], 'inst_b')).kind, 'checked')
  time.pass(10_000)
  assert.equal((await ask(named(1, 10))).kind, 'checked')
  assert.equal(asked.length, 12)
})

test('an answer that leaves some out is unknown about those, and one that never comes is none', async () => {
  const { time, checker } = plays()
  const connection = { checkAddresses: async () => ({ kind: 'checked' as const, addresses: [] }) }
  const answer = await checker.ask({ id: 'inst_a', connection }, { addresses: ['ana'], pace }, never)
  assert.deepEqual(answer, { kind: 'checked', addresses: [{ asked: 'ana', exists: 'unknown', at: null }] })
  const silent = { checkAddresses: () => new Promise<never>(() => {}) }
  const late = checker.ask({ id: 'inst_a', connection: silent }, { addresses: ['bo'], pace }, never)
  time.pass(30_000)
  assert.equal((await late).kind, 'unanswered')
  const closed = { id: 'inst_a', connection: undefined }
  assert.equal((await checker.ask(closed, { addresses: ['bo'], pace }, never)).kind, 'unanswered')
})
