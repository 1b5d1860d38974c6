import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FakeTime } from '../../../test/kit/fake-time.ts'
import { silentLog } from '../../runtime/log.ts'
import { Balance } from './balance.ts'

const minute = 60_000

function balancing(instances: { id: string; takenAt: number; isIdle: boolean }[]) {
  const time = new FakeTime()
  const fixture = {
    peers: { exist: true, isDraining: false },
    excess: 0,
    left: [...instances],
    released: [] as string[],
  }
  const balance = new Balance({
    ...time,
    node: { id: 'node_one', isAlone: false, trusted: true },
    peers: fixture.peers,
    log: silentLog,
    otherNodes: { prepareHandOver: async () => {} },
    supervisor: {
      countExcess: async () => fixture.excess,
      releasable: () => fixture.left,
      async release(id: string) {
        fixture.released.push(id)
        fixture.left = fixture.left.filter((instance) => instance.id !== id)
        fixture.excess--
      },
    },
    keptFor: 10 * minute,
    pause: 12_000,
  } as never)
  balance.begin()
  const pass = async (seconds: number) => {
    for (let second = 0; second < seconds; second++) {
      time.pass(1_000)
      for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate)
    }
  }
  return { fixture, pass }
}

const instance = (id: string, isIdle = true) => ({ id, takenAt: 0, isIdle })

test('of instances beyond its share a node gives one away in twelve seconds, none in the first ten minutes', async () => {
  const { fixture, pass } = balancing(['a', 'b', 'c', 'd'].map((id) => instance(id)))
  fixture.excess = 3
  await pass(599)
  assert.deepEqual(fixture.released, [])
  await pass(2)
  assert.deepEqual(fixture.released, ['a'])
  await pass(12)
  assert.deepEqual(fixture.released, ['a', 'b'])
  await pass(60)
  assert.deepEqual(fixture.released, ['a', 'b', 'c'], 'the fourth is its own')
})

test('an instance that sends is not given away', async () => {
  const { fixture, pass } = balancing([instance('busy', false)])
  fixture.excess = 1
  await pass(700)
  assert.deepEqual(fixture.released, [])
})

test('a node that drains gives all away at once, and one that is alone nothing', async () => {
  const { fixture, pass } = balancing([instance('a'), instance('busy', false)])
  fixture.peers.isDraining = true
  fixture.peers.exist = false
  await pass(2)
  assert.deepEqual(fixture.released, [])
  fixture.peers.exist = true
  await pass(2)
  assert.deepEqual(fixture.released, ['a', 'busy'])
})
