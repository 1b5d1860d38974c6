import { sees } from '../../contract/operation.ts'
import type { MessageContent } from '../../contract/resources/content.ts'
import type { Relation } from '../../contract/resources/message.ts'
import type { RelationType } from '../../contract/statuses.ts'
import { briefRead } from '../../store/store.ts'
import { aliasesOf } from '../contacts/contact-store.ts'
import { type CurrentMessage, currentMessage, currentMessages } from '../current-message.ts'
import { contentIn, networkIdOf, networkIdsIn } from '../message.ts'

/** The message that a new one is to change or reply to. */
export interface FoundTarget
  extends Pick<
    CurrentMessage,
    | 'seq'
    | 'id'
    | 'instance_name'
    | 'recipient'
    | 'kind'
    | 'status'
    | 'incoming'
    | 'sent_elsewhere'
    | 'text'
    | 'sent_at'
    | 'expires_at'
  > {
  readonly network_message_id: string | null
  readonly relation: Relation | null
  /** The topic of a group that it is in. */
  readonly topic: MessageContent['topic'] | null
}

/** The message with this id, if it is the organization's, and of an instance that the caller may know of. */
export const findTarget = briefRead(
  'messages.target',
  async (
    reader,
    args: { organizationId: string; id: string; instances: readonly string[] | null },
  ): Promise<FoundTarget | null> => {
    const row = await reader.first(
      currentMessages(reader.sql)
        .where('id', '=', args.id)
        .where('organization_id', '=', args.organizationId),
    )
    return row && sees(args, row.instance_name) ? found(currentMessage(row)) : null
  },
)

/** The conversation in which a message is looked for, and its id, ours or the network's. */
interface NamedInConversation {
  readonly organizationId: string
  readonly instanceId: string
  readonly recipient: string
  readonly name: string
}

/** The message of this conversation that a caller names; null if there is none. */
export const findInConversation = briefRead(
  'messages.in-conversation',
  async (reader, { organizationId, instanceId, recipient, name }: NamedInConversation) => {
    const { assigned, derivedFrom } = networkIdsIn(name)
    const rows = await reader.all(
      currentMessages(reader.sql)
        .where('organization_id', '=', organizationId)
        .where('instance_id', '=', instanceId)
        .where((eb) =>
          eb.or([eb('id', '=', name), eb('network_message_id', '=', assigned), eb('id', '=', derivedFrom)]),
        )
        .limit(3),
    )
    const aliases =
      rows.length === 0 ? [] : await aliasesOf(reader, { instance: instanceId, address: recipient })
    const row = rows.find((one) => one.recipient === recipient || aliases.includes(one.recipient))
    return row ? found(currentMessage(row)) : null
  },
)

function found(row: CurrentMessage): FoundTarget {
  const { seq, id, instance_name, recipient, kind, status } = row
  const { incoming, sent_elsewhere, text, sent_at, expires_at } = row
  return {
    ...{ seq, id, instance_name, recipient, kind, status },
    ...{ incoming, sent_elsewhere, text, sent_at, expires_at },
    network_message_id: networkIdOf(row),
    relation: row.relation === null ? null : JSON.parse(row.relation),
    topic: contentIn(row.content).topic ?? null,
  }
}

/** The relation to a message, as it is stored. */
export function relationTo(
  type: RelationType,
  { id: message_id, network_message_id }: Pick<FoundTarget, 'id' | 'network_message_id'>,
): string {
  return JSON.stringify({ type, message_id, network_message_id } satisfies Relation)
}
