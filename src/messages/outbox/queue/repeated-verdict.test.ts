import assert from 'node:assert/strict'
import { accepting } from '../../../../test/kit/stores/accepting.ts'
import { testOnBothStores } from '../../../../test/kit/stores/outbox-on-both-stores.ts'
import { inspectOutbox, resetOutbox } from '../../../../test/kit/stores/outbox-store.ts'
import { newId } from '../../../runtime/ids.ts'
import { ownNetworkId } from '../../message.ts'
import { acceptMessage } from '../accept/accept.ts'
import { recordReceipt } from '../receipts/receipts.ts'
import { settleAndClaim } from './settle-and-claim.ts'

const now = 1_700_000_000_000
const instanceId = 'inst_a'

testOnBothStores(
  'verdicts that are told again after the clock was set back let nothing wait for their time',
  async (store) => {
    await store.transact(resetOutbox, [{ id: instanceId, network: 'deduping' }])
    const ids = [newId('msg'), newId('msg')]
    for (const id of ids)
      await store.transact(acceptMessage, accepting({ id, instance_id: instanceId, created_at: now }))
    const call = { instanceId, claimPerRecipient: 2, now, holding: null }
    const { claimed } = await store.transact(settleAndClaim, { ...call, attempted: [], claim: 2 })
    const [first, second] = claimed.map(({ seq, recipient, attempt }) => ({ seq, recipient, attempt }))
    assert.ok(first && second)
    const again = { kind: 'again', error: null } as const
    const attempted = [
      { ...first, verdict: { ...again, at: 0, uncertain: false, unbegun: true } },
      { ...second, verdict: { ...again, at: now, uncertain: true } },
    ]
    // The call claims both once more, and its answer is lost.
    await store.transact(settleAndClaim, { ...call, attempted, claim: 2 })
    const networkMessageId = ownNetworkId(ids[0] ?? '')
    await store.transact(recordReceipt, { instanceId, networkMessageId, from: null, state: 'read', at: now })
    const attempts = [first, second].map(({ seq, attempt }) => ({ seq, attempt }))
    const holding = { attempts, epoch: 0 }
    await store.transact(settleAndClaim, { ...call, attempted, claim: 0, now: now - 1, holding })
    const { messages } = await store.read(inspectOutbox, null)
    assert.deepEqual(
      messages.map(({ status, due_at, queue_position }) => [status, due_at, queue_position !== null]),
      [
        ['read', null, false],
        ['sending', null, true],
      ],
    )
  },
)
