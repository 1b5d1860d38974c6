import assert from 'node:assert/strict'
import { beforeEach, describe, test } from 'node:test'
import { FakeTime } from '../../test/kit/fake-time.ts'
import { bothStores } from '../../test/kit/stores/both-stores.ts'
import { outboxFunctions, resetOutbox } from '../../test/kit/stores/outbox-store.ts'
import { takeOverInstances } from '../instances/lifecycle/take-over.ts'
import { Changes } from '../runtime/changes.ts'
import { silentLog } from '../runtime/log.ts'
import { Seal } from '../runtime/secrets/seal.ts'
import type { StoreForAll } from '../store/store.ts'
import { answerAsk, forgetAsks, insertAsk, listAsks } from './ask-store.ts'
import { Asks, type Perform } from './asks.ts'
import { joinNode } from './node-store.ts'

const thread = new URL('../../test/kit/stores/outbox-store-thread.ts', import.meta.url)
const instances = [{ id: 'trial', network: 'sandbox' }]
const node = (id: string) => ({ id, boot: id, version: '1', media: 'postgres', started_at: 0 })
const { clock } = new FakeTime()
const { signal } = new AbortController()
const turn = { party: 'nodes' }

/** The asks of one node and to it, as it sees the store. */
const asksOf = (id: string, store: StoreForAll, { hears = true, answers = new Changes() } = {}) =>
  new Asks({
    ...{ store, clock, log: silentLog, seal: new Seal(new Uint8Array(32)), answers, node: { id } },
    peers: { isHeard: () => hears },
    tell: (topic, ask) => topic === 'answered' && answers.hear(ask),
  })

interface Troubles {
  /** The first read returns once this has resolved. */
  readonly firstRead?: Promise<void>
  readonly beforeAnswering?: () => void
}

/** The store as a node sees it that has these troubles. */
const troubled = (store: StoreForAll, { firstRead, beforeAnswering }: Troubles): StoreForAll => {
  let reads = 0
  return {
    ...store,
    read: async (reading, args, turn) => {
      const isFirst = ++reads === 1
      const rows = await store.read(reading, args, turn)
      if (isFirst) await firstRead
      return rows
    },
    transact: async (transaction, args, turn) => {
      if ((transaction as unknown) === answerAsk) beforeAnswering?.()
      return store.transact(transaction, args, turn)
    },
  }
}

for (const { name, skip, newPlace } of await bothStores(outboxFunctions, thread))
  describe(`what another node is asked, ${name}`, { skip }, () => {
    let store: StoreForAll
    beforeEach(async () => {
      store = await (await newPlace())()
      await store.transact(resetOutbox, instances, turn)
      await store.transact(joinNode, node('node_two'), turn)
      const candidates = [{ id: 'trial', organization_id: 'org_test' }]
      const taking = { node: 'node_two', now: 0, candidates, dedupingNetworks: [], limit: 100 }
      await store.transact(takeOverInstances, taking, turn)
    })
    /** Resolves once this many asks wait for the second node. */
    const waiting = async (count: number) => {
      const list = () => store.read(listAsks, { node: 'node_two', now: clock.now(), underway: [] }, turn)
      while ((await list()).length < count);
    }

    test('is forgotten once a caller has the answer, or no caller waits, and no others are', async () => {
      for (const [id, node, expires_at] of [
        ['ask_answered', 'node_one', 50],
        ['ask_old', 'node_one', 39],
        ['ask_last', 'node_two', 40],
        ['ask_new', 'node_two', 60],
      ] as const)
        await store.transact(
          insertAsk,
          { id, node, expires_at, instance_id: 'inst_a', task: 'stop', argument: new Uint8Array(1) },
          turn,
        )
      const left = async () => {
        const open = ['node_one', 'node_two'].map((node) =>
          store.read(listAsks, { node, now: 0, underway: [] }, turn),
        )
        return (await Promise.all(open)).flat().map(({ id }) => id)
      }
      assert.deepEqual(await left(), ['ask_old', 'ask_answered', 'ask_last', 'ask_new'])
      await store.transact(forgetAsks, { id: 'ask_answered', now: 0 }, turn)
      assert.deepEqual(await left(), ['ask_old', 'ask_last', 'ask_new'])
      await store.transact(forgetAsks, { id: '', now: 40 }, turn)
      assert.deepEqual(await left(), ['ask_last', 'ask_new'])
    })

    test('is given up at once if that is silent, and of these an order waits until it hears', async () => {
      const asks = asksOf('node_one', store, { hears: false })
      for (const task of ['link', 'order'])
        await assert.rejects(asks.ask('trial', task, 'stop', signal), { name: 'NodeSilent' })
      const heard: unknown[][] = []
      await asksOf('node_two', store).take(async (...asked) => heard.push(asked))
      assert.deepEqual(heard, [['trial', 'order', 'stop']])
      const later = { node: 'node_two', now: clock.now() + 60_000, underway: [] }
      assert.deepEqual(await store.read(listAsks, later, turn), [])
    })

    test('is done once, even if a second look sees it before it is answered, and returns after that', async () => {
      const answers = new Changes()
      const answer = asksOf('node_one', store, { answers }).ask('trial', 'ask-groups', 'create', signal)
      await waiting(1)
      const { promise: firstRead, resolve: release } = Promise.withResolvers<void>()
      const asked = asksOf('node_two', troubled(store, { firstRead }), { answers })
      let done = 0
      const perform: Perform = async () => ++done
      const first = asked.take(perform)
      await asked.take(perform)
      assert.equal(await answer, 1)
      release()
      await first
      assert.equal(done, 1)
    })

    test('is done once, even if its answer cannot be stored', async () => {
      const abort = new AbortController()
      const answer = asksOf('node_one', store).ask('trial', 'ask-groups', 'create', abort.signal)
      await waiting(1)
      let failures = 0
      const failing = troubled(store, {
        beforeAnswering: () => {
          failures++
          throw new Error('the database is away')
        },
      })
      const asked = asksOf('node_two', failing)
      let done = 0
      while (failures === 0) await asked.take(async () => ++done)
      await asked.take(async () => ++done)
      abort.abort()
      await assert.rejects(answer, { name: 'NodeSilent', mayBeDone: true })
      assert.equal(done, 1)
    })

    test('does not wait for a hundred others that take long', async () => {
      const answers = new Changes()
      const asking = asksOf('node_one', store, { answers })
      const abort = new AbortController()
      const slow = Array.from({ length: 100 }, () =>
        asking.ask('trial', 'check-addresses', 'slow', abort.signal).catch(() => undefined),
      )
      await waiting(100)
      const asked = asksOf('node_two', store, { answers })
      const { promise: held, resolve: release } = Promise.withResolvers<void>()
      const perform: Perform = async (_, __, argument) => {
        if (argument === 'slow') await held
        return argument
      }
      await asked.take(perform)
      const quick = asking.ask('trial', 'link', 'quick', signal)
      let answer: unknown
      void quick.then((value) => {
        answer = value
      })
      while (answer === undefined) await asked.take(perform)
      assert.equal(answer, 'quick')
      release()
      abort.abort()
      await Promise.all(slow)
    })
  })
