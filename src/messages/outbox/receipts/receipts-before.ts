import { type Transaction, transaction } from '../../../store/store.ts'
import type { CurrentMessage } from '../../current-message.ts'
import { type Listed, listMessages } from '../../list/message-list.ts'
import {
  asNamed,
  confirm,
  findSent,
  type MessageReceipt,
  type ReportedMessage,
  sentWithIds,
} from './receipts.ts'

/** Most messages of a conversation that one receipt confirms. Readers rarely leave more unread. */
const confirmedTogether = 200
/** Most reads in search of them, each short because a transaction is short. */
const readsTogether = 4

/**
 * Records a receipt that also confirms what was sent before in the conversation, the oldest first. It looks back as far as
 * everything is confirmed already, or at most over 200 messages. Returns the messages that changed.
 */
export const recordReceiptUpTo = transaction(
  'receipts.up_to',
  async (tx, receipt: MessageReceipt): Promise<readonly ReportedMessage[]> => {
    const [last] = await findSent(tx, [receipt])
    if (!last) return []
    const before = await sentBefore(tx, last)
    const confirmed = before.findIndex(({ status }) => status === 'read' || status === receipt.state)
    const open = confirmed < 0 ? before : before.slice(0, confirmed)
    const ids = open.map(({ id }) => ({ id, instance: last.instance_id }))
    const rows = (await sentWithIds(tx, ids)).sort((a, b) => a.seq - b.seq)
    const { state, at } = receipt
    const all = [...rows, await asNamed(tx, last, receipt)]
    return await confirm(
      tx,
      all.map((row) => ({ row, state, at })),
    )
  },
  { isToldTurn: true },
)

async function sentBefore(tx: Transaction, last: CurrentMessage): Promise<Listed['data']> {
  const before: Listed['data'] = []
  let place: Listed['goOn'] = null
  for (let read = 0; read < readsTogether; read++) {
    const listed: Listed = await listMessages.run(tx, {
      organizationId: last.organization_id,
      instanceName: last.instance_name,
      seen: null,
      status: null,
      direction: 'outbound',
      conversation: last.recipient,
      to: null,
      clientRef: null,
      createdAfter: null,
      createdBefore: null,
      text: null,
      limit: confirmedTogether - before.length,
      before: last.id,
      place,
    })
    before.push(...listed.data)
    place = listed.goOn
    if (!place || before.length === confirmedTogether) break
  }
  return before
}
