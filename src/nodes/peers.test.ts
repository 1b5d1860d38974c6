import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FakeTime } from '../../test/kit/fake-time.ts'
import { silentLog } from '../runtime/log.ts'
import { usualTiming } from './node-lease.ts'
import { declareGone, type NodeRow } from './node-store.ts'
import { Peers } from './peers.ts'

const row = (id: string, beat: number): NodeRow => ({
  ...{
    id,
    boot: `boot of ${id}`,
    beat,
    seen_at: 0,
    version: '1',
    schema: '',
    media: 'postgres',
    draining: 0,
    started_at: 0,
  },
})

/** One node that watches another, over a store in which the test says what stands. */
async function watching() {
  const time = new FakeTime()
  const fixture = {
    other: row('node_two', 0),
    away: false,
    node: { id: 'node_one', isAlone: false, trusted: true },
    declared: 0,
  }
  const peers = new Peers({
    ...time,
    store: {
      async read() {
        if (fixture.away) throw new Error('the database is away')
        return [row('node_one', 0), fixture.other]
      },
      async transact(asked: unknown) {
        assert.equal(asked, declareGone)
        fixture.declared++
        fixture.other = { ...fixture.other, boot: '' }
        return true
      },
    },
    node: fixture.node,
    log: silentLog,
    timing: usualTiming,
  } as never)
  await peers.begin()
  /** Lets seconds pass, in each of which the node looks once. */
  const pass = async (seconds: number) => {
    for (let second = 0; second < seconds; second++) {
      time.pass(1_000)
      for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate)
    }
  }
  return { fixture, peers, pass }
}

test('a node that beats is heard, however long', async () => {
  const { fixture, peers, pass } = await watching()
  for (let beat = 1; beat < 20; beat++) {
    await pass(5)
    fixture.other = row('node_two', beat)
  }
  assert.deepEqual([peers.exist, peers.isHeard('node_two'), fixture.declared], [true, true, 0])
})

test('one that is silent is not heard after 13 s, and declared gone after 18 s', async () => {
  const { fixture, peers, pass } = await watching()
  await pass(12)
  assert.equal(peers.isHeard('node_two'), true)
  await pass(2)
  assert.deepEqual([peers.isHeard('node_two'), fixture.declared], [false, 0])
  await pass(5)
  assert.equal(fixture.declared, 1)
  await pass(20)
  assert.deepEqual([peers.exist, fixture.declared], [false, 1])
})

test('one whose silence was not watched without a gap is waited for anew', async () => {
  const { fixture, pass } = await watching()
  await pass(15)
  fixture.away = true
  await pass(30)
  fixture.away = false
  await pass(17)
  assert.equal(fixture.declared, 0, 'the database was away for all')
  fixture.node.trusted = false
  await pass(10)
  fixture.node.trusted = true
  await pass(17)
  assert.equal(fixture.declared, 0, 'this node could not beat itself')
  await pass(3)
  assert.equal(fixture.declared, 1)
})
