import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { FakeTime } from '../../test/kit/fake-time.ts'
import { bothStores } from '../../test/kit/stores/both-stores.ts'
import { outboxFunctions, resetOutbox } from '../../test/kit/stores/outbox-store.ts'
import { takeOverInstances } from '../instances/lifecycle/take-over.ts'
import { Changes } from '../runtime/changes.ts'
import { silentLog } from '../runtime/log.ts'
import { Seal } from '../runtime/secrets/seal.ts'
import { listAsks } from './ask-store.ts'
import { Asks } from './asks.ts'
import { joinNode } from './node-store.ts'

const thread = new URL('../../test/kit/stores/outbox-store-thread.ts', import.meta.url)
const instances = [{ id: 'trial', network: 'sandbox' }]
const node = (id: string) => ({ id, boot: id, version: '1', media: 'postgres', started_at: 0 })

for (const { name, skip, newPlace } of await bothStores(outboxFunctions, thread))
  describe(`asks to a node that is silent, ${name}`, { skip }, () => {
    test('are given up at once, and of these an order waits until the node hears of it', async () => {
      const store = await (await newPlace())()
      await store.transact(resetOutbox, instances)
      await store.transact(joinNode, node('node_two'))
      const candidates = [{ id: 'trial', organization_id: 'org_test' }]
      await store.transact(takeOverInstances, {
        ...{ node: 'node_two', now: 0, candidates, dedupingNetworks: [], limit: 100 },
      })
      const { clock } = new FakeTime()
      const asks = new Asks({
        ...{ store, clock, log: silentLog, seal: new Seal(new Uint8Array(32)), answers: new Changes() },
        ...{ node: { id: 'node_one' }, peers: { isHeard: () => false }, tell: () => {} },
      })
      for (const task of ['link', 'order'])
        await assert.rejects(asks.ask('trial', task, 'stop', new AbortController().signal), {
          name: 'NodeSilent',
        })
      const heard: unknown[][] = []
      const silent = new Asks({
        ...{ store, clock, log: silentLog, seal: new Seal(new Uint8Array(32)), answers: new Changes() },
        ...{ node: { id: 'node_two' }, peers: { isHeard: () => true }, tell: () => {} },
      })
      await silent.take(async (...asked) => heard.push(asked))
      assert.deepEqual(heard, [['trial', 'order', 'stop']])
      const later = clock.now() + 60_000
      assert.deepEqual(await store.read(listAsks, { node: 'node_two', now: later }), [])
    })
  })
