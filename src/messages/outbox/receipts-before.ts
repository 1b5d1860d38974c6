import { transaction } from '../../store/store.ts'
import { listMessages } from '../message-list.ts'
import { ownNetworkId } from '../network-id.ts'
import { findSent, type Receipt, recordReceipt } from './receipts.ts'

/** How many messages of a conversation one receipt confirms at most. Readers rarely leave more unread. */
const confirmedTogether = 200

/**
 * Records a receipt that also confirms what was sent before in the conversation, the oldest first. It looks back as far as
 * everything is confirmed already, or at most over 200 messages. Returns the ids of the messages that changed.
 */
export const recordReceiptUpTo = transaction(
  'receipts.up_to',
  async (tx, receipt: Receipt): Promise<readonly string[]> => {
    const last = await findSent(tx, receipt)
    if (!last) return []
    const listed = await listMessages.run(tx, {
      organizationId: last.organization_id,
      instanceName: last.instance_name,
      seen: null,
      status: null,
      direction: 'outbound',
      conversation: last.recipient,
      to: null,
      clientRef: null,
      limit: confirmedTogether,
      before: last.id,
      below: null,
    })
    const before = 'page' in listed ? listed.page.data : []
    const confirmed = before.findIndex(({ status }) => status === 'read' || status === receipt.state)
    const open = confirmed < 0 ? before : before.slice(0, confirmed)
    const changed: string[] = []
    for (const { id } of [...open.toReversed(), last]) {
      const own = { ...receipt, networkMessageId: ownNetworkId(id), assignedId: undefined }
      if ((await recordReceipt.run(tx, id === last.id ? receipt : own)) !== null) changed.push(id)
    }
    return changed
  },
)
