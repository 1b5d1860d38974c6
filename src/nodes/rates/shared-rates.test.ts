import assert from 'node:assert/strict'
import { setImmediate as turn } from 'node:timers/promises'
import { FakeTime } from '../../../test/kit/fake-time.ts'
import { testOnBothStores } from '../../../test/kit/stores/outbox-on-both-stores.ts'
import { silentLog } from '../../runtime/log.ts'
import type { StoreForAll } from '../../store/store.ts'
import { SharedRates } from './shared-rates.ts'

/** Nodes that share a store, where no word of one reaches the others. */
class Scene {
  readonly time = new FakeTime()
  readonly running = new Set<string>()
  #begun = 0
  readonly #store: StoreForAll

  constructor(store: StoreForAll) {
    this.#store = store
  }

  /** Begins a node. `taken` is what it tells next; `counted` is what it heard of others, by key. */
  begin(id: string) {
    const { running, time } = this
    const node = { taken: new Map<string, number>(), counted: new Map<string, number>() }
    running.add(id)
    const limit = {
      takenSince() {
        const { taken } = node
        node.taken = new Map()
        return taken
      },
      takenElsewhere: (key: string, count: number) =>
        void node.counted.set(key, (node.counted.get(key) ?? 0) + count),
    }
    const peers = {
      get running() {
        return [...running].map((one) => ({ id: one }))
      },
      get exist() {
        return running.size > 1
      },
    }
    const otherNodes = { hasHearers: false, tell: () => assert.fail('there is no one who hears') }
    const context = { store: this.#store, node: { id, trusted: true }, peers, otherNodes, log: silentLog }
    new SharedRates(limit, { ...context, alarms: time.alarms } as never).begin()
    this.#begun++
    return node
  }

  /** Lets every node tell and look so many times. */
  async pass(times = 1): Promise<void> {
    for (let time = 0; time < times; time++) {
      await this.#rest()
      this.time.pass(500)
    }
    await this.#rest()
  }

  async #rest(): Promise<void> {
    while (this.time.waiting < this.#begun) await turn()
  }
}

testOnBothStores(
  'each request of a key is counted once by each other node, however many tell',
  async (store) => {
    const scene = new Scene(store)
    const [one, two, three] = ['one', 'two', 'three'].map((id) => scene.begin(id)) as [Told, Told, Told]
    await scene.pass()
    for (let round = 1; round <= 30; round++) {
      one.taken.set('key_a', round)
      two.taken.set('key_a', 1).set('key_b', 2)
      await scene.pass()
    }
    await scene.pass(2)
    const ofOne = (30 * 31) / 2
    assert.deepEqual([...one.counted].sort(), Object.entries({ key_a: 30, key_b: 60 }))
    assert.deepEqual([...two.counted], Object.entries({ key_a: ofOne }))
    assert.deepEqual([...three.counted].sort(), Object.entries({ key_a: ofOne + 30, key_b: 60 }))
  },
)

testOnBothStores(
  'what was taken while a node ran alone, or before it began, is not owed later',
  async (store) => {
    const scene = new Scene(store)
    const one = scene.begin('one')
    one.taken.set('key_a', 5_000)
    await scene.pass()
    const two = scene.begin('two')
    await scene.pass(2)
    one.taken.set('key_a', 3)
    await scene.pass(2)
    assert.deepEqual([...two.counted], [['key_a', 3]])
    const late = scene.begin('late')
    await scene.pass(2)
    assert.deepEqual([...late.counted], [])
  },
)

testOnBothStores('more keys than one telling holds are told one after the other', async (store) => {
  const scene = new Scene(store)
  const [one, two] = ['one', 'two'].map((id) => scene.begin(id)) as [Told, Told]
  await scene.pass()
  for (let key = 0; key < 2_500; key++) one.taken.set(`key_${key}`, 1)
  await scene.pass(2)
  assert.ok(two.counted.size > 0 && two.counted.size < 2_500)
  await scene.pass(3)
  assert.equal(two.counted.size, 2_500)
  assert.ok([...two.counted.values()].every((count) => count === 1))
})

type Told = ReturnType<Scene['begin']>
