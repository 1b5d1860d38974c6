import assert from 'node:assert/strict'
import { accepting } from '../../../../test/kit/stores/accepting.ts'
import { testOnBothStores } from '../../../../test/kit/stores/outbox-on-both-stores.ts'
import { resetOutbox } from '../../../../test/kit/stores/outbox-store.ts'
import { acceptMessage } from '../accept/accept.ts'
import { type FoundQueued, findQueued } from './cancel-many.ts'

const anything = {
  organizationId: 'org_test',
  instanceName: null,
  seen: null,
  status: null,
  direction: null,
  conversation: null,
  to: null,
  clientRef: null,
  createdAfter: null,
  createdBefore: null,
  text: null,
  after: null,
}

testOnBothStores('one read compares no more text than takes a few milliseconds', async (store) => {
  await store.transact(resetOutbox, [{ id: 'inst_a', network: 'sandbox' }])
  const count = 100
  for (let index = 0; index < count; index++)
    await store.transact(
      acceptMessage,
      accepting({ id: `msg_${index}`, recipient: `person-${index}`, text: `${'ß'.repeat(4_000)} ${index}` }),
    )
  const partsOf = async (text: string | null) => {
    const parts: number[] = []
    for (let place: FoundQueued['goOn'] = null; ; ) {
      const found: FoundQueued | null = await store.read(findQueued, { ...anything, text, place })
      assert.ok(found)
      parts.push(found.seqs.length)
      place = found.goOn
      if (!place) return parts
    }
  }
  assert.deepEqual(await partsOf('SS'), [33, 33, 33, 1])
  assert.deepEqual(await partsOf(null), [50, 50, 0], 'without a text, nothing is compared')
})
