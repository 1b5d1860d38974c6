import { sees } from '../../contract/operation.ts'
import type { ReceivedName } from '../../networks/driver/abilities/reading.ts'
import { read } from '../../store/store.ts'
import type { MessagePlace } from '../list/find-message.ts'
import { withInstance } from '../message.ts'

/** A received message as its network knows it, and the instance that it came to. */
export interface IncomingPlace extends ReceivedName {
  readonly instanceId: string
}

/**
 * The received message with this id, if it is the organization's, and of an instance that the caller may know of; `sent` if it is one that
 * the account sent.
 */
export const findReceived = read(
  'inbox.find',
  async (reader, args: MessagePlace): Promise<IncomingPlace | 'sent' | null> => {
    const row = await reader.first(
      withInstance(reader.sql)
        .select([
          'instance_id',
          'instance_name',
          'network_message_id',
          'sender_message_id',
          'recipient',
          'sender',
          'incoming',
        ])
        .where('id', '=', args.id)
        .where('organization_id', '=', args.organizationId),
    )
    if (!row || !sees(args, row.instance_name)) return null
    if (row.incoming === 0) return 'sent'
    if (row.network_message_id === null) return null
    return {
      instanceId: row.instance_id,
      network_message_id: row.network_message_id,
      sender_message_id: row.sender_message_id,
      conversation: row.recipient,
      from: row.sender ?? row.recipient,
    }
  },
)
