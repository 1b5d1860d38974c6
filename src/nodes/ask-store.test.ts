import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { bothStores } from '../../test/kit/stores/both-stores.ts'
import { outboxFunctions } from '../../test/kit/stores/outbox-store.ts'
import { forgetAsks, insertAsk, listAsks } from './ask-store.ts'

const thread = new URL('../../test/kit/stores/outbox-store-thread.ts', import.meta.url)

for (const { name, skip, newPlace } of await bothStores(outboxFunctions, thread))
  describe(`asks, ${name}`, { skip }, () => {
    test('are forgotten once a caller has the answer, or no caller waits, and no others are', async () => {
      const store = await (await newPlace())()
      for (const [id, node, expires_at] of [
        ['ask_answered', 'node_one', 50],
        ['ask_old', 'node_one', 39],
        ['ask_last', 'node_two', 40],
        ['ask_new', 'node_two', 60],
      ] as const)
        await store.transact(insertAsk, {
          ...{ id, node, expires_at, instance_id: 'inst_a', task: 'stop', argument: new Uint8Array(1) },
        })
      const left = async () => {
        const open = ['node_one', 'node_two'].map((node) =>
          store.read(listAsks, { node, now: 0, underway: [] }),
        )
        return (await Promise.all(open)).flat().map(({ id }) => id)
      }
      assert.deepEqual(await left(), ['ask_old', 'ask_answered', 'ask_last', 'ask_new'])
      await store.transact(forgetAsks, { id: 'ask_answered', now: 0 })
      assert.deepEqual(await left(), ['ask_old', 'ask_last', 'ask_new'])
      await store.transact(forgetAsks, { id: '', now: 40 })
      assert.deepEqual(await left(), ['ask_last', 'ask_new'])
    })
  })
