import type { MessageDirection } from '../../../src/contract/resources/message.ts'
import { forgetEmptyBlocks, indexFullBlocks } from '../../../src/messages/message-index.ts'
import { type StoreFunctions, transaction } from '../../../src/store/store.ts'
import { storeFunctions } from '../../../src/transactions.ts'

/** The fields of a message that matter to lists. */
export interface ListedMessage {
  readonly seq: number
  readonly organization: string
  readonly instance: string
  readonly direction: MessageDirection
  readonly conversation: string
  readonly clientRef: string | null
  readonly status: 'sent' | 'failed'
}

export function idOf({ seq }: { readonly seq: number }): string {
  return `msg_${seq}`
}

/** Leaves exactly these messages in the store. */
export const keepMessages = transaction(
  'test.keep-messages',
  async (tx, messages: readonly ListedMessage[]) => {
    await tx.run(tx.sql.deleteFrom('messages'))
    await forgetEmptyBlocks(tx)
    for (const message of messages) {
      await tx.run(
        tx.sql.insertInto('messages').values({
          seq: message.seq,
          id: idOf(message),
          organization_id: message.organization,
          instance_id: message.instance,
          instance_name: message.instance,
          direction: message.direction,
          recipient: message.conversation,
          kind: 'text',
          status: message.status,
          text: 'Hello.',
          client_ref: message.clientRef,
          created_at: 0,
          expires_at: 0,
        }),
      )
      await indexFullBlocks(tx, [message.seq])
    }
  },
)

/** The store functions of Posthorn, and those that this test adds. */
export const listedFunctions: StoreFunctions = {
  reads: storeFunctions.reads,
  transactions: [...storeFunctions.transactions, keepMessages],
}
